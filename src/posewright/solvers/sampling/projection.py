"""Drawn poses projected to where a predicate wants them: sets too thin for sampling, such as feet on the floor.

Predicates that can say which goals lead back to them (`PosePredicate.goals`) are served by a few least-squares steps.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.problem.lowering import LoweredProblem
from posewright.problem.predicates import PosePredicate
from posewright.problem.problem import Problem
from posewright.problem.result import N_INFO
from posewright.solvers.least_squares import LeastSquares

STEPS = 8


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
        self._prepared = LeastSquares(restarts=0, max_iterations=STEPS).prepare(back) if goals else None

    def __call__(self, x: Array) -> Array:
        """The points (points, coordinates), projected."""
        if self._prepared is None:
            return x
        prepared, n = self._prepared, len(x)
        starts = prepared.local(self._space.decode(x))
        targets = np.repeat(prepared.lowered.targets[np.newaxis], n, axis=0)
        found, errors = np.empty(starts.shape), np.empty((n, targets.shape[1]))
        prepared.run(starts, targets, self._space.decode(x), found, errors, np.empty((n, N_INFO)))
        return self._space.encode(prepared.plain(found))
