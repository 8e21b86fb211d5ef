"""ActiveSetBfgs: nonlinear programming under linear constraints (Zhao & Badler 1994).

A quasi-Newton search that slides along limits and linear constraints. The cost falls at every step until a Kuhn-Tucker
point is reached. The rigidity of dofs determines how the freedom left by the goals is used. Priorities become weights,
100 per level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures.reach import reach
from posewright.kernels.active_set import bfgs as kernels
from posewright.kernels.active_set.search import (
    BY_X,
    VARIABLE,
    WAS_NUDGED,
    WAS_SHORTENED,
    H,
    Search,
    X,
    new_search,
)
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.solves import N_INFO, Solves
from posewright.kernels.tables import SLIDE
from posewright.problem.dense_problem import coordinate_ranges
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem
from posewright.solvers.dense_prepared import DensePrepared, with_strict_levels
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support, check_counts, check_settings

_LONGEST_TURN = 0.5  # rad: first trial of a line search
_LONGEST_SLIDE = 0.25  # of the longest chain
_WORTH = 0.999  # of the cost: what must be left for an answer that is far from the start to be preferred
_PATIENCE = 500  # iterations after which a search gives way to a restart
_GAUSS_NEWTON_DAMPING = 0.1  # of the mean curvature; with 1e-3 redundant tasks took 2 to 4 times the iterations
_NOTES = {
    WAS_NUDGED: "the pose was nudged, because a site pointed exactly away from its goal, where the slope is zero",
    WAS_SHORTENED: "a step was shortened, because a ball joint nearly made a full turn",
}


@dataclass(frozen=True, kw_only=True)
class ActiveSetBfgs(Solver):
    """Quasi-Newton search under linear constraints. Priorities become weights."""

    support: ClassVar[Support] = Support(strict_levels=1)

    max_iterations: int = 3000
    """Maximum number of iterations in total. With restarts, a search ends after 500 and the next one starts."""
    gradient_tolerance: float = 1e-7
    """Length of the projected gradient at which a point is stationary, relative to that at the start if above 1."""
    sufficient_decrease: float = 1e-4
    """First Wolfe condition of the line search: fraction of the predicted decrease that a step must achieve."""
    curvature: float = 0.5
    """Second Wolfe condition of the line search: fraction of the slope that may remain after a step."""
    gauss_newton: bool = False
    """Whether to start with the least-squares metric at the start instead of that of the variables."""
    restarts: int = 10
    """Maximum number of searches from random poses, half-way between the start and anywhere, when a goal is missed;
    0 uses only the given start."""
    seed: int = 1
    """Seed of the random poses; the same seed gives the same bits."""

    def __post_init__(self) -> None:
        check_settings(self, "gradient_tolerance", "sufficient_decrease", "curvature", above=0.0)
        if not self.sufficient_decrease < self.curvature < 1.0:
            raise InvalidSetting(
                f"sufficient_decrease and curvature of ActiveSetBfgs are {self.sufficient_decrease} and "
                f"{self.curvature}; they must be between 0 and 1, the first below the second"
            )
        check_counts(self, max_iterations=0, restarts=0, seed=0)

    @classmethod
    def precise(cls, **settings: Any) -> ActiveSetBfgs:
        """Settings for goals whose weights differ by 1e5 or so: the least-squares metric, and a tight tolerance."""
        return cls(**{"gauss_newton": True, "gradient_tolerance": 1e-12} | settings)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare the problem with priorities as weights."""
        return ActiveSetPrepared(self, lowered)


class ActiveSetPrepared(DensePrepared):
    """A problem prepared for the search."""

    _solver: ActiveSetBfgs

    def __init__(self, solver: ActiveSetBfgs, lowered: LoweredProblem) -> None:
        weighed, self._always_said = with_strict_levels(lowered, 1)
        super().__init__(solver, lowered, weighed, self._always_said)
        self._search = free_search(weighed)
        state = self._search.state
        state["gradient_tolerance"] = solver.gradient_tolerance
        state["sufficient_decrease"], state["curvature"] = solver.sufficient_decrease, solver.curvature
        state["minimising"], state["choices"] = weighed.has_soft_terms, (weighed.terms["choice"] >= 0).any()
        self._restarts = 0 if lowered.has_soft_terms else solver.restarts
        n, rows = len(self._search.variables), len(self._search.constraints)
        if not lowered.python:
            per_step = 5e-10 * n * (10 * n + rows) + 5e-7 * (len(lowered.dofs) + len(lowered.terms))
            self._seconds_at_most = per_step * solver.max_iterations

    @property
    def n_variables(self) -> int:
        """How many coordinates the search moves."""
        return len(self._search.variables)

    def run(self, solves: Solves) -> None:
        """Solve; where goals are missed, again from random points."""
        targets, x, errors, info = solves.targets, solves.x, solves.errors, solves.info
        notes = 0
        for k in range(len(targets)):
            start, reference = solves.start(k), solves.reference(k)
            if k and self._stop[0]:  # not begun: its start, whose errors nobody has looked at
                x[k], errors[k], info[k] = start, math.inf, (0, descent.INTERRUPTED, math.inf, 0)
                continue
            self._once(start, targets[k], reference, self._budget(0), x[k], errors[k], info[k])
            notes |= int(self._search.state[0]["notes"])
            if self._restarts:
                self._escape(start, targets[k], reference, x[k], errors[k], info[k])
        self.warnings = (*self._always_said, *(text for bit, text in _NOTES.items() if notes & bit))

    def _budget(self, used: int) -> int:
        """How many iterations the next search has."""
        left = self._solver.max_iterations - used
        return min(left, _PATIENCE) if self._restarts else left

    def _escape(self, start: Array, targets: Array, reference: Array, x: Array, errors: Array, info: Array) -> None:
        """Search again from random points while goals are missed; keep the best."""
        random, ranges = np.random.default_rng(self._solver.seed), coordinate_ranges(self.lowered)
        still = np.ones(len(x), np.bool_)
        still[self._search.variables["coordinate"]] = False
        low, high = np.where(still | np.isinf(ranges).any(axis=0), start, ranges)
        other, other_errors, other_info = np.empty_like(x), np.empty_like(errors), np.empty(N_INFO)
        for restart in range(1, self._restarts + 1):
            budget = self._budget(int(info[0]))
            if int(info[1]) not in (descent.STATIONARY, descent.STALLED, descent.OUT_OF_ITERATIONS) or budget <= 0:
                return
            if self._stop[0]:
                info[1] = descent.INTERRUPTED
                return
            aside = start + 0.5 * (low + (high - low) * random.random(len(x)) - start)
            near = self.lowered.region.projected(aside, still)
            self._once(near, targets, reference, budget, other, other_errors, other_info)
            if other_info[2] < _WORTH * info[2] or int(other_info[1]) == descent.REACHED:
                x[:], errors[:], info[1:3] = other, other_errors, other_info[1:3]
            elif int(other_info[1]) == descent.INTERRUPTED:
                info[1] = descent.INTERRUPTED
            info[0], info[3] = info[0] + other_info[0], restart

    def _once(
        self, start: Array, targets: Array, reference: Array, max_iterations: int, x: Array, errors: Array, info: Array
    ) -> None:
        """One search of at most so many iterations."""
        problem, point, search, state = self._problem, self._point, self._search, self._search.state[0]
        place, gradient = (search.numbers[row, : len(x)] for row in (X, BY_X))
        learned = self._solver.gauss_newton
        if learned:
            n = len(search.variables)
            search.numbers[H : H + n, :n] = self._metric(start, targets)
        place[:], state["max_iterations"] = start, max_iterations
        if self._python is None:
            kernels.solve_active_set(problem, targets, reference, learned, self._stop, point, search)
        else:
            kernels.begin(search, learned)
            action = descent.AGAIN
            while action != descent.DONE:
                cost = kernels.evaluate(problem, targets, reference, search, point)
                met, rho, J = self._python_rows(self._python, place)
                gradient += 2.0 * rho @ J
                cost += float(rho @ rho)
                action = kernels.advance(problem, cost, met and self._all_met(), self._stop, point, search)
        x[:], errors[:] = place, point.errors
        info[:] = state["iterations"], state["why"], state["cost"], 0.0

    def _python_rows(self, python: PythonRows, x: Array) -> tuple[bool, Array, Array]:
        """Whether the goals in Python are met; their rows of residual and Jacobian."""
        rho, J = self._point.rho, self._point.J
        met = all(python.fill(x, rho, J))
        first = len(rho) - sum(term.rows for _, term, _, _ in self.lowered.python)
        return met, rho[first:], J[first:]

    def _metric(self, start: Array, targets: Array) -> Array:
        """The first metric (variables, variables): that of damped least squares."""
        evaluate(self._problem, targets, start, self._point)
        if self._python is not None:
            self._python_rows(self._python, start)
        variables, weighed = self._search.variables, self._weighed
        posture = np.sqrt(weighed.posture)[:, None] * weighed.problem.space.matrix
        J = np.concatenate([self._point.J, posture[posture.any(axis=1)]])[:, variables["coordinate"]]
        J = J * variables["scale"]
        normal = J.T @ J
        damping = _GAUSS_NEWTON_DAMPING * np.trace(normal) / max(len(variables), 1) or 1.0
        return np.asarray(0.5 * np.linalg.inv(normal + damping * np.eye(len(variables))))


def free_search(lowered: LoweredProblem) -> Search:
    """A search over the coordinates that may move, under what constrains them."""
    region, matrix = lowered.region, lowered.problem.space.matrix
    free = np.flatnonzero(lowered.moving & lowered.useful)
    turns = matrix[np.tile(lowered.dofs["kind"] != SLIDE, lowered.problem.space.n_frames)].any(axis=0)[free]
    longest = np.where(turns, _LONGEST_TURN, _LONGEST_SLIDE * reach(lowered.problem.figure, None))
    variables = np.zeros(len(free), VARIABLE)
    variables["coordinate"], variables["scale"] = free, lowered.scale[free]
    variables["lower"], variables["upper"] = region.lower[free], region.upper[free]
    variables["longest"] = longest / np.abs(matrix[:, free]).max(axis=0, initial=0.0)
    variables["turns"][_free_balls(lowered, free)] = 1
    lengths = np.linalg.norm(region.A[:, free] * variables["scale"], axis=1)
    kept = lengths > 1e-12  # rows of frozen coordinates alone hold as they did at the start; others are about 1 long
    rows = np.ascontiguousarray(region.rows[kept] / lengths[kept, None])
    n_equal = int(kept[: region.n_equal].sum())
    return new_search(variables, rows, n_equal, len(lowered.dofs), len(lowered.joints))


def _free_balls(lowered: LoweredProblem, free: IntArray) -> list[int]:
    """The first variable of each ball joint of which nothing but the rotation counts."""
    space, region = lowered.problem.space, lowered.region
    used = space.matrix != 0.0
    alone = used & (used.sum(axis=0) == 1) & (used.sum(axis=1) == 1)[:, None] & (space.matrix == 1.0)
    alone &= np.isinf(region.lower) & np.isinf(region.upper) & ~region.A.any(axis=0)
    alone &= ~((space.offset != 0.0) | (lowered.posture != 0.0) | lowered.linear.any(axis=0))[:, None]
    place = np.full(len(space.offset), -1, np.int64)  # of dofs that are a variable, of which nothing else is known
    rows, columns = np.nonzero(alone[:, free])
    place[rows] = columns
    balls = lowered.joints[lowered.joints["ball"] != 0]
    own = place[(balls["first"] + balls["slides"])[:, None] + np.arange(3)]
    found: list[int] = own[(own[:, 0] >= 0) & (np.diff(own, axis=1) == 1).all(axis=1), 0].tolist()
    return [] if lowered.python else found
