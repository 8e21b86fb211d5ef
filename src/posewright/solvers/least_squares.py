"""LeastSquares: damped least squares with hard limits. The default solver.

Goals on sites over single dofs go through the elimination of the tree (`kernels.least_squares`); everything else
(centre of mass, targets on the figure, joint groups, linear constraints, two priorities, goals in Python) through dense
steps (`kernels.least_squares_dense`). Which of the two is decided when the problem is lowered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figure import Pose
from posewright.kernels import descent
from posewright.kernels import least_squares as tree_kernels
from posewright.kernels import least_squares_dense as dense_kernels
from posewright.kernels.tables import ROWS_PER_TERM, Table
from posewright.problem.lowering import LEVEL_WEIGHT, LoweredProblem, lower
from posewright.problem.movable import nothing_to_do
from posewright.problem.problem import Problem
from posewright.problem.python_rows import PythonRows
from posewright.problem.result import PoseResult
from posewright.problem.scattering import coordinate_ranges, dof_ranges
from posewright.solvers.idle import IdlePrepared
from posewright.solvers.prepared import ManyResults, Prepared

_DAMPING, _FLOOR, _SETTLED = 0.03, 1e-6, 1e-9


@dataclass(frozen=True, kw_only=True)
class LeastSquares:
    """Settings of the solver; it keeps nothing between calls."""

    max_iterations: int = 400
    restarts: int = 20
    """Random starts allowed when a goal is missed; 0 keeps to the start given."""
    seed: int = 1
    """Same seed, same bits."""

    def solve(self, problem: Problem, start: Pose | None = None) -> PoseResult:
        """The pose that meets the goals best, found from `start` (by default the rest pose)."""
        return self.prepare(problem).solve(start=start)

    def prepare(self, problem: Problem) -> Prepared:
        """The problem packed for repeated solves with other targets and starts."""
        lowered = lower(problem)
        if nothing_to_do(lowered):
            return IdlePrepared(self, lowered)
        return TreePrepared(self, lowered) if lowered.fits_the_tree else DensePrepared(self, lowered)

    def solve_many(self, problem: Problem, targets: Array, starts: Array | None = None) -> ManyResults:
        """Independent solves on all cores; `targets` (solves, terms, TARGET_WIDTH) replace those of the problem."""
        return self.prepare(problem).solve_many(targets, starts)

    def settings(self, leaning: bool) -> Table:
        """What the kernels read."""
        table = np.zeros(1, descent.SETTINGS)
        table[0] = (self.max_iterations, self.restarts, self.seed, _DAMPING, _FLOOR, _SETTLED, int(leaning))
        return table


class TreePrepared(Prepared):
    """Solved by eliminating the tree."""

    _solver: LeastSquares

    def __init__(self, solver: LeastSquares, lowered: LoweredProblem) -> None:
        super().__init__(lowered)
        self._solver = solver
        self._settings = solver.settings(lowered.leans)
        self._ranges = dof_ranges(lowered)

    def fork(self) -> Prepared:
        """The same for another thread."""
        return TreePrepared(self._solver, self.lowered)

    def local(self, q: Array) -> Array:
        """In the chart of the space; limits are clamped by the kernel."""
        space = self.lowered.problem.space
        if space.is_identity and not space.chart:
            return np.ascontiguousarray(q)
        return np.ascontiguousarray(space.encode(q) @ space.matrix.T + space.offset)

    def plain(self, x: Array) -> Array:
        """Out of the chart of the space."""
        space = self.lowered.problem.space
        return space.decode((x - space.offset) @ space.matrix) if space.chart else x

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """One kernel call."""
        lowered = self.lowered
        tree_kernels.solve_tree(
            lowered.joints, lowered.dofs, lowered.terms, self._settings, starts, targets, lowered.posture,
            references, self._ranges, self._stop, x, errors, info,
        )  # fmt: skip


class DensePrepared(Prepared):
    """Solved by dense steps in the coordinates of the space."""

    _solver: LeastSquares

    def __init__(self, solver: LeastSquares, lowered: LoweredProblem) -> None:
        self._solver = solver
        self._tables, warnings = _dense_tables(lowered)
        self._work = _dense_work(self._tables)
        self._settings = solver.settings(lowered.leans)
        self._python = PythonRows(lowered) if lowered.python else None
        super().__init__(lowered, warnings)

    def fork(self) -> Prepared:
        """The same for another thread."""
        return DensePrepared(self._solver, self.lowered)

    def local(self, q: Array) -> Array:
        """Coordinates of the space, moved to the nearest feasible point."""
        lowered = self.lowered
        return np.stack([lowered.region.projected(x) for x in lowered.problem.space.encode(q)])

    def plain(self, x: Array) -> Array:
        """Poses of the plain figure."""
        return self.lowered.problem.space.decode(x)

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """One kernel call, or the same steps one by one where goals are written in Python."""
        if self._python is None:
            dense_kernels.solve_dense(
                self._tables, self._settings, starts, targets, references, self._stop, self._work, x, errors, info
            )
            return
        for k in range(len(targets)):
            reference = references[k if len(references) > 1 else 0]
            self._run_with_python(starts[k if len(starts) > 1 else 0], targets[k], reference, x[k], errors[k], info[k])

    def _run_with_python(
        self, start: Array, targets: Array, reference: Array, x: Array, errors: Array, info: Array
    ) -> None:
        assert self._python is not None
        tables, work, state = self._tables, self._work, np.zeros(1, descent.STATE)
        work.start[:] = start
        x[:] = start
        dense_kernels.freeze(tables, x)
        descent.begin(self._settings[0], state[0])
        action = descent.AGAIN
        while action != descent.DONE:
            dense_kernels.evaluate(tables, targets, x, work, errors)
            met = self._python.fill(x, work.rho, work.J)
            met = met and bool(((work.chosen == 0) | (errors <= tables.terms["tolerance"])).all())
            cost = dense_kernels.cost_of(tables, work.rho, work.q, reference)
            action = dense_kernels.advance(
                tables, self._settings[0], state[0], reference, cost, met, self._stop, x, work
            )
        info[:] = state[0]["iterations"], state[0]["why"], state[0]["cost"], state[0]["restarts"]


def _dense_tables(lowered: LoweredProblem) -> tuple[dense_kernels.DenseTables, tuple[str, ...]]:
    space, region = lowered.problem.space, lowered.region
    warnings: tuple[str, ...] = ()
    levels, terms, linear = lowered.levels.copy(), lowered.terms.copy(), lowered.linear
    if lowered.n_levels > 2:
        warnings = ("priorities beyond the second became weights, 100 per level",)
        terms["weight"] *= LEVEL_WEIGHT ** -np.maximum(0.0, terms["level"] - 2.0)
        first = ROWS_PER_TERM * len(terms)
        row_levels = levels[first : first + len(linear)]
        linear = linear * LEVEL_WEIGHT ** (-0.5 * np.maximum(0.0, row_levels - 2.0))[:, None]
        levels = np.minimum(levels, 2)
    floor = -1.0
    if lowered.n_levels > 1:
        unit = np.where(np.array(lowered.units) == "rad", terms["radius"], 1.0)
        first_level = (terms["level"] == 1) & (terms["weight"] > 0.0)
        allowed = terms["weight"][first_level] * (unit * terms["tolerance"])[first_level] ** 2
        floor = float(0.25 * allowed.sum())
    columns = space.matrix.argmax(axis=0) if space.selects_dofs else np.zeros(0)
    return dense_kernels.DenseTables(
        joints=lowered.joints,
        dofs=lowered.dofs,
        terms=terms,
        matrix=np.array(space.matrix),
        offset=np.array(space.offset),
        columns=columns.astype(np.int64),
        levels=levels,
        linear=np.ascontiguousarray(linear),
        linear_target=lowered.linear_target,
        posture=lowered.posture,
        A=region.A,
        b=region.b,
        n_equal=region.n_equal,
        lower=region.lower.copy(),
        upper=region.upper.copy(),
        ranges=coordinate_ranges(lowered),
        scale=lowered.scale,
        floor=floor,
    ), warnings


def _dense_work(tables: dense_kernels.DenseTables) -> dense_kernels.DenseWork:
    n_joints, (n_dofs, n) = len(tables.joints), tables.matrix.shape
    rows = len(tables.levels)
    return dense_kernels.DenseWork(
        q=np.zeros(n_dofs),
        rotations=np.zeros((n_joints, 3, 3)),
        positions=np.zeros((n_joints, 3)),
        axes=np.zeros((n_dofs, 3)),
        screws=np.zeros((n_dofs, 6)),
        chosen=np.zeros(len(tables.terms), np.int8),
        rho=np.zeros(rows),
        J_q=np.zeros((rows, n_dofs)),
        J=np.zeros((rows, n)),
        start=np.zeros(n),
        best=np.zeros(n),
        saved=np.zeros(n),
        d=np.zeros(n),
        D=np.zeros(n),
    )
