"""Predicates and goals written in Python, judged for a crowd of poses in one call per iteration.

Sets too thin for sampling, such as feet on the floor: predicates that can say which goals lead back to them
(`PosePredicate.goals`) have what was drawn projected there by a few least-squares steps.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.figures.kinematics import joint_frames
from posewright.goals.python_goal import crowd_residuals
from posewright.kernels.solves import Solves
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.predicates import PosePredicate, Verdicts
from posewright.problem.problem import Problem
from posewright.solvers.least_squares import LeastSquares

_STEPS = 8  # of the projection


class PythonCrowd:
    """What a problem asks of Python. What predicates and goals raise is not caught: it reaches the caller as it is."""

    def __init__(self, lowered: LoweredProblem) -> None:
        self._lowered = lowered

    def passes(self, q: Array) -> Verdicts:
        """Which of the poses (poses, dofs) keep all predicates."""
        figure, predicates = self._lowered.problem.figure, self._lowered.problem.predicates
        verdicts = np.ones(len(q), np.bool_)
        if any(isinstance(predicate, PosePredicate) for predicate in predicates):
            frames = joint_frames(figure, q)
        for predicate in predicates:
            if isinstance(predicate, PosePredicate):
                verdicts &= predicate.holds(figure, q, frames)
            else:
                verdicts[verdicts] = [bool(predicate(Pose(figure, row))) for row in q[verdicts]]
        return verdicts

    def add(self, q: Array, judged: Array, rho: Array) -> None:
        """Add the cost of the Python goals to those of the poses (row 0), and clear row 1 where one is missed.

        Their residuals go into rho (poses, rows), unless that has no rows.
        """
        first = 0
        for label, term, root_weight, tolerance in self._lowered.python:
            found = crowd_residuals(self._lowered.problem.figure, label, term, q)
            lengths = np.linalg.norm(found, axis=1)
            judged[0] += (root_weight * lengths) ** 2
            judged[1, lengths > tolerance] = 0.0
            if len(rho):
                rho[:, first : first + term.rows] = root_weight * found
            first += term.rows


class PredicateProjection:
    """Moves points of a problem's space to where its predicates lead; only what the problem lets move is moved."""

    def __init__(self, lowered: LoweredProblem) -> None:
        problem = lowered.problem
        figure = problem.figure
        goals = [g for p in problem.predicates if isinstance(p, PosePredicate) for g in p.goals()]
        still = [name for name, scale in zip(figure.dof_names, lowered.dofs["scale"], strict=True) if scale == 0.0]
        frozen = list(dict.fromkeys([*problem.frozen, *still]))
        back = Problem(problem.space, goals, constraints=problem.constraints, frozen=frozen)
        self._space = problem.space
        self._prepared = LeastSquares(restarts=0, max_iterations=_STEPS).prepare(back) if goals else None

    def __call__(self, x: Array) -> Array:
        """The points (points, coordinates), projected."""
        if self._prepared is None:
            return x
        prepared, n = self._prepared, len(x)
        starts = prepared.local(self._space.decode(x))
        targets = np.repeat(prepared.lowered.targets[np.newaxis], n, axis=0)
        solves = Solves.of(starts, targets, self._space.decode(x))
        prepared.run(solves)
        return self._space.encode(prepared.plain(solves.x))
