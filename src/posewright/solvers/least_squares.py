"""LeastSquares: damped least squares with hard limits. The default solver.

Goals about sites over single dofs are solved by elimination along the tree of joints (`kernels.tree.least_squares`).
All other problems (see `LoweredProblem.tree_obstacles`) take dense steps (`kernels.dense.least_squares`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array, BoolArray
from posewright.kernels.compiling.jit import Repeated
from posewright.kernels.dense import least_squares as dense_kernels
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.dense.step import N_PLACES
from posewright.kernels.solves import Solves
from posewright.kernels.tables import Table
from posewright.kernels.tree import least_squares as tree_kernels
from posewright.problem.dense_problem import coordinate_ranges, dof_ranges
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem, Obstacle
from posewright.solvers.dense_prepared import DensePrepared, seconds_per_step, with_strict_levels
from posewright.solvers.interruption import Stop
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support, check_counts

_DAMPING, _FLOOR, _SETTLED = 0.03, 1e-6, 1e-9
_KEPT = 1e-11  # as nearly as starts keep rows
# Guarded steps before Newton steps take over: a hundred of the tree's are as quick as a few of them.
_TREE_STEPS, _STEPS, _SOFT_STEPS = 100, 8, 40


@dataclass(frozen=True, kw_only=True)
class Tracking:
    """How much work `LeastSquares` does per frame of a motion."""

    steps: int = 60
    """Maximum number of steps per frame. With one or two, all steps are accepted: fast and smooth, but slightly behind
    fast tracks. With three or more, steps that raise the cost are undone, and all but the first are Newton steps."""
    damping: float = 5e-3
    """Damping of a frame's first step, relative to the weight of the tracks."""
    gain: float = 1e-6
    """A frame ends after a step that lowers the cost by less than this fraction."""
    still: float = 1e-10
    """A frame ends after a step that changes no dof by more than this (rad, m)."""
    met: float = 1e-6
    """Error that strict goals may have (m or rad, along each axis)."""

    @classmethod
    def precise(cls) -> Tracking:
        """Settings that converge to rounding error, for comparisons, with several times the work of the defaults."""
        return cls(steps=200, gain=1e-14, met=1e-13)

    def __post_init__(self) -> None:
        require_number(self.steps, "steps of a tracking", at_least=1.0, whole=True)
        for name in ("damping", "gain", "still", "met"):
            require_number(getattr(self, name), f"{name} of a tracking", at_least=0.0)


@dataclass(frozen=True, kw_only=True)
class LeastSquares(Solver):
    """Damped least squares with hard limits and up to two strict priorities. This is the default solver."""

    support: ClassVar[Support] = Support(strict_levels=2)

    max_iterations: int = 400
    """Maximum number of iterations, restarts included."""
    restarts: int = 20
    """Maximum number of random starts when a goal is missed; 0 uses only the given start."""
    seed: int = 1
    """Seed of random starts; the same seed gives the same bits."""
    tracking: Tracking = field(default_factory=Tracking)
    """For motions, work per frame."""

    def __post_init__(self) -> None:
        check_counts(self, max_iterations=0, restarts=0, seed=0)
        require(self.tracking, Tracking, "tracking of LeastSquares", "a Tracking, such as Tracking(steps=10)")

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare for tree elimination if the problem permits it (`lowered.tree_obstacles`), otherwise dense steps."""
        return DenseLeastSquares(self, lowered) if lowered.tree_obstacles else TreePrepared(self, lowered)

    def settings(self, minimising: bool, hand_over: int = 0) -> Table:
        """The settings as a table for the kernels."""
        table = np.zeros(1, descent.SETTINGS)
        numbers = (self.max_iterations, self.restarts, self.seed, _DAMPING, _FLOOR, _SETTLED)
        table[0] = (*numbers, int(minimising), hand_over)
        return table


class TreePrepared(Prepared):
    """A problem solved by elimination along the tree of joints."""

    _solver: LeastSquares

    def __init__(self, solver: LeastSquares, lowered: LoweredProblem, *, settles: bool = True) -> None:
        """Prepare a problem; with `settles`, searches that the kernel hands over are continued here."""
        super().__init__(solver, lowered)
        self._settles = settles
        # One that ends by itself is tried again with the rows, from other starts too: it has to have its chance.
        steps = _TREE_STEPS if settles else max(1, 9 * solver.max_iterations // 10)
        self._settings = solver.settings(lowered.has_soft_terms, steps)
        self._ranges = dof_ranges(lowered)
        self._kernel = Repeated(tree_kernels.solve_tree)
        self._seconds_at_most = 1e-6 * (len(lowered.dofs) + len(lowered.terms)) * solver.max_iterations

    def _followed(self) -> tuple[LoweredProblem, bool]:
        return self.lowered, False

    def local(self, q: Array) -> Array:
        """Convert `q` to the chart of the space; the kernel clamps limits."""
        space = self.lowered.problem.space
        if space.is_identity and not space.chart:
            return np.ascontiguousarray(q)
        return np.ascontiguousarray(space.encode(q) @ space.matrix.T + space.offset)

    def plain(self, x: Array) -> Array:
        """Convert `x` from the chart of the space to plain coordinates."""
        space = self.lowered.problem.space
        return space.decode((x - space.offset) @ space.matrix) if space.chart else x

    def run(self, solves: Solves) -> None:
        """One kernel call."""
        lowered = self.lowered
        self._kernel.call(
            lowered.joints, lowered.dofs, lowered.terms, self._settings, lowered.posture, self._ranges, solves,
            self._stop,
        )  # fmt: skip
        space, x = lowered.problem.space, solves.x
        for k in np.flatnonzero(solves.info[:, 1] == descent.HANDED_OVER).tolist() if self._settles else ():
            start = (x[k] - space.offset) @ space.matrix
            x[k] = space.matrix @ self._settle(start, solves, k) + space.offset


class DenseLeastSquares(DensePrepared):
    """A problem solved by dense steps in the coordinates of the space.

    Few answers come near a linear constraint. If constraints are the only obstacle to tree elimination, the problem is
    first solved there without them, and by dense steps only if the answer breaks one.
    """

    _solver: LeastSquares

    def __init__(self, solver: LeastSquares, lowered: LoweredProblem) -> None:
        alone = lowered.n_levels == 1 and not lowered.python
        steps = 0 if not alone else _SOFT_STEPS if lowered.has_soft_terms else _STEPS
        self._settings = solver.settings(lowered.has_soft_terms, steps)
        two_levels, warnings = with_strict_levels(lowered, 2)
        if lowered.posture.any() and two_levels.posture_level < two_levels.n_levels:
            warnings = (*warnings, "a posture goal is served with the last priority, not with an earlier one")
        super().__init__(solver, lowered, two_levels, warnings, floor=_floor(two_levels))
        self._places = np.zeros((N_PLACES, self._problem.coordinates.shape[1]))
        self._places[descent.LOW : descent.HIGH + 1] = coordinate_ranges(two_levels)
        self._tree: TreePrepared | None = None
        if lowered.tree_obstacles == {Obstacle.CONSTRAINTS}:
            self._tree = TreePrepared(replace(solver, restarts=0), lowered, settles=False)
        self._ends = [descent.REACHED, descent.OUT_OF_ITERATIONS, descent.INTERRUPTED, descent.HANDED_OVER]
        if lowered.has_soft_terms or solver.restarts == 0:  # dense steps would not start again either
            self._ends.append(descent.STATIONARY)
        if not lowered.python:
            self._seconds_at_most = seconds_per_step(self._problem) * lowered.n_levels * solver.max_iterations

    def _followed(self) -> tuple[LoweredProblem, bool]:
        return self._weighed, False

    def use_stop_flag(self, stop: Stop) -> None:
        """Read this flag from now on."""
        super().use_stop_flag(stop)
        if self._tree is not None:
            self._tree.use_stop_flag(stop)

    def run(self, solves: Solves) -> None:
        """A kernel call for all solves; after a search of the tree, one for each whose answer will not do."""
        if self._python is not None:
            self._one_by_one(self._python, solves)
            return
        if self._tree is None:
            self._run_dense(solves)
            return
        for k in np.flatnonzero(~self._settled(solves)).tolist():
            self._run_dense(solves.part(slice(k, k + 1)))

    def _run_watched(self, solves: Solves) -> None:
        if self._tree is None:
            super()._run_watched(solves)
            return
        self.use_stop_flag(np.zeros(1, np.int8))
        if not self._settled(solves)[0]:  # to watch over a solve takes longer than this does
            self._watch(partial(self._run_dense, solves))

    def _settled(self, solves: Solves) -> BoolArray:
        """Solve without the rows; whether each answer will do: it keeps the rows, and goals are met if they can be."""
        assert self._tree is not None
        space, region, x = self.lowered.problem.space, self.lowered.region, solves.x
        if space.is_identity:
            self._tree.run(solves)
        else:
            q = np.empty((len(x), len(space.offset)))
            self._tree.run(solves._replace(starts=solves.starts @ space.matrix.T + space.offset, x=q))
            x[:] = (q - space.offset) @ space.matrix
        settled: BoolArray = region.broken(x).max(axis=1) <= _KEPT
        settled &= np.isin(solves.info[:, 1], self._ends)
        for k in np.flatnonzero(settled & (solves.info[:, 1] == descent.HANDED_OVER)).tolist():
            x[k] = self._settle(x[k].copy(), solves, k)
        return settled

    def _run_dense(self, solves: Solves) -> None:
        dense_kernels.solve_dense(self._problem, self._settings, self._point, self._places, solves, self._stop)
        for k in np.flatnonzero(solves.info[:, 1] == descent.HANDED_OVER).tolist():
            solves.x[k] = self._settle(solves.x[k].copy(), solves, k)

    def _run_with_python(
        self, python: PythonRows, start: Array, targets: Array, reference: Array, x: Array, info: Array
    ) -> None:
        """The same steps one by one."""
        problem, point, state = self._problem, self._point, np.zeros(1, descent.STATE)
        dense_kernels.begin_at(problem, self._settings[0], state[0], start, x, self._places)
        action = descent.AGAIN
        while action != descent.DONE:
            evaluate(problem, targets, x, point)
            met = all(python.fill(x, point.rho, point.J)) and self._all_met()
            action = dense_kernels.advance(
                problem, self._settings[0], state[0], reference, met, self._stop, x, point, self._places
            )
        info[:] = state[0]["iterations"], state[0]["why"], state[0]["cost"], state[0]["restarts"]


def _floor(lowered: LoweredProblem) -> float:
    """Cost at which the first of two levels counts as met; negative if there is one level only."""
    if lowered.n_levels == 1:
        return -1.0
    terms = lowered.terms
    unit = np.where(np.array(lowered.units) == "rad", terms["radius"], 1.0)
    first_level = (terms["level"] == 1) & (terms["weight"] > 0.0)
    allowed = terms["weight"][first_level] * (unit * terms["tolerance"])[first_level] ** 2
    return float(0.25 * allowed.min(initial=1e-6))
