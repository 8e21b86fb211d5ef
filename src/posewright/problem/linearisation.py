"""Goals linearised at a pose, goal by goal: residual rows and their derivative by the coordinates of the space.

The rows are those that solvers see: from the same tables, scaled by the root of the weight, so that a goal costs ‖ρ‖²
and pulls by 2 Jᵀρ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.figures.reach import dof_units
from posewright.goals import Goal
from posewright.goals.python_goal import as_numbers, checked_rows
from posewright.goals.term import PostureTerm, PythonTerm
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowered_problem import LoweredProblem

_STEP = 1e-6  # of central differences, of the unit of a coordinate


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
                roots = np.sqrt(goal.weight * term.weights) / dof_units(space.figure)
                reference = start if term.reference is None else term.reference
                rhos.append(roots * (q - space.in_chart(reference)))
                Js.append(roots[:, None] * space.matrix)
        found.append(GoalRows(goal, np.concatenate(rhos), np.concatenate(Js)))
    return tuple(found)


class PythonRows:
    """Evaluates the Python goals of a problem. What they raise is not caught: it reaches the caller as it is."""

    def __init__(self, lowered: LoweredProblem) -> None:
        self._lowered = lowered
        self._first = ROWS_PER_TERM * len(lowered.terms) + len(lowered.linear)
        self.levels = lowered.python_levels
        """The priority of each goal, from 1."""
        self.stop: npt.NDArray[np.int8] = np.zeros(1, np.int8)
        """Not 0: the search ends at this point, so derivatives, which take long, are left out."""

    def fill(self, x: Array, rho: Array, J: Array) -> list[bool]:
        """Write the rows at coordinates x; return whether each Python goal is within its tolerance."""
        space, figure = self._lowered.problem.space, self._lowered.problem.figure
        pose = Pose(figure, space.decode(x))
        row, met = self._first, []
        for label, term, root_weight, tolerance in self._lowered.python:
            residual = self._residual(label, term, pose)
            rho[row : row + term.rows] = root_weight * residual
            met.append(float(np.linalg.norm(residual)) <= tolerance)
            if term.jacobian is not None and not space.chart:
                shape, what = (term.rows, figure.n_dofs), f"the jacobian of {label!r}"
                by_q = checked_rows(as_numbers(term.jacobian(pose), shape, what), shape, what)
                J[row : row + term.rows] = root_weight * by_q @ space.matrix
            else:
                for c in range(len(x)):
                    if self.stop[0] != 0:
                        break
                    step = np.zeros(len(x))
                    step[c] = _STEP * space.units[c]
                    up = self._residual(label, term, Pose(figure, space.decode(x + step)))
                    down = self._residual(label, term, Pose(figure, space.decode(x - step)))
                    J[row : row + term.rows, c] = root_weight * (up - down) / (2.0 * step[c])
            row += term.rows
        return met

    def _residual(self, label: str, term: PythonTerm, pose: Pose) -> Array:
        found = as_numbers(term.residual(pose), (term.rows,), f"the residual of {label!r}")
        return checked_rows(np.atleast_1d(found), (term.rows,), f"the residual of {label!r}")
