"""Problems handed to the optimisers of other libraries: cost and gradient of free variables, bounds, linear rows.

Variables y move what may move: x = start + scale · y, scale being 1 - rigidity, so a stiffer dof has further to go and
one of rigidity 1 has no variable. Whatever points a library tries, feasible or not, the best feasible one is kept.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np

from posewright.conventions import Array
from posewright.errors import Infeasible
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import DenseProblem, Point, evaluate
from posewright.kernels.solves import Solves
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem
from posewright.solvers.dense_prepared import with_strict_levels
from posewright.solvers.interruption import Stop
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support

_KEPT = 1e-10  # of a unit: a row or bound broken by less is kept


class Ended(Exception):
    """Raised out of a library's search to end it."""

    def __init__(self, why: int) -> None:
        self.why = why
        super().__init__(why)


class Objective:
    """Cost and gradient of one solve, called by a library.

    Attributes:
        lower: bounds of the variables.
        upper: see `lower`.
        A: rows over the variables, equalities first and independent of each other: A y = b, then A y <= b.
        b: see `A`.
        n_equal: how many rows are equalities.
        best: the best feasible point so far (coordinates,).
        best_cost: its cost.
        evaluations: how many points were tried after the start.
    """

    def __init__(
        self,
        lowered: LoweredProblem,
        problem: DenseProblem,
        point: Point,
        targets: Array,
        start: Array,
        reference: Array,
        stop: Stop,
        max_evaluations: int,
    ) -> None:
        self._lowered, self._problem, self._point = lowered, problem, point
        self._targets, self._start, self._reference, self._stop = targets, start, reference, stop
        self._python = PythonRows(lowered) if lowered.python else None
        if self._python is not None:
            self._python.stop = stop
        self._max_evaluations, self._evaluating = max_evaluations, False
        frozen = lowered.scale == 0.0
        region = lowered.region
        self._region = replace(
            region,
            lower=np.where(frozen, start, region.lower),
            upper=np.where(frozen, start, region.upper),
        )
        self._free = np.flatnonzero(~frozen & (region.lower < region.upper))
        self._scale = lowered.scale[self._free]
        self.lower = np.minimum((region.lower - start)[self._free] / self._scale, 0.0)
        self.upper = np.maximum((region.upper - start)[self._free] / self._scale, 0.0)
        self._rows()
        self.best, self.best_cost, self.evaluations = start.copy(), np.inf, -1
        self._last = np.full(len(self._free), np.nan)
        self._cost, self._gradient = np.inf, np.zeros(len(self._free))

    def __call__(self, y: Array) -> tuple[float, Array]:
        """Cost and gradient; raises Ended where the search is to end."""
        if not np.array_equal(y, self._last):
            self._evaluating = True
            try:
                self._evaluate(y)
            finally:
                self._evaluating = False
        return self._cost, self._gradient.copy()

    def interrupt(self) -> None:
        """End the search wherever the library is; an evaluation is finished first, and ends it then."""
        if not self._evaluating:
            raise Ended(descent.INTERRUPTED)

    def x_of(self, y: Array) -> Array:
        """The coordinates that variables stand for."""
        x = self._start.copy()
        x[self._free] += self._scale * y
        return x

    def offer(self, y: Array) -> None:
        """Take a library's answer, which it may never have evaluated, for the best point if it is."""
        try:
            self(y)
        except Ended:
            return

    def errors_at_best(self) -> Array:
        """Of each term at the best point (terms,), m or rad."""
        evaluate(self._problem, self._targets, self.best, self._point)
        return self._point.errors

    def _evaluate(self, y: Array) -> None:
        x = self.x_of(y)
        self._cost, met = self._measure(x)
        point, matrix = self._point, self._lowered.problem.space.matrix
        pull = self._problem.posture * (point.q - self._reference)
        by_x = 2.0 * (point.J.T @ point.rho + matrix.T @ pull)
        self._gradient = self._scale * by_x[self._free]
        self._last = np.array(y)
        self._judge(x, met)

    def _rows(self) -> None:
        """Constraint rows over the free variables, without dependent ones, which some libraries cannot handle."""
        region = self._region
        A = region.A[:, self._free] * self._scale
        b = region.b - region.A @ self._start
        used = np.abs(A).max(axis=1, initial=0.0) > 1e-12
        equal = np.flatnonzero(used[: region.n_equal])
        if len(equal):
            from scipy.linalg import qr  # slow to import, needed here only

            _, R, order = qr(A[equal].T, mode="economic", pivoting=True)
            diagonal = np.abs(np.diag(R))
            equal = np.sort(equal[order[: int((diagonal > 1e-10 * diagonal[0]).sum())]])
        below = region.n_equal + np.flatnonzero(used[region.n_equal :])
        kept = np.concatenate([equal, below]).astype(np.int64)
        self.A, self.b, self.n_equal = A[kept], b[kept], len(equal)
        self.b[self.n_equal :] = np.maximum(self.b[self.n_equal :], 0.0)  # the start is inside, up to rounding

    def _measure(self, x: Array) -> tuple[float, bool]:
        """Evaluate at x: cost, and whether every goal is met."""
        problem, point = self._problem, self._point
        evaluate(problem, self._targets, x, point)
        met = bool((~point.chosen | (point.errors <= problem.terms["tolerance"])).all())
        if self._python is not None:
            met = all(self._python.fill(x, point.rho, point.J)) and met
        away = point.q - self._reference
        return float(point.rho @ point.rho + problem.posture @ (away * away)), met

    def _judge(self, x: Array, met: bool) -> None:
        """Keep the point if it is the best feasible one so far, and end the search when due."""
        region, cost = self._region, self._cost
        near = np.clip(x, region.lower, region.upper)
        if region.violation(near) > _KEPT or (np.abs(near - x) / region.units).max(initial=0.0) > _KEPT:
            try:
                near = region.projected(x)
                cost, met = self._measure(near)
            except Infeasible:  # rounding got in the way; the start is feasible, and so was every best point since
                cost, met = np.inf, False
        self.evaluations += 1
        if cost < self.best_cost:
            self.best, self.best_cost = near, cost
        if met and not self._lowered.has_soft_terms:
            self.best, self.best_cost = near, cost
            raise Ended(descent.REACHED)
        if self._stop[0] != 0:
            raise Ended(descent.INTERRUPTED)
        if self.evaluations >= self._max_evaluations:
            raise Ended(descent.OUT_OF_ITERATIONS)


class ExternalSolver(Solver):
    """Base class of solvers that use another library. Priorities become weights; each evaluation is an iteration."""

    support: ClassVar[Support] = Support(strict_levels=1)
    interruptible: ClassVar[bool] = True
    """Whether Ctrl-C may raise an exception inside the library; otherwise the next evaluation ends the search."""

    @abstractmethod
    def minimise(self, objective: Objective) -> str:
        """Minimise the objective, starting from zero; return the library's message if it failed, otherwise ""."""

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare the problem for repeated solves."""
        return ExternalPrepared(self, lowered)


class ExternalPrepared(Prepared):
    """A problem that another library solves."""

    _solver: ExternalSolver
    _in_python = True

    def __init__(self, solver: ExternalSolver, lowered: LoweredProblem) -> None:
        self._searching: Objective | None = None
        self._weighed, self._always_said = with_strict_levels(lowered, 1)
        self._problem = dense_problem(self._weighed)
        self._point = point_of(self._problem)
        super().__init__(solver, lowered, self._always_said)

    def interrupted(self) -> None:
        """Leave the library's own code, which may be slow."""
        if self._searching is not None and self._solver.interruptible:
            self._searching.interrupt()

    def run(self, solves: Solves) -> None:
        """Solve one after the other."""
        for k, wanted in enumerate(solves.targets):
            objective = Objective(
                self._weighed, self._problem, self._point, wanted, solves.start(k), solves.reference(k), self._stop,
                self._solver.max_iterations,
            )  # fmt: skip
            complaint, why = "", descent.STATIONARY
            try:
                self._searching = objective
                objective(np.zeros(len(objective.lower)))
                complaint = self._solver.minimise(objective)
                self._searching = None
            except Ended as end:
                why = end.why
            finally:
                self._searching = None
            self.warnings = (*self._always_said, *((complaint,) if complaint else ()))
            solves.x[k] = objective.best
            solves.errors[k] = objective.errors_at_best()
            solves.info[k] = objective.evaluations, why, objective.best_cost, 0
