"""Partial postures: how much of each sample a wanted value takes, and the samples combined (Li et al., section 4.2).

Symbols: C (samples, values) minus what is wanted, so that C'w = 0 and Σw = 1 is asked of the weights w; A those
equations as rows, the values scaled by one factor so that they count as much as the sum; w = A'(AA' + kI)⁻¹b is the
singularity-robust inverse of Nakamura & Hanafusa (1986).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.postures.blending import blend
from posewright.kernels.postures.turns import joint_turns_all
from posewright.kernels.tables import Array, Table

SOLVED: Final = 0
"""The values wanted are met exactly by the weights."""
DAMPED: Final = 1
EXACT: Final = 2
"""One sample has the values wanted: it is taken alone."""
BY_DISTANCE: Final = 3
"""The equations asked for too much; near samples count more than far ones."""

_HIT = 1e-6  # scaled distance
_UPRIGHT = 0.01  # μ0: volume spanned by the rows, over the product of their lengths, below which they are damped
_DAMPING = 1e-3  # k0, over the mean square length of a row
_LEAST, _MOST = -1.0, 2.0  # of a weight: beyond is extrapolation
_TRIES = 4


@kernel
def weigh(C: Array, distances: Array, w: Array) -> int:
    """Write the weights (samples,), which sum to 1; the first sample is the nearest. Return how they were found."""
    n, m = C.shape
    if distances[0] < _HIT:
        for j in range(n):
            w[j] = 1.0 if j == 0 else 0.0
        return EXACT
    size = 0.0
    for j in range(n):
        for i in range(m):
            size += C[j, i] * C[j, i]
    factor = math.sqrt(n * m / size) if size > 0.0 else 0.0
    G, L, y = np.empty((m + 1, m + 1)), np.empty((m + 1, m + 1)), np.empty(m + 1)
    _products(C, factor, G)
    least = _DAMPING * float(n)  # the mean square length of a row is n
    volume = _volume(G, L) if _factor(G, 0.0, L) else 0.0
    k = least * (1.0 - volume / _UPRIGHT) ** 2 if volume < _UPRIGHT else 0.0
    how = SOLVED if k == 0.0 else DAMPED
    for _ in range(_TRIES + 1):
        if k == 0.0 or _factor(G, k, L):
            _solve(L, y)
            total = 0.0
            for j in range(n):
                w[j] = y[m]
                for i in range(m):
                    w[j] += factor * C[j, i] * y[i]
                total += w[j]
            if _usable(w, total):
                return how
        k = max(10.0 * k, least)
        how = DAMPED
    total = 0.0
    for j in range(n):
        w[j] = 1.0 / distances[j]
        total += w[j]
    for j in range(n):
        w[j] /= total
    return BY_DISTANCE


@kernel
def _products(C: Array, factor: float, G: Array) -> None:
    """Write AA' below and on the diagonal: a sample at a time, so that neighbours in memory are added up together."""
    n, m = C.shape
    for a in range(m + 1):
        for b in range(a + 1):
            G[a, b] = 0.0
    for j in range(n):
        for a in range(m):
            u = factor * factor * C[j, a]
            for b in range(a + 1):
                G[a, b] += u * C[j, b]
            G[m, a] += factor * C[j, a]
    G[m, m] = n


@kernel
def _usable(w: Array, total: float) -> bool:
    """Make weights sum to 1, or equal if they nearly cancel; return whether none extrapolates."""
    n = w.shape[0]
    low, high = math.inf, -math.inf
    for j in range(n):
        w[j] = w[j] / total if abs(total) > 0.1 else 1.0 / n
        low, high = min(low, w[j]), max(high, w[j])
    return low >= _LEAST and high <= _MOST


@kernel
def _factor(G: Array, k: float, L: Array) -> bool:
    """Write the Cholesky factor L of G + kI; False if that is not positive definite."""
    n = G.shape[0]
    for a in range(n):
        for b in range(a):
            total = G[a, b]
            for c in range(b):
                total -= L[a, c] * L[b, c]
            L[a, b] = total / L[b, b]
        total = G[a, a] + k
        for c in range(a):
            total -= L[a, c] * L[a, c]
        if total <= 0.0:
            return False
        L[a, a] = math.sqrt(total)
    return True


@kernel
def _volume(G: Array, L: Array) -> float:
    """√det of the products G of rows, over the product of the rows' lengths."""
    volume = 1.0
    for a in range(G.shape[0]):
        volume *= L[a, a] / math.sqrt(G[a, a])
    return volume


@kernel
def _solve(L: Array, y: Array) -> None:
    """Solve LL' y = (0, ..., 0, 1)."""
    n = L.shape[0]
    y[n - 1] = 1.0 / (L[n - 1, n - 1] * L[n - 1, n - 1])
    for a in range(n - 2, -1, -1):
        total = 0.0
        for c in range(a + 1, n):
            total += L[c, a] * y[c]
        y[a] = -total / L[a, a]


@kernel
def splice(
    joints: Table,
    dofs: Table,
    members: npt.NDArray[np.int64],
    C: Array,
    distances: Array,
    q: Array,
    w: Array,
    out: Array,
) -> int:
    """Weights (samples,) and the joints `members` of `out` (dofs,); return how the weights were found."""
    how = weigh(C, distances, w)
    turns = np.empty((q.shape[0], members.shape[0], 4))
    joint_turns_all(joints, dofs, members, q, turns)
    blend(joints, dofs, members, q, turns, w, out)
    return how
