"""Rotations inside kernels: vectors, quaternions (wxyz) and row-major matrices.

Symbols: w rotation vector, t its length, A = sin t/t, B = (1 - cos t)/t², C = (t - sin t)/t³;
exp(w) = I + A[w] + B[w]², left Jacobian J_l(w) = I + B[w] + C[w]².
"""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

_SMALL = 1e-4  # below this angle the quotients are taken from their series


@kernel
def exp_factors(x: float, y: float, z: float) -> tuple[float, float, float]:
    """A, B and C of the rotation vector (x, y, z), accurate down to zero."""
    tt = x * x + y * y + z * z
    t = math.sqrt(tt)
    if t < _SMALL:
        return 1.0 - tt / 6.0 + tt * tt / 120.0, 0.5 - tt / 24.0 + tt * tt / 720.0, 1.0 / 6.0 - tt / 120.0
    sine, cosine = math.sin(0.5 * t), math.cos(0.5 * t)
    a = 2.0 * sine * cosine / t
    return a, 2.0 * sine * sine / tt, (1.0 - a) / tt


@kernel
def turned_row(
    r0: float, r1: float, r2: float, x: float, y: float, z: float, f: float, g: float
) -> tuple[float, float, float]:
    """The row vector r times I + f[w] + g[w]²: exp(w) with f = A, g = B; J_l(w) with f = B, g = C.

    Of a unit axis w and f = sin t, g = 1 - cos t: the turn by t about it.
    """
    c0, c1, c2 = r1 * z - r2 * y, r2 * x - r0 * z, r0 * y - r1 * x  # r[w] = r × w
    return (
        r0 + f * c0 + g * (c1 * z - c2 * y),
        r1 + f * c1 + g * (c2 * x - c0 * z),
        r2 + f * c2 + g * (c0 * y - c1 * x),
    )


@kernel
def exp_matrix(w: Array, out: Array) -> None:
    """Write exp(w) into `out` (3, 3)."""
    a, b, _ = exp_factors(w[0], w[1], w[2])
    _as_matrix(w, a, b, out)


@kernel
def left_jacobian(w: Array, out: Array) -> None:
    """Write J_l(w) into `out` (3, 3): exp(w + dw) ≈ exp(J_l dw) exp(w)."""
    _, b, c = exp_factors(w[0], w[1], w[2])
    _as_matrix(w, b, c, out)


@kernel
def _as_matrix(w: Array, f: float, g: float, out: Array) -> None:
    """Write I + f[w] + g[w]²."""
    x, y, z = w[0], w[1], w[2]
    out[0, 0], out[0, 1], out[0, 2] = turned_row(1.0, 0.0, 0.0, x, y, z, f, g)
    out[1, 0], out[1, 1], out[1, 2] = turned_row(0.0, 1.0, 0.0, x, y, z, f, g)
    out[2, 0], out[2, 1], out[2, 2] = turned_row(0.0, 0.0, 1.0, x, y, z, f, g)


@kernel
def multiply(a: Array, b: Array, out: Array) -> None:
    """Write the product of two 3x3 matrices into `out`, which must be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
