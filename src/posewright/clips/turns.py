"""Turns of a segment against how it stands at rest, facing +z: matrices (..., 3, 3) in the world's axes.

A turn is the identity when the figure stands relaxed, whatever its joints' own frames are, so clips can speak of
leaning and twisting without knowing the figure.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.rotations import matrix_from_vector, vector_from_matrix


def turn(*, left: npt.ArrayLike = 0.0, forward: npt.ArrayLike = 0.0, right: npt.ArrayLike = 0.0) -> Array:
    """Face further left, then lean forward, then lean to the right (rad, any shapes that broadcast)."""
    yaw, pitch, roll = np.broadcast_arrays(left, forward, right)
    return about((0.0, 1.0, 0.0), yaw) @ about((1.0, 0.0, 0.0), pitch) @ about((0.0, 0.0, 1.0), roll)


def about(axis: npt.ArrayLike, angle: npt.ArrayLike) -> Array:
    """Rotation by `angle` (...) rad about a unit axis (3,) or (..., 3)."""
    return matrix_from_vector(np.asarray(angle, dtype=np.float64)[..., None] * np.asarray(axis, dtype=np.float64))


def between(a: Array, b: Array, fraction: Array) -> Array:
    """From turns a to b (..., 3, 3) by a fraction (...) of the way."""
    return a @ matrix_from_vector(np.asarray(fraction)[..., None] * vector_from_matrix(np.swapaxes(a, -1, -2) @ b))


def along(distance: float) -> Array:
    """A step (3,) m, straight ahead."""
    return np.array([0.0, 0.0, distance])


def apply(turns: Array, vectors: Array) -> Array:
    """Vectors (..., 3) turned by (..., 3, 3)."""
    turned: Array = np.einsum("...ij,...j->...i", turns, vectors)
    return turned


def unit(vectors: Array) -> Array:
    """Vectors (..., 3) made unit; zero ones stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Array = vectors / np.maximum(length, 1e-12)
    return scaled
