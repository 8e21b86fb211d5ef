"""Rotations inside kernels: rotation vectors, quaternions (wxyz) and row-major matrices.

Symbols: w rotation vector, t its length, A = sin t/t, B = (1 - cos t)/t², C = (t - sin t)/t³;
exp(w) = I + A[w] + B[w]², left Jacobian J_l(w) = I + B[w] + C[w]². H(u, a) turns by the angle a about the unit axis u.
Vectors and quaternions go in and out as numbers, not arrays: they stay in registers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel, kernel
from posewright.kernels.tables import Array

_SMALL = 1e-4  # rad: below, the quotients are taken from their series
_TURN = 2.0 * math.pi

LARGEST = 1e5  # rad: up to here the quarter turns of `sines_and_cosines` are exact
_TO_INTEGER = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to the nearest integer
_QUARTER_HIGH = 1.57079632673412561417  # pi/2, its first 33 bits
_QUARTER_LOW = 6.07710050650619224932e-11  # and the rest
_QUARTER_SQUARED = 2.4675  # (pi/2)², a little more
_C = tuple(1.0 / math.factorial(2 * k) for k in range(12))
_S = tuple(1.0 / math.factorial(2 * k + 1) for k in range(12))


# Angles.


@kernel
def sines_and_cosines(angles: Array, sines: Array, cosines: Array) -> None:
    """Write sin and cos of `angles` (n,): polynomials that become vector instructions, so that poses take 40 % less.

    Minimax coefficients and the two-part pi/2 are those of fdlibm (Sun Microsystems 1993); results are within 2e-16 of
    the true value. Where an angle is larger than `LARGEST`, the library's functions are used.
    """
    n = angles.shape[0]
    beyond = 0
    for i in range(n):
        beyond += 0 if abs(angles[i]) <= LARGEST else 1
    if beyond > 0:
        for i in range(n):
            sines[i], cosines[i] = math.sin(angles[i]), math.cos(angles[i])
        return
    for i in range(n):
        x = angles[i]
        k = (x * 0.63661977236758134308 + _TO_INTEGER) - _TO_INTEGER
        r = (x - k * _QUARTER_HIGH) - k * _QUARTER_LOW
        z = r * r
        s = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
        s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s)
        s = r + r * z * (-1.66666666666666324348e-01 + z * s)
        c = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
        c = -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c)
        c = 1.0 - (0.5 * z - z * z * (4.16666666666666019037e-02 + z * c))
        quadrant = k - 4.0 * ((k * 0.25 - 0.375 + _TO_INTEGER) - _TO_INTEGER)
        odd = (quadrant == 1.0) | (quadrant == 3.0)
        sine = c if odd else s
        cosine = s if odd else c
        sines[i] = -sine if quadrant >= 2.0 else sine
        cosines[i] = -cosine if (quadrant == 1.0) | (quadrant == 2.0) else cosine


@fused_kernel
def cosine_and_sinc(hh: float) -> tuple[float, float]:
    """Cos h and sin h / h, of h² = hh: power series without a root, in half the time of the library's functions.

    Up to a quarter turn twelve terms are enough for rounding to be the only error: the next is below 2e-17.
    """
    if hh > _QUARTER_SQUARED:
        h = math.sqrt(hh)
        return math.cos(h), math.sin(h) / h
    u = hh * hh  # terms with a plus and those with a minus, each a series of its own: half as long to wait for
    c_plus = _C[0] + u * (_C[2] + u * (_C[4] + u * (_C[6] + u * (_C[8] + u * _C[10]))))
    c_minus = _C[1] + u * (_C[3] + u * (_C[5] + u * (_C[7] + u * (_C[9] + u * _C[11]))))
    s_plus = _S[0] + u * (_S[2] + u * (_S[4] + u * (_S[6] + u * (_S[8] + u * _S[10]))))
    s_minus = _S[1] + u * (_S[3] + u * (_S[5] + u * (_S[7] + u * (_S[9] + u * _S[11]))))
    return c_plus - hh * c_minus, s_plus - hh * s_minus


@kernel
def nearest_angle(angle: float, near: float) -> float:
    """The same angle plus the full turns that bring it nearest to another."""
    # Not np.round: a kernel with it loads SciPy with the compiled code, which takes longer than most jobs.
    return float(angle + _TURN * np.rint((near - angle) / _TURN))


@kernel
def smoothstep(share: float) -> float:
    """3 s² - 2 s³ of a share brought between 0 and 1."""
    s = min(1.0, max(0.0, share))
    return s * s * (3.0 - 2.0 * s)


# Quaternions and rotation vectors.


@kernel
def quaternion_exp(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """The unit quaternion of a rotation vector."""
    w, f = cosine_and_sinc(0.25 * (x * x + y * y + z * z))
    return w, 0.5 * f * x, 0.5 * f * y, 0.5 * f * z


@kernel
def quaternion_log(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The rotation vector, at most pi long, of a quaternion of any length."""
    sine = math.sqrt(x * x + y * y + z * z)
    f = 2.0 * math.atan2(sine, abs(w)) / sine if sine > 1e-12 * abs(w) else 2.0 / max(abs(w), 1e-300)
    if w < 0.0:
        f = -f
    return f * x, f * y, f * z


@kernel
def quaternion_product(
    a0: float, a1: float, a2: float, a3: float, b0: float, b1: float, b2: float, b3: float
) -> tuple[float, float, float, float]:
    """First b, then a; negate a1, a2, a3 for the inverse of a unit quaternion a."""
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@kernel
def turned_vector(
    a0: float, a1: float, a2: float, a3: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """The rotation vector, at most pi long, of exp(x, y, z) and then the unit quaternion a."""
    b0, b1, b2, b3 = quaternion_exp(x, y, z)
    w, x, y, z = quaternion_product(a0, a1, a2, a3, b0, b1, b2, b3)
    return quaternion_log(w, x, y, z)


@kernel
def nearest_vector(x: float, y: float, z: float, u: float, v: float, w: float) -> tuple[float, float, float]:
    """Of all rotation vectors of the rotation of (x, y, z) the nearest to (u, v, w); if that is given, unchanged."""
    angle = math.sqrt(x * x + y * y + z * z)
    a, b, c, length = x, y, z, angle
    if angle < 1e-12:  # no rotation: any axis will do, so that of the reference
        a, b, c, length = u, v, w, math.sqrt(u * u + v * v + w * w)
    if length < 1e-12:
        return x, y, z
    turns = np.rint(((a * u + b * v + c * w) / length - angle) / _TURN)
    if turns == 0.0:
        return x, y, z
    f = (angle + _TURN * turns) / length
    return f * a, f * b, f * c


@kernel
def follow_branches(vectors: Array, near: Array) -> None:
    """Change rotation vectors (frames, 3), in place, into the nearest ones that mean the same rotations.

    Nearest to a row of `near` (rows, 3) for the first frames, and after its last row to the frame before.
    """
    for frame in range(vectors.shape[0]):
        w = vectors[frame]
        r = near[frame] if frame < near.shape[0] else vectors[frame - 1]
        w[0], w[1], w[2] = nearest_vector(w[0], w[1], w[2], r[0], r[1], r[2])


@kernel
def turn_before(q: Array, columns: npt.NDArray[np.int64], turns: Array) -> None:
    """Change rotation vectors in columns (balls, 3) of `q` (frames, dofs), in place, to those of `turn · exp(w)`.

    `turns` (balls, 4) are unit quaternions; the vectors are at most pi long.
    """
    for frame in range(q.shape[0]):
        for b in range(columns.shape[0]):
            i, j, k = columns[b, 0], columns[b, 1], columns[b, 2]
            q[frame, i], q[frame, j], q[frame, k] = turned_vector(
                turns[b, 0], turns[b, 1], turns[b, 2], turns[b, 3], q[frame, i], q[frame, j], q[frame, k]
            )


# Matrices.


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
def turn_matrix(u: Array, angle: float, out: Array) -> None:
    """Write H(u, angle) into `out` (3, 3)."""
    half = math.sin(0.5 * angle)
    _as_matrix(u, math.sin(angle), 2.0 * half * half, out)


@kernel
def _as_matrix(w: Array, f: float, g: float, out: Array) -> None:
    """Write I + f[w] + g[w]²."""
    x, y, z = w[0], w[1], w[2]
    out[0, 0], out[0, 1], out[0, 2] = turned_row(1.0, 0.0, 0.0, x, y, z, f, g)
    out[1, 0], out[1, 1], out[1, 2] = turned_row(0.0, 1.0, 0.0, x, y, z, f, g)
    out[2, 0], out[2, 1], out[2, 2] = turned_row(0.0, 0.0, 1.0, x, y, z, f, g)


@kernel
def log_vector(R: Array, w: Array) -> float:
    """Write the rotation vector (3,) of R, at most pi long, into `w`; returns its length."""
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.9:
        factor = 0.5 * angle / sine if sine > 1e-9 else 0.5
        w[0], w[1], w[2] = factor * x, factor * y, factor * z
        return angle
    # Near half a turn the sine says little: the axis is the largest column of R + I, its sign that of the sine.
    k = 0
    if R[1, 1] > R[k, k]:
        k = 1
    if R[2, 2] > R[k, k]:
        k = 2
    for i in range(3):
        w[i] = 0.5 * (R[i, k] + R[k, i]) - (cosine if i == k else 0.0)
    size = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    if w[0] * x + w[1] * y + w[2] * z < 0.0:
        size = -size
    for i in range(3):
        w[i] *= angle / size
    return angle


@kernel
def log_vectors_all(rotations: Array, out: Array) -> None:
    """Write the rotation vectors (frames, 3) of `rotations` (frames, 3, 3), each at most pi long."""
    for f in range(rotations.shape[0]):
        log_vector(rotations[f], out[f])


@kernel
def twist(R: Array, u: Array) -> float:
    """The angle about the unit axis `u` that comes nearest to the rotation `R`."""
    x, y, z = u[0], u[1], u[2]
    sine = x * (R[2, 1] - R[1, 2]) + y * (R[0, 2] - R[2, 0]) + z * (R[1, 0] - R[0, 1])
    stretch = 0.0
    for i in range(3):
        stretch += u[i] * (R[i, 0] * x + R[i, 1] * y + R[i, 2] * z)
    cosine = R[0, 0] + R[1, 1] + R[2, 2] - stretch
    return math.atan2(sine, cosine)


@kernel
def multiply(a: Array, b: Array, out: Array) -> None:
    """Write the product of two 3x3 matrices into `out`, which must be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@kernel
def times_transposed(a: Array, b: Array, out: Array) -> None:
    """Write a bᵀ of two 3x3 matrices into `out`, which must be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[j, 0] + a[i, 1] * b[j, 1] + a[i, 2] * b[j, 2]


@kernel
def transposed_times(a: Array, b: Array, out: Array) -> None:
    """Write aᵀ b of two 3x3 matrices into `out`, which must be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[0, i] * b[0, j] + a[1, i] * b[1, j] + a[2, i] * b[2, j]
