"""Points and directions as three floats, as joints, sites and goals hold them."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures.joint import Vector


def vector(values: Array) -> Vector:
    """An array (3,) as plain floats."""
    x, y, z = values.tolist()
    return x, y, z


def plus(a: Vector, b: Vector) -> Vector:
    """The sum of two steps (m)."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """From b to a (m)."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(a: Vector, factor: float) -> Vector:
    """A step made longer or shorter."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def clean_axis(direction: Array) -> Vector:
    """A direction, exactly a coordinate axis where it is one up to rounding."""
    nearest = np.round(direction)
    return vector(nearest + 0.0 if np.abs(direction - nearest).max() < 1e-12 else direction)
