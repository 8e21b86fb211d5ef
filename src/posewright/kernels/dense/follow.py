"""Following targets: the best point near the last answer, by a few Newton steps per call.

A call may move no dof by more than `turn` and no joint by more than `move`. Inside that box around the last answer it
takes steps of the second-order model (`second_order`) under limits and constraints (`newton_step`), until a step
promises little. Levels are prices: a unit of an earlier level's cost is worth so much that a later one cannot buy it.
The answer is the cheapest point met, so higher levels hold on the way, and where the best pose is further away than the
box allows, the next calls go on. Nothing but the search is damped: at rest the model's slope is that of the problem.

A price makes valleys narrow, and a step along a narrow curved valley leaves it. So after a step that costs more, a few
may bring the earlier levels back, before the search returns to its best point and damps.

`measure_followed` and `advance` are also called one by one, with rows of Python goals filled in between.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.followed import Followed, followed_cost, plain_cost
from posewright.kernels.dense.followed_box import excess_of, note_far
from posewright.kernels.dense.followed_step import find_way_down, look_ahead, next_step, take_step
from posewright.kernels.dense.newton_step import ANCHOR, BEST, N_BINDING, RADIUS, same_step
from posewright.kernels.dense.problem import DenseProblem, Point, Q, copy_errors, decode, freeze
from posewright.kernels.dense.search_control import AGAIN, DONE, INTERRUPTED, ON_THE_WAY, REACHED, STATIONARY
from posewright.kernels.goals.terms import choose, evaluate_terms, within_tolerance
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Row
from posewright.kernels.tree.elimination import screws

_SETTLED = 1e-9  # share of the cost: a step that promises less is none
_ROUNDED = 1e-5  # of the cost: the least cost of the last level that this refers to
_LITTLE = 3e-4  # a step that promises less is the last of its call
_LITTLE_ON_THE_WAY = 3e-3  # the same where the box holds it back, and the next call goes on
_SLOW = 2  # steps in a row that save less, where the box holds them back: the last of their call
_LOST = 2  # steps that may cost more than the best point before it is returned to
_FAILURES = 5  # returns, after which a call ends
_DOUBTED = 2  # returns, after which bending is that of what is missed here, not of what is expected to be
_IDLE = 2  # calls before this one in which no step was better: the point rests in a kink
_UNSEEN = 1e-6  # share of the cost that a call gains, if it also moves nothing by _UNMOVED: none that counts
_UNMOVED = 1e-3  # of what a call may move
_LIGHT = 1e-4  # damping with which a point is found to be at rest
_FACTORISED = 2  # times per step, after which a call ends
_WHOLE = 0.999  # of what a call may move, for a way that is cut short
_MUCH = 3.0  # times what a call may move: a step that leads so far away says nothing about the way back
_CORRECTIONS = 3  # of a step that goes too far, before it is cut short


@kernel
def begin_following(problem: DenseProblem, followed: Followed, start: Array, x: Array) -> None:
    """The state before the first evaluation of a call, which is at `start`."""
    state, places = followed.table[0], followed.model.places
    copy_into(start, x)
    freeze(problem, start)
    copy_into(start, places[ANCHOR])
    copy_into(start, places[BEST])
    state["iterations"], state["why"], state["fresh"], state["last"], state["done"] = 0, 0, 1, 0, 0
    state["lost"], state["failures"], state["factorised"], state["best_cost"] = 0, 0, 0, math.inf
    state["escaped"], state["boxed"], state["led_boxed"], state["slow"], state["led_guard"] = 0, 0, 0, 0, 0.0
    state["idle"] = state["idle"] + 1 if state["still"] != 0 and state["gained"] == 0 else 0
    if state["gained"] != 0:
        state["guard"] = min(state["guard"], 1e-2)
    state["gained"], state["n_far"] = 0, 0


@kernel
def measure_followed(problem: DenseProblem, targets: Array, x: Array, point: Point) -> None:
    """Write frames, screws and terms at x; rows of Python goals are somebody else's."""
    joints, dofs = problem.joints, problem.dofs
    decode(problem, 0, x, point.per_dof[Q])
    place(joints, dofs, point.per_dof[Q], point.rotations, point.positions, point.axes)
    screws(joints, dofs, point.positions, point.axes, point.screws)
    evaluate_terms(joints, problem.terms, targets, point.rotations, point.positions, point.found)
    choose(problem.terms, point.found)


@kernel
def follow(
    problem: DenseProblem,
    targets: Array,
    followed: Followed,
    reference: Array,
    stop: npt.NDArray[np.int8],
    at_most: int,
    x: Array,
    point: Point,
    errors: Array,
) -> int:
    """Up to so many evaluations of a call that has begun; return the last action, DONE at its end."""
    action = AGAIN
    for _ in range(at_most):
        measure_followed(problem, targets, x, point)
        reached = within_tolerance(problem.terms, point.found)
        action = advance_following(problem, targets, followed, reference, reached, stop, x, point)
        if action == DONE:
            break
    copy_errors(point.found, errors)
    return action


@kernel
def advance_following(
    problem: DenseProblem,
    targets: Array,
    followed: Followed,
    reference: Array,
    reached: bool,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: Point,
) -> int:
    """Judge what was measured at x and, where that is right, step from it; return AGAIN or DONE."""
    state, places = followed.table[0], followed.model.places
    state["cost"] = followed_cost(problem, followed, reference, point)
    state["plain"] = plain_cost(problem, reference, point)
    if state["done"] != 0:
        return DONE
    if state["fresh"] == 1:
        for j in range(point.positions.shape[0]):
            copy_into(point.positions[j], followed.anchored[j])
        copy_into(point.per_dof[Q], followed.anchored_q)
        state["first_cost"] = state["cost"]
    elif state["fresh"] == 0:
        excess = excess_of(problem, followed, point)
        if excess > 1.0:
            _correct(problem, followed, excess, x, point)
            return AGAIN
    if reached and state["minimising"] == 0:
        state["why"] = REACHED
        return DONE
    several = followed.prices.shape[0] > 1
    saved = state["best_cost"] - state["cost"]
    gain = saved + (_LITTLE * state["cost"] if several else 0.0)
    if gain > 0.0:
        if state["fresh"] == 0:
            state["gained"] = 1
            if state["lost"] == 0:
                _adapt(state, math.inf if several else gain)
            elif state["corrections"] == 0 and saved > 0.5 * state["led"]:
                state["guard"] *= 0.25
            slow = state["still"] == 0 and state["led_boxed"] != 0 and saved <= _LITTLE_ON_THE_WAY * state["cost"]
            state["slow"] = state["slow"] + 1 if slow else 0
            if state["slow"] >= _SLOW:
                state["last"] = 1
        state["best_cost"], state["lost"] = state["cost"], 0
        copy_into(x, places[BEST])
    else:
        state["lost"] += 1
        if state["lost"] > (_LOST if state["restored"] > 0 else 0):
            return _go_back(state, places, x)
    restores = state["lost"] > 0
    state["fresh"] = 0
    if stop[0] != 0 or _is_long(state) or (gain > 0.0 and state["last"] != 0):
        state["why"] = INTERRUPTED if stop[0] != 0 else _unfinished(state, places)
        return _finish(state, places, x)
    right = next_step(problem, targets, followed, restores, x, point)
    scale = state["cost"] + followed.prices[-1] * followed.floors[0, followed.prices.shape[0] - 1]
    least = _SETTLED * max(state["last_cost"], _ROUNDED * scale)
    none = state["promised"] <= least
    if none and right and gain > 0.0:
        if state["guard"] * state["lead"] > _LIGHT:  # heavy damping promises nothing anywhere
            state["guard"] = _LIGHT / state["lead"]
            right = next_step(problem, targets, followed, False, x, point)
            none = right and state["promised"] <= least
        if none and state["escaped"] == 0 and state["boxed"] == 0 and find_way_down(problem, followed):
            state["escaped"], none = 1, False
        if none:
            at_rest = REACHED if reached else STATIONARY
            state["why"] = _unfinished(state, places) if state["boxed"] != 0 else at_rest
            return _finish(state, places, x)
    if not restores:
        state["led"], state["led_guard"], state["led_boxed"] = state["promised"], state["guard"], state["boxed"]
    if state["promised"] <= 0.0 or (restores and state["cost"] - state["promised"] > state["best_cost"]):
        return _go_back(state, places, x)
    little = _LITTLE if state["boxed"] == 0 else _LITTLE_ON_THE_WAY
    state["last"] = 1 if state["still"] == 0 and state["promised"] <= little * scale else 0
    take_step(problem, places, x)
    state["iterations"] += 1
    return AGAIN


@kernel
def _go_back(state: Row, places: Array, x: Array) -> int:
    """Return to the best point, from which the next step is damped more; after some failures end there."""
    state["lost"], state["failures"], state["last"] = 0, state["failures"] + 1, 0
    state["guard"] = 16.0 * (state["led_guard"] if state["led_guard"] > 0.0 else state["guard"])
    state["led_guard"] = 0.0
    if state["failures"] >= _DOUBTED:
        state["known"] = 0
    if state["failures"] >= _FAILURES or _is_long(state):
        state["why"] = _unfinished(state, places)
        return _finish(state, places, x)
    copy_into(places[BEST], x)
    state["best_cost"], state["fresh"] = math.inf, 2  # it is judged again, as the best
    return AGAIN


@kernel
def _unfinished(state: Row, places: Array) -> int:
    """Why a call ends that is not at a minimum: the next goes on, unless nothing was better for some calls."""
    moved = 0.0
    for c in range(places.shape[1]):
        moved = max(moved, abs(places[BEST, c] - places[ANCHOR, c]) / places[RADIUS, c])
    if moved < _UNMOVED and state["first_cost"] - state["best_cost"] < _UNSEEN * state["best_cost"]:
        state["gained"] = 0
    return STATIONARY if state["gained"] == 0 and state["idle"] >= _IDLE else ON_THE_WAY


@kernel
def _finish(state: Row, places: Array, x: Array) -> int:
    """End the call at its best point."""
    same = True
    for c in range(x.shape[0]):
        same = same and x[c] == places[BEST, c]
        x[c] = places[BEST, c]
    state["done"] = 1
    return DONE if same else AGAIN


@kernel
def _is_long(state: Row) -> bool:
    """Whether a call has taken as long as one should."""
    return bool(state["iterations"] >= state["steps"] or state["factorised"] >= _FACTORISED * state["steps"])


@kernel
def _adapt(state: Row, gain: float) -> None:
    """More damping where the model promised too much, less where it was right."""
    kept = gain / max(state["promised"], 1e-300)
    if kept < 0.25 or state["corrections"] >= _CORRECTIONS:
        state["guard"] *= 4.0
    elif state["corrections"] > 0:
        return
    elif kept > 0.7:
        state["guard"] *= 0.1 if state["boosted"] == 0 else 0.5


@kernel
def _correct(problem: DenseProblem, followed: Followed, excess: float, x: Array, point: Point) -> None:
    """Bring a step back that went too far: by rows that hold back what did, or along the way that it went."""
    state, model = followed.table[0], followed.model
    places, n_rows = model.places, model.rows.shape[0] - N_BINDING
    n_soft = n_rows - problem.constraints.shape[0] - followed.far.shape[0]
    note_far(problem, followed, x, point)
    if state["corrections"] < _CORRECTIONS and excess < _MUCH:
        state["corrections"] += 1
        _, more, factorised = same_step(model, n_soft, n_rows, problem.n_equal)
        state["factorised"] += factorised
        look_ahead(problem, followed)
        if more == 1.0 and state["promised"] > 0.0:
            take_step(problem, places, x)
            return
    state["corrections"] = _CORRECTIONS
    share = _WHOLE / excess  # a shorter way along the same line keeps limits and constraints
    for c in range(x.shape[0]):
        x[c] = places[ANCHOR, c] + share * (x[c] - places[ANCHOR, c])
