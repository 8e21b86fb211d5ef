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

from posewright.kernels.jit import kernel
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
def blend(joints: Table, dofs: Table, members: npt.NDArray[np.int64], q: Array, w: Array, out: Array) -> None:
    """Write the dofs of some joints, combined from samples `q` (samples, dofs), within limits; the nearest comes first.

    Balls are combined as rotation vectors around the nearest sample: R = R_0 exp(Σ w_j log(R_0⁻¹ R_j)).
    """
    for k in range(members.shape[0]):
        joint = joints[members[k]]
        first, turning = joint["first"], joint["first"] + joint["slides"]
        for d in range(first, turning + joint["hinges"]):
            total = 0.0
            for j in range(w.shape[0]):
                total += w[j] * q[j, d]
            out[d] = total
        last = turning + joint["hinges"]
        if joint["ball"] != 0:
            _blend_ball(q, turning, w, out)
            last = turning + 3
        for d in range(first, last):
            out[d] = min(max(out[d], dofs[d]["lower"]), dofs[d]["upper"])


@kernel
def _blend_ball(q: Array, d: int, w: Array, out: Array) -> None:
    a0, a1, a2, a3 = _quaternion(q[0, d], q[0, d + 1], q[0, d + 2])
    x, y, z = 0.0, 0.0, 0.0
    for j in range(1, w.shape[0]):
        b0, b1, b2, b3 = _quaternion(q[j, d], q[j, d + 1], q[j, d + 2])
        u, v, t = _vector(*_product(a0, -a1, -a2, -a3, b0, b1, b2, b3))
        x, y, z = x + w[j] * u, y + w[j] * v, z + w[j] * t
    b0, b1, b2, b3 = _quaternion(x, y, z)
    out[d], out[d + 1], out[d + 2] = _vector(*_product(a0, a1, a2, a3, b0, b1, b2, b3))


@kernel
def _quaternion(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    t = math.sqrt(x * x + y * y + z * z)
    factor = 0.5 - t * t / 48.0 if t < 1e-4 else math.sin(0.5 * t) / t
    return math.cos(0.5 * t), factor * x, factor * y, factor * z


@kernel
def _product(
    a0: float, a1: float, a2: float, a3: float, b0: float, b1: float, b2: float, b3: float
) -> tuple[float, float, float, float]:
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@kernel
def _vector(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The rotation vector, at most half a turn long."""
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, abs(w)) / sine
    if w < 0.0:
        factor = -factor
    return factor * x, factor * y, factor * z


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
    blend(joints, dofs, members, q, w, out)
    return how


@kernel
def rotation_vector(R: Array, out: Array) -> None:
    """Write the vector (3,), at most half a turn long, of a rotation (3, 3)."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    k = 0 if R[0, 0] >= max(R[1, 1], R[2, 2]) else (1 if R[1, 1] >= R[2, 2] else 2)
    if trace >= R[k, k]:  # of the four squared components of the quaternion the largest is safe to divide by
        w = 0.5 * math.sqrt(1.0 + trace)
        x, y, z = (R[2, 1] - R[1, 2]) / (4.0 * w), (R[0, 2] - R[2, 0]) / (4.0 * w), (R[1, 0] - R[0, 1]) / (4.0 * w)
    elif k == 0:
        x = 0.5 * math.sqrt(1.0 + 2.0 * R[0, 0] - trace)
        w, y, z = (R[2, 1] - R[1, 2]) / (4.0 * x), (R[0, 1] + R[1, 0]) / (4.0 * x), (R[0, 2] + R[2, 0]) / (4.0 * x)
    elif k == 1:
        y = 0.5 * math.sqrt(1.0 + 2.0 * R[1, 1] - trace)
        w, x, z = (R[0, 2] - R[2, 0]) / (4.0 * y), (R[0, 1] + R[1, 0]) / (4.0 * y), (R[1, 2] + R[2, 1]) / (4.0 * y)
    else:
        z = 0.5 * math.sqrt(1.0 + 2.0 * R[2, 2] - trace)
        w, x, y = (R[1, 0] - R[0, 1]) / (4.0 * z), (R[0, 2] + R[2, 0]) / (4.0 * z), (R[1, 2] + R[2, 1]) / (4.0 * z)
    out[0], out[1], out[2] = _vector(w, x, y, z)
