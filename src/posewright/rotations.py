"""Convert and combine rotations: quaternions (wxyz), rotation vectors (rad) and matrices.

All functions accept arrays with any number of leading axes. Outside the kernels, all conversions of rotations are here.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.kernels.kinematics.rotations import follow_branches


def unit(values: Array) -> Array:
    """Vectors or quaternions (..., n) scaled to unit length; zero vectors stay zero."""
    scaled: Array = values / np.maximum(np.linalg.norm(values, axis=-1, keepdims=True), 1e-12)
    return scaled


def quaternion_multiply(a: Array, b: Array) -> Array:
    """Product a · b of quaternions (..., 4): the rotation b followed by a."""
    a, b = np.asarray(a), np.asarray(b)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def quaternion_conjugate(q: Array) -> Array:
    """Inverse rotation of unit quaternions (..., 4)."""
    conjugate: Array = np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])
    return conjugate


def quaternion_from_vector(w: Array) -> Array:
    """Convert rotation vectors (..., 3) to quaternions (..., 4); the exponential map."""
    w = np.asarray(w, dtype=np.float64)
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * w], axis=-1)


def vector_from_quaternion(q: Array) -> Array:
    """Convert quaternions (..., 4) to rotation vectors (..., 3) of length at most pi; the logarithm."""
    q = np.asarray(q, dtype=np.float64)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    # 2 atan2(s, w)/s, whose limit at s = 0 is 2/w = 2
    factor = np.where(sine > 1e-12, 2.0 * np.arctan2(sine, q[..., :1]) / np.maximum(sine, 1e-300), 2.0)
    return factor * q[..., 1:]


def matrix_from_quaternion(q: Array) -> Array:
    """Convert unit quaternions (..., 4) to matrices (..., 3, 3)."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=-1).reshape(*w.shape, 3, 3)


def quaternion_from_matrix(R: Array) -> Array:
    """Convert rotation matrices (..., 3, 3) to quaternions (..., 4) with w >= 0."""
    R = np.asarray(R, dtype=np.float64)
    m00, m11, m22 = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    # Four times each squared component; the largest is safe to divide by (Shepperd 1978).
    squares = np.stack([1 + m00 + m11 + m22, 1 + m00 - m11 - m22, 1 - m00 + m11 - m22, 1 - m00 - m11 + m22], -1)
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, xz, yz = R[..., 1, 0] + R[..., 0, 1], R[..., 0, 2] + R[..., 2, 0], R[..., 2, 1] + R[..., 1, 2]
    candidates = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], -1),
            np.stack([wx, squares[..., 1], xy, xz], -1),
            np.stack([wy, xy, squares[..., 2], yz], -1),
            np.stack([wz, xz, yz, squares[..., 3]], -1),
        ],
        axis=-2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    q = np.take_along_axis(candidates, best, axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    upper_half: Array = np.where(q[..., :1] < 0.0, -q, q)
    return upper_half


def matrix_from_axes(x: Array, y: Array) -> Array:
    """Matrices (..., 3, 3) whose first two columns are x and y (..., 3), which must be perpendicular unit vectors."""
    out = np.empty((*np.shape(x), 3))
    out[..., 0], out[..., 1] = x, y
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # np.cross takes as long as all the rest for one frame
        out[..., i, 2] = x[..., j] * y[..., k] - x[..., k] * y[..., j]
    return out


def matrix_from_vector(w: Array) -> Array:
    """Convert rotation vectors (..., 3) to matrices (..., 3, 3); the exponential map."""
    return matrix_from_quaternion(quaternion_from_vector(w))


def vector_from_matrix(R: Array) -> Array:
    """Convert matrices (..., 3, 3) to rotation vectors (..., 3); the logarithm."""
    return vector_from_quaternion(quaternion_from_matrix(R))


def nearest_branch(w: Array, near: Array) -> Array:
    """Replace rotation vectors `w` (..., 3) by equivalent ones (the same rotations) that are nearest to a reference.

    If `near` has shape (3,), it is the reference of the first vector, and each later vector follows the one before. If
    `near` has the shape of `w`, each vector has its own reference. Vectors that are already nearest are unchanged.
    """
    found = np.array(w, dtype=np.float64, order="C")
    follow_branches(found.reshape(-1, 3), np.array(near, dtype=np.float64, order="C").reshape(-1, 3))
    return found


def slerp(a: Array, b: Array, fraction: Array) -> Array:
    """Interpolate from quaternions `a` to `b` (..., 4) along the shorter arc; `fraction` (...) is from 0 to 1."""
    a, b = np.asarray(a), np.asarray(b)
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -b, b)
    step = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(a), b))
    return quaternion_multiply(a, quaternion_from_vector(np.asarray(fraction)[..., None] * step))


def continuous(q: Array) -> Array:
    """Flip the signs of quaternions (frames, ..., 4) where needed, so that they do not jump between frames."""
    smooth = np.array(q)
    flips = np.sum(smooth[1:] * smooth[:-1], axis=-1, keepdims=True) < 0.0
    smooth[1:] *= np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return smooth
