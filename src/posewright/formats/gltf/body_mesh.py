"""A mesh for a figure: each capsule becomes a rounded cone, fixed to its joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures.capsules import CapsuleTable

_AROUND = 20
_ARC = 5  # rings on each rounded end


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles in the frames of the joints."""

    points: Array
    """(vertices, 3), m"""
    normals: Array
    """(vertices, 3), unit"""
    joints: IntArray
    """(vertices,)"""
    triangles: IntArray
    """(triangles, 3), counter-clockwise seen from outside"""


def body_mesh(capsules: CapsuleTable) -> BodyMesh:
    """The mesh of a table of capsules; capsules without thickness are left out."""
    thick = np.flatnonzero(capsules.radii.max(axis=1, initial=0.0) > 0.0)
    points, normals, owners, triangles = [], [], [], []
    one = _triangles()
    for k, c in enumerate(thick):
        place, normal = rounded_cone(capsules.start[c], capsules.end[c], *capsules.radii[c])
        points.append(place)
        normals.append(normal)
        owners.append(np.full(len(place), capsules.joint[c]))
        triangles.append(one + k * len(place))
    if not points:
        nothing = np.zeros((0, 3))
        return BodyMesh(nothing, nothing, np.zeros(0, np.int64), np.zeros((0, 3), np.int64))
    return BodyMesh(np.concatenate(points), np.concatenate(normals), np.concatenate(owners), np.concatenate(triangles))


def rounded_cone(start: Array, end: Array, start_radius: float, end_radius: float) -> tuple[Array, Array]:
    """Points and normals (vertices, 3) of two spheres and the cone that touches both.

    One sphere inside the other, or both in one place, gives the larger sphere.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    if length <= abs(start_radius - end_radius) + 1e-9:
        start = end = start if start_radius >= end_radius else end
        start_radius = end_radius = max(start_radius, end_radius)
        tilt, axis = 0.0, np.array([0.0, 1.0, 0.0])
    else:
        # Where the cone touches the spheres, seen from their centres: the angle away from the equator.
        tilt, axis = float(np.arcsin((start_radius - end_radius) / length)), along / length
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    latitude = np.concatenate([np.linspace(-0.5 * np.pi, tilt, _ARC + 1), np.linspace(tilt, 0.5 * np.pi, _ARC + 1)])
    turn = np.arange(_AROUND) * (2.0 * np.pi / _AROUND)
    outward = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(axis, side)
    normals = np.cos(latitude)[:, None, None] * outward + (np.sin(latitude)[:, None] * axis)[:, None]
    first = np.arange(len(latitude)) <= _ARC
    centres = np.where(first[:, None], start, end)[:, None]
    radii = np.where(first, start_radius, end_radius)[:, None, None]
    return (centres + radii * normals).reshape(-1, 3), normals.reshape(-1, 3)


def _triangles() -> IntArray:
    """Triangles between the rings of one rounded cone; at the poles, half of each quad is left out."""
    rings = 2 * (_ARC + 1)
    ring, around = np.meshgrid(np.arange(rings - 1), np.arange(_AROUND), indexing="ij")
    a = ring * _AROUND + around
    b = ring * _AROUND + (around + 1) % _AROUND
    c, d = a + _AROUND, b + _AROUND
    lower = np.stack([a, b, d], axis=-1)[1:]
    upper = np.stack([a, d, c], axis=-1)[:-1]
    return np.concatenate([lower.reshape(-1, 3), upper.reshape(-1, 3)]).astype(np.int64)
