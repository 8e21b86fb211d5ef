"""Partial postures: how much of each sample a wanted value takes, and the samples combined (Li et al., section 4.2).

Symbols: C (samples, values) minus what is wanted, so that C'w = 0 and Σw = 1 is asked of the weights w; A those
equations as rows, the values scaled by one factor so that they count as much as the sum; w = A'(AA' + kI)⁻¹b is the
singularity-robust inverse of Nakamura & Hanafusa (1986). Weights may be negative.

Single hinges and slides are combined as numbers. Rotations are not: a ball's vectors are combined around the nearest
sample, R = R_0 exp(Σ w_j log(R_0⁻¹ R_j)); three hinges, each perpendicular to the next, by the mean of their rotations
as unit quaternions, p = Σ ±w_j p_j / ‖·‖, and the angles of that rotation.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.quadratic import cholesky
from posewright.kernels.kinematics.hinge_angles import hinge_angles
from posewright.kernels.kinematics.rotations import exp_matrix, quaternion_exp, quaternion_log, quaternion_product
from posewright.kernels.postures.similarity import joint_turns_all
from posewright.kernels.tables import Array, Table

Indices = npt.NDArray[np.int64]

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
_PERPENDICULAR = 1e-9  # of the cosine between two axes
_SHORT = 0.2  # length of a mean quaternion: below, its samples are too far apart for it


@kernel
def splice(
    joints: Table, dofs: Table, members: Indices, C: Array, distances: Array, q: Array, w: Array, out: Array
) -> int:
    """Weights (samples,) and the joints `members` of `out` (dofs,); return how the weights were found."""
    how = weigh(C, distances, w)
    blend(joints, dofs, members, q, w, out)
    return how


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
    for a in range(G.shape[0]):
        for b in range(a + 1):
            L[a, b] = G[a, b]
        L[a, a] += k
    return bool(cholesky(L) == 0)


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
def blend(joints: Table, dofs: Table, members: Indices, q: Array, w: Array, out: Array) -> None:
    """Write the dofs of the joints `members` of `out` (dofs,), within limits.

    Samples `q` (samples, dofs) are combined by weights `w` (samples,), which sum to 1; the nearest comes first.
    """
    turns = np.empty((q.shape[0], members.shape[0], 4))
    joint_turns_all(joints, dofs, members, q, turns)
    for k in range(members.shape[0]):
        joint = joints[members[k]]
        first, turning = joint["first"], joint["first"] + joint["slides"]
        last = turning + joint["hinges"]
        for d in range(first, last):
            total = 0.0
            for j in range(w.shape[0]):
                total += w[j] * q[j, d]
            out[d] = total
        if joint["ball"] != 0:
            _blend_ball(q, turning, w, out)
            last = turning + 3
        elif joint["hinges"] == 3 and w[0] != 1.0:
            _blend_three(dofs, turning, turns, k, w, out)
        for d in range(first, last):
            out[d] = min(max(out[d], dofs[d]["lower"]), dofs[d]["upper"])


@kernel
def _blend_ball(q: Array, d: int, w: Array, out: Array) -> None:
    a0, a1, a2, a3 = quaternion_exp(q[0, d], q[0, d + 1], q[0, d + 2])
    x, y, z = 0.0, 0.0, 0.0
    for j in range(1, w.shape[0]):
        b0, b1, b2, b3 = quaternion_exp(q[j, d], q[j, d + 1], q[j, d + 2])
        u, v, t = quaternion_log(*quaternion_product(a0, -a1, -a2, -a3, b0, b1, b2, b3))
        x, y, z = x + w[j] * u, y + w[j] * v, z + w[j] * t
    b0, b1, b2, b3 = quaternion_exp(x, y, z)
    out[d], out[d + 1], out[d + 2] = quaternion_log(*quaternion_product(a0, a1, a2, a3, b0, b1, b2, b3))


@kernel
def _blend_three(dofs: Table, d: int, turns: Array, k: int, w: Array, out: Array) -> None:
    """Write three hinges; `out` holds their angles combined one by one, which say what branch is meant.

    Those stay where neighbours are not perpendicular, or where the samples are too far apart.
    """
    axes, p, R = np.empty((3, 3)), np.zeros(4), np.empty((3, 3))
    for i in range(3):
        for c in range(3):
            axes[i, c] = dofs[d + i]["axis"][c]
    for i in range(2):
        cosine = axes[i, 0] * axes[i + 1, 0] + axes[i, 1] * axes[i + 1, 1] + axes[i, 2] * axes[i + 1, 2]
        if abs(cosine) > _PERPENDICULAR:
            return
    for j in range(w.shape[0]):
        near = 0.0
        for c in range(4):
            near += turns[0, k, c] * turns[j, k, c]
        for c in range(4):
            p[c] += (w[j] if near >= 0.0 else -w[j]) * turns[j, k, c]
    if p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] >= _SHORT * _SHORT:
        x, y, z = quaternion_log(p[0], p[1], p[2], p[3])
        exp_matrix(np.array([x, y, z]), R)
        hinge_angles(axes, R, out[d : d + 3].copy(), out[d : d + 3])
