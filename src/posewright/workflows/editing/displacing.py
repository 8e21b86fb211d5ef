"""A motion displaced over time so that goals are met, with the least jerk: the whole stretch is one problem.

Every dof is displaced by a sum of curves over time. What is minimised is the squared error of all goals in the frames
in which they count, by priority, plus what goes beyond limits, plus a little of the squared jerk, by damped
Gauss-Newton steps. A curve overlaps with its neighbours only, so the matrix is banded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures.reach import dof_units
from posewright.kernels.dense.frames_at_once import evaluate_frames
from posewright.kernels.dense.search_control import OUT_OF_ITERATIONS, REACHED, STATIONARY
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.problem import MotionProblem, MotionResult, Problem
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.displacements import Curves
from posewright.problem.fading import DROPPED, sliding_targets
from posewright.problem.lowering import lower
from posewright.problem.motion_lowering import ScheduledGoals, rows_of, scheduled_goals
from posewright.workflows.editing.banded import Banded
from posewright.workflows.editing.body import Body
from posewright.workflows.editing.steadying import Held, steadied
from posewright.workflows.editing.steps import Step

FIRM = 1e-9
"""What squared jerk costs, beside squared errors: goals are met to a millionth of what they move."""
_ITERATIONS = 40
_STEP = 0.3
"""rad, or units of length: the furthest that a dof goes in one step."""
_LEVELS = 1e8
"""What the first priority weighs over the last at most."""
_PHASES = (1e2, 10.0), (1e4, 1e4)
"""What a priority weighs over the next, and what squared rad beyond limits weigh: the search begins leniently, since
strict goals and limits leave a narrow valley to walk in."""
_MARGIN = 2e-3
"""rad, or units of length: from how far inside limits on they are felt"""
CLOSE = 50.0
"""Of a tolerance: goals that curves meet as nearly as this can be met; they are too smooth to follow noise."""
_LOOSER = 1e-3
"""What is left of the pull back to the source where goals are close."""
_NEAR = 0.02
"""Of a tolerance: the search goes on until goals are met as nearly as this."""
_STALLED, _IN_A_ROW = 1e-3, 2
"""Of the cost: so many steps that each gain less than this are the last."""
_DAMPING, _MOST_DAMPING = 1e-6, 1e3
"""Of steps at first and after one that failed; and what ends the search."""
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _Point:
    """What is known at some displacements; derivatives are by the displacements of a frame, of the dofs that move."""

    cost: float
    error: float
    """Of the goal that is furthest from met, over its tolerance."""
    J: Array
    """(frames in which goals count, rows, dofs)"""
    rho: Array
    """(frames in which goals count, rows)"""
    limits: Array
    """(frames, dofs): half the second derivatives of what goes beyond limits"""
    slopes: Array
    """(frames, dofs): half the first"""


class Displacing:
    """The example of a problem, displaced so that its goals are met."""

    def __init__(self, problem: MotionProblem, curves: Curves, step: Step, stiffness: float = FIRM) -> None:
        """Look for displacements (curves, dofs) of the dofs that goals may use.

        Args:
            problem: over a figure; all goals are about sites or the centre of mass.
            curves: over which frames, and how finely, the motion may be displaced.
            step: called at each step of the search.
            stiffness: what squared jerk costs, beside squared errors.
        """
        self._problem, self._curves, self._told = problem, curves, step
        self.body = Body(problem.near, curves.frames)
        lowered = lower(Problem(self.body.figure, [schedule.goal for schedule in problem.schedules]))
        self._lowered, self._region = lowered, lowered.region
        self.body.let_move((lowered.dofs["scale"] > 0.0) & lowered.useful)
        self._scale = lowered.dofs["scale"][self.body.moving]
        self._units = dof_units(self.body.figure)[self.body.moving]
        targets, on = self._wanted(problem)
        self._counting: IntArray = np.flatnonzero(on.any(axis=1))
        self._targets, self._on = targets[self._counting], on[self._counting]
        self._set(*_PHASES[0])
        self._effort = stiffness * curves.effort[:, :, None] / self._scale**2
        self._products = [curves.products(k) for k in range(curves.overlap + 1)]
        from scipy.sparse import csr_array  # slow to import, needed here only

        self._products_counting = [csr_array(both[:, self._counting]) for both in self._products]
        self._dense = dense_problem(lowered)
        self._point = point_of(self._dense)
        x, self._iterations, self._code = self._run()
        self._d: Array = curves.shares @ x

    def result(self, steady: float | None = None) -> MotionResult:
        """The motion.

        Args:
            steady: Hz: faster changes are steadied: joints are also moved by a little in every frame, so that all
                places change smoothly.
        """
        d, code = self._d, self._code
        if steady is not None:
            d = steadied(self.body, d, self._held(d), steady, step=self._told)
            code = REACHED if self._error(d) <= 1.0 else code
        changed = np.asarray((self._curves.shares != 0.0).any(axis=1))
        return MotionResult(
            motion=self.body.made(d, changed, self._region),
            problem=self._problem,
            seconds=0.0,
            iterations_by_solve=np.array([self._iterations]),
            stop_codes=np.array([code]),
            goals=lambda: self._asked,
        )

    @cached_property
    def _asked(self) -> ScheduledGoals:
        return scheduled_goals(self._problem)

    def _wanted(self, problem: MotionProblem) -> tuple[Array, BoolArray]:
        """Targets (frames, terms, 9), and which of them count (frames, terms)."""
        lowered, frames = self._lowered, self._curves.frames
        targets, weights = sliding_targets(lowered, problem.schedules, problem.near)
        for schedule, rows in rows_of(lowered, problem.schedules):
            on = schedule.judged if schedule.judged.any() else schedule.activation >= DROPPED
            weights[:, rows] = on[:, None] & (weights[:, rows] > 0.0)
        return targets[frames], weights[frames] > 0.0

    def _set(self, level: float, limits: float) -> None:
        """Choose what a priority weighs over the next, and what limits weigh."""
        lowered = self._lowered
        factor = min(level, _LEVELS ** (1.0 / max(1, lowered.n_levels - 1)))
        roots = np.sqrt(factor ** (lowered.n_levels - lowered.terms["level"]).astype(np.float64))
        self._factors, self._limit = np.repeat(self._on * roots, ROWS_PER_TERM, axis=1), limits

    def _run(self) -> tuple[Array, int, int]:
        """Displacements, iterations and why the search ended."""
        x = np.zeros((self._curves.shares.shape[1], len(self.body.moving)))
        if not x.size or not len(self._counting):
            return x, 0, REACHED
        total = 0
        for phase in _PHASES:
            self._set(*phase)
            x, iterations, code = self._search(x)
            total += iterations
        if 1.0 < self._error(self._curves.shares @ x) <= CLOSE:  # the pull back to the source is in the way
            self._effort = _LOOSER * self._effort
            x, iterations, code = self._search(x)
            total += iterations
        return x, total, REACHED if self._error(self._curves.shares @ x) <= 1.0 else code

    def _search(self, x: Array) -> tuple[Array, int, int]:
        """The same from some displacements on, in one phase."""
        here, damping, slow = self._at(x), _DAMPING, 0
        for iteration in range(_ITERATIONS):
            self._told()
            if here.error <= _NEAR:
                return x, iteration, REACHED
            step = self._step(here, x, damping)
            longest = float(np.abs(self._curves.shares @ (step / self._units)).max())
            step *= min(1.0, _STEP / max(longest, _ROUNDING))
            there = self._at(x + step)
            if there.cost < here.cost:
                slow = slow + 1 if there.cost > (1.0 - _STALLED) * here.cost else 0
                x, here, damping = x + step, there, 0.1 * damping
                if slow == _IN_A_ROW:
                    return x, iteration + 1, STATIONARY
            elif damping > _MOST_DAMPING:
                return x, iteration + 1, STATIONARY
            else:
                damping = max(10.0 * damping, _DAMPING)
        return x, _ITERATIONS, OUT_OF_ITERATIONS

    def _error(self, d: Array) -> float:
        """Of the goal that is furthest from met at displacements (frames, dofs), over its tolerance."""
        errors = self._goals(d[self._counting])[2]
        return float((errors / self._lowered.terms["tolerance"])[self._on].max(initial=0.0))

    def _held(self, d: Array) -> Held:
        """What is held of the goals: those that are nearly met at displacements are met, others stay as near."""
        rho, _, errors = self._goals(d[self._counting])
        far = errors > CLOSE * self._lowered.terms["tolerance"]
        missed = np.where(np.repeat(far, ROWS_PER_TERM, axis=1), rho, 0.0)

        def goals(d: Array) -> tuple[IntArray, Array, Array]:
            rho, J, _ = self._goals(d[self._counting])
            return self._counting, rho - missed, J

        return goals

    def _goals(self, d: Array) -> tuple[Array, Array, Array]:
        """Residuals (frames, rows), derivatives and errors (frames, terms) in the frames in which goals count."""
        q, terms = self.body.displaced(d, self._counting), self._lowered.terms
        shape = len(q), ROWS_PER_TERM * len(terms)
        rho, J, errors = np.empty(shape), np.empty((*shape, q.shape[1])), np.empty((len(q), len(terms)))
        evaluate_frames(self._dense, self._targets, q, self._point, rho, J, errors)
        return rho * self._factors, self._factors[:, :, None] * self.body.by_displacement(J, q, d), errors

    def _at(self, x: Array) -> _Point:
        d = self._curves.shares @ x
        rho, J, errors = self._goals(d[self._counting])
        limits, slopes, beyond = self._limits(d)
        error = float((errors / self._lowered.terms["tolerance"])[self._on].max(initial=0.0))
        cost = float((rho**2).sum()) + beyond + float((x * self._pull(x)).sum())
        return _Point(cost, error, J, rho, limits, slopes)

    def _limits(self, d: Array) -> tuple[Array, Array, float]:
        """What limits and constraints add: half the second derivatives and slopes (frames, dofs), and the cost."""
        body, region = self.body, self._region
        own = body.own[:, body.moving]
        room = _MARGIN * self._scale
        low = np.minimum(body.figure.lower[body.moving] + room, own)
        high = np.maximum(body.figure.upper[body.moving] - room, own)
        over = np.where(body.limited, np.maximum(own + d - high, 0.0) - np.maximum(low - own - d, 0.0), 0.0)
        weights = self._limit * (over != 0.0) / self._scale**2
        slopes, cost = weights * over, float((weights * over**2).sum())
        if len(region.A):
            rows = region.A[:, body.moving] * body.limited
            gap = d @ rows.T + np.minimum(body.own @ region.A.T - region.b, 0.0)
            gap[:, : region.n_equal] = d @ rows[: region.n_equal].T
            gap[:, region.n_equal :] = np.maximum(gap[:, region.n_equal :], 0.0)
            weights = weights + self._limit * (gap != 0.0) @ np.abs(rows * np.abs(rows).sum(axis=1, keepdims=True))
            slopes, cost = slopes + self._limit * gap @ rows, cost + self._limit * float((gap**2).sum())
        return weights, slopes, cost

    def _pull(self, x: Array) -> Array:
        """Half the slope of the effort."""
        found: Array = np.einsum("abd,bd->ad", self._effort, x)
        return found

    def _step(self, here: _Point, x: Array, damping: float) -> Array:
        """The step to where the cost would be least if it were as it looks from here."""
        shares, (n_curves, n) = self._curves.shares, x.shape
        own, diagonal = shares[self._counting], np.arange(n)
        H = (np.swapaxes(here.J, 1, 2) @ here.J).reshape(len(own), -1)
        matrix = Banded(n_curves, n, self._curves.overlap)
        for k, (both, counting) in enumerate(zip(self._products, self._products_counting, strict=True)):
            blocks = np.asarray(counting @ H).reshape(-1, n, n)
            blocks[:, diagonal, diagonal] += self._effort[np.arange(k, n_curves), np.arange(n_curves - k)]
            blocks[:, diagonal, diagonal] += both @ here.limits
            if k == 0:
                blocks[:, diagonal, diagonal] += damping / self._scale**2
            matrix.set(k, blocks)
        slope = own.T @ (here.rho[:, None] @ here.J)[:, 0] + shares.T @ here.slopes + self._pull(x)
        return matrix.solved(-slope)
