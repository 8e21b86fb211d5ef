"""The active constraints of a search that slides along the edge of the feasible region.

Symbols, as in the paper's appendix: N the active normals, one per row; N = LQ with Q orthonormal; α = (NNᵀ)⁻¹N g,
whose signs say whether a constraint holds the point back; c the diagonal of (NNᵀ)⁻¹; H the metric, with H a = 0 for
every active normal a.
"""

from __future__ import annotations

import math

from posewright.kernels.active_set.search import ALPHA, BASE, IMAGE, LISTED, MARKS, NORMAL, H, Search
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array


@kernel
def write_normal(search: Search, constraint: int) -> None:
    """Write the outward unit normal of a constraint into its row."""
    variables, rows, normal = search.variables, search.constraints, search.numbers[NORMAL]
    m, n = rows.shape[0], variables.shape[0]
    for c in range(n):
        normal[c] = rows[constraint, variables[c]["coordinate"]] * variables[c]["scale"] if constraint < m else 0.0
    if constraint >= m + n:
        normal[constraint - m - n] = 1.0
    elif constraint >= m:
        normal[constraint - m] = -1.0


@kernel
def _slack(search: Search, constraint: int) -> float:
    """How far the base is from an inequality, in the unit of the variables; never negative."""
    m, n, x = search.constraints.shape[0], search.variables.shape[0], search.numbers[BASE]
    if constraint < m:
        row = search.constraints[constraint]
        n_x = row.shape[0] - 1
        total = float(row[n_x])
        for c in range(n_x):
            total -= row[c] * x[c]
        return max(total, 0.0)
    variable = search.variables[constraint - m if constraint < m + n else constraint - m - n]
    value = x[variable["coordinate"]]
    gap = value - variable["lower"] if constraint < m + n else variable["upper"] - value
    slack: float = max(gap / variable["scale"], 0.0)
    return slack


@kernel
def first_hit(search: Search, s: Array) -> tuple[float, int]:
    """How far one may go from the base along s, in lengths of s, and the constraint that is met there (-1: none)."""
    variables, rows, marks = search.variables, search.constraints, search.active[MARKS]
    m, n = rows.shape[0], variables.shape[0]
    size = 0.0
    for c in range(n):
        size += s[c] * s[c]
    least = 1e-12 * math.sqrt(size)
    furthest, hit = math.inf, -1
    for k in range(search.state[0]["equalities"], m + 2 * n):
        if marks[k] != 0:
            continue
        if k < m:
            rate = 0.0
            for c in range(n):
                rate += rows[k, variables[c]["coordinate"]] * variables[c]["scale"] * s[c]
        else:
            rate = -s[k - m] if k < m + n else s[k - m - n]
        if rate > least:
            reach = _slack(search, k) / rate
            if reach < furthest:
                furthest, hit = reach, k
    return furthest, hit


@kernel
def _widen_basis(search: Search) -> bool:
    """Add the normal to the basis as its last row; return False if it depends on the rows before it."""
    n, count, numbers = search.variables.shape[0], search.state[0]["count"], search.numbers
    Q, L, a, w = numbers[H + n :], numbers[H + 2 * n + 1 :], numbers[NORMAL], numbers[IMAGE]
    for c in range(n):
        Q[count, c] = a[c]
    for k in range(count):
        w[k] = 0.0
    for _ in range(2):  # twice is enough to be orthogonal to the last bits
        for k in range(count):
            along = 0.0
            for c in range(n):
                along += Q[k, c] * Q[count, c]
            w[k] += along
            for c in range(n):
                Q[count, c] -= along * Q[k, c]
    size = 0.0
    for c in range(n):
        size += Q[count, c] * Q[count, c]
    if size <= 1e-20:
        return False
    size = math.sqrt(size)
    for c in range(n):
        Q[count, c] /= size
    for i in range(count):  # the new row of the inverse triangle
        total = 0.0
        for k in range(i, count):
            total += w[k] * L[k, i]
        L[count, i] = -total / size
    L[count, count] = 1.0 / size
    return True


@kernel
def write_multipliers(search: Search, g: Array) -> None:
    """Write α = (NNᵀ)⁻¹ N g, which is L⁻ᵀ Q g."""
    n, count, numbers = search.variables.shape[0], search.state[0]["count"], search.numbers
    Q, L, alpha = numbers[H + n :], numbers[H + 2 * n + 1 :], numbers[ALPHA]
    for i in range(count):
        alpha[i] = 0.0
    for k in range(count):
        along = 0.0
        for c in range(n):
            along += Q[k, c] * g[c]
        for i in range(k + 1):
            alpha[i] += L[k, i] * along


@kernel
def most_willing(search: Search) -> tuple[float, int]:
    """The greatest α/√c of the inequalities and its place in the list (-1: there is none)."""
    n, count, numbers = search.variables.shape[0], search.state[0]["count"], search.numbers
    L, alpha, listed = numbers[H + 2 * n + 1 :], numbers[ALPHA], search.active[LISTED]
    best, place = -math.inf, -1
    for i in range(count):
        if listed[i] < search.state[0]["equalities"]:
            continue
        square = 0.0
        for k in range(i, count):
            square += L[k, i] * L[k, i]
        value = alpha[i] / math.sqrt(square)
        if value > best:
            best, place = value, i
    return best, place


@kernel
def flatten(search: Search, v: Array) -> None:
    """Take out of v whatever would leave the active constraints."""
    n = search.variables.shape[0]
    Q = search.numbers[H + n :]
    for k in range(search.state[0]["count"]):
        along = 0.0
        for c in range(n):
            along += Q[k, c] * v[c]
        for c in range(n):
            v[c] -= along * Q[k, c]


@kernel
def add_constraint(search: Search, constraint: int) -> bool:
    """Make a constraint active, H ← H - (Ha)(Ha)ᵀ/(aᵀHa); return False if it depends on those that are."""
    n, numbers, state = search.variables.shape[0], search.numbers, search.state[0]
    a, Ha, metric = numbers[NORMAL], numbers[IMAGE], numbers[H:]
    write_normal(search, constraint)
    if state["count"] >= n or not _widen_basis(search):
        return False
    aHa = 0.0
    for c in range(n):
        Ha[c] = 0.0
    for i in range(n):
        if a[i] != 0.0:
            for c in range(n):
                Ha[c] += metric[i, c] * a[i]
    for c in range(n):
        aHa += a[c] * Ha[c]
    if aHa > 1e-14:
        for i in range(n):
            share = Ha[i] / aHa
            for c in range(n):
                metric[i, c] -= share * Ha[c]
    search.active[LISTED, state["count"]] = constraint
    search.active[MARKS, constraint] = 1
    state["count"] += 1
    return True


@kernel
def drop_constraint(search: Search, place: int) -> None:
    """Release a constraint, H ← H + (Pa)(Pa)ᵀ/(aᵀPa) with P the projection along those that stay.

    Column `place` of L⁻¹ says how to turn the basis so that its last vector is the one that leaves, the direction of
    Pa; the others then span the normals that stay.
    """
    n, numbers, listed, state = search.variables.shape[0], search.numbers, search.active[LISTED], search.state[0]
    metric, Q, L = numbers[H:], numbers[H + n :], numbers[H + 2 * n + 1 :]
    last = state["count"] - 1
    for i in range(place, last):
        a, b = L[i, place], L[i + 1, place]
        size = math.hypot(a, b)
        cosine, sine = b / size, a / size
        L[i, i + 1] = 0.0
        for c in range(i + 2):
            low, high = L[i, c], L[i + 1, c]
            L[i, c], L[i + 1, c] = cosine * low - sine * high, sine * low + cosine * high
        for c in range(n):
            low, high = Q[i, c], Q[i + 1, c]
            Q[i, c], Q[i + 1, c] = cosine * low - sine * high, sine * low + cosine * high
    search.active[MARKS, listed[place]] = 0
    for i in range(place, last):
        listed[i] = listed[i + 1]
        for c in range(place, i + 1):
            L[i, c] = L[i, c + 1]
    for i in range(n):
        share = Q[last, i]
        for c in range(n):
            metric[i, c] += share * Q[last, c]
    state["count"] = last


@kernel
def reset_metric(search: Search) -> None:
    """H becomes the projection along the active constraints: the identity where they leave room."""
    n = search.variables.shape[0]
    metric, Q = search.numbers[H:], search.numbers[H + n :]
    for i in range(n):
        for c in range(n):
            metric[i, c] = 1.0 if i == c else 0.0
    for k in range(search.state[0]["count"]):
        for i in range(n):
            share = Q[k, i]
            if share != 0.0:
                for c in range(n):
                    metric[i, c] -= share * Q[k, c]
