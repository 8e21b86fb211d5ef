"""Sketches of goals: strokes that show goals beside a pose in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.figures.vectors import vector
from posewright.goals.fields import Point, Target

_HUMAN_REACH = 1.2
"""m; stroke sizes are for a figure of this reach and scale with the figure."""
_TARGET, _THICK, _THIN = 0.02, 0.006, 0.004


class Stroke(NamedTuple):
    """A cross at a target, a dot, a line through points, or a gap (a line from a site to its target)."""

    kind: Literal["target", "dot", "line", "gap"]
    points: tuple[Point, ...]
    radius: float
    """m"""


class Sketch:
    """Makes strokes for the goals of a pose, sized for its figure."""

    def __init__(self, pose: Pose, reach: float) -> None:
        self._pose = pose
        self.size = reach / _HUMAN_REACH

    @property
    def figure(self) -> Figure:
        """The figure of the pose."""
        return self._pose.figure

    def site(self, name: str) -> Array:
        """(3,), m"""
        return np.asarray(site_frames(self.figure, self._pose.q, [name]).points[0])

    def axes(self, name: str) -> tuple[Point, Point]:
        """The x and y axes of a site."""
        frame = site_frames(self.figure, self._pose.q, [name])
        return vector(frame.x_axes[0]), vector(frame.y_axes[0])

    def point(self, target: Target) -> Array:
        """World position (3,), m: the target itself, or that of the named site."""
        return self.site(target) if isinstance(target, str) else np.array(target)

    def centre_of_mass(self) -> Array:
        """(3,), m"""
        return np.asarray(centre_of_mass(self.figure, self._pose.q))

    def target(self, point: Array) -> Stroke:
        """A cross."""
        return Stroke("target", (vector(point),), _TARGET * self.size)

    def dot(self, point: Array) -> Stroke:
        """A large dot."""
        return Stroke("dot", (vector(point),), 0.035 * self.size)

    def line(self, *points: Array) -> Stroke:
        """A line through points."""
        return Stroke("line", tuple(map(vector, points)), _THICK * self.size)

    def place(self, site: str, target: Target) -> list[Stroke]:
        """A target, and the gap between it and the site if the site is not there."""
        here, there = self.site(site), self.point(target)
        strokes = [self.target(there)]
        if np.linalg.norm(there - here) > 0.03 * self.size:
            strokes.append(Stroke("gap", (vector(here), vector(there)), _THIN * self.size))
        return strokes

    def square(self, middle: Array, normal: Array) -> Stroke:
        """A piece of a plane."""
        u = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (0.0, 0.0, 1.0))
        u /= np.linalg.norm(u)
        v, half = np.cross(normal, u), 0.3 * self.size
        return self.line(*(middle + half * (a * u + b * v) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))))


def solid_edges(faces: Sequence[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """The edges of a convex solid given by a point and the outward normal of each face."""
    normals = np.array([normal for _, normal in faces])
    bounds = np.array([float(point @ normal) for point, normal in faces])
    corners: list[tuple[Array, frozenset[int]]] = []
    for three in combinations(range(len(faces)), 3):
        rows = list(three)
        if abs(np.linalg.det(normals[rows])) < 1e-9:
            continue
        corner = np.linalg.solve(normals[rows], bounds[rows])
        on = np.abs(normals @ corner - bounds) < 1e-9
        if (normals @ corner <= bounds + 1e-9).all() and not any(np.allclose(corner, c) for c, _ in corners):
            corners.append((corner, frozenset(np.flatnonzero(on).tolist())))
    return [(a, b) for (a, on_a), (b, on_b) in combinations(corners, 2) if len(on_a & on_b) >= 2]
