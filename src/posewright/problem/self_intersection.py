"""The predicate that no two parts of a body run into each other, by the capsules of its segments.

Parts of one segment, of neighbours in the tree, and parts that touch at rest belong together and are not tested.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figure import Figure
from posewright.figure.capsules import CapsuleTable, capsule_table
from posewright.figure.kinematics import JointFrames, joint_frames
from posewright.problem.predicates import PosePredicate, Verdicts


class _Pairs(NamedTuple):
    capsules: CapsuleTable
    first: IntArray
    """(pairs,): one capsule of each pair that is tested"""
    second: IntArray


@dataclass(frozen=True)
class NoSelfIntersection(PosePredicate):
    """No capsule of a body (see `figure.capsules`) inside another of a part further away in the tree."""

    figure: Figure = field(repr=False)
    margin: float = 0.0
    """m that must stay between them"""

    def __post_init__(self) -> None:
        if not len(capsule_table(self.figure)):
            raise InvalidSetting(f"figure {self.figure.name!r} has no body; its joints need a shape, children or tips")

    @property
    def name(self) -> str:
        """What results call it."""
        return "no self-intersection"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """By the gap of each pair that is tested."""
        return np.asarray((_gaps(self._pairs, frames) >= self.margin).all(axis=-1))

    @cached_property
    def _pairs(self) -> _Pairs:
        figure, capsules = self.figure, capsule_table(self.figure)
        first, second = np.triu_indices(len(capsules), 1)
        joint, parent = capsules.joint, np.array(figure.parents)[capsules.joint]
        apart = (joint[first] != joint[second]) & (parent[first] != joint[second]) & (parent[second] != joint[first])
        candidates = _Pairs(capsules, first[apart], second[apart])
        free = _gaps(candidates, joint_frames(figure, figure.rest)) >= self.margin
        return candidates._replace(first=candidates.first[free], second=candidates.second[free])


def _gaps(pairs: _Pairs, frames: JointFrames) -> Array:
    """Free space (..., pairs) between capsules, m; negative when they overlap.

    Of capsules whose ends differ in radius it is measured between the nearest points of their axes.
    """
    joint = pairs.capsules.joint
    R, o = frames.rotations[..., joint, :, :], frames.positions[..., joint, :]
    start = o + np.einsum("...cij,cj->...ci", R, pairs.capsules.start)
    end = o + np.einsum("...cij,cj->...ci", R, pairs.capsules.end)
    a, b = start[..., pairs.first, :], start[..., pairs.second, :]
    s, t = _nearest(a, end[..., pairs.first, :] - a, b, end[..., pairs.second, :] - b)
    between = a + s[..., None] * (end[..., pairs.first, :] - a) - b - t[..., None] * (end[..., pairs.second, :] - b)
    one, other = pairs.capsules.radii[pairs.first], pairs.capsules.radii[pairs.second]
    radii = one[:, 0] + s * (one[:, 1] - one[:, 0]) + other[:, 0] + t * (other[:, 1] - other[:, 0])
    gaps: Array = np.linalg.norm(between, axis=-1) - radii
    return gaps


def _nearest(a: Array, u: Array, b: Array, v: Array) -> tuple[Array, Array]:
    """Fractions s, t (...) of the nearest points a + s u and b + t v of two segments (Ericson 2005, section 5.1.9)."""
    w = a - b
    uu, vv, uv = np.sum(u * u, -1), np.sum(v * v, -1), np.sum(u * v, -1)
    uw, vw = np.sum(u * w, -1), np.sum(v * w, -1)
    uu, vv = np.maximum(uu, 1e-18), np.maximum(vv, 1e-18)  # segments without length are points
    across = uu * vv - uv * uv
    s = np.where(across > 1e-12 * uu * vv, (uv * vw - vv * uw) / np.maximum(across, 1e-300), 0.0)
    s = np.clip(s, 0.0, 1.0)
    t = np.clip((uv * s + vw) / vv, 0.0, 1.0)
    s = np.clip((uv * t - uw) / uu, 0.0, 1.0)
    return s, t
