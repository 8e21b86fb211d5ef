"""Prioritized: any number of strict priority levels (Baerlocher & Boulic 2004; Li et al., section 5).

A level uses only the freedom that the levels above leave, so conflicts between levels are settled by priority, never by
weight; within a level, goals share by weight. A posture goal comes below all levels. There are no restarts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from posewright.checks import require
from posewright.conventions import Array
from posewright.figures.reach import reach
from posewright.kernels.compiling.jit import Repeated
from posewright.kernels.dense import prioritized as kernels
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.priority_step import HOME, LEVEL, N_PLACES, Levels
from posewright.kernels.dense.problem import STIFFNESS, evaluate, freeze
from posewright.kernels.dense.strict_levels import level_work
from posewright.kernels.solves import Solves
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem
from posewright.solvers.dense_prepared import DensePrepared, seconds_per_step
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support, check_counts, check_settings


@dataclass(frozen=True, kw_only=True)
class Prioritized(Solver):
    """Any number of strict priorities. It follows the path from its start, without restarts."""

    support: ClassVar[Support] = Support()

    max_step: float = 0.3
    """Longest step of a level in one iteration, rad, or for slides the figure's unit of length (1 m for people). It
    determines the damping."""
    damping: float = 0.0
    """Minimum damping λ of every step; 0: only as much as `max_step` needs. More damping gives longer, steadier
    searches: Carvalho, Boulic & Thalmann use 0.8 and 10, in unnamed units."""
    max_iterations: int = 200
    """Maximum number of iterations."""
    attraction: float = 0.5
    """Fraction of the distance to a posture goal's reference, or to where an edit came from, covered per iteration;
    from 0 (none) to below 2."""
    settle: bool = True
    """Whether to continue, once all goals are met, until a posture goal has settled; otherwise the search ends."""
    max_residual: float = 0.2
    """Largest residual that a level reduces in one iteration, relative to the longest chain of the figure."""

    def __post_init__(self) -> None:
        check_settings(self, "max_step", "max_residual", above=0.0)
        check_settings(self, "attraction", at_least=0.0, below=2.0)
        check_settings(self, "damping", at_least=0.0)
        require(self.settle, bool, "settle of Prioritized", "True or False")
        check_counts(self, max_iterations=0)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare for dense steps."""
        return PrioritizedPrepared(self, lowered)


class PrioritizedPrepared(DensePrepared):
    """A problem prepared for the prioritized search."""

    _solver: Prioritized

    def __init__(self, solver: Prioritized, lowered: LoweredProblem, *, home: Array | None = None) -> None:
        """Prepare a problem.

        Args:
            solver: settings.
            lowered: the problem.
            home: (coordinates,): values that attract the coordinates below all levels, by `attraction`.
        """
        super().__init__(solver, lowered, warnings=_warnings(lowered))
        self._home = home
        self._levels = _levels(solver, lowered, home)
        self._point.per_dof[STIFFNESS] = _stiffness(lowered)
        self._taken = level_work(len(lowered.levels), len(lowered.scale))
        self._kernel = Repeated(kernels.solve_prioritized)
        if not lowered.python:
            self._seconds_at_most = seconds_per_step(self._problem) * solver.max_iterations

    def over(self, lowered: LoweredProblem) -> Prepared:
        """Prepare another problem with the same settings."""
        return PrioritizedPrepared(self._solver, lowered, home=self._home)

    def _followed(self) -> tuple[LoweredProblem, bool]:
        return self.lowered, True

    def run(self, solves: Solves) -> None:
        """One kernel call."""
        if self._python is not None:
            self._one_by_one(self._python, solves)
        else:
            self._kernel.call(self._problem, self._levels, self._point, self._taken, solves, self._stop)

    def _run_with_python(
        self, python: PythonRows, start: Array, targets: Array, reference: Array, x: Array, info: Array
    ) -> None:
        """The same steps one by one."""
        problem, levels, point, state = self._problem, self._levels, self._point, np.zeros(1, kernels.STATE)
        x[:] = start
        freeze(problem, x)
        kernels.begin(levels, state[0])
        action = descent.AGAIN
        while action != descent.DONE:
            evaluate(problem, targets, x, point)
            kernels.levels_met(problem.terms, point.found, levels.table)
            for level, met in zip(python.levels, python.fill(x, point.rho, point.J), strict=True):
                levels.table["met"][level - 1] &= met
            action = kernels.advance(problem, levels, state[0], reference, self._stop, x, point, self._taken)
        info[:] = state[0]["iterations"], state[0]["why"], state[0]["cost"], 0.0


def _levels(solver: Prioritized, lowered: LoweredProblem, home: Array | None) -> Levels:
    n_levels = max(1, int(lowered.levels.max(initial=1)))
    units = {"m": lowered.length_unit, "rad": 1.0}
    python_weights = [root * units[term.unit] for _, term, root, _ in lowered.python for _ in range(term.rows)]
    first_linear = ROWS_PER_TERM * len(lowered.terms)
    linear_levels = lowered.levels[first_linear : first_linear + len(lowered.linear)]
    weights = np.concatenate(
        [
            np.repeat(np.sqrt(lowered.terms["weight"]), ROWS_PER_TERM) * lowered.length_unit,
            np.abs(lowered.linear).max(axis=1, initial=0.0),
            np.array(python_weights, dtype=np.float64),
        ]
    )
    stiffness = _stiffness(lowered)
    # The longest step per unit of gradient that cannot overshoot; 1 where every dof is a coordinate.
    steepest = 0.0
    if stiffness.any():
        matrix = np.sqrt(stiffness)[:, None] * lowered.problem.space.matrix * lowered.scale
        if lowered.problem.space.selects_dofs:  # one number a row and a column: no decomposition needed
            steepest = float(np.abs(matrix).max(initial=0.0)) ** 2
        else:
            steepest = float(np.linalg.norm(matrix, 2)) ** 2 if matrix.size else 0.0
    ends = np.searchsorted(np.sort(lowered.levels), np.arange(1, n_levels + 2))
    table = np.zeros(n_levels + 1, LEVEL)
    table["first"][:-1], table["end"][:-1] = ends[:-1], ends[1:]
    table["unit"][:-1] = [weights[lowered.levels == p].max(initial=0.0) or 1.0 for p in range(1, n_levels + 1)]
    table["endless"][:-1] = np.isin(np.arange(1, n_levels + 1), linear_levels)
    rows, n = len(lowered.levels), len(lowered.scale)
    places = np.zeros((N_PLACES, n))
    if home is not None:
        places[HOME] = home
    return Levels(
        table=table,
        order=np.argsort(lowered.levels, kind="stable").astype(np.int64),
        J=np.zeros((rows, n)),
        dx=np.zeros(rows),
        places=places,
        held=np.zeros(len(lowered.region.A)),
        pull=solver.attraction / steepest if steepest > 0.0 else 0.0,
        stay=0.0 if home is None else float(solver.attraction),
        settles=int(solver.settle),
        max_step=float(solver.max_step),
        damping=float(solver.damping),
        max_residual=float(solver.max_residual) * reach(lowered.problem.figure, None) / lowered.length_unit,
        max_iterations=int(solver.max_iterations),
    )


def _stiffness(lowered: LoweredProblem) -> Array:
    """Stiffness (dofs,) of the attraction to the reference, at most 1."""
    return lowered.posture / (lowered.posture.max(initial=0.0) or 1.0)


def _warnings(lowered: LoweredProblem) -> tuple[str, ...]:
    if lowered.posture.any() and len(lowered.levels) and lowered.posture_level <= lowered.levels.max():
        return ("a posture goal is served below all other goals, whatever its priority and weight",)
    return ()
