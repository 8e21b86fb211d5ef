"""Strict priority levels: each level's step lies in what the levels above it leave free (Baerlocher & Boulic 2004).

Symbols: J_p Jacobian of level p, Δ the step so far, y = Δx_p - J_p Δ what is still wanted, V orthonormal rows that span
the directions taken by the levels above, so that the projector is P = I - VᵀV; J̃ = J_p P = Σ σ u vᵀ its thin singular
value decomposition. The step uses the damped inverse, σ/(σ² + λ²); the directions handed on are the v of every
retained σ, undamped: with a damped projector lower levels would leak into higher ones.

The decomposition goes through J̃ = Lᵀ Q with orthonormal rows Q (Gram-Schmidt, twice) and one-sided Jacobi rotations of
the small L, as accurate as on J̃ itself and far cheaper.

Locked coordinates count in no product and get no step, but their columns are carried along: what they hold in the end
(`wish`) is what they would begin to do if they were free.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.compiling.jit import dot_kernel, kernel
from posewright.kernels.tables import Array

RANK: Final = 1e-6
"""ε: a singular value counts when it exceeds ε·max(1, σ_1)."""
_NOISE = 1e-13  # a row whose rest is shorter, relative to the row, adds no direction


FREE: Final = 0
"""Rows of `LevelWork.per_coordinate`: 1.0, or 0.0 for a locked one."""
WISH: Final = 1
"""The step without regard to locks, since `begin_step`."""
_ROW: Final = 2


class LevelWork(NamedTuple):
    """Arrays that the levels of one step reuse; `level_work` makes them."""

    basis: Array
    """(coordinates + rows, coordinates): V, the directions taken, one a row, orthonormal over the free coordinates;
    below them room for those of one level."""
    small: Array
    """(2 rows + 1, rows): L, W, and y in the last row"""
    per_coordinate: Array
    """(3, coordinates)"""


def level_work(rows: int, n: int) -> LevelWork:
    """Arrays for levels of at most so many rows over n coordinates."""
    work = LevelWork(np.zeros((n + rows, n)), np.zeros((2 * rows + 1, rows)), np.zeros((3, n)))
    work.per_coordinate[FREE] = 1.0
    return work


@kernel
def begin_step(locked: Array, work: LevelWork) -> None:
    """No level has been served; `locked` (coordinates,): not 0: the step of this coordinate is given and stays."""
    for c in range(locked.shape[0]):
        work.per_coordinate[FREE, c] = 0.0 if locked[c] != 0.0 else 1.0
        work.per_coordinate[WISH, c] = 0.0


@kernel
def damping(d: float, smallest: float) -> float:
    """λ² such that σ/(σ² + λ²) <= 1/d for every σ >= smallest: the step then stays within its bound."""
    if smallest <= 0.5 * d:
        return 0.25 * d * d
    return smallest * (d - smallest) if smallest < d else 0.0


@kernel
def add_equality(a: Array, gap: float, work: LevelWork, count: int, step: Array) -> int:
    """Change `step` in the free directions so that a·step = gap, exactly; return how many directions are taken now."""
    n = a.shape[0]
    V, row, free = work.basis, work.per_coordinate[_ROW], work.per_coordinate[FREE]
    for c in range(n):
        row[c] = a[c]
    size = _length(row, free)
    _remove(V, count, free, row)
    _remove(V, count, free, row)
    rest = _length(row, free)
    if count == n or not rest > 1e-9 * size:
        return count  # follows from what is held already
    for c in range(n):
        V[count, c] = row[c] / rest
        gap -= a[c] * step[c]
    _take(gap / rest, V[count], work.per_coordinate, step)
    return count + 1


@kernel
def add_level(J: Array, wanted: Array, max_step: float, least: float, work: LevelWork, count: int, step: Array) -> int:
    """Serve one level: add to `step`, at most `max_step` long, what brings J·step to `wanted`; return directions taken.

    Args:
        J: (rows, coordinates).
        wanted: (rows,), Δx of this level.
        max_step: bound of the increment.
        least: damping λ that is kept where the bound asks for less.
        work: directions taken so far and room for this level's.
        count: how many directions are taken.
        step: (coordinates,).
    """
    m, n = J.shape
    most = work.small.shape[1]
    V, row, free = work.basis, work.per_coordinate[_ROW], work.per_coordinate[FREE]
    L, W, y = work.small[:most], work.small[most : 2 * most], work.small[2 * most]
    k = 0
    total = 0.0
    for i in range(m):
        y[i] = wanted[i]
        for c in range(n):
            row[c] = J[i, c]
            y[i] -= row[c] * step[c]
        total += y[i] * y[i]
        size = _length(row, free)
        for j in range(m):
            L[j, i] = 0.0
        for _ in range(2):  # a second pass removes what rounding left of the first
            _remove(V, count, free, row)
            for j in range(k):
                along = _dot(V[count + j], row, free)
                L[j, i] += along
                _add(-along, V[count + j], row)
        rest = _length(row, free)
        if rest > _NOISE * max(1.0, size) and count + k < n:
            for c in range(n):
                V[count + k, c] = row[c] / rest
            L[k, i] = rest
            k += 1
    _rotate(L, W, k, m)
    largest, smallest = 0.0, math.inf
    for j in range(k):
        largest = max(largest, _norm(L[j], m))
    threshold = RANK * max(1.0, largest)
    for j in range(k):
        sigma = _norm(L[j], m)
        if sigma > threshold:
            smallest = min(smallest, sigma)
    added = 0
    if smallest < math.inf:
        damped = max(damping(math.sqrt(total) / max_step, smallest), least * least)
        for j in range(k):
            sigma = _norm(L[j], m)
            if sigma <= threshold:
                continue
            gain = 0.0
            for i in range(m):
                gain += L[j, i] * y[i]
            turned = V[n + added]
            for c in range(n):
                turned[c] = 0.0
            for i in range(k):
                _add(W[j, i], V[count + i], turned)
            _take(gain / (sigma * sigma + damped), turned, work.per_coordinate, step)
            added += 1
        for j in range(added):
            for c in range(n):
                V[count + j, c] = V[n + j, c]
    return count + added


@kernel
def project_out(work: LevelWork, count: int, v: Array) -> None:
    """V ← P v: its part in the directions that no level has taken."""
    _remove(work.basis, count, work.per_coordinate[FREE], v)
    _remove(work.basis, count, work.per_coordinate[FREE], v)


@dot_kernel
def _take(factor: float, v: Array, per_coordinate: Array, step: Array) -> None:
    for c in range(v.shape[0]):
        per_coordinate[WISH, c] += factor * v[c]
        step[c] += factor * v[c] * per_coordinate[FREE, c]


@dot_kernel
def _rotate(L: Array, W: Array, k: int, m: int) -> None:
    """Make the first k rows (of m numbers) of L orthogonal by plane rotations, W the product of these."""
    for i in range(k):
        for j in range(k):
            W[i, j] = 1.0 if i == j else 0.0
    for _ in range(40):
        done = True
        for i in range(k - 1):
            for j in range(i + 1, k):
                a, b, p = 0.0, 0.0, 0.0
                for c in range(m):
                    a += L[i, c] * L[i, c]
                    b += L[j, c] * L[j, c]
                    p += L[i, c] * L[j, c]
                if abs(p) <= 1e-15 * m * math.sqrt(a * b):  # what rounding leaves of a sum of m products
                    continue
                done = False
                zeta = (b - a) / (2.0 * p)
                t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / math.sqrt(1.0 + t * t)
                sine = cosine * t
                for c in range(m):
                    u, v = L[i, c], L[j, c]
                    L[i, c], L[j, c] = cosine * u - sine * v, sine * u + cosine * v
                for c in range(k):
                    u, v = W[i, c], W[j, c]
                    W[i, c], W[j, c] = cosine * u - sine * v, sine * u + cosine * v
        if done:
            return


@dot_kernel
def _remove(V: Array, count: int, free: Array, row: Array) -> None:
    """Row -= (V_j·row) V_j for each of the first rows of V, one after another."""
    for j in range(count):
        product = 0.0
        for c in range(row.shape[0]):
            product += V[j, c] * row[c] * free[c]
        for c in range(row.shape[0]):
            row[c] -= product * V[j, c]


@dot_kernel
def _dot(a: Array, b: Array, free: Array) -> float:
    total = 0.0
    for c in range(a.shape[0]):
        total += a[c] * b[c] * free[c]
    return total


@dot_kernel
def _add(factor: float, v: Array, out: Array) -> None:
    for c in range(out.shape[0]):
        out[c] += factor * v[c]


@kernel
def _length(v: Array, free: Array) -> float:
    return math.sqrt(_dot(v, v, free))


@dot_kernel
def _norm(v: Array, m: int) -> float:
    total = 0.0
    for c in range(m):
        total += v[c] * v[c]
    return math.sqrt(total)
