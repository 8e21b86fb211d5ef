"""What the papers show, repeated: `posewright experiment`. Every experiment by id."""

from posewright.errors import UnknownName
from posewright.experiments import (
    agreement,
    evaluation_cost,
    example_guided,
    monte_carlo_bodies,
    monte_carlo_chains,
    monte_carlo_defaults,
    monte_carlo_scaling,
    motion_patterns,
    nonlinear_programming,
    posture_database,
    posture_design,
    priority_strictness,
)
from posewright.experiments.experiment import Experiment

_MODULES = (
    nonlinear_programming,
    evaluation_cost,
    example_guided,
    monte_carlo_chains,
    monte_carlo_scaling,
    monte_carlo_bodies,
    monte_carlo_defaults,
    motion_patterns,
    posture_design,
    posture_database,
    priority_strictness,
    agreement,
)

EXPERIMENTS: dict[str, Experiment] = {
    found.id: found for module in _MODULES for found in vars(module).values() if isinstance(found, Experiment)
}


def experiment_by_id(name: str) -> Experiment:
    """The experiment of that id.

    Raises:
        UnknownName: with the nearest id and all of them.
    """
    if name not in EXPERIMENTS:
        raise UnknownName("experiment", name, EXPERIMENTS, where="Posewright")
    return EXPERIMENTS[name]
