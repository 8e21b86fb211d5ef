"""ActiveSetBfgs: nonlinear programming under linear constraints (Zhao & Badler 1994).

A quasi-Newton search that slides along limits and linear constraints. The cost falls at every step, from the first pose
to a Kuhn-Tucker point; how the freedom left by the goals is used is set by the rigidity of the dofs. Priorities become
weights, 100 per level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.kernels.active_set import bfgs as kernels
from posewright.kernels.active_set.search import SETTINGS, WAS_NUDGED, WAS_SHORTENED
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.goals.gradient import cost_and_gradient
from posewright.kernels.tables import Table
from posewright.problem.lowering import LEVEL_WEIGHT, LoweredProblem
from posewright.problem.python_rows import PythonRows
from posewright.problem.stopping import N_INFO
from posewright.solvers.active_set_tables import free_region, search_work, space_entries, weighted_tables
from posewright.solvers.dense_prepared import DensePrepared
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support, check_counts, check_settings

_SPREAD = 0.2  # of the longest first trial: what a restart moves a coordinate by, so 0.1 rad
_GAUSS_NEWTON_DAMPING = 0.1  # of the mean curvature; with 1e-3 redundant tasks took 2 to 4 times the iterations
_NOTES = {
    WAS_NUDGED: "a goal pointed exactly the other way, where it has no slope: the pose was nudged",
    WAS_SHORTENED: "a ball joint nearly made a full turn: the step was shortened",
}


@dataclass(frozen=True, kw_only=True)
class ActiveSetBfgs(Solver):
    """Settings of the solver; it keeps nothing between calls."""

    support: ClassVar[Support] = Support(strict_levels=1)

    max_iterations: int = 500
    gradient_tolerance: float = 1e-7
    """Projected gradient at which a point is stationary, relative to that of the start where it is longer than 1."""
    sufficient_decrease: float = 1e-4
    """Line search, first Wolfe condition: share of the promised decrease of the cost that a step must bring."""
    curvature: float = 0.5
    """Line search, second Wolfe condition: share of the slope that may be left after a step."""
    gauss_newton: bool = False
    """Begin with the metric of least squares at the start instead of that of the variables."""
    restarts: int = 10
    """Searches from perturbed poses when a goal is missed; 0 keeps to what the start leads to."""
    seed: int = 1
    """Of the perturbations; same seed, same bits."""

    def __post_init__(self) -> None:
        check_settings(self, "gradient_tolerance", "sufficient_decrease", "curvature", above=0.0)
        if not self.sufficient_decrease < self.curvature < 1.0:
            raise InvalidSetting(
                f"sufficient_decrease and curvature of ActiveSetBfgs are {self.sufficient_decrease} and "
                f"{self.curvature}; they must be between 0 and 1, the first below the second"
            )
        check_counts(self, max_iterations=0, restarts=0, seed=0)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """With priorities as weights."""
        return ActiveSetPrepared(self, lowered)

    def settings(self, lowered: LoweredProblem) -> Table:
        """What the kernels read."""
        table = np.zeros(1, SETTINGS)
        choices = bool((lowered.terms["choice"] >= 0).any())
        table[0] = (
            self.max_iterations, self.gradient_tolerance, self.sufficient_decrease, self.curvature,
            lowered.leans, choices,
        )  # fmt: skip
        return table


class ActiveSetPrepared(DensePrepared):
    """A problem packed for the search."""

    _solver: ActiveSetBfgs

    def __init__(self, solver: ActiveSetBfgs, lowered: LoweredProblem) -> None:
        self._settings = solver.settings(lowered)
        self._said = ("priorities became weights, 100 per level",) if lowered.n_levels > 1 else ()
        tables = weighted_tables(lowered)
        self._region = free_region(lowered)
        self._entries = space_entries(tables.matrix)
        self._row_scale = LEVEL_WEIGHT ** (-0.5 * (lowered.levels - 1.0))
        self._forces, self._active, self._search = search_work(tables, self._region)
        super().__init__(solver, lowered, tables, self._said)
        if not lowered.python:
            n, rows = len(self._region.free), len(self._region.normals)
            per_step = 2e-9 * n * (10 * n + rows) + 2e-6 * (len(lowered.dofs) + len(lowered.terms))
            self._seconds_at_most = per_step * solver.max_iterations

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """Solve len(targets) problems; where goals are missed, again from perturbed points."""
        notes = 0
        for k in range(len(targets)):
            start, reference = starts[k if len(starts) > 1 else 0], references[k if len(references) > 1 else 0]
            if k and self._stop[0]:  # not begun: its start, whose errors nobody has looked at
                x[k], errors[k], info[k] = start, math.inf, (0, descent.INTERRUPTED, math.inf, 0)
                continue
            one = slice(k, k + 1)
            self._settings["max_iterations"] = self._solver.max_iterations
            self._once(start, targets[one], reference[None], x[one], errors[one], info[one])
            notes |= int(self._search.state[0]["notes"])
            if self._solver.restarts and not self.lowered.leans:
                self._escape(targets[one], reference[None], x[one], errors[one], info[one])
        self.warnings = (*self._said, *(text for bit, text in _NOTES.items() if notes & bit))

    def _escape(self, targets: Array, reference: Array, x: Array, errors: Array, info: Array) -> None:
        """Search on from perturbed points while goals are missed; keep the best."""
        random = np.random.default_rng(self._solver.seed)
        region, free = self.lowered.region, self._region.free
        spread = _SPREAD * self._region.longest
        held = np.setdiff1d(np.arange(x.shape[1]), free)
        for restart in range(1, self._solver.restarts + 1):
            left = self._solver.max_iterations - int(info[0, 0])
            if int(info[0, 1]) not in (descent.STATIONARY, descent.STALLED) or left <= 0:
                return
            if self._stop[0]:
                info[0, 1] = descent.INTERRUPTED
                return
            aside = x[0].copy()
            aside[free] += restart * spread * random.normal(size=len(free))
            bounds = region.lower.copy(), region.upper.copy()
            for bound in bounds:
                bound[held] = x[0, held]
            near = replace(region, lower=bounds[0], upper=bounds[1]).projected(aside)
            other, other_errors, other_info = np.empty_like(x), np.empty_like(errors), np.empty((1, N_INFO))
            self._settings["max_iterations"] = left
            self._once(near, targets, reference, other, other_errors, other_info)
            other_info[0, 0] += info[0, 0]
            if other_info[0, 2] < info[0, 2] or int(other_info[0, 1]) == descent.REACHED:
                x[:], errors[:], info[0, 1:3] = other, other_errors, other_info[0, 1:3]
            elif int(other_info[0, 1]) == descent.INTERRUPTED:
                info[0, 1] = descent.INTERRUPTED
            info[0, 0], info[0, 3] = other_info[0, 0], restart

    def _once(self, start: Array, targets: Array, reference: Array, x: Array, errors: Array, info: Array) -> None:
        if self._python is None:
            self.run_tables(start[None], targets, reference, x, errors, info)
        else:
            self.run_with_python(self._python, start, targets[0], reference[0], x[0], errors[0], info[0])

    def run_tables(
        self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array
    ) -> None:
        """One kernel call."""
        kernels.solve_active_set(
            self._tables, self._entries, self._region, self._settings, self._metric(starts[0], targets[0], errors[0]),
            starts, targets, references, self._stop, self._work, self._forces, self._active, self._search, x, errors,
            info,
        )  # fmt: skip

    def run_with_python(
        self, python: PythonRows, start: Array, targets: Array, reference: Array, x: Array, errors: Array, info: Array
    ) -> None:
        """The same steps one by one."""
        tables, point, state = self._tables, self._work, self._search.state
        x[:] = start
        metric = self._metric(start, targets, errors)
        kernels.begin(self._region, metric, x, self._active, self._search)
        action = descent.AGAIN
        while action != descent.DONE:
            cost = cost_and_gradient(
                tables, self._entries, targets, reference, int(state[0]["held"]), x, point, self._forces, errors
            )
            met, rho, J = self._python_rows(python, x)
            self._forces.by_x[:] += 2.0 * rho @ J
            reached = met and bool(((point.chosen == 0) | (errors <= tables.terms["tolerance"])).all())
            action = kernels.advance(
                tables, self._entries, self._region, self._settings[0], cost + float(rho @ rho), self._forces.by_x,
                reached, errors, self._stop, x, point, self._active, self._search,
            )  # fmt: skip
        info[:] = state[0]["iterations"], state[0]["why"], state[0]["cost"], 0.0

    def _python_rows(self, python: PythonRows, x: Array) -> tuple[bool, Array, Array]:
        """Whether the goals in Python are met; their rows of residual and Jacobian, weighted by priority."""
        met = all(python.fill(x, self._work.rho, self._work.J))
        first = len(self._work.rho) - sum(term.rows for _, term, _, _ in self.lowered.python)
        rho, J, scale = self._work.rho[first:], self._work.J[first:], self._row_scale[first:]
        rho *= scale
        J *= scale[:, None]
        return met, rho, J

    def _metric(self, start: Array, targets: Array, errors: Array) -> Array:
        """The first metric (variables, variables); empty for the identity."""
        if not self._solver.gauss_newton:
            return np.empty((0, 0))
        evaluate(self._tables, targets, start, self._work, errors)
        if self._python is not None:
            self._python_rows(self._python, start)
        free, scale = self._region.free, self._region.scale
        posture = np.sqrt(self._tables.posture)[:, None] * self._tables.matrix
        J = np.concatenate([self._work.J, posture[posture.any(axis=1)]])[:, free] * scale
        normal = J.T @ J
        damping = _GAUSS_NEWTON_DAMPING * np.trace(normal) / max(len(free), 1) or 1.0
        return np.ascontiguousarray(0.5 * np.linalg.inv(normal + damping * np.eye(len(free))))
