"""Which of many poses are unlike everything known: the greedy pass that fills a posture database.

A pose is a row of unit quaternions, one per joint; the distance of two is the weighted mean of the angles between them.
Members stand in blocks, quaternion by quaternion, so that a pose is compared with many at once by vector instructions,
in single precision and by chords, which are never longer than the angles: whatever is too far by chords is too far.
Members that follow each other mostly come from one motion and are alike; one of every run of eight is its leader. By
the triangle inequality, a run whose leader is further off than the threshold and the run's radius is not looked at.

Shapes: poses (poses, joints, 4), members and leaders (blocks, joints, 4, WIDTH), all float32; radii (blocks, WIDTH)
float32, rad; weights (joints,) sum to 1.
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
"""Members, or leaders, in a block."""
RUN: Final = 8
"""Members that share a leader."""
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
def leader_bounds(
    poses: Singles,
    f: int,
    leaders: Singles,
    block: int,
    weights: Singles,
    limit: float,
    radii: Singles,
    bounds: Singles,
) -> bool:
    """Lower bounds (WIDTH,) of the distances to a block of runs; False as soon as all are above `limit`."""
    two, zero, bound = np.float32(2.0), np.float32(0.0), np.float32(limit)
    for i in range(WIDTH):
        bounds[i] = -radii[block, i]
    n_joints = weights.shape[0]
    for first in range(0, n_joints, _STRIDE):
        for j in range(first, min(first + _STRIDE, n_joints)):
            w, x, y, z = poses[f, j, 0], poses[f, j, 1], poses[f, j, 2], poses[f, j, 3]
            weight = two * weights[j]
            for i in range(WIDTH):
                dot = (
                    w * leaders[block, j, 0, i]
                    + x * leaders[block, j, 1, i]
                    + y * leaders[block, j, 2, i]
                    + z * leaders[block, j, 3, i]
                )
                bounds[i] += weight * np.sqrt(max(two - two * abs(dot), zero))
        near = np.int32(0)  # counted: that is done by vector instructions, the least of floats is not
        for i in range(WIDTH):
            near += np.int32(bounds[i] <= bound)
        if near == 0:
            return False
    return True


@fused_kernel
def member_bounds(
    poses: Singles, f: int, members: Singles, run: int, weights: Singles, limit: float, bounds: Singles
) -> bool:
    """Lower bounds (RUN,) of the distances to the members of a run; False as soon as all are above `limit`."""
    two, zero, bound = np.float32(2.0), np.float32(0.0), np.float32(limit)
    block, start = (run * RUN) // WIDTH, (run * RUN) % WIDTH
    for i in range(RUN):
        bounds[i] = zero
    n_joints = weights.shape[0]
    for first in range(0, n_joints, _STRIDE):
        for j in range(first, min(first + _STRIDE, n_joints)):
            w, x, y, z = poses[f, j, 0], poses[f, j, 1], poses[f, j, 2], poses[f, j, 3]
            weight = two * weights[j]
            for i in range(RUN):
                dot = (
                    w * members[block, j, 0, start + i]
                    + x * members[block, j, 1, start + i]
                    + y * members[block, j, 2, start + i]
                    + z * members[block, j, 3, start + i]
                )
                bounds[i] += weight * np.sqrt(max(two - two * abs(dot), zero))
        near = np.int32(0)
        for i in range(RUN):
            near += np.int32(bounds[i] <= bound)
        if near == 0:
            return False
    return True


@kernel
def like_one_of(
    poses: Singles,
    f: int,
    members: Singles,
    n: int,
    leaders: Singles,
    radii: Singles,
    weights: Array,
    light: Singles,
    threshold: float,
    bounds: Singles,
) -> int:
    """A member within `threshold` of pose f, or -1; `light` are the weights in single precision."""
    limit = threshold + _SLACK
    n_runs = (n + RUN - 1) // RUN
    n_blocks = (n_runs + WIDTH - 1) // WIDTH
    for step in range(n_blocks):
        block = n_blocks - 1 - step  # the latest first: motions come back to where they just were
        if not leader_bounds(poses, f, leaders, block, light, limit, radii, bounds[0]):
            continue
        for k in range(min(WIDTH, n_runs - block * WIDTH)):
            run = block * WIDTH + k
            if bounds[0, k] > limit or not member_bounds(poses, f, members, run, light, limit, bounds[1]):
                continue
            for i in range(min(RUN, n - run * RUN)):
                m = run * RUN + i
                if bounds[1, i] <= limit and pair_distance(poses, f, members, m, weights, threshold) <= threshold:
                    return m
    return -1


@kernel
def members_distance(members: Singles, a: int, b: int, weights: Array) -> float:
    """Distance of two members, rad."""
    total = 0.0
    for j in range(weights.shape[0]):
        minus, plus = 0.0, 0.0
        for c in range(4):
            p, q = float(members[a // WIDTH, j, c, a % WIDTH]), float(members[b // WIDTH, j, c, b % WIDTH])
            minus += (p - q) * (p - q)
            plus += (p + q) * (p + q)
        total += weights[j] * 4.0 * math.asin(min(1.0, 0.5 * math.sqrt(min(minus, plus))))
    return total


@kernel
def move(members: Singles, m: int, leaders: Singles, run: int) -> None:
    """Make member m the leader of a run."""
    for j in range(members.shape[1]):
        for c in range(4):
            leaders[run // WIDTH, j, c, run % WIDTH] = members[m // WIDTH, j, c, m % WIDTH]


@kernel
def put(poses: Singles, f: int, members: Singles, m: int) -> None:
    """Make pose f the member m."""
    for j in range(poses.shape[1]):
        for c in range(4):
            members[m // WIDTH, j, c, m % WIDTH] = poses[f, j, c]


@kernel
def enter(poses: Singles, f: int, members: Singles, m: int, leaders: Singles, radii: Singles, weights: Array) -> None:
    """Make pose f the member m, the last one."""
    put(poses, f, members, m)
    run = m // RUN
    block, lane = run // WIDTH, run % WIDTH
    first, middle = run * RUN, run * RUN + RUN // 2
    leader = (
        middle if m - first == RUN - 1 else first
    )  # of a full run the one in the middle: all others are nearer to it
    if m == first or leader == middle:
        move(members, leader, leaders, run)
        radii[block, lane] = np.float32(0.0)
    for other in range(first if leader == middle else m, m + 1):
        if other != leader:
            away = np.float32(members_distance(members, leader, other, weights) + ROUNDING)
            radii[block, lane] = max(radii[block, lane], away)


@kernel
def admit(
    poses: Singles,
    members: Singles,
    n: int,
    hint: int,
    leaders: Singles,
    radii: Singles,
    weights: Array,
    threshold: float,
    admitted: Indices,
) -> tuple[int, int]:
    """Add every pose that is further than `threshold` from all members, in order.

    Args:
        poses: to be tried.
        members: with room for all of them.
        n: how many members there are.
        hint: the member that the pose before the first was like.
        leaders: of the runs of members, with room.
        radii: (blocks, WIDTH): distance from each to the furthest of its run.
        weights: of the joints, summing to 1.
        threshold: rad; below 0, all poses are added.
        admitted: (poses,) gets the indices of those added.

    Returns:
        how many members there are now, and the next hint.
    """
    bounds = np.empty((2, WIDTH), np.float32)
    light = weights.astype(np.float32)
    before = n
    for f in range(poses.shape[0]):
        if threshold >= 0.0:
            if hint < n and pair_distance(poses, f, members, hint, weights, threshold) <= threshold:
                continue
            found = like_one_of(poses, f, members, n, leaders, radii, weights, light, threshold, bounds)
            if found >= 0:
                hint = found
                continue
        enter(poses, f, members, n, leaders, radii, weights)
        admitted[n - before] = f
        hint = n
        n += 1
    return n, hint
