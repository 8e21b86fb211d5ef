"""Goals evaluated at a pose, by the problem's tables: the one place where errors and `reached` come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.figures.kinematics import joint_frames
from posewright.goals.term import LinearTerm, Unit
from posewright.kernels.goals.rows import evaluate_terms
from posewright.motions import Motion
from posewright.problem.lowering import LoweredProblem


@dataclass(frozen=True)
class GoalError:
    """How far one goal is from met."""

    label: str
    value: float
    """In `unit`; of a goal without tolerance, the root mean square over its rows."""
    unit: Unit
    tolerance: float
    """Infinite for goals that are only approached."""
    goal: str = ""
    """Label of the goal that this is a part of."""

    @property
    def reached(self) -> bool:
        """Whether the error is within the tolerance."""
        return self.value <= self.tolerance

    def __str__(self) -> str:
        return f"{self.label} {readable(self.value, self.unit)}"


def goal_errors(lowered: LoweredProblem, targets: Array, pose: Pose, start: Array) -> tuple[GoalError, ...]:
    """The error of every goal at a pose; `start` is what a posture goal without a reference refers to."""
    found = []
    if len(lowered.terms):
        values, chosen = term_errors(lowered, targets, pose)
        for index in np.flatnonzero(chosen).tolist():
            goal = lowered.goals[lowered.refs[index].goal].label
            label = lowered.refs[index].label(goal)  # alternatives share it
            tolerance = float(lowered.terms["tolerance"][index])
            found.append(GoalError(label, float(values[index]), lowered.units[index], tolerance, goal))
    for label, term, _, tolerance in lowered.python:
        found.append(GoalError(label, float(np.linalg.norm(term.residual(pose))), term.unit, tolerance, label))
    for label, approached in lowered.leaning:
        if isinstance(approached, LinearTerm):
            gap = approached.matrix @ lowered.problem.space.in_chart(pose.q) - approached.target
        else:
            reference = start if approached.reference is None else approached.reference
            gap = (pose.q - reference)[approached.weights > 0.0]
        found.append(GoalError(label, float(np.sqrt(np.mean(gap**2))), "rad", math.inf, label))
    return tuple(found)


def term_errors(lowered: LoweredProblem, targets: Array, pose: Pose) -> tuple[Array, npt.NDArray[np.int8]]:
    """Error of each term (m or rad) and whether it counts (alternatives that are not nearest do not)."""
    n_terms, n_dofs = len(lowered.terms), pose.figure.n_dofs
    joints, dofs = pose.figure.tables
    frames = joint_frames(pose.figure, pose.q)
    chosen, errors, rho = np.zeros(n_terms, np.int8), np.empty(n_terms), np.empty(3 * n_terms)
    evaluate_terms(
        joints, dofs, lowered.terms, targets, frames.rotations, frames.positions, np.empty((n_dofs, 3)),
        np.empty((n_dofs, 6)), chosen, errors, rho, np.empty((0, n_dofs)),
    )  # fmt: skip
    return errors, chosen


def motion_errors(lowered: LoweredProblem, targets: Array, motion: Motion) -> Array:
    """Error of each term in each frame (frames, terms), m or rad; `targets` (frames, terms, TARGET_WIDTH)."""
    if lowered.sites_in_the_world:
        from posewright.kernels.goals.clip_errors import clip_errors

        errors = np.zeros(targets.shape[:2])
        clip_errors(*motion.figure.tables, lowered.terms, targets, np.array(motion.q), errors)
        return errors
    return np.array(
        [term_errors(lowered, wanted, pose)[0] for wanted, pose in zip(targets, motion, strict=True)]
    ).reshape(targets.shape[:2])


def readable(error: float, unit: Unit) -> str:
    """An error as a person reads it: millimetres, metres or degrees."""
    if unit == "rad":
        return f"{_two_digits(math.degrees(error))}°"
    return f"{_two_digits(error * 1000)} mm" if error < 0.9995 else f"{error:.3g} m"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"  # 500, not 5e+02
