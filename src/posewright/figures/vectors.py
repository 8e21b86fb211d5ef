"""Points and directions as three floats, as joints, sites and goals hold them."""

from __future__ import annotations

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
