"""A step of a problem that is followed: the minimum of its second-order model, and what that promises (`follow`)."""

from __future__ import annotations

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.followed import Followed
from posewright.kernels.dense.followed_box import far_row
from posewright.kernels.dense.newton_step import (
    ACTIVE,
    ANCHOR,
    BASE,
    BEST,
    DAMPING,
    DOWN,
    HELD,
    HIGH,
    LOW,
    N_BINDING,
    PUSH,
    RADIUS,
    RIGHT,
    SHORT,
    SLOPE,
    SOFTNESS,
    STEP,
    UNIT,
    look_down,
    newton_step,
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
    add_chain,
    add_mass,
    by_coordinates,
)
from posewright.kernels.dense.problem import UNIT as COORDINATE_UNIT
from posewright.kernels.dense.second_order import second_order
from posewright.kernels.dense.step import stay_inside
from posewright.kernels.goals.residuals import MASS_LINE, MASS_POINT
from posewright.kernels.goals.terms import BY_PARTNER, CHOSEN, RESULT, ROWS
from posewright.kernels.tables import ROWS_PER_TERM, Array

_LEAST, _MOST = 1e-6, 1e9  # damping
_FEEBLE = 1e-6  # share of the cost


@kernel
def next_step(
    problem: DenseProblem, targets: Array, followed: Followed, restores: bool, x: Array, point: Point
) -> bool:
    """Write the next step and what it promises; whether it is the minimum of the model.

    While targets move, bending is that of what is expected to be missed at the end: a target that has just moved is
    missed by much for a moment, and a model that bends by that curves down where the problem does not.
    A step that `restores` brings earlier levels back, with as little change as possible.
    """
    model, drives, coordinates = followed.model, followed.drives, problem.coordinates
    state, places, rows, constraints = followed.table[0], model.places, model.rows, problem.constraints
    g, n, n_constraints = places[SLOPE], x.shape[0], constraints.shape[0]
    n_levels, floors = followed.prices.shape[0], followed.floors
    if not restores:
        whole = n_levels == 1 or floors[1, n_levels - 1] <= floors[0, n_levels - 1]
        state["restored"] = state["restorable"] if whole else min(state["restorable"], n_levels - 1)
    n_pulling = state["restored"] if restores else n_levels
    for k in range(problem.terms.shape[0]):
        last = problem.terms[k]["level"] > state["restored"]
        if state["known"] == 0 or (last and state["still"] != 0):
            for m in range(ROWS_PER_TERM):
                followed.missed[k, m] = point.found[k, RESULT, m]
    second_order(problem, targets, followed.prices, n_pulling, followed.missed, point, followed.sums, drives, model)
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
    n_far, n_rows = followed.far.shape[0], rows.shape[0] - N_BINDING
    n_soft = n_rows - n_constraints - n_far  # those of constraints stay in place, for what is known of them
    count = soft_rows(problem, followed, n_pulling, point)
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
    if not restores:  # what brings back is damped no more than what led away
        state["lead"] = _lead(followed)
    counted = state["lead"] * (1.0 if state["still"] != 0 else state["lightness"])
    state["guard"] = min(max(state["guard"], _LEAST / counted), _MOST)
    copy_into(x, places[BASE])
    for c in range(n):
        s = coordinates[SCALE, c] / coordinates[COORDINATE_UNIT, c]
        damping = state["guard"] * state["lead"] * places[UNIT, c]
        places[DAMPING, c] = damping / (s * s) if s > 0.0 else 1.0
        places[LOW, c], places[HIGH, c] = coordinates[LOWER, c] - x[c], coordinates[UPPER, c] - x[c]
        if s == 0.0:
            places[LOW, c], places[HIGH, c] = 0.0, 0.0
    for k in range(n_far):
        far_row(problem, followed, point, k, x)
    for c in range(n):
        gone, radius = x[c] - places[ANCHOR, c], places[RADIUS, c]
        places[LOW, c] = max(places[LOW, c], min(0.0, -radius - gone))
        places[HIGH, c] = min(places[HIGH, c], max(0.0, radius - gone))
    right, more, factorised = newton_step(model, n_soft, n_rows, problem.n_equal)
    state["known"], state["corrections"] = 1, 0
    look_ahead(problem, followed)
    if not restores:
        _expect(problem, followed, point)
    state["boosted"], state["guard"] = 1 if more > 1.0 else 0, state["guard"] * more
    state["factorised"] += factorised
    return right


@kernel
def soft_rows(problem: DenseProblem, followed: Followed, n_pulling: int, point: Point) -> int:
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
def look_ahead(problem: DenseProblem, followed: Followed) -> None:
    """Write what the step promises, and whether the box holds it back."""
    model, coordinates = followed.model, problem.coordinates
    state, places, rows, n = followed.table[0], model.places, model.rows, model.H.shape[0]
    n_far, n_rows = followed.far.shape[0], rows.shape[0] - N_BINDING
    n_soft = n_rows - problem.constraints.shape[0] - n_far
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
    for a in range(n_rows - n_far, n_rows):
        if rows[a, n + ACTIVE] != 0.0:
            state["boxed"] = 1


@kernel
def take_step(problem: DenseProblem, places: Array, x: Array) -> None:
    """Write where the step leads."""
    for c in range(x.shape[0]):
        x[c] = places[BASE, c]
        if places[LOW, c] < places[HIGH, c]:
            x[c] = min(max(x[c] + places[STEP, c], problem.coordinates[LOWER, c]), problem.coordinates[UPPER, c])
    stay_inside(problem, places[BEST], x)


@kernel
def find_way_down(problem: DenseProblem, followed: Followed) -> bool:
    """Write a step away from a saddle, with what it promises; whether the last model curves down anywhere."""
    places, coordinates = followed.model.places, problem.coordinates
    look_down(followed.model, followed.model.rows.shape[0] - N_BINDING, _FEEBLE * followed.table[0]["cost"])
    forwards, backwards, known = 1.0, 1.0, False
    for c in range(places.shape[1]):
        down = places[DOWN, c]
        if down != 0.0:
            above, below = coordinates[UPPER, c] - places[BASE, c], places[BASE, c] - coordinates[LOWER, c]
            forwards = min(forwards, (above if down > 0.0 else below) / abs(down))
            backwards = min(backwards, (below if down > 0.0 else above) / abs(down))
            known = True
    length = forwards if forwards >= backwards else -backwards
    if not known or abs(length) < SHORT:
        return False
    for c in range(places.shape[1]):
        places[STEP, c] = length * places[DOWN, c]
    followed.table[0]["promised"] = followed.table[0]["cost"]
    return True


@kernel
def _lead(followed: Followed) -> float:
    """What the first level that is not met counts, in units of what comes last: what damping is relative to.

    A posture comes last only once targets are still: while they move, nothing is met for long.
    """
    prices, floors, n_levels = followed.prices, followed.floors, followed.prices.shape[0]
    state = followed.table[0]
    for p in range(n_levels):
        if floors[1, p] > floors[0, p] or (state["still"] == 0 and p == n_levels - 1):
            return float(prices[p] / prices[n_levels - 1] / state["lightness"])
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
