"""The step to the minimum of a second-order model within bounds and rows, from a factor that keeps the tree's zeros.

    minimise d·H d - 2 g·d + Σ (E_i d - e_i)²/κ_i (soft rows)   subject to   E_i d = e_i or <= e_i,   low <= d <= high

H is that of a tree: dofs of different limbs do not meet in it. Its factor L S Lᵀ, with signs S, keeps the zeros if
descendants come first. Rows that connect all dofs (of the centre of mass, of constraints) stay out of it: they make a
small system of their own, Y S Yᵀ + κ with Y = E L⁻ᵀ.

What bends on its way is part of H, what holds it may be a row: so H alone may curve down where the model curves up. By
Sylvester's law the model curves up if the small system has as many negative pivots as H.

What holds the last step is tried first: coordinates at a bound, constraints that are active. Those that a step would
break are added and those that pull are released, many at once, for a few rounds; then one by one. While only rows come
and go, the factor stays; so a bound that the step meets on the way is a row too, until the next factor leaves its
coordinate out.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel
from posewright.kernels.tables import Array

_MANY = 4  # rounds in which many are held or set free at once
_ROUNDS = 24  # and then one by one
_LONG = 3.0  # radii of the box: a step that is longer is damped more
_BOOST = 8.0
_BOOSTS = 8
_DOWN = 0.1  # radii of the box: a step along which the model curves down
_LIGHT = 1e-6  # damping with which it is looked for: so that every coordinate has some
SHORT: Final = 1e-2
"""Of a step away from a saddle, or of a radius of the box: shorter ones are none."""
_BROKEN = 1e-12  # rad or m
_PIVOT = 0.1  # of the damping: a pivot this small is none
_GROWTH = 1e4  # of the entries of a factor with signs: beyond, rounding counts
_ALONE = 1e-12  # of its size: a pivot of a row that follows from others
_ZERO = 1e-10  # a pull this small, relative to the largest slope, is none

# Rows of what is kept per coordinate.
ANCHOR: Final = 0
"""Where this call began: the last answer."""
BEST: Final = 1
STEP: Final = 2
SLOPE: Final = 3
"""g"""
LOW: Final = 4
"""Bounds of the step, to HIGH."""
HIGH: Final = 5
HELD: Final = 6
"""-1 or 1 for a coordinate at its lower or upper bound, -2 or 2 if a row holds it there meanwhile, else 0."""
DAMPING: Final = 7
RADIUS: Final = 8
"""How far from the anchor a coordinate may go."""
UNIT: Final = 9
"""Curvature of a goal at full weight and reach: what damping is relative to."""
BASE: Final = 10
"""Where the model was made."""
DOWN: Final = 11
"""A step along which the model curves down, of length 0 if none is known."""
_RIGHT: Final = 12
_NOW: Final = 13
N_PLACES: Final = 14

# Columns of what is kept per row, after its coordinates.
RIGHT: Final = 0
"""e"""
SOFTNESS: Final = 1
"""κ; 0 for a constraint"""
ACTIVE: Final = 2
"""1 if the row counts; of a constraint, kept for the next step."""
PUSH: Final = 3
"""Its multiplier."""
TURNED: Final = 4
"""1 if Y is known; 0 after the row was changed."""
N_PER_ROW: Final = 5
N_BINDING: Final = 24
"""Rows at the end for bounds that steps meet."""


class Model(NamedTuple):
    """A second-order model, and the arrays to work in."""

    H: Array
    """(coordinates, coordinates)"""
    rows: Array
    """(rows, coordinates + N_PER_ROW): soft ones, then constraints, of which the equalities come first, then bounds"""
    places: Array
    """(N_PLACES, coordinates)"""
    factor: Array
    """(coordinates, coordinates)"""
    turned: Array
    """(rows, coordinates): Y"""
    small: Array
    """(rows, rows)"""
    order: npt.NDArray[np.int64]
    """(5, coordinates): coordinates of the factor, descendants first; where each of its rows begins; for each
    coordinate the last one that it meets in H; negative pivots; and coordinates that rows hold"""
    known: npt.NDArray[np.int64]
    """(3,): of how many coordinates the factor is, -1 if there is none; how many of its pivots are negative; and how
    many rows are bounds"""


@dot_kernel
def newton_step(model: Model, n_soft: int, n_rows: int, n_equal: int) -> tuple[bool, float, int]:
    """Write the step to the minimum of the model within its bounds.

    Where the model curves down, or its minimum is far outside of the box around the anchor, it is not to be trusted: it
    is damped more until that is over.

    Args:
        model: DAMPING, SLOPE, LOW, HIGH, RADIUS and the rows are read; HELD and ACTIVE are changed, DAMPING may be.
        n_soft: how many rows are soft.
        n_rows: how many there are, without those of bounds.
        n_equal: how many constraints are equalities.

    Returns:
        Whether this is the minimum, and not only nearer to it; by what damping was multiplied; how many times the model
        was factorised.
    """
    rows, n = model.rows, model.H.shape[0]
    for i in range(n_soft + n_equal):
        rows[i, n + ACTIVE] = 1.0
    model.known[0], model.known[2] = -1, 0
    _forget(model, n_soft + n_equal, n_rows)
    return same_step(model, n_soft, n_rows, n_equal)


@dot_kernel
def same_step(model: Model, n_soft: int, n_rows: int, n_equal: int) -> tuple[bool, float, int]:
    """`newton_step` once more, after constraints were changed: those have TURNED 0."""
    places, n = model.places, model.H.shape[0]
    d, rows, held, by_row = places[STEP], model.rows, places[HELD], model.order[4]
    for k in range(model.known[2]):
        if rows[n_rows + k, n + ACTIVE] != 0.0:
            held[by_row[k]] *= 2.0
    more, boosts, rounds, factorised, right = 1.0, 0, 0, 0, False
    while rounds < _MANY and not right:
        sure = boosts >= _BOOSTS
        count, far = _free(model), False
        if model.known[0] != count:
            factorised += 1
            far = not _factorise(model, count, sure)
        if not far and not _solve(model, count, n_soft + n_equal, n_rows) and not sure:
            far = True
        if not far:
            for c in range(n if rounds == 0 else 0):  # later, what is held may lead far, and no damping helps
                far = far or abs(d[c]) > _LONG * places[RADIUS, c]
        if far and not sure:
            boosts += 1
            more *= _BOOST
            model.known[0] = -1
            for c in range(n):
                places[DAMPING, c] *= _BOOST
            continue
        rounds += 1
        right = not _hold(model, count, n_soft + n_equal, n_rows)
        right = right and not _release(model, n_soft, n_equal, n_rows, False)
    if not right:
        right, tried = _one_by_one(model, n_soft, n_equal, n_rows)
        factorised += tried
    for c in range(n):
        if abs(held[c]) > 1.0:
            held[c] *= 0.5
            d[c] = places[HIGH, c] if held[c] > 0.0 else places[LOW, c]
    return right, more, factorised


@dot_kernel
def _one_by_one(model: Model, n_soft: int, n_equal: int, n_rows: int) -> tuple[bool, int]:
    """The same from no step at all, from bound to bound: slower, but every point on the way is allowed and better."""
    places, rows, n = model.places, model.rows, model.H.shape[0]
    d, now, held, low, high = places[STEP], places[_NOW], places[HELD], places[LOW], places[HIGH]
    _forget(model, n_soft + n_equal, n_rows)
    for c in range(n):
        now[c] = 0.0
    right, rounds, factorised = False, 0, 0
    while rounds < _ROUNDS and not right:
        rounds += 1
        count = _free(model)
        factorised += 1 if model.known[0] != count else 0
        up = model.known[0] == count or _factorise(model, count, False)
        if not up or not _solve(model, count, n_soft + n_equal, n_rows):
            factorised += 1
            _factorise(model, count, True)
            _solve(model, count, n_soft + n_equal, n_rows)
        share, which = 1.0, -1
        for k in range(count):
            c = model.order[0, k]
            way = d[c] - now[c] if held[c] == 0.0 else 0.0
            room = high[c] - now[c] if way > 0.0 else low[c] - now[c]
            if abs(share * way) > abs(room) + _BROKEN:
                share, which = room / way, c
        for a in range(n_soft + n_equal, n_rows):
            if rows[a, n + ACTIVE] == 0.0:
                gone, all_gone = _gap(rows, a, now), _gap(rows, a, d)
                if gone + share * (all_gone - gone) > _BROKEN:
                    share, which = max(0.0, -gone / (all_gone - gone)), n + a
        for c in range(n):
            now[c] += share * (d[c] - now[c])
        if which >= n:
            rows[which - n, n + ACTIVE] = 1.0
        elif which >= 0:
            _bind(model, which, 1.0 if d[which] > now[which] else -1.0, n_rows)
            now[which] = high[which] if held[which] > 0.0 else low[which]
        elif not _release(model, n_soft, n_equal, n_rows, True):
            right = True
    for c in range(n):
        d[c] = now[c]
    return right, factorised


@dot_kernel
def _forget(model: Model, start: int, n_rows: int) -> None:
    """Let go of what is not at its bound."""
    places, rows = model.places, model.rows
    held, n = places[HELD], places.shape[1]
    for c in range(n):
        if held[c] != 0.0 and abs(places[HIGH, c] if held[c] > 0.0 else places[LOW, c]) > _BROKEN:
            held[c] = 0.0
    for a in range(start, n_rows + model.known[2]):
        if rows[a, n + RIGHT] > _BROKEN:
            rows[a, n + ACTIVE] = 0.0


@dot_kernel
def _free(model: Model) -> int:
    """Put what is held where it is held, and list the others, descendants first; return how many there are.

    If they are others than those of the factor, that is not known any more.
    """
    places = model.places
    d, held, low, high = places[STEP], places[HELD], places[LOW], places[HIGH]
    count = 0
    for c in range(d.shape[0] - 1, -1, -1):
        d[c] = 0.0
        if low[c] >= high[c]:
            held[c] = 0.0
        elif abs(held[c]) == 1.0:
            d[c] = high[c] if held[c] > 0.0 else low[c]
        else:
            if model.order[0, count] != c:
                model.known[0] = -1
            model.order[0, count] = c
            count += 1
    return count


@dot_kernel
def _factorise(model: Model, count: int, sure: bool) -> bool:
    """Cholesky with signs over the free coordinates, each row from its first entry.

    A small pivot says that the model hardly curves somewhere. That is reported; or, to be `sure` of an end, it is
    replaced, as are negative ones.
    """
    H, L, order, first, damping = model.H, model.factor, model.order[0], model.order[1], model.places[DAMPING]
    negative, n_negative = model.order[3], 0
    model.known[0] = -1
    for a in range(model.rows.shape[0]):
        model.rows[a, H.shape[0] + TURNED] = 0.0
    for i in range(count):
        row, line = H[order[i]], L[i]
        start, last = i, model.order[2, order[i]]
        while start > 0 and order[start - 1] <= last:
            start -= 1
            line[start] = row[order[start]]
        first[i] = start
        for j in range(start, i):
            other = L[j]
            total = line[j]
            for k in range(max(start, first[j]), j):
                total -= line[k] * other[k]
            for m in range(n_negative):
                k = negative[m]
                total += 2.0 * line[k] * other[k] if max(start, first[j]) <= k < j else 0.0
            line[j] = total / other[j]
        diagonal, squares, pivot = row[order[i]] + damping[order[i]], 0.0, 0.0
        for k in range(start, i):
            squares += line[k] * line[k]
        pivot = diagonal - squares
        for m in range(n_negative):
            k = negative[m]
            pivot += 2.0 * line[k] * line[k] if k >= start else 0.0
        if n_negative > 0 and not squares < _GROWTH * (abs(row[order[i]]) + damping[order[i]]) and not sure:
            return False
        if not (pivot if sure else abs(pivot)) > _PIVOT * damping[order[i]]:
            if not sure:
                return False
            pivot = max(abs(pivot), damping[order[i]])
        if pivot < 0.0:
            negative[n_negative] = i
            n_negative += 1
        line[i] = math.copysign(math.sqrt(abs(pivot)), pivot)
    model.known[0], model.known[1] = count, n_negative
    return True


@dot_kernel
def _solve(model: Model, count: int, n_always: int, n_given: int) -> bool:
    """The step over the free coordinates and the multipliers of the active rows; the others stay at their bounds.

    Returns whether the model curves up, with the first rows, `n_always`, that are always active.
    """
    H, rows, places, L, Y, S = model.H, model.rows, model.places, model.factor, model.turned, model.small
    order, first, negative, n_negative = model.order[0], model.order[1], model.order[3], model.known[1]
    n, n_rows, missing, up = H.shape[0], n_given + model.known[2], n_negative, True
    d, g, y = places[STEP], places[SLOPE], places[_RIGHT]
    still = True  # nothing is held away from where it is
    for c in range(n):
        still = still and d[c] == 0.0
    for i in range(count):
        row, line = H[order[i]], L[i]
        total = g[order[i]]
        for c in range(0 if still else n):
            total -= row[c] * d[c]
        for k in range(first[i], i):
            total -= line[k] * y[k]
        y[i] = total / abs(line[i])
    for a in range(n_rows):
        if rows[a, n + ACTIVE] == 0.0:
            continue
        turned = Y[a]
        right = -rows[a, n + RIGHT]
        for c in range(n):
            right += rows[a, c] * d[c]
        for i in range(count if rows[a, n + TURNED] == 0.0 else 0):
            line = L[i]
            total = rows[a, order[i]]
            for k in range(first[i], i):
                total -= line[k] * turned[k]
            turned[i] = total / abs(line[i])
        rows[a, n + TURNED] = 1.0
        for i in range(count):
            right += turned[i] * y[i]
        for m in range(n_negative):
            right -= 2.0 * turned[negative[m]] * y[negative[m]]
        size = 0.0
        for b in range(a + 1):
            if rows[b, n + ACTIVE] == 0.0:
                continue
            other, total = Y[b], 0.0
            for i in range(count):
                total += turned[i] * other[i]
            size = total
            for m in range(n_negative):
                total -= 2.0 * turned[negative[m]] * other[negative[m]]
            S[a, b] = total
        S[a, a] += rows[a, n + SOFTNESS] + 1e-13 * size
        for b in range(a):
            if rows[b, n + ACTIVE] == 0.0:
                continue
            total = S[a, b]
            for k in range(b):
                if rows[k, n + ACTIVE] != 0.0:
                    total -= math.copysign(S[a, k], S[a, k] * S[k, k]) * S[b, k]
            S[a, b] = total / S[b, b]
            right -= S[a, b] * rows[b, n + PUSH]
        pivot = S[a, a]
        for b in range(a):
            if rows[b, n + ACTIVE] != 0.0:
                pivot -= math.copysign(S[a, b] * S[a, b], S[b, b])
        if pivot < 0.0 and n_negative > 0:
            missing -= 1
            up = up and a < n_always and pivot < -_ALONE * size
        # A row that follows from the others adds nothing.
        S[a, a] = math.copysign(math.sqrt(abs(pivot)), pivot) if abs(pivot) > _ALONE * size else math.inf
        rows[a, n + PUSH] = right / abs(S[a, a])
    if missing != 0 or not up:
        return False
    for a in range(n_rows - 1, -1, -1):
        if rows[a, n + ACTIVE] == 0.0:
            rows[a, n + PUSH] = 0.0
            continue
        total = math.copysign(1.0, S[a, a]) * rows[a, n + PUSH]
        for b in range(a + 1, n_rows):
            if rows[b, n + ACTIVE] != 0.0 and S[b, b] < math.inf:
                total -= S[b, a] * rows[b, n + PUSH]
        rows[a, n + PUSH] = total / abs(S[a, a])
        push = rows[a, n + PUSH]
        for i in range(count):
            y[i] -= push * Y[a, i]
    for m in range(n_negative):
        y[negative[m]] *= -1.0
    for i in range(count - 1, -1, -1):
        line = L[i]
        value = y[i] / abs(line[i])
        d[order[i]] = value
        for k in range(first[i], i):
            y[k] -= line[k] * value
    return True


@dot_kernel
def look_down(model: Model, n_rows: int, feeble: float) -> None:
    """Write DOWN, a step along which the model curves down, over what no bound holds: from a negative pivot.

    A bound that saves less than `feeble` over a short way does not count: a finger at the end of its range that is
    stretched towards a point has nothing to win by a small bend, and much by a larger one.
    """
    H, rows, places, L, n = model.H, model.rows, model.places, model.factor, model.H.shape[0]
    order, held, y, count = model.order[0], places[HELD], places[_RIGHT], 0
    model.known[0] = -1
    for c in range(n):
        places[DOWN, c] = 0.0
        push = -places[SLOPE, c]
        for a in range(n_rows):
            push += rows[a, n + PUSH] * rows[a, c]
        if places[LOW, c] < places[HIGH, c] and (held[c] == 0.0 or abs(push) * SHORT * places[RADIUS, c] <= feeble):
            order[count] = c
            count += 1
    for i in range(count):
        line = L[i]
        for j in range(i + 1):
            line[j] = H[order[i], order[j]]
        line[i] += _LIGHT * places[UNIT, order[i]]
        for a in range(n_rows):
            factor = rows[a, order[i]] / max(rows[a, n + SOFTNESS], 1e-12) if rows[a, n + ACTIVE] != 0.0 else 0.0
            for j in range(i + 1 if factor != 0.0 else 0):
                line[j] += factor * rows[a, order[j]]
        size = abs(line[i])
        for j in range(i + 1):
            total = line[j]
            for k in range(j):
                total -= line[k] * L[j, k]
            line[j] = total / L[j, j] if j < i else total
        if line[i] < -_ALONE * size:
            far = 1.0 / places[RADIUS, order[i]]
            for j in range(i):
                y[j] = -line[j]
            for j in range(i - 1, -1, -1):
                y[j] /= L[j, j]
                for k in range(j):
                    y[k] -= L[j, k] * y[j]
                far = max(far, abs(y[j]) / places[RADIUS, order[j]])
            y[i] = 1.0
            for j in range(i + 1):
                places[DOWN, order[j]] = _DOWN * y[j] / far
            return
        line[i] = math.sqrt(max(line[i], _ALONE * size, 1e-300))


@dot_kernel
def _gap(rows: Array, a: int, d: Array) -> float:
    n = d.shape[0]
    gap = -float(rows[a, n])
    for c in range(n):
        gap += rows[a, c] * d[c]
    return gap


@dot_kernel
def _hold(model: Model, count: int, start: int, n_rows: int) -> bool:
    """Hold what the step would break; whether there was any."""
    rows, places = model.rows, model.places
    d, held, n = places[STEP], places[HELD], places.shape[1]
    broken = False
    for k in range(count):
        c = model.order[0, k]
        if held[c] == 0.0 and (d[c] < places[LOW, c] - _BROKEN or d[c] > places[HIGH, c] + _BROKEN):
            _bind(model, c, -1.0 if d[c] < places[LOW, c] else 1.0, n_rows)
            broken = True
    for a in range(start, n_rows):
        if rows[a, n + ACTIVE] == 0.0 and _gap(rows, a, d) > _BROKEN:
            rows[a, n + ACTIVE] = 1.0
            broken = True
    return broken


@dot_kernel
def _bind(model: Model, c: int, way: float, n_rows: int) -> None:
    """Hold a coordinate at its upper (1) or lower (-1) bound: by a row, or without one by a new factor."""
    rows, places, by_row, n = model.rows, model.places, model.order[4], model.H.shape[0]
    k, used = 0, model.known[2]
    while k < used and not (by_row[k] == c and rows[n_rows + k, c] == way):
        k += 1
    if k == n or n_rows + k == rows.shape[0]:
        places[HELD, c] = way
        return
    row = rows[n_rows + k]
    if k == used:
        for i in range(n):
            row[i] = 0.0
        row[c], row[n + SOFTNESS], row[n + TURNED], by_row[k], model.known[2] = way, 0.0, 0.0, c, used + 1
        row[n + RIGHT] = places[HIGH, c] if way > 0.0 else -places[LOW, c]
    row[n + ACTIVE], places[HELD, c] = 1.0, 2.0 * way


@dot_kernel
def _release(model: Model, n_soft: int, n_equal: int, n_rows: int, one: bool) -> bool:
    """Set free what pulls instead of pushing, or of that the `one` that pulls most; whether there was any."""
    H, rows, places = model.H, model.rows, model.places
    n, d, held, g = H.shape[0], places[STEP], places[HELD], places[SLOPE]
    worst, which = 0.0, -1
    for c in range(n):
        worst = max(worst, _ZERO * abs(g[c]))
    for a in range(n_soft + n_equal, n_rows + model.known[2]):
        pull = -rows[a, n + PUSH] if rows[a, n + ACTIVE] != 0.0 else 0.0
        if pull > worst:
            which = n + a
            worst = pull if one else worst
            if not one:
                _let_go(model, a, n_rows)
    for c in range(n):
        if abs(held[c]) != 1.0:
            continue
        slope = places[DAMPING, c] * d[c] - g[c]
        for k in range(n):
            slope += H[c, k] * d[k]
        for a in range(n_rows):
            slope += rows[a, n + PUSH] * rows[a, c]
        if slope * held[c] > worst:
            which = c
            worst = slope * held[c] if one else worst
            if not one:
                held[c] = 0.0
    if one and which >= n:
        _let_go(model, which - n, n_rows)
    elif one and which >= 0:
        held[which] = 0.0
    return which >= 0


@dot_kernel
def _let_go(model: Model, a: int, n_rows: int) -> None:
    model.rows[a, model.H.shape[0] + ACTIVE] = 0.0
    if a >= n_rows:
        model.places[HELD, model.order[4, a - n_rows]] = 0.0
