"""How near the capsules of a body come to each other, pose by pose.

The gap of two rounded cones is measured between the nearest points of their axes (Ericson 2005, section 5.1.9), minus
the radii there: exact for equal radii, a little generous for strong tapers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

IntArray = npt.NDArray[np.int64]


@kernel
def least_gaps(
    rotations: Array,
    positions: Array,
    joint: IntArray,
    ends: Array,
    radii: Array,
    pairs: IntArray,
    least: Array,
    worst: IntArray,
) -> None:
    """Per pose the least gap (poses,), m, negative where two overlap, and the pair (poses,) that has it.

    Args:
        rotations: (poses, joints, 3, 3), world_from_joint.
        positions: (poses, joints, 3), m.
        joint: (capsules,), whose frame a capsule is in.
        ends: (capsules, 2, 3), m, in that frame.
        radii: (capsules, 2), m, at the two ends.
        pairs: (pairs, 2), the capsules of each pair that counts.
        least: out; infinite where no pair counts.
        worst: out; -1 where no pair counts.
    """
    axes = np.empty((joint.shape[0], 2, 3))
    for pose in range(positions.shape[0]):
        _place(rotations, positions, pose, joint, ends, axes)
        least[pose], worst[pose] = math.inf, -1
        for p in range(pairs.shape[0]):
            gap = _gap(axes, radii, pairs[p, 0], pairs[p, 1])
            if gap < least[pose]:
                least[pose], worst[pose] = gap, p


@kernel
def pair_gaps(
    rotations: Array, positions: Array, joint: IntArray, ends: Array, radii: Array, pairs: IntArray, gaps: Array
) -> None:
    """The gap (pairs,), m, of every pair in the first pose; arguments as above."""
    axes = np.empty((joint.shape[0], 2, 3))
    _place(rotations, positions, 0, joint, ends, axes)
    for p in range(pairs.shape[0]):
        gaps[p] = _gap(axes, radii, pairs[p, 0], pairs[p, 1])


@kernel
def _place(rotations: Array, positions: Array, pose: int, joint: IntArray, ends: Array, axes: Array) -> None:
    """Start and direction of every capsule's axis in the world."""
    for c in range(joint.shape[0]):
        j = joint[c]
        for i in range(3):
            start, along = positions[pose, j, i], 0.0
            for k in range(3):
                start += rotations[pose, j, i, k] * ends[c, 0, k]
                along += rotations[pose, j, i, k] * (ends[c, 1, k] - ends[c, 0, k])
            axes[c, 0, i] = start
            axes[c, 1, i] = along


@kernel
def _gap(axes: Array, radii: Array, one: int, two: int) -> float:
    uu, vv, uv, uw, vw = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        u, v, w = axes[one, 1, i], axes[two, 1, i], axes[one, 0, i] - axes[two, 0, i]
        uu += u * u
        vv += v * v
        uv += u * v
        uw += u * w
        vw += v * w
    uu, vv = max(uu, 1e-18), max(vv, 1e-18)  # an axis without length is a point
    across = uu * vv - uv * uv
    s = (uv * vw - vv * uw) / across if across > 1e-12 * uu * vv else 0.0
    s = min(max(s, 0.0), 1.0)
    t = min(max((uv * s + vw) / vv, 0.0), 1.0)
    s = min(max((uv * t - uw) / uu, 0.0), 1.0)
    square = 0.0
    for i in range(3):
        between = axes[one, 0, i] + s * axes[one, 1, i] - axes[two, 0, i] - t * axes[two, 1, i]
        square += between * between
    thick: float = (
        radii[one, 0] + s * (radii[one, 1] - radii[one, 0]) + radii[two, 0] + t * (radii[two, 1] - radii[two, 0])
    )
    return math.sqrt(square) - thick
