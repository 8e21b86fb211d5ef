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
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.attraction import attraction
from posewright.kernels.dense.newton_step import (
    ACTIVE,
    ANCHOR,
    BASE,
    BEST,
    DAMPING,
    HELD,
    HIGH,
    LOW,
    PUSH,
    RADIUS,
    RIGHT,
    SLOPE,
    SOFTNESS,
    STEP,
    TURNED,
    UNIT,
    Model,
    newton_step,
    same_step,
)
from posewright.kernels.dense.problem import (
    BY_Q,
    GRADIENT,
    LOWER,
    SCALE,
    STIFFNESS,
    UPPER,
    DenseProblem,
    Point,
    Q,
    add_chain,
    add_mass,
    by_coordinates,
    copy_errors,
    decode,
    freeze,
)
from posewright.kernels.dense.problem import UNIT as COORDINATE_UNIT
from posewright.kernels.dense.search_control import AGAIN, DONE, INTERRUPTED, ON_THE_WAY, REACHED, STATIONARY
from posewright.kernels.dense.second_order import Drives, second_order
from posewright.kernels.dense.step import stay_inside
from posewright.kernels.goals.residuals import MASS_LINE, MASS_POINT
from posewright.kernels.goals.terms import (
    BY_PARTNER,
    CHOSEN,
    RESULT,
    ROWS,
    choose,
    evaluate_terms,
    term_cost,
    within_tolerance,
)
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import ROWS_PER_TERM, SLIDE, Array, Row, Table
from posewright.kernels.tree.elimination import screws

_SETTLED = 1e-9  # share of the cost: a step that promises less is none
_LITTLE = 3e-4  # a step that promises less is the last of its call
_LITTLE_ON_THE_WAY = 3e-3  # the same where the box holds it back, and the next call goes on
_WITHIN = 1e3  # price of a level within its tolerance, in units of the next
_LOST = 2  # steps that may cost more than the best point before it is returned to
_FAILURES = 4  # returns, after which a call ends
_LEAST, _MOST = 1e-6, 1e3  # damping
_LIGHT = 1e-4  # damping with which a point is found to be at rest
_FACTORISED = 2  # times per step, after which a call ends
_INSIDE = 0.985  # of what a call may move: where rows hold it back, with something to spare for what bends
_WHOLE = 0.999  # of what a call may move, for a way that is cut short
_MUCH = 3.0  # times what a call may move: a step that leads so far away says nothing about the way back
_CORRECTIONS = 3  # of a step that goes too far, before it is cut short

FOLLOWING: Final = np.dtype(
    [
        ("steps", "i8"),  # at most, per call
        ("still", "i8"),  # 1: targets are those of the last call; steps that promise little are taken too, to arrive
        ("turn", "f8"),  # rad: furthest that a dof goes in a call
        ("move", "f8"),  # m: furthest that a joint, or a slide, goes in a call
        ("minimising", "i8"),  # 1: tolerances do not end a call
        ("by_rotation", "i8"),  # 1: the posture of a ball is compared by rotation, not by components
        ("posture", "f8"),  # price of the posture
        # The course of a call:
        ("iterations", "i8"),
        ("why", "i8"),
        ("fresh", "i8"),  # 1 until the start was judged
        ("last", "i8"),  # 1 if the step taken promised little
        ("done", "i8"),  # 1 if only the evaluation of the answer is missing
        ("lost", "i8"),
        ("n_far", "i8"),  # joints that went as far as they may, and that rows hold back
        ("corrections", "i8"),  # of the step taken
        ("factorised", "i8"),  # how many times the model was
        ("boosted", "i8"),  # 1 if the last step had to be damped more than was thought
        ("boxed", "i8"),  # 1 if the box holds the step back
        ("failures", "i8"),
        ("cost", "f8"),  # with prices
        ("plain", "f8"),  # without, of the answer
        ("best_cost", "f8"),
        ("promised", "f8"),
        ("lead", "f8"),  # price of the level that damping is relative to
        # Kept from call to call:
        ("known", "i8"),  # 1 if `missed` is known
        ("guard", "f8"),
        ("gained", "i8"),  # 1 if a step of the last call was better than its start
    ],
    align=True,
)


class Followed(NamedTuple):
    """What is kept of a problem that is followed."""

    table: Table
    """(1,) of FOLLOWING"""
    prices: Array
    """(levels,)"""
    floors: Array
    """(2, levels): the cost at which each level counts as met; what it costs"""
    drives: Drives
    model: Model
    sums: Array
    """(joints, N_PER_JOINT)"""
    far: Array
    """(rows, 5): a joint, the direction it went and how far it may; or -1 - dof, the sign and how far"""
    missed: Array
    """(terms, 3): residuals that are expected at the end"""
    anchored: Array
    """(joints, 3): where joints were in the last answer"""
    anchored_q: Array
    """(dofs,)"""


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
def followed_cost(problem: DenseProblem, followed: Followed, reference: Array, point: Point) -> float:
    """The cost by which points are compared; residuals of linear rows are written.

    Within its tolerance a level counts little more than the next: valleys as narrow as its price makes them could only
    be followed in tiny steps.
    """
    terms, linear, q, rho = problem.terms, problem.linear, point.per_dof[Q], point.rho
    state, prices, n_dofs = followed.table[0], followed.prices, problem.dofs.shape[0]
    floors, n_levels = followed.floors, prices.shape[0]
    for p in range(n_levels):
        floors[1, p] = 0.0
    for k in range(terms.shape[0]):
        if point.found[k, RESULT, CHOSEN] != 0.0:
            floors[1, terms[k]["level"] - 1] += term_cost(terms, point.found, k)
    first = ROWS_PER_TERM * terms.shape[0]
    for i in range(linear.shape[0]):
        row = linear[i]
        total = -row[n_dofs]
        for d in range(n_dofs):
            total += row[d] * q[d]
        rho[first + i] = total
    for i in range(first, rho.shape[0]):
        floors[1, problem.levels[i] - 1] += rho[i] * rho[i]
    cost: float = prices[n_levels - 1] * floors[1, n_levels - 1]
    for p in range(n_levels - 1):
        within = min(floors[0, p], floors[1, p])
        cost += min(prices[p], _WITHIN * prices[p + 1]) * within + prices[p] * (floors[1, p] - within)
    stiffness, slope = point.per_dof[STIFFNESS], point.per_dof[GRADIENT]
    if state["by_rotation"] != 0:
        return cost + 2.0 * float(state["posture"]) * attraction(problem.joints, stiffness, q, reference, slope)
    for d in range(n_dofs):
        gap = q[d] - reference[d]
        slope[d] = stiffness[d] * gap
        cost += state["posture"] * stiffness[d] * gap * gap
    return cost


@kernel
def _plain_cost(problem: DenseProblem, reference: Array, point: Point) -> float:
    """What results call the cost."""
    cost, q = 0.0, point.per_dof[Q]
    for k in range(problem.terms.shape[0]):
        if point.found[k, RESULT, CHOSEN] != 0.0:
            cost += term_cost(problem.terms, point.found, k)
    for i in range(ROWS_PER_TERM * problem.terms.shape[0], point.rho.shape[0]):
        cost += point.rho[i] * point.rho[i]
    for d in range(q.shape[0]):
        gap = q[d] - reference[d]
        cost += problem.posture[d] * gap * gap
    return cost


@kernel
def _soft_rows(problem: DenseProblem, followed: Followed, n_pulling: int, point: Point) -> int:
    """Write the rows that are not sums over the tree, those of `n_pulling` levels to be met; return their number."""
    terms, found, rows, prices = problem.terms, point.found, followed.model.rows, followed.prices
    n, by_q = problem.coordinates.shape[1], point.per_dof[BY_Q:GRADIENT]
    count = 0
    for k in range(terms.shape[0]):
        of_mass, partner = terms[k]["kind"] in (MASS_POINT, MASS_LINE), terms[k]["partner"]
        n_rows = int(found[k, RESULT, ROWS] * found[k, RESULT, CHOSEN])
        weight = terms[k]["weight"] * prices[terms[k]["level"] - 1]
        if weight == 0.0 or n_rows == 0 or (partner < 0 and not of_mass):
            continue
        by_q[:, :] = 0.0
        if of_mass:
            add_mass(problem, point, k, n_rows)
        else:
            add_chain(problem.joints, terms[k]["joint"], point.screws, found[k, :BY_PARTNER], n_rows, by_q)
        if partner >= 0:
            add_chain(problem.joints, partner, point.screws, found[k, BY_PARTNER:RESULT], n_rows, by_q)
        for m in range(n_rows):
            by_coordinates(problem, 0, 1.0, by_q[m], rows[count, :n])
            rows[count, n + RIGHT] = -found[k, RESULT, m] if terms[k]["level"] <= n_pulling else 0.0
            rows[count, n + SOFTNESS] = 1.0 / weight
            count += 1
    first = ROWS_PER_TERM * terms.shape[0]
    for i in range(first, point.rho.shape[0]):
        if i < first + problem.linear.shape[0]:
            by_coordinates(problem, 0, 1.0, problem.linear[i - first], rows[count, :n])
        else:
            copy_into(point.J[i], rows[count, :n])
        rows[count, n + RIGHT] = -point.rho[i] if problem.levels[i] <= n_pulling else 0.0
        rows[count, n + SOFTNESS] = 1.0 / prices[problem.levels[i] - 1]
        count += 1
    return count


@kernel
def _step(problem: DenseProblem, targets: Array, followed: Followed, restores: bool, x: Array, point: Point) -> bool:
    """Write the next step and what it promises; whether it is the minimum of the model.

    A step that `restores` brings all levels but the last back, with as little change as possible.
    """
    model, drives, coordinates = followed.model, followed.drives, problem.coordinates
    state, places, rows, constraints = followed.table[0], model.places, model.rows, problem.constraints
    g, n, n_constraints = places[SLOPE], x.shape[0], constraints.shape[0]
    n_pulling = followed.prices.shape[0] - (1 if restores else 0)
    for k in range(problem.terms.shape[0]):
        if state["known"] == 0 or followed.prices[problem.terms[k]["level"] - 1] <= followed.prices[-1]:
            for m in range(ROWS_PER_TERM):
                followed.missed[k, m] = point.found[k, RESULT, m]
    second_order(
        problem, targets, followed.prices, n_pulling, followed.missed, point, followed.sums, drives, g, model.H
    )
    for d in range(problem.dofs.shape[0]):
        price = state["posture"]
        weight = price * point.per_dof[STIFFNESS, d]
        if weight == 0.0:
            continue
        for e in range(drives.first[d], drives.first[d + 1]):
            if not restores:
                g[drives.coordinate[e]] -= drives.share[e] * price * point.per_dof[GRADIENT, d]
            for f in range(drives.first[d], drives.first[d + 1]):
                model.H[drives.coordinate[e], drives.coordinate[f]] += weight * drives.share[e] * drives.share[f]
    n_far = followed.far.shape[0]
    n_soft = rows.shape[0] - n_constraints - n_far  # those of constraints stay in place, for what is known of them
    count = _soft_rows(problem, followed, n_pulling, point)
    for a in range(count, n_soft):
        for c in range(n):
            rows[a, c] = 0.0
        rows[a, n + RIGHT], rows[a, n + SOFTNESS] = 0.0, 1.0
    for i in range(n_constraints):
        a = n_soft + i
        gap = constraints[i, n]
        for c in range(n):
            rows[a, c] = constraints[i, c]
            gap -= constraints[i, c] * x[c]
        rows[a, n + RIGHT], rows[a, n + SOFTNESS] = gap, 0.0
    state["lead"] = _lead(followed)
    state["guard"] = min(max(state["guard"], _LEAST / state["lead"]), _MOST)
    copy_into(x, places[BASE])
    for c in range(n):
        s = coordinates[SCALE, c] / coordinates[COORDINATE_UNIT, c]
        damping = state["guard"] * state["lead"] * places[UNIT, c]
        places[DAMPING, c] = damping / (s * s) if s > 0.0 else 1.0
        places[LOW, c], places[HIGH, c] = coordinates[LOWER, c] - x[c], coordinates[UPPER, c] - x[c]
        if s == 0.0:
            places[LOW, c], places[HIGH, c] = 0.0, 0.0
    for k in range(n_far):
        _far_row(problem, followed, point, k, x)
    for c in range(n):
        gone, radius = x[c] - places[ANCHOR, c], places[RADIUS, c]
        places[LOW, c] = max(places[LOW, c], min(0.0, -radius - gone))
        places[HIGH, c] = min(places[HIGH, c], max(0.0, radius - gone))
    right, more, factorised = newton_step(model, n_soft, rows.shape[0], problem.n_equal)
    state["known"], state["corrections"] = 1, 0
    _look_ahead(problem, followed)
    if not restores:
        _expect(problem, followed, point)
    state["boosted"], state["guard"] = 1 if more > 1.0 else 0, state["guard"] * more
    state["factorised"] += factorised
    return right


@kernel
def _look_ahead(problem: DenseProblem, followed: Followed) -> None:
    """Write what the step promises, and whether the box holds it back."""
    model, coordinates = followed.model, problem.coordinates
    state, places, rows, n = followed.table[0], model.places, model.rows, model.H.shape[0]
    n_far = followed.far.shape[0]
    n_soft = rows.shape[0] - problem.constraints.shape[0] - n_far
    promised = 0.0
    for c in range(n):
        slope = places[SLOPE, c]
        for a in range(n_soft):
            slope += rows[a, c] * rows[a, n + RIGHT] / rows[a, n + SOFTNESS]
        promised += slope * places[STEP, c]
    state["promised"], state["boxed"] = promised, 0
    for c in range(n):
        if places[HELD, c] > 0.0 and coordinates[UPPER, c] - places[BASE, c] > places[HIGH, c]:
            state["boxed"] = 1
        if places[HELD, c] < 0.0 and coordinates[LOWER, c] - places[BASE, c] < places[LOW, c]:
            state["boxed"] = 1
    for a in range(rows.shape[0] - n_far, rows.shape[0]):
        if rows[a, n + ACTIVE] != 0.0:
            state["boxed"] = 1


@kernel
def _take_step(problem: DenseProblem, places: Array, x: Array) -> None:
    """Write where the step leads."""
    for c in range(x.shape[0]):
        x[c] = places[BASE, c]
        if places[LOW, c] < places[HIGH, c]:
            x[c] = min(max(x[c] + places[STEP, c], problem.coordinates[LOWER, c]), problem.coordinates[UPPER, c])
    stay_inside(problem, places[BEST], x)


@kernel
def _lead(followed: Followed) -> float:
    """The price of the first level that is not met, in units of the last: what damping is relative to."""
    prices, floors, n_levels = followed.prices, followed.floors, followed.prices.shape[0]
    for p in range(n_levels):
        if floors[1, p] > floors[0, p]:
            return float(prices[p] / prices[n_levels - 1])
    return 1.0


@kernel
def _expect(problem: DenseProblem, followed: Followed, point: Point) -> None:
    """Write what the model expects each term to miss after the step: the multipliers of the levels with a price."""
    terms, found, missed, joints = problem.terms, point.found, followed.missed, problem.joints
    drives, step, rows, n = followed.drives, followed.model.places[STEP], followed.model.rows, followed.model.H.shape[0]
    count = 0
    for k in range(terms.shape[0]):
        n_rows = int(found[k, RESULT, ROWS] * found[k, RESULT, CHOSEN])
        of_mass, partner = terms[k]["kind"] in (MASS_POINT, MASS_LINE), terms[k]["partner"]
        if of_mass or partner >= 0:
            if n_rows > 0 and terms[k]["weight"] != 0.0:
                for m in range(n_rows):
                    missed[k, m] = rows[count, n + PUSH] * rows[count, n + SOFTNESS]
                    count += 1
            continue
        for m in range(ROWS_PER_TERM):
            missed[k, m] = found[k, RESULT, m] if m < n_rows else 0.0
        j = terms[k]["joint"]
        while j >= 0 and n_rows > 0:
            low = joints[j]["first"]
            for d in range(low, low + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]):
                turned = 0.0
                for e in range(drives.first[d], drives.first[d + 1]):
                    turned += drives.share[e] * step[drives.coordinate[e]]
                for m in range(n_rows):
                    total = 0.0
                    for i in range(6):
                        total += found[k, m, i] * point.screws[d, i]
                    missed[k, m] += total * turned
            j = joints[j]["parent"]


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
    state["plain"] = _plain_cost(problem, reference, point)
    if state["done"] != 0:
        return DONE
    if state["fresh"] == 1:
        for j in range(point.positions.shape[0]):
            copy_into(point.positions[j], followed.anchored[j])
        copy_into(point.per_dof[Q], followed.anchored_q)
    elif state["fresh"] == 0:
        excess = _excess(problem, followed, point)
        if excess > 1.0:
            _correct(problem, followed, excess, x, point)
            return AGAIN
    if reached and state["minimising"] == 0:
        state["why"] = REACHED
        return DONE
    several = followed.prices.shape[0] > 1
    gain = state["best_cost"] - state["cost"] + (_LITTLE * state["cost"] if several else 0.0)
    if gain > 0.0:
        if state["fresh"] == 0:
            state["gained"] = 1
        if state["fresh"] == 0 and state["lost"] == 0:
            _adapt(state, math.inf if several else gain)
        state["best_cost"], state["lost"] = state["cost"], 0
        copy_into(x, places[BEST])
    else:
        state["lost"] += 1
        if state["lost"] > (_LOST if several else 0):
            return _go_back(state, places, x)
    state["fresh"] = 0
    if stop[0] != 0 or _is_long(state) or (gain > 0.0 and state["last"] != 0):
        state["why"] = INTERRUPTED if stop[0] != 0 else ON_THE_WAY
        return _finish(state, places, x)
    right = _step(problem, targets, followed, state["lost"] > 0, x, point)
    scale = state["cost"] + followed.prices[-1] * followed.floors[0, followed.prices.shape[0] - 1]
    none = state["promised"] <= _SETTLED * scale
    if none and right and gain > 0.0:
        if state["guard"] * state["lead"] > _LIGHT:  # heavy damping promises nothing anywhere
            state["guard"] = _LIGHT / state["lead"]
            right = _step(problem, targets, followed, False, x, point)
            none = right and state["promised"] <= _SETTLED * scale
        if none:
            state["why"] = ON_THE_WAY if state["boxed"] != 0 else (REACHED if reached else STATIONARY)
            return _finish(state, places, x)
    if state["promised"] <= 0.0:
        return _go_back(state, places, x)
    little = _LITTLE if state["boxed"] == 0 else _LITTLE_ON_THE_WAY
    state["last"] = 1 if state["still"] == 0 and state["promised"] <= little * scale else 0
    _take_step(problem, places, x)
    state["iterations"] += 1
    return AGAIN


@kernel
def _go_back(state: Row, places: Array, x: Array) -> int:
    """Return to the best point, from which the next step is damped more; after some failures end there."""
    state["lost"], state["failures"], state["last"] = 0, state["failures"] + 1, 0
    state["guard"] *= 16.0
    if state["failures"] >= _FAILURES or _is_long(state):
        state["why"] = ON_THE_WAY
        return _finish(state, places, x)
    copy_into(places[BEST], x)
    state["best_cost"], state["fresh"] = math.inf, 2  # it is judged again, as the best
    return AGAIN


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
    places, n_rows = model.places, model.rows.shape[0]
    n_soft = n_rows - problem.constraints.shape[0] - followed.far.shape[0]
    _note_far(problem, followed, x, point)
    if state["corrections"] < _CORRECTIONS and excess < _MUCH:
        state["corrections"] += 1
        _, more, factorised = same_step(model, n_soft, n_rows, problem.n_equal)
        state["factorised"] += factorised
        _look_ahead(problem, followed)
        if more == 1.0 and state["promised"] > 0.0:
            _take_step(problem, places, x)
            return
    state["corrections"] = _CORRECTIONS
    share = _WHOLE / excess  # a shorter way along the same line keeps limits and constraints
    for c in range(x.shape[0]):
        x[c] = places[ANCHOR, c] + share * (x[c] - places[ANCHOR, c])


@kernel
def _excess(problem: DenseProblem, followed: Followed, point: Point) -> float:
    """How often the way from the last answer is as long as allowed, of what went furthest."""
    found = 0.0
    for d in range(problem.dofs.shape[0]):
        found = max(found, _excess_of_dof(problem, followed, point, d))
    for j in range(point.positions.shape[0]):
        found = max(found, _excess_of_joint(followed, point, j))
    return found


@kernel
def _excess_of_dof(problem: DenseProblem, followed: Followed, point: Point, d: int) -> float:
    state = followed.table[0]
    longest = state["move"] if problem.dofs[d]["kind"] == SLIDE else state["turn"]
    return float(abs(point.per_dof[Q, d] - followed.anchored_q[d]) / longest)


@kernel
def _excess_of_joint(followed: Followed, point: Point, j: int) -> float:
    return _distance(point.positions[j], followed.anchored[j]) / float(followed.table[0]["move"])


@kernel
def _distance(a: Array, b: Array) -> float:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _note_far(problem: DenseProblem, followed: Followed, x: Array, point: Point) -> None:
    """Write rows that hold back what went too far: the furthest first, and of joints that are together only one."""
    state, far = followed.table[0], followed.far
    n_dofs, n_joints = problem.dofs.shape[0], point.positions.shape[0]
    fresh = np.zeros(far.shape[0])
    for _ in range(far.shape[0]):
        worst, which = 1.0, n_joints
        for d in range(n_dofs):
            excess = _excess_of_dof(problem, followed, point, d)
            if excess > worst and not _is_noted(followed, point, -1.0 - d, fresh):
                worst, which = excess, -1 - d
        for j in range(n_joints):
            excess = _excess_of_joint(followed, point, j)
            if excess > worst and not _is_noted(followed, point, j, fresh):
                worst, which = excess, j
        if which == n_joints:
            break
        k = _slot(followed, point, which, fresh)
        if k < 0:
            break
        fresh[k] = 1.0
        far[k, 0] = which
        if which < 0:
            gap = point.per_dof[Q, -1 - which] - followed.anchored_q[-1 - which]
            far[k, 1], far[k, 4] = 1.0 if gap > 0.0 else -1.0, abs(gap) / worst
        else:
            for i in range(3):
                far[k, 1 + i] = (point.positions[which, i] - followed.anchored[which, i]) / (worst * state["move"])
            far[k, 4] = state["move"]
        _far_row(problem, followed, point, k, x)


@kernel
def _is_near(followed: Followed, point: Point, which: float, k: int) -> bool:
    """Whether row k is about the same dof or joint, or about one beside it."""
    other = followed.far[k, 0]
    if which == other or which < 0.0 or other < 0.0:
        return bool(which == other)
    return bool(_distance(point.positions[int(which)], point.positions[int(other)]) < followed.table[0]["move"])


@kernel
def _is_noted(followed: Followed, point: Point, which: float, fresh: Array) -> bool:
    noted = False
    for k in range(fresh.shape[0]):
        noted = noted or (fresh[k] != 0.0 and _is_near(followed, point, which, k))
    return noted


@kernel
def _slot(followed: Followed, point: Point, which: float, fresh: Array) -> int:
    """The row to write: that of the same place, a new one, or one that holds nothing back; -1 if there is none."""
    state, rows, n = followed.table[0], followed.model.rows, followed.model.H.shape[0]
    capacity, free = fresh.shape[0], -1
    used = min(state["n_far"], capacity)
    for k in range(used):
        if followed.far[k, 0] == which:
            return k
        if rows[rows.shape[0] - capacity + k, n + ACTIVE] == 0.0 and fresh[k] == 0.0:
            free = k
    if used < capacity:
        state["n_far"] = used + 1
        return int(used)
    return free


@kernel
def _far_row(problem: DenseProblem, followed: Followed, point: Point, k: int, x: Array) -> None:
    """Write row k, which keeps what went as far as it may from going further, as it is at x."""
    model, n, far = followed.model, followed.model.H.shape[0], followed.far[k]
    row = model.rows[model.rows.shape[0] - followed.far.shape[0] + k]
    by_q, q, G = point.per_dof[BY_Q:GRADIENT], point.per_dof[Q], np.zeros((1, 6))
    row[n + RIGHT], row[n + SOFTNESS], row[n + TURNED] = 1.0, 0.0, 0.0
    if k >= followed.table[0]["n_far"]:
        row[n + ACTIVE] = 0.0
        for c in range(n):
            row[c] = 0.0
        return
    by_q[0, :] = 0.0
    if far[0] < 0.0:
        d = int(-1.0 - far[0])
        by_q[0, d] = far[1]
        gone = far[1] * (q[d] - followed.anchored_q[d])
    else:
        j, gone = int(far[0]), 0.0
        p, origin = point.positions[j], point.positions[0]
        u, v, w = p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]
        G[0, 0], G[0, 1], G[0, 2] = v * far[3] - w * far[2], w * far[1] - u * far[3], u * far[2] - v * far[1]
        G[0, 3], G[0, 4], G[0, 5] = far[1], far[2], far[3]
        for i in range(3):
            gone += far[1 + i] * (p[i] - followed.anchored[j, i])
        add_chain(problem.joints, j, point.screws, G, 1, by_q)
    by_coordinates(problem, 0, 1.0, by_q[0], row[:n])
    room = far[4] * _INSIDE - gone
    for c in range(n):  # from where the model was made, not from x
        room += row[c] * (x[c] - model.places[BASE, c])
    row[n + RIGHT] = max(0.0, room)


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
