"""Which of many poses are unlike everything known: the greedy pass that fills a posture database.

A pose is a row of unit quaternions, one per joint; the distance of two is the weighted mean of the angles between them.
Members stand in blocks, quaternion by quaternion, so that a pose is compared with a block at once by vector
instructions, in single precision and by chords, which are never longer than the angles: whatever is too far by chords
is too far. Only what is not is measured properly.

Shapes: poses (poses, joints, 4), members (blocks, joints, 4, WIDTH), both float32; weights (joints,) sum to 1.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import fused_kernel, kernel
from posewright.kernels.tables import Array

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

WIDTH: Final = 32
"""Members in a block."""
ROUNDING: Final = 1e-6
"""rad: how far single quaternions may put a distance off, with room to spare."""
_SLACK = 1e-3  # rad: how far single arithmetic may put a sum of chords off; they are roots of small differences
_STRIDE = 6  # joints between two looks at whether a block is out of reach


@kernel
def pair_distance(poses: Singles, f: int, members: Singles, m: int, weights: Array, enough: float) -> float:
    """Distance of pose f and member m, rad; or anything above `enough` where it is above that."""
    block, lane = m // WIDTH, m % WIDTH
    total = 0.0
    for j in range(weights.shape[0]):
        minus, plus = 0.0, 0.0
        for c in range(4):
            a, b = float(poses[f, j, c]), float(members[block, j, c, lane])
            minus += (a - b) * (a - b)
            plus += (a + b) * (a + b)
        total += weights[j] * 4.0 * math.asin(min(1.0, 0.5 * math.sqrt(min(minus, plus))))
        if total > enough:
            break
    return total


@fused_kernel
def chord_bounds(
    poses: Singles, f: int, members: Singles, block: int, weights: Singles, limit: float, bounds: Singles
) -> bool:
    """Lower bounds (WIDTH,) of the distances to a block; False as soon as all are above `limit`."""
    for i in range(WIDTH):
        bounds[i] = np.float32(0.0)
    n_joints = weights.shape[0]
    two, zero, bound = np.float32(2.0), np.float32(0.0), np.float32(limit)
    for first in range(0, n_joints, _STRIDE):
        for j in range(first, min(first + _STRIDE, n_joints)):
            w, x, y, z = poses[f, j, 0], poses[f, j, 1], poses[f, j, 2], poses[f, j, 3]
            weight = two * weights[j]
            for i in range(WIDTH):
                dot = (
                    w * members[block, j, 0, i]
                    + x * members[block, j, 1, i]
                    + y * members[block, j, 2, i]
                    + z * members[block, j, 3, i]
                )
                bounds[i] += weight * np.sqrt(max(two - two * abs(dot), zero))
        near = np.int32(0)  # counted: that is done by vector instructions, the least of floats is not
        for i in range(WIDTH):
            near += np.int32(bounds[i] <= bound)
        if near == 0:
            return False
    return True


@kernel
def put(poses: Singles, f: int, members: Singles, m: int) -> None:
    """Make pose f the member m."""
    block, lane = m // WIDTH, m % WIDTH
    for j in range(poses.shape[1]):
        for c in range(4):
            members[block, j, c, lane] = poses[f, j, c]


@kernel
def admit(
    poses: Singles, members: Singles, n: int, hint: int, weights: Array, threshold: float, admitted: Indices
) -> tuple[int, int]:
    """Add every pose that is further than `threshold` from all members, in order.

    Args:
        poses: to be tried.
        members: with room for all of them.
        n: how many members there are.
        hint: the member that the pose before the first was like.
        weights: of the joints, summing to 1.
        threshold: rad.
        admitted: (poses,) gets the indices of those added.

    Returns:
        how many members there are now, and the next hint.
    """
    bounds = np.empty(WIDTH, np.float32)
    light = weights.astype(np.float32)
    before = n
    for f in range(poses.shape[0]):
        if hint < n and pair_distance(poses, f, members, hint, weights, threshold) <= threshold:
            continue
        found = -1
        for step in range((n + WIDTH - 1) // WIDTH):
            block = (n - 1) // WIDTH - step  # the latest first: motions come back to where they just were
            if not chord_bounds(poses, f, members, block, light, threshold + _SLACK, bounds):
                continue
            for i in range(min(WIDTH, n - block * WIDTH)):
                m = block * WIDTH + i
                if (
                    bounds[i] <= threshold + _SLACK
                    and pair_distance(poses, f, members, m, weights, threshold) <= threshold
                ):
                    found = m
                    break
            if found >= 0:
                break
        if found < 0:
            put(poses, f, members, n)
            admitted[n - before] = f
            found = n
            n += 1
        hint = found
    return n, hint
