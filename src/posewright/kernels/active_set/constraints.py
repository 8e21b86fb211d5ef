"""Linear constraints and the active ones among them, for searches that slide along the edge of the feasible region.

Variables are the coordinates that may move, each in the unit that its rigidity sets (x = x_0 + scale · variable). A
constraint is numbered: rows (equalities first), then lower bounds, then upper bounds; its normal has unit length and
points out of the region.

Symbols, as in the paper's appendix: N the active normals, one per row; N = LQ with Q orthonormal; α = (NNᵀ)⁻¹N g,
whose signs say whether a constraint holds the point back; c the diagonal of (NNᵀ)⁻¹; H the metric, with H a = 0 for
every active normal a.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array, Table

VARIABLE: Final = np.dtype(
    [
        ("coordinate", "i8"),
        ("scale", "f8"),  # 1 - rigidity
        ("lower", "f8"),  # of the coordinate
        ("upper", "f8"),
        ("longest", "f8"),  # how far the coordinate may go in the first trial of a line search (rad, m)
    ],
    align=True,
)


class Region(NamedTuple):
    """What must hold, over the variables of a search."""

    variables: Table
    """(variables,) of VARIABLE"""
    rows: Array
    """(rows, coordinates + 1): rows · x <= bound, the bound last; the normals over the variables have unit length"""
    balls: npt.NDArray[np.int64]
    """(balls, 2): first dof of each ball joint; its first variable, or -1 if its chart may not change"""
    n_equal: int


# Rows of `ActiveSet.vectors`.
NORMAL: Final = 0
IMAGE: Final = 1
ALPHA: Final = 2


class ActiveSet(NamedTuple):
    """The active constraints and the metric, kept from step to step."""

    listed: npt.NDArray[np.int64]
    """(variables + 1,): the active constraints, in the order in which they were added"""
    marks: npt.NDArray[np.int8]
    """(constraints,): 1 if active"""
    Q: Array
    """(variables + 1, variables), the first rows used: an orthonormal basis of the active normals"""
    L_inverse: Array
    """(variables + 1, variables + 1), lower triangle"""
    H: Array
    """(variables, variables)"""
    vectors: Array
    """(3, variables + 1): scratch, and α"""


def empty_set(n: int, n_rows: int) -> ActiveSet:
    """Nothing is active, among so many rows and the bounds of n variables."""
    return ActiveSet(
        np.zeros(n + 1, np.int64), np.zeros(n_rows + 2 * n, np.int8), np.zeros((n + 1, n)),
        np.zeros((n + 1, n + 1)), np.zeros((n, n)), np.zeros((3, n + 1)),
    )  # fmt: skip


@kernel
def normal_of(region: Region, constraint: int, out: Array) -> None:
    """Write the outward unit normal of a constraint."""
    variables, rows = region.variables, region.rows
    m, n = rows.shape[0], variables.shape[0]
    for c in range(n):
        out[c] = rows[constraint, variables[c]["coordinate"]] * variables[c]["scale"] if constraint < m else 0.0
    if constraint >= m + n:
        out[constraint - m - n] = 1.0
    elif constraint >= m:
        out[constraint - m] = -1.0


@kernel
def slack_of(region: Region, constraint: int, x: Array) -> float:
    """How far a point is from an inequality, in the unit of the variables; never negative."""
    m, n = region.rows.shape[0], region.variables.shape[0]
    if constraint < m:
        row = region.rows[constraint]
        total = float(row[x.shape[0]])
        for c in range(x.shape[0]):
            total -= row[c] * x[c]
        return max(total, 0.0)
    variable = region.variables[constraint - m if constraint < m + n else constraint - m - n]
    value = x[variable["coordinate"]]
    gap = value - variable["lower"] if constraint < m + n else variable["upper"] - value
    slack: float = max(gap / variable["scale"], 0.0)
    return slack


@kernel
def first_hit(region: Region, active: ActiveSet, x: Array, s: Array) -> tuple[float, int]:
    """How far one may go along s, in lengths of s, and the constraint that is met there (-1: none)."""
    variables, rows = region.variables, region.rows
    m, n = rows.shape[0], variables.shape[0]
    size = 0.0
    for c in range(n):
        size += s[c] * s[c]
    least = 1e-12 * math.sqrt(size)
    furthest, hit = math.inf, -1
    for k in range(region.n_equal, m + 2 * n):
        if active.marks[k] != 0:
            continue
        if k < m:
            rate = 0.0
            for c in range(n):
                rate += rows[k, variables[c]["coordinate"]] * variables[c]["scale"] * s[c]
        else:
            rate = -s[k - m] if k < m + n else s[k - m - n]
        if rate > least:
            reach = slack_of(region, k, x) / rate
            if reach < furthest:
                furthest, hit = reach, k
    return furthest, hit


@kernel
def widen_basis(active: ActiveSet, count: int) -> bool:
    """Add the normal to the basis as its row `count`; return False if it depends on the rows before it."""
    Q, L, a, w = active.Q, active.L_inverse, active.vectors[NORMAL], active.vectors[IMAGE]
    n = active.H.shape[0]
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
def multipliers(active: ActiveSet, count: int, g: Array) -> None:
    """Write α = (NNᵀ)⁻¹ N g, which is L⁻ᵀ Q g."""
    n, alpha = g.shape[0], active.vectors[ALPHA]
    for i in range(count):
        alpha[i] = 0.0
    for k in range(count):
        along = 0.0
        for c in range(n):
            along += active.Q[k, c] * g[c]
        for i in range(k + 1):
            alpha[i] += active.L_inverse[k, i] * along


@kernel
def most_willing(active: ActiveSet, n_equal: int, count: int) -> tuple[float, int]:
    """The greatest α/√c of the inequalities and its place in the list (-1: there is none)."""
    best, place = -math.inf, -1
    for i in range(count):
        if active.listed[i] < n_equal:
            continue
        square = 0.0
        for k in range(i, count):
            square += active.L_inverse[k, i] * active.L_inverse[k, i]
        value = active.vectors[ALPHA, i] / math.sqrt(square)
        if value > best:
            best, place = value, i
    return best, place


@kernel
def flatten(active: ActiveSet, count: int, v: Array) -> None:
    """Take out of v whatever would leave the active constraints."""
    n = v.shape[0]
    for k in range(count):
        along = 0.0
        for c in range(n):
            along += active.Q[k, c] * v[c]
        for c in range(n):
            v[c] -= along * active.Q[k, c]


@kernel
def add_constraint(region: Region, active: ActiveSet, constraint: int, count: int) -> int:
    """Make a constraint active, H ← H - (Ha)(Ha)ᵀ/(aᵀHa); return the new count, the old one if it depends on others."""
    n, a, Ha, H = active.H.shape[0], active.vectors[NORMAL], active.vectors[IMAGE], active.H
    normal_of(region, constraint, a)
    if count >= n or not widen_basis(active, count):
        return count
    aHa = 0.0
    for c in range(n):
        Ha[c] = 0.0
    for i in range(n):
        if a[i] != 0.0:
            for c in range(n):
                Ha[c] += H[i, c] * a[i]
    for c in range(n):
        aHa += a[c] * Ha[c]
    if aHa > 1e-14:
        for i in range(n):
            share = Ha[i] / aHa
            for c in range(n):
                H[i, c] -= share * Ha[c]
    active.listed[count] = constraint
    active.marks[constraint] = 1
    return count + 1


@kernel
def drop_constraint(active: ActiveSet, place: int, count: int) -> int:
    """Release a constraint, H ← H + (Pa)(Pa)ᵀ/(aᵀPa) with P the projection along those that stay; return the count.

    Column `place` of L⁻¹ says how to turn the basis so that its last vector is the one that leaves, the direction of
    Pa; the others then span the normals that stay.
    """
    Q, L = active.Q, active.L_inverse
    n = Q.shape[1]
    for i in range(place, count - 1):
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
    active.marks[active.listed[place]] = 0
    last = count - 1
    for i in range(place, last):
        active.listed[i] = active.listed[i + 1]
        for c in range(place, i + 1):
            L[i, c] = L[i, c + 1]
    for i in range(n):
        share = Q[last, i]
        for c in range(n):
            active.H[i, c] += share * Q[last, c]
    return last


@kernel
def reset_metric(active: ActiveSet, count: int) -> None:
    """H becomes the projection along the active constraints: the identity where they leave room."""
    n = active.H.shape[0]
    for i in range(n):
        for c in range(n):
            active.H[i, c] = 1.0 if i == c else 0.0
    for k in range(count):
        for i in range(n):
            share = active.Q[k, i]
            if share != 0.0:
                for c in range(n):
                    active.H[i, c] -= share * active.Q[k, c]
