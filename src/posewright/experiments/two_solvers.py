"""Example-guided inverse kinematics (Tak & Ko): the same frames by our kernel and by solvers that share none of it."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from posewright.clips import throw
from posewright.conventions import Array
from posewright.experiments.experiment import Experiment, Outcome, Progress
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.goals.timed import follow
from posewright.problem.imitation import Imitation
from posewright.problem.motion_lowering import LoweredMotion, lower_motion
from posewright.problem.motion_problem import MotionProblem
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.tracking import Tracking
from posewright.solvers.registry import SOLVERS

_HAND, _FRAMES = "right_hand", 12
_OTHERS = ("active_set_bfgs",)
"""Solvers of ours that minimise the same weighted sum by other means."""


def _problem(name: str, beta: float) -> MotionProblem:
    clip = throw(build("norman"), fps=20.0)[8 : 8 + _FRAMES]
    return MotionProblem(
        build(name), [follow(_HAND, clip)], clip,
        imitation=Imitation.still(tracks=1.0 - beta, example=beta), frozen=["pelvis"],
    )  # fmt: skip


def two_solvers(progress: Progress) -> Outcome:
    """2-F."""
    rows, failures = [], []
    cases = [(name, beta) for name in ("abnorman1", "abnorman2") for beta in (1e-2, 1e-3)]
    for k, (name, beta) in enumerate(cases):
        problem = _problem(name, beta)
        lowered = lower_motion(problem)
        ours = LeastSquares(tracking=Tracking(gain=1e-14, steps=200)).solve(problem).motion.q
        others = {"SciPy": _by_scipy(lowered)}
        for label in _OTHERS:
            if label in SOLVERS:
                others[label] = SOLVERS[label]().solve(problem).motion.q
        for label, q in others.items():
            apart = float(np.abs(q - ours).max())
            costs = [np.array([_objective(lowered, f, pose) for f, pose in enumerate(found)]) for found in (ours, q)]
            gap = float(np.abs(costs[0] / costs[1] - 1.0).max())
            rows.append((name, f"{beta:g}", label, f"{apart:.1e}", f"{gap:.1e}"))
            if not (apart <= 1e-4 and gap <= 1e-6):
                failures.append(
                    f"{name} at β = {beta:g}: {label} is {apart:.1e} rad and {gap:.1e} of the objective away"
                )
        progress((k + 1) / len(cases))
    columns = ("figure", "β", "other solver", "largest difference (rad)", "objectives differ by")
    return Outcome(columns, tuple(rows), tuple(failures))


def _objective(lowered: LoweredMotion, frame: int, q: Array) -> float:
    point = site_frames(lowered.problem.figure, q, [_HAND]).points[0]
    hand = lowered.weights[frame, 0] * np.sum((point - lowered.targets[frame, 0, :3]) ** 2)
    return float(hand + np.sum(lowered.example * (q - lowered.references[frame]) ** 2))


def _by_scipy(lowered: LoweredMotion) -> Array:
    """Every frame by SciPy's bounded least squares, from the example."""
    figure = lowered.problem.figure
    free = np.ones(figure.n_dofs, np.bool_)
    free[figure.dof_slice("pelvis")] = False
    root = np.sqrt(lowered.example[free])
    found = lowered.references.copy()
    for frame, reference in enumerate(lowered.references):
        scale, target = float(np.sqrt(lowered.weights[frame, 0])), lowered.targets[frame, 0, :3]

        def pose(x: Array, reference: Array = reference) -> Array:
            q = reference.copy()
            q[free] = x
            return q

        def residual(x: Array, scale: float = scale, target: Array = target, reference: Array = reference) -> Array:
            point = site_frames(figure, pose(x, reference), [_HAND]).points[0]
            return np.concatenate([scale * (point - target), root * (x - reference[free])])

        def jacobian(x: Array, scale: float = scale, reference: Array = reference) -> Array:
            J = site_jacobians(figure, pose(x, reference), [_HAND])[0, :3][:, free]
            return np.concatenate([scale * J, np.diag(root)])

        inside = 1e-9 * (figure.upper - figure.lower)[free]
        start = np.clip(reference[free], figure.lower[free] + inside, figure.upper[free] - inside)
        answer = least_squares(
            residual, start, jacobian, bounds=(figure.lower[free], figure.upper[free]),
            xtol=1e-14, ftol=1e-15, gtol=1e-15,
        )  # fmt: skip
        found[frame] = pose(answer.x)
    return found


TWO_SOLVERS = Experiment(
    id="2-F",
    title="The same motion by two solvers",
    accepts="poses within 1e-4 rad and objectives within 1e-6",
    run=two_solvers,
)
