"""The floor under a motion, estimated from where its feet stand still.

Recorded floors are seldom quite level: if the capture volume is tilted by one degree, the feet rise by 7 cm over a walk
of four metres. So the floor is a plane `y = height + tilt_x x + tilt_z z` with a small tilt. Each site stands at its
own level above it (an ankle, for example, is above the sole). Both come from one robust fit to the frames in which
sites are slow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, BoolArray

MAX_TILT = 0.05
"""m per m; steeper ground is terrain, not a tilted recording."""
_BANDS = (0.05, 0.03, 0.02, 0.02)
"""Figure heights: distance from the fit within which a slow site counts as standing, in each round."""
_SPREAD = 0.1
"""Figure heights: how far feet must have moved to determine the tilt well."""


@dataclass(frozen=True)
class Floor:
    """A nearly level floor: the plane `y = height + tilt_x x + tilt_z z`."""

    height: float
    """Height at the world's origin, m."""
    tilt_x: float = 0.0
    """Slope along x, m per m."""
    tilt_z: float = 0.0

    def heights_of(self, points: Array) -> Array:
        """Heights (...,) of world points (..., 3) above the floor, m; negative below it."""
        above: Array = points[..., 1] - (self.height + self.tilt_x * points[..., 0] + self.tilt_z * points[..., 2])
        return above


def find_floor(points: Array, slow: BoolArray, size: float) -> tuple[Floor, Array]:
    """Estimate the floor, and the level (sites,) of each site above it, m.

    Args:
        points: world positions of sites (frames, sites, 3), m.
        slow: whether a site hardly moves (frames, sites).
        size: the figure's height, m.
    """
    still = np.where(slow.sum(axis=0) >= 3, slow, True)  # a site that never rests has only its lowest height
    levels = np.array([_densest(y[s], size) for y, s in zip(points[..., 1].T, still.T, strict=True)])
    tilt = np.zeros(2)
    for band in _BANDS:
        above = points[..., 1] - points[..., [0, 2]] @ tilt
        standing = still & (np.abs(above - levels) < band * size)
        tilt = _fitted_tilt(points, standing, size)
        above = points[..., 1] - points[..., [0, 2]] @ tilt
        levels = np.array(
            [np.median(a[s]) if s.any() else level for a, s, level in zip(above.T, standing.T, levels, strict=True)]
        )
    height = float(levels.min())
    return Floor(height, *tilt.tolist()), levels - height


def standing_levels(points: Array, slow: BoolArray, floor: Floor, size: float) -> Array:
    """Levels (sites,) of sites above a given floor, m."""
    above = floor.heights_of(points)
    still = np.where(slow.sum(axis=0) >= 3, slow, True)
    return np.array([_densest(a[s], size) for a, s in zip(above.T, still.T, strict=True)])


def _densest(heights: Array, size: float) -> float:
    """Median of the heights in the fullest band of 1/50 of the figure's height; of several, the lowest."""
    ordered = np.sort(heights)
    ends = np.searchsorted(ordered, ordered + 0.02 * size, side="right")
    counts = ends - np.arange(len(ordered))
    first = int(np.argmax(counts))
    return float(np.median(ordered[first : ends[first]]))


def _fitted_tilt(points: Array, standing: BoolArray, size: float) -> Array:
    """Least-squares tilt with a free level per site, regularised towards zero if the feet stayed in one place."""
    normal, right, total = np.zeros((2, 2)), np.zeros(2), 0
    for site in range(points.shape[1]):
        own = points[standing[:, site], site]
        if len(own):
            own = own - own.mean(axis=0)
            normal += own[:, [0, 2]].T @ own[:, [0, 2]]
            right += own[:, [0, 2]].T @ own[:, 1]
            total += len(own)
    normal += total * (_SPREAD * size) ** 2 * np.eye(2)
    tilt = np.linalg.solve(normal, right) if total else np.zeros(2)
    clipped: Array = np.clip(tilt, -MAX_TILT, MAX_TILT)
    return clipped
