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
from posewright.kernels.dense.problem import evaluate
from posewright.problem.dense_problem import dense_problem, point_of
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
    problem = dense_problem(lowered)
    point = point_of(problem)
    evaluate(problem, targets, x, point)
    q, rho, J = point.q, point.rho, point.J
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
