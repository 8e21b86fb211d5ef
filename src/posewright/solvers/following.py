"""Follow moving targets: a prepared problem is solved again and again, each time near the last answer."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.figures.reach import length_unit, reach
from posewright.kernels.compiling.jit import Repeated
from posewright.kernels.dense import follow as kernels
from posewright.kernels.dense.followed import FOLLOWING, Followed
from posewright.kernels.dense.newton_step import HELD, N_BINDING, N_PER_ROW, N_PLACES, RADIUS, UNIT, Model
from posewright.kernels.dense.problem import LOWER, STIFFNESS, UPPER, evaluate
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    IN_TIME,
    INTERRUPTED,
    ON_THE_WAY,
    OUT_OF_ITERATIONS,
)
from posewright.kernels.dense.second_order import N_PER_JOINT, Drives
from posewright.kernels.goals.residuals import MASS_LINE, MASS_POINT
from posewright.kernels.tables import ROWS_PER_TERM, SLIDE
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem
from posewright.solvers.interruption import Stop

_STEPS = 20  # Newton steps of a call
_GUARD = 1e-3  # damping to begin with
_FAR = 12  # joints that may be held back at a time
_PORTION = 1000  # evaluations of a kernel call: more than a call of `follow` can take
_RANGE = 1e10  # of prices: beyond, the later levels drown in rounding
_PRICE = 1e6  # of a level in units of the next, at most
_LONG_WAY = 1.5 * math.pi  # rad: a ball turned further is written the other way round


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Limits of a single call of `follow`."""

    turn: float = 0.2
    """Largest change of a dof, rad."""
    move: float = 0.05
    """Largest movement of a joint or slide, as a fraction of the figure's height."""
    seconds: float = math.inf
    """Time after which a call returns the best pose so far; the next call continues, s."""

    def __post_init__(self) -> None:
        for name in ("turn", "move", "seconds"):
            require_number(getattr(self, name), f"{name} of Pace", above=0.0, finite=name != "seconds")


_WIDE = Pace(turn=1.0, move=1.0)


@dataclass(frozen=True, kw_only=True)
class Pricing:
    """How a solver weighs priority levels and posture."""

    strict: bool
    """Whether weights matter only within a level, and posture comes last."""

    def prices(self, lowered: LoweredProblem) -> tuple[Array, Array, float]:
        """Price of each level, posture stiffness of each dof, and price of the posture."""
        n = max(1, int(lowered.levels.max(initial=1)))
        ratio = _RANGE ** (1.0 / max(1, n + self.strict - 1))
        found = min(_PRICE, ratio) ** np.arange(n - 1, -1, -1.0)
        if not self.strict:
            return found, lowered.posture, 1.0
        weights = row_weights(lowered)
        found /= [weights[lowered.levels == level].max(initial=0.0) or 1.0 for level in range(1, n + 1)]
        lengths = np.where(lowered.dofs["kind"] == SLIDE, 1.0, length_unit(lowered.problem.figure))
        heaviest = (lowered.posture / np.square(lengths)).max(initial=0.0) or 1.0
        return found, lowered.posture / heaviest, 1.0 / min(_PRICE, ratio)


def row_weights(lowered: LoweredProblem) -> Array:
    """(rows,): factor of the squared error of each row."""
    python = [root * root for _, term, root, _ in lowered.python for _ in range(term.rows)]
    linear = np.abs(lowered.linear).max(axis=1, initial=0.0) ** 2
    return np.concatenate([np.repeat(lowered.terms["weight"], ROWS_PER_TERM), linear, np.array(python)])


class Follower:
    """A problem that is followed, with the last answer and the state of the search."""

    pace = Pace()
    """Default pace of calls."""

    def __init__(self, lowered: LoweredProblem, pricing: Pricing) -> None:
        self._lowered = lowered
        self._problem = dense_problem(lowered)
        self._point = point_of(self._problem)
        self._python = PythonRows(lowered) if lowered.python else None
        self._kernel = Repeated(kernels.follow)
        self._pace: Pace | None = None
        self._followed = _followed(lowered, pricing, self._point.per_dof)
        self._last = np.empty(0)  # targets of the last call
        self._balls = _free_balls(lowered)

    def begin(self, pace: Pace) -> None:
        """Take the pace of the next call."""
        if pace == self._pace:
            return
        state, lowered = self._followed.table, self._lowered
        figure = lowered.problem.figure
        state["turn"], state["move"] = pace.turn, pace.move * (figure.height or reach(figure, None))
        longest = np.where(lowered.dofs["kind"] == SLIDE, state["move"], pace.turn)
        with np.errstate(divide="ignore"):
            radii = longest[:, None] / np.abs(lowered.problem.space.matrix)
        self._followed.model.places[RADIUS] = np.minimum(radii.min(axis=0, initial=math.inf), 1e6)
        self._pace = pace

    def call(
        self, start: Array, targets: Array, reference: Array, stop: Stop, pace: Pace, x: Array, errors: Array
    ) -> tuple[int, int, float]:
        """Move x from `start` (coordinates,) towards the best; return iterations, why it ended and the cost."""
        ends = time.perf_counter() + pace.seconds
        self.begin(pace)
        state = self._followed.table
        state["still"] = np.array_equal(targets, self._last)
        self._last = targets.copy()
        kernels.begin_following(self._problem, self._followed, start, x)
        timed = pace.seconds < math.inf
        action = AGAIN
        while action != DONE:
            if self._python is not None:
                action = self._advance_with_python(self._python, targets, reference, stop, x, errors)
            else:
                action = self._kernel.call(
                    self._problem, targets, self._followed, reference, stop, 1 if timed else _PORTION, x, self._point,
                    errors,
                )  # fmt: skip
            if timed and time.perf_counter() > ends and action != DONE:
                stop = np.ones(1, np.int8)
        why = int(state["why"][0])
        if why == INTERRUPTED and timed:
            why = IN_TIME
        return int(state["iterations"][0]), why, float(state["plain"][0])

    def wrapped(self, x: Array) -> Array:
        """The same pose, with balls that have turned a long way written the short way round.

        A rotation vector of a whole turn has no direction left in which to tilt; a drag that goes round and round would
        end there.
        """
        if not len(self._balls):
            return x
        vectors = x[self._balls]
        lengths = np.sqrt(np.square(vectors).sum(axis=1))
        if not (lengths > _LONG_WAY).any():
            return x
        turns = np.where(lengths > _LONG_WAY, np.round(lengths / (2.0 * math.pi)), 0.0)
        vectors *= 1.0 - 2.0 * math.pi * (turns / np.maximum(lengths, 1.0))[:, np.newaxis]
        wrapped, (lower, upper) = x.copy(), (self._problem.coordinates[k] for k in (LOWER, UPPER))
        allowed = ((vectors >= lower[self._balls]) & (vectors <= upper[self._balls])).all(axis=1)
        wrapped[self._balls[allowed]] = vectors[allowed]
        return wrapped

    def settle(
        self, start: Array, targets: Array, reference: Array, stop: Stop, at_most: int, x: Array, errors: Array
    ) -> tuple[int, int, float]:
        """Calls with the same targets, at a wide pace, until x rests or so many iterations are over; as of `call`."""
        used, left, state = 0, at_most, self._followed.table
        state["guard"], state["known"], state["gained"], self._last = _GUARD, 0, 1, targets
        self._followed.model.places[HELD] = 0.0  # answers do not depend on what was solved before
        while True:
            state["steps"] = max(0, min(_STEPS, left))
            iterations, why, cost = self.call(start, targets, reference, stop, _WIDE, x, errors)
            used, left = used + iterations, left - max(1, iterations)  # a call without a step counts too
            if why != ON_THE_WAY or left <= 0:
                break
            start = x.copy()
        return used, OUT_OF_ITERATIONS if why == ON_THE_WAY else why, cost

    def _advance_with_python(
        self, python: PythonRows, targets: Array, reference: Array, stop: Stop, x: Array, errors: Array
    ) -> int:
        """One evaluation, with the rows of goals in Python."""
        problem, point = self._problem, self._point
        evaluate(problem, targets, x, point)
        python.stop = stop
        met = all(python.fill(x, point.rho, point.J))
        met = met and bool((~point.chosen | (point.errors <= problem.terms["tolerance"])).all())
        errors[:] = point.errors
        action: int = kernels.advance_following(problem, targets, self._followed, reference, met, stop, x, point)
        return action


def _followed(lowered: LoweredProblem, pricing: Pricing, per_dof: Array) -> Followed:
    space, terms = lowered.problem.space, lowered.terms
    prices, per_dof[STIFFNESS], posture_price = pricing.prices(lowered)
    n, length = len(lowered.scale), reach(lowered.problem.figure, None)
    by_dof = [np.flatnonzero(row) for row in space.matrix]
    drives = Drives(
        first=np.cumsum([0, *(len(own) for own in by_dof)]),
        coordinate=np.concatenate([np.zeros(0, np.int64), *by_dof]).astype(np.int64),
        share=np.concatenate([np.zeros(0), *(row[own] for row, own in zip(space.matrix, by_dof, strict=True))]),
    )
    apart = (terms["partner"] >= 0) | np.isin(terms["kind"], (MASS_POINT, MASS_LINE))
    n_soft = ROWS_PER_TERM * int(apart.sum()) + len(lowered.levels) - ROWS_PER_TERM * len(terms)
    n_rows = n_soft + len(lowered.region.A) + _FAR + N_BINDING
    places = np.zeros((N_PLACES, n))
    last = lowered.levels == lowered.levels.max(initial=1)
    heaviest = float((row_weights(lowered)[last]).max(initial=0.0) * prices[-1]) or 1.0
    lengths = np.where(lowered.dofs["kind"] == SLIDE, 1.0, length)
    places[UNIT] = heaviest * np.square(lengths[:, None] * space.matrix).sum(axis=0)
    table = np.zeros(1, FOLLOWING)
    table["steps"], table["guard"] = _STEPS, _GUARD
    table["minimising"], table["by_rotation"] = lowered.has_soft_terms, pricing.strict
    table["posture"] = posture_price
    stiffest = posture_price * float(per_dof[STIFFNESS].max(initial=0.0))
    table["restorable"] = len(prices) - (stiffest == 0.0)
    lightest = prices[0] / (_RANGE * prices[-1])  # lighter ones drown in rounding
    lightness = stiffest / (places[UNIT].max(initial=0.0) or 1.0) or 1.0
    table["lightness"] = max(lightest, min(1.0, lightness))
    places[UNIT] *= table["lightness"]
    return Followed(
        table=table,
        prices=prices,
        floors=np.stack([_floors(lowered, len(prices)), np.zeros(len(prices))]),
        drives=drives,
        model=Model(
            H=np.zeros((n, n)),
            rows=np.zeros((n_rows, n + N_PER_ROW)),
            places=places,
            factor=np.zeros((n, n)),
            turned=np.zeros((n_rows, n)),
            small=np.zeros((n_rows, n_rows)),
            order=np.stack([np.zeros(n), np.zeros(n), _last_met(lowered), np.zeros(n), np.zeros(n)]).astype(np.int64),
            known=np.array([-1, 0, 0]),
        ),
        sums=np.zeros((len(lowered.joints), N_PER_JOINT)),
        far=np.zeros((_FAR, 5)),
        missed=np.zeros((len(terms), ROWS_PER_TERM)),
        anchored=np.zeros((len(lowered.joints), 3)),
        anchored_q=np.zeros(len(lowered.dofs)),
    )


def _last_met(lowered: LoweredProblem) -> Array:
    """(coordinates,): for each, the last coordinate that moves a joint above or below one that it moves."""
    joints, of_dof, drives = lowered.joints, lowered.dofs["joint"], lowered.problem.space.matrix != 0.0
    below = np.eye(len(joints), dtype=np.bool_)
    for j in range(len(joints) - 1, 0, -1):
        if joints["parent"][j] >= 0:
            below[joints["parent"][j]] |= below[j]
    moved = np.zeros((len(joints), drives.shape[1]), np.bool_)
    np.logical_or.at(moved, of_dof, drives)
    near = (below | below.T) @ moved
    meets = moved.T @ near
    last: Array = drives.shape[1] - 1 - np.argmax(meets[:, ::-1], axis=1)
    return last


def _floors(lowered: LoweredProblem, n_levels: int) -> Array:
    """(levels,): cost at which each level is met, with a margin."""
    counts = lowered.terms["weight"] > 0.0
    terms = lowered.terms[counts]
    unit = np.where(np.array(lowered.units)[counts] == "rad", terms["radius"], 1.0)
    allowed = 0.25 * terms["weight"] * np.square(unit * terms["tolerance"])
    return np.array([allowed[terms["level"] == p].min(initial=1e-6) for p in range(1, n_levels + 1)])


def _free_balls(lowered: LoweredProblem) -> npt.NDArray[np.int64]:
    """(balls, 3): coordinates that form the rotation vector of a ball without constraints, not frozen."""
    space, figure = lowered.problem.space, lowered.problem.figure
    found = []
    if space.selects_dofs:
        place = {int(d): c for c, d in enumerate(space.columns)}
        bound = lowered.region.A.any(axis=0) | (lowered.scale == 0.0)
        for k, joint in enumerate(figure.joints):
            first = figure.dof_slice(k).start + len(joint.slides)
            own = [place.get(first + i, -1) for i in range(3)]
            if joint.ball and min(own) >= 0 and not bound[own].any():
                found.append(own)
    return np.array(found, np.int64).reshape(-1, 3)


def no_follower(solver: Any) -> str:
    """The message for a solver that cannot follow targets."""
    return f"{type(solver).__name__} does not follow targets; LeastSquares and Prioritized do"
