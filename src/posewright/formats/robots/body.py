"""What fills the links of a robot: boxes around its geometry or, without any, the boxes that its inertias imply.

A solid box of mass m and edges a, b, c has the moments m (b² + c²)/12 and so on, so three moments give three edges. Of
a robot's foot this is right to a few millimetres, which is how a file without geometry still has soles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Capsule
from posewright.figures.vectors import vector

_LARGEST = 0.75
"""m: a half edge beyond this is a placeholder inertia, not a body."""
_FLAT = 1.3
"""A box whose middle edge is this many times its shortest is drawn by two capsules."""
_NEARLY = 0.9
"""Cosine of the angle below which principal axes count as the link's own axes."""


@dataclass(frozen=True, eq=False)
class Box:
    """A box in a joint's frame."""

    centre: Array
    """(3,), m"""
    axes: Array
    """(3, 3): the directions of its edges, as columns"""
    half: Array
    """(3,), m: half lengths of its edges"""

    def extent(self, direction: Array) -> tuple[float, float]:
        """Minimum and maximum of `p · direction` over its points, m for a unit direction."""
        middle = float(self.centre @ direction)
        reach = float(np.abs(self.axes.T @ direction) @ self.half)
        return middle - reach, middle + reach

    def moved(self, rotation: Array, place: Array) -> Box:
        """The same box in another frame."""
        return Box(place + rotation @ self.centre, rotation @ self.axes, self.half)

    def capsules(self) -> tuple[Capsule, ...]:
        """Capsules along its longest edge: one, or two side by side if it is flat."""
        shortest, middle, longest = np.argsort(self.half, kind="stable").tolist()
        thin, wide = float(self.half[shortest]), float(self.half[middle])
        flat = wide > _FLAT * thin
        radius = 0.5 * (thin + min(wide, 2.0 * thin)) if flat else math.sqrt(thin * wide)
        along = max(float(self.half[longest]) - radius, 0.0) * self.axes[:, longest]
        aside = max(wide - radius, 0.0) * self.axes[:, middle]
        return tuple(
            Capsule(start=vector(c - along), end=vector(c + along), start_radius=radius, end_radius=radius)
            for c in ((self.centre - aside, self.centre + aside) if flat else (self.centre,))
        )


@dataclass(frozen=True, eq=False)
class Link:
    """The link of a robot's joint, as far as pictures and sites need it."""

    name: str
    """Name of the link in the file."""
    boxes: tuple[Box, ...] = ()
    """Boxes in the joint's frame."""
    measured: bool = False
    """Whether the boxes are geometry rather than estimates from the inertia."""


def inertia_box(mass: float, centre: Array, tensor: Array) -> Box | None:
    """The solid box with this mass and inertia tensor (3, 3), kg m², about its centre; None where there is none.

    Its edges are the principal axes or, where these are nearly the link's own, exactly the link's own.
    """
    with np.errstate(all="ignore"):  # absurd numbers make no box
        if not (0.0 < mass < np.inf and np.isfinite(tensor / mass).all()):
            return None
        moments, axes = np.linalg.eigh(tensor / mass)
        if (np.abs(axes).max(axis=0) > _NEARLY).all():
            moments, axes = np.diag(tensor) / mass, np.eye(3)
        half = 0.5 * np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments), 0.0))
    return Box(centre, axes, half) if 0.0 < half.max() < _LARGEST else None


def extent(boxes: Sequence[Box], direction: Array) -> tuple[float, float]:
    """Minimum and maximum of `p · direction` over the points of some boxes."""
    ends = [box.extent(direction) for box in boxes]
    return min(low for low, _ in ends), max(high for _, high in ends)
