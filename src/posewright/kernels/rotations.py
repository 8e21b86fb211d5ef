"""Rotations inside kernels: vectors, quaternions (wxyz) and row-major matrices.

Symbols: w rotation vector, t its length, A = sin t/t, B = (1 - cos t)/t², C = (t - sin t)/t³;
exp(w) = I + A[w] + B[w]², left Jacobian J_l(w) = I + B[w] + C[w]².
"""

from __future__ import annotations

import math

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Array

_SMALL = 1e-4  # below this angle the quotients are taken from their series


@kernel
def exp_factors(w: Array) -> tuple[float, float, float]:
    """A, B and C of a rotation vector, accurate down to zero."""
    tt = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    t = math.sqrt(tt)
    if t < _SMALL:
        return 1.0 - tt / 6.0 + tt * tt / 120.0, 0.5 - tt / 24.0 + tt * tt / 720.0, 1.0 / 6.0 - tt / 120.0
    half = math.sin(0.5 * t)
    a = math.sin(t) / t
    return a, 2.0 * half * half / tt, (1.0 - a) / tt


@kernel
def exp_matrix(w: Array, out: Array) -> None:
    """Write exp(w) into `out` (3, 3)."""
    a, b, _ = exp_factors(w)
    x, y, z = w[0], w[1], w[2]
    out[0, 0] = 1.0 - b * (y * y + z * z)
    out[0, 1] = b * x * y - a * z
    out[0, 2] = b * x * z + a * y
    out[1, 0] = b * x * y + a * z
    out[1, 1] = 1.0 - b * (x * x + z * z)
    out[1, 2] = b * y * z - a * x
    out[2, 0] = b * x * z - a * y
    out[2, 1] = b * y * z + a * x
    out[2, 2] = 1.0 - b * (x * x + y * y)


@kernel
def left_jacobian(w: Array, out: Array) -> None:
    """Write J_l(w) into `out` (3, 3): exp(w + dw) ≈ exp(J_l dw) exp(w)."""
    _, b, c = exp_factors(w)
    x, y, z = w[0], w[1], w[2]
    out[0, 0] = 1.0 - c * (y * y + z * z)
    out[0, 1] = c * x * y - b * z
    out[0, 2] = c * x * z + b * y
    out[1, 0] = c * x * y + b * z
    out[1, 1] = 1.0 - c * (x * x + z * z)
    out[1, 2] = c * y * z - b * x
    out[2, 0] = c * x * z - b * y
    out[2, 1] = c * y * z + b * x
    out[2, 2] = 1.0 - c * (x * x + y * y)


@kernel
def multiply(a: Array, b: Array, out: Array) -> None:
    """Write the product of two 3x3 matrices into `out`, which must be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
