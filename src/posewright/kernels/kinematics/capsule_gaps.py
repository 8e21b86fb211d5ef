"""How near the capsules of a body come to each other, pose by pose.

The gap of two rounded cones is measured between the nearest points of their axes, minus the radii there: exact for
equal radii, a little generous for strong tapers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.segments import nearest_points
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
    p, u, o, v = axes[one, 0], axes[one, 1], axes[two, 0], axes[two, 1]
    between = (p[0] - o[0], p[1] - o[1], p[2] - o[2])
    s, t, square = nearest_points(between, (u[0], u[1], u[2]), (v[0], v[1], v[2]))
    thick: float = (
        radii[one, 0] + s * (radii[one, 1] - radii[one, 0]) + radii[two, 0] + t * (radii[two, 1] - radii[two, 0])
    )
    return math.sqrt(square) - thick
