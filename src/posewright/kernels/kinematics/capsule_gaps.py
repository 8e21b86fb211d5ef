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
    found: Array,
    worst: IntArray,
) -> None:
    """Per pose the least gap, m, negative where two overlap, and the pair that has it.

    Args:
        rotations: (poses, joints, 3, 3), world_from_joint.
        positions: (poses, joints, 3), m.
        joint: (capsules,), whose frame a capsule is in.
        ends: (capsules, 2, 3), m, in that frame.
        radii: (capsules, 2), m, at the two ends.
        pairs: (pairs, 2), the capsules of each pair that counts.
        found: out, (poses, 4), m: the gap, infinite where no pair counts; and the vector from the second capsule's axis
            to the first's where they are nearest.
        worst: out, (poses,): the pair; -1 where none counts.
    """
    axes, reach = np.empty((joint.shape[0], 2, 3)), np.empty(joint.shape[0])
    for c in range(joint.shape[0]):
        x, y, z = ends[c, 1, 0] - ends[c, 0, 0], ends[c, 1, 1] - ends[c, 0, 1], ends[c, 1, 2] - ends[c, 0, 2]
        reach[c] = 0.5 * math.sqrt(x * x + y * y + z * z) + max(radii[c, 0], radii[c, 1])
    for pose in range(positions.shape[0]):
        _place(rotations, positions, pose, joint, ends, axes)
        found[pose, 0], worst[pose] = math.inf, -1
        for i in range(1, 4):
            found[pose, i] = 0.0
        for p in range(pairs.shape[0]):
            one, two = pairs[p, 0], pairs[p, 1]
            near = found[pose, 0] + reach[one] + reach[two]
            if near <= 0.0 or _between_middles(axes, one, two) >= near * near:
                continue  # the balls around both are further apart than the least gap
            gap, x, y, z = _gap(axes, radii, one, two)
            if gap < found[pose, 0]:
                found[pose, 0], found[pose, 1], found[pose, 2], found[pose, 3] = gap, x, y, z
                worst[pose] = p


@kernel
def pair_gaps(
    rotations: Array, positions: Array, joint: IntArray, ends: Array, radii: Array, pairs: IntArray, gaps: Array
) -> None:
    """The gap (pairs,), m, of every pair in the first pose; arguments as above."""
    axes = np.empty((joint.shape[0], 2, 3))
    _place(rotations, positions, 0, joint, ends, axes)
    for p in range(pairs.shape[0]):
        gaps[p] = _gap(axes, radii, pairs[p, 0], pairs[p, 1])[0]


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
def _between_middles(axes: Array, one: int, two: int) -> float:
    """The squared distance of the middles of two axes."""
    square = 0.0
    for i in range(3):
        away = axes[one, 0, i] + 0.5 * axes[one, 1, i] - axes[two, 0, i] - 0.5 * axes[two, 1, i]
        square += away * away
    return square


@kernel
def _gap(axes: Array, radii: Array, one: int, two: int) -> tuple[float, float, float, float]:
    """The gap of two capsules, and from the axis of the second to that of the first where they are nearest."""
    p, u, o, v = axes[one, 0], axes[one, 1], axes[two, 0], axes[two, 1]
    between = (p[0] - o[0], p[1] - o[1], p[2] - o[2])
    s, t, square = nearest_points(between, (u[0], u[1], u[2]), (v[0], v[1], v[2]))
    thick: float = (
        radii[one, 0] + s * (radii[one, 1] - radii[one, 0]) + radii[two, 0] + t * (radii[two, 1] - radii[two, 0])
    )
    x, y, z = between[0] + s * u[0] - t * v[0], between[1] + s * u[1] - t * v[1], between[2] + s * u[2] - t * v[2]
    return math.sqrt(square) - thick, x, y, z
