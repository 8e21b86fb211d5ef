"""Every experiment by id."""

from __future__ import annotations

from posewright.errors import UnknownName
from posewright.experiments import nonlinear_programming, sequential_monte_carlo
from posewright.experiments.agreement import AGREEMENT
from posewright.experiments.evaluation_cost import EVALUATION_COST
from posewright.experiments.example_guided import EXAMPLE_GUIDED
from posewright.experiments.experiment import Experiment
from posewright.experiments.motion_patterns import MOTION_PATTERNS
from posewright.experiments.posture_database import POSTURE_DATABASE
from posewright.experiments.posture_design import POSTURE_DESIGN
from posewright.experiments.posture_splicing import PRIORITY_STRICTNESS

EXPERIMENTS: dict[str, Experiment] = {
    experiment.id: experiment
    for experiment in (
        *nonlinear_programming.EXPERIMENTS,
        EVALUATION_COST,
        *EXAMPLE_GUIDED,
        *sequential_monte_carlo.EXPERIMENTS,
        *MOTION_PATTERNS,
        *POSTURE_DESIGN,
        *POSTURE_DATABASE,
        PRIORITY_STRICTNESS,
        AGREEMENT,
    )
}


def experiment_by_id(name: str) -> Experiment:
    """The experiment of that id.

    Raises:
        UnknownName: with the nearest id and all of them.
    """
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS, where="Posewright")
    return EXPERIMENTS[name]
