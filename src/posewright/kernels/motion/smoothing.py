"""Columns smoothed over all frames: the z that minimises Σ w ‖z - x‖² + λ ‖Δ³ z‖² (Whittaker 1923).

Symbols: x what is smoothed, w weight of a frame, W all of them on a diagonal, Δ³ third differences, D their matrix.
W + λ DᵀD has seven bands. Its factors L D Lᵀ are the same for all columns: a row of them holds 1/d and the three
entries of L to the left of the diagonal, nearest first. Balls are smoothed as quaternions of continuous sign, brought
back to length 1: no chart, no gimbal lock, and a steady turn stays what it is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import nearest_vector, quaternion_exp, quaternion_log
from posewright.kernels.tables import Array

Ints = npt.NDArray[np.int64]


@kernel
def smooth_frames(roughness: float, weights: Array, columns: Ints, balls: Ints, values: Array) -> None:
    """Smooth columns and balls (by their first columns) of `values` (frames, n) in place; at least four frames.

    Args:
        roughness: λ
        weights: (frames,), above 0.
        columns: of plain numbers.
        balls: first columns of rotation vectors, which stay on their branches.
        values: in and out.
    """
    factors = np.empty((values.shape[0], 4))
    _factor_bands(roughness, weights, factors)
    _smooth_columns(factors, weights, columns, values)
    _smooth_balls(factors, weights, balls, values)


@kernel
def _factor_bands(roughness: float, weights: Array, factors: Array) -> None:
    """Write the factors (frames, 4) for λ = `roughness` and weights (frames,) above 0; at least four frames."""
    n = factors.shape[0]
    c = (-1.0, 3.0, -3.0, 1.0)
    for i in range(n):
        row = factors[i]
        row[0], row[1], row[2], row[3] = weights[i], 0.0, 0.0, 0.0
        for k in range(4):  # the third difference that begins k frames before
            if 0 <= i - k < n - 3:
                for a in range(k + 1):
                    row[a] += roughness * c[k] * c[k - a]
        # row holds A[i, i], A[i, i-1], A[i, i-2], A[i, i-3]; now to the factors, from the left.
        for a in range(3, 0, -1):
            if i < a:
                continue
            left = factors[i - a]
            for b in range(a + 1, 4):
                if i >= b:
                    row[a] -= row[b] * left[b - a] / factors[i - b, 0]
            row[a] *= left[0]
        # While the rows below are worked on, L[i, i-b]·L[i-a, i-b]·d is row[b]·left[b-a]/(1/d).
        for a in range(1, 4):
            if i >= a:
                row[0] -= row[a] * row[a] / factors[i - a, 0]
        row[0] = 1.0 / row[0]


@kernel
def _smooth_columns(factors: Array, weights: Array, columns: Ints, values: Array) -> None:
    """Smooth some columns of `values` (frames, n) in place."""
    n, m = values.shape[0], columns.shape[0]
    for i in range(n):
        for k in range(m):
            values[i, columns[k]] *= weights[i]
        for a in range(1, min(i, 3) + 1):
            share = factors[i, a]
            for k in range(m):
                values[i, columns[k]] -= share * values[i - a, columns[k]]
    for i in range(n - 1, -1, -1):
        for k in range(m):
            values[i, columns[k]] *= factors[i, 0]
        for a in range(1, min(n - 1 - i, 3) + 1):
            share = factors[i + a, a]
            for k in range(m):
                values[i, columns[k]] -= share * values[i + a, columns[k]]


@kernel
def _smooth_balls(factors: Array, weights: Array, balls: Ints, q: Array) -> None:
    """Smooth balls, given by their first dofs, in `q` (frames, dofs) in place; their vectors stay on their branches."""
    n = q.shape[0]
    turns = np.empty((n, 4))
    columns = np.arange(4)
    for b in range(balls.shape[0]):
        d = balls[b]
        if _rests(q, d):
            continue
        for i in range(n):
            turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3] = quaternion_exp(q[i, d], q[i, d + 1], q[i, d + 2])
            if i > 0:
                dot = 0.0
                for k in range(4):
                    dot += turns[i, k] * turns[i - 1, k]
                if dot < 0.0:
                    for k in range(4):
                        turns[i, k] = -turns[i, k]
        _smooth_columns(factors, weights, columns, turns)
        for i in range(n):
            x, y, z = quaternion_log(turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3])
            q[i, d], q[i, d + 1], q[i, d + 2] = nearest_vector(x, y, z, q[i, d], q[i, d + 1], q[i, d + 2])


@kernel
def _rests(q: Array, d: int) -> bool:
    """Whether a ball is the same in all frames, as that of a finger which nobody recorded."""
    for i in range(1, q.shape[0]):
        if q[i, d] != q[0, d] or q[i, d + 1] != q[0, d + 1] or q[i, d + 2] != q[0, d + 2]:
            return False
    return True
