"""Goals linearised at a pose, goal by goal: residual rows and their derivative by the coordinates of the space.

The rows are those that solvers see: from the same tables, scaled by the root of the weight, so that a goal costs ‖ρ‖²
and pulls by 2 Jᵀρ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.goals import Goal
from posewright.goals.term import PostureTerm
from posewright.kernels.goals.rows import evaluate_terms
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.kernels.tree.elimination import screws
from posewright.problem.lowering import LoweredProblem
from posewright.problem.python_rows import PythonRows


@dataclass(frozen=True, eq=False)
class GoalRows:
    """One goal at one pose."""

    goal: Goal
    rho: Array
    """(rows,)"""
    J: Array
    """(rows, coordinates)"""

    @property
    def pull(self) -> Array:
        """Half the gradient of the goal's cost (coordinates,): Jᵀρ."""
        pull: Array = self.J.T @ self.rho
        return pull


def linearise(lowered: LoweredProblem, targets: Array, x: Array, start: Array) -> tuple[GoalRows, ...]:
    """The rows of every enabled goal.

    Args:
        lowered: the problem.
        targets: (terms, TARGET_WIDTH).
        x: coordinates of the problem's space.
        start: (dofs,) of the plain figure, what a posture goal without a reference refers to.
    """
    space = lowered.problem.space
    q = space.matrix @ x + space.offset
    rho, J_q = _rows_by_q(lowered, targets, q)
    J = J_q @ space.matrix
    if lowered.python:
        PythonRows(lowered).fill(x, rho, J)
    found = []
    for goal, terms, rows in zip(lowered.goals, lowered.goal_terms, lowered.goal_rows, strict=True):
        rhos, Js = [rho[rows]], [J[rows]]
        for term in terms:
            if isinstance(term, PostureTerm):
                roots = np.sqrt(goal.weight * term.weights)
                reference = start if term.reference is None else term.reference
                rhos.append(roots * (q - space.in_chart(reference)))
                Js.append(roots[:, None] * space.matrix)
        found.append(GoalRows(goal, np.concatenate(rhos), np.concatenate(Js)))
    return tuple(found)


def _rows_by_q(lowered: LoweredProblem, targets: Array, q: Array) -> tuple[Array, Array]:
    """Residual and derivative by `q` of terms and linear rows; room for those of Python goals is left below."""
    n_terms, n_joints, n_dofs = len(lowered.terms), len(lowered.joints), len(lowered.dofs)
    rotations, positions = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3))
    axes, S = np.empty((n_dofs, 3)), np.empty((n_dofs, 6))
    place(lowered.joints, lowered.dofs, q, rotations, positions, axes)
    screws(lowered.joints, lowered.dofs, positions, axes, S)
    rho, J = np.zeros(len(lowered.levels)), np.zeros((len(lowered.levels), n_dofs))
    chosen, errors = np.zeros(n_terms, np.int8), np.zeros(n_terms)
    evaluate_terms(
        lowered.joints, lowered.dofs, lowered.terms, targets, rotations, positions, axes, S, chosen, errors, rho, J
    )
    linear = slice(ROWS_PER_TERM * n_terms, ROWS_PER_TERM * n_terms + len(lowered.linear))
    rho[linear], J[linear] = lowered.linear @ q - lowered.linear_target, lowered.linear
    return rho, J
