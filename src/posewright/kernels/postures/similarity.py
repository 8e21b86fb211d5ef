"""Which of many poses are unlike everything known: the greedy pass that fills a posture database.

A pose is a row of unit quaternions, one per joint; the distance of two is the weighted mean of the angles between them.
Members are stored in blocks, quaternion by quaternion, so that a pose is compared with many at once by vector
instructions, in single precision and by chords, which are never longer than the angles: whatever is too far by chords
is too far. Members that follow each other mostly come from one motion and are alike; eight of them are a *run*. Chords
obey the triangle inequality: of every run the least and the greatest chord to some *pivots* are known, and a run whose
chords all differ from the pose's by more than the threshold is skipped.

Shapes, all float32: poses (poses, joints, 4), members (blocks, joints, 4, WIDTH), pivots (joints, 4, PIVOTS), spans
(2, blocks of runs, PIVOTS, WIDTH) the least and greatest chords of each run. Weights (joints,) sum to 1, `light` are
the same in float32.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel, kernel
from posewright.kernels.kinematics.rotations import quaternion_exp, quaternion_product, sines_and_cosines
from posewright.kernels.tables import Array, Table

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.int32]

WIDTH: Final = 32
"""Members, or runs, in a block."""
RUN: Final = 8
"""Members that follow each other."""
PIVOTS: Final = 16
"""Members whose chords to all others are known."""
ROUNDING: Final = 1e-6
"""rad: how far single quaternions may put a distance off, with room to spare."""
_SLACK = 1e-3  # rad: how far single arithmetic may put a sum of chords off; they are roots of small differences
_STRIDE = 6  # joints between two looks at whether a run is out of reach


@kernel
def joint_turns_all(joints: Table, dofs: Table, which: Indices, q: Array, out: Array) -> None:
    """Quaternions (poses, chosen, 4) of the joints `which` (chosen,) for `q` (poses, dofs), without rest rotations.

    The scalar part is never negative, so that equal rotations are equal numbers.
    """
    n_dofs = q.shape[1]
    half, sines, cosines = np.empty(n_dofs), np.empty(n_dofs), np.empty(n_dofs)
    for f in range(q.shape[0]):
        for d in range(n_dofs):
            half[d] = 0.5 * q[f, d]
        sines_and_cosines(half, sines, cosines)
        for k in range(which.shape[0]):
            joint = joints[which[k]]
            d = joint["first"] + joint["slides"]
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for _ in range(joint["hinges"]):
                axis = dofs[d]["axis"]
                c, s = cosines[d], sines[d]
                w, x, y, z = quaternion_product(w, x, y, z, c, s * axis[0], s * axis[1], s * axis[2])
                d += 1
            if joint["ball"]:
                w, x, y, z = quaternion_exp(q[f, d], q[f, d + 1], q[f, d + 2])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            out[f, k, 0], out[f, k, 1], out[f, k, 2], out[f, k, 3] = w, x, y, z


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
def pivot_chords(poses: Singles, f: int, pivots: Singles, light: Singles, chords: Singles) -> None:
    """Write the chords (PIVOTS,) from pose f to the pivots."""
    two, zero = np.float32(2.0), np.float32(0.0)
    for k in range(PIVOTS):
        chords[k] = zero
    for j in range(light.shape[0]):
        w, x, y, z = poses[f, j, 0], poses[f, j, 1], poses[f, j, 2], poses[f, j, 3]
        weight = two * light[j]
        for k in range(PIVOTS):
            dot = w * pivots[j, 0, k] + x * pivots[j, 1, k] + y * pivots[j, 2, k] + z * pivots[j, 3, k]
            chords[k] += weight * np.sqrt(max(two - two * abs(dot), zero))


@fused_kernel
def near_runs(chords: Singles, spans: Singles, block: int, limit: float, near: Flags) -> bool:
    """Write which runs of a block (WIDTH,) may have members within `limit`; False if none."""
    bound, count = np.float32(limit), np.int32(0)
    for i in range(WIDTH):
        near[i] = np.int32(1)
    for k in range(0, PIVOTS, 2):  # two between two looks at whether all are too far
        c0, c1 = chords[k], chords[k + 1]
        count = np.int32(0)
        for i in range(WIDTH):
            near[i] &= (
                np.int32(spans[0, block, k, i] - c0 <= bound)
                & np.int32(c0 - spans[1, block, k, i] <= bound)
                & np.int32(spans[0, block, k + 1, i] - c1 <= bound)
                & np.int32(c1 - spans[1, block, k + 1, i] <= bound)
            )
            count += near[i]  # counted: that is done by vector instructions, the greatest is not
        if count == 0:
            return False
    return True


@fused_kernel
def member_bounds(
    poses: Singles, f: int, members: Singles, run: int, light: Singles, limit: float, bounds: Singles
) -> bool:
    """Lower bounds (RUN,) of the distances to the members of a run; False as soon as all are above `limit`."""
    two, zero, bound = np.float32(2.0), np.float32(0.0), np.float32(limit)
    block, start = (run * RUN) // WIDTH, (run * RUN) % WIDTH
    for i in range(RUN):
        bounds[i] = zero
    n_joints = light.shape[0]
    for first in range(0, n_joints, _STRIDE):
        for j in range(first, min(first + _STRIDE, n_joints)):
            w, x, y, z = poses[f, j, 0], poses[f, j, 1], poses[f, j, 2], poses[f, j, 3]
            weight = two * light[j]
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
    chords: Singles,
    spans: Singles,
    weights: Array,
    light: Singles,
    threshold: float,
) -> int:
    """A member within `threshold` of pose f, or -1; `chords` (PIVOTS,) are those of the pose, or none, (0,)."""
    near, bounds = np.ones(WIDTH, np.int32), np.empty(RUN, np.float32)
    limit, by_pivots = threshold + _SLACK, threshold + 2.0 * _SLACK
    n_runs = (n + RUN - 1) // RUN
    n_blocks = (n_runs + WIDTH - 1) // WIDTH
    for step in range(n_blocks):
        block = n_blocks - 1 - step  # the latest first: motions come back to where they just were
        if chords.shape[0] > 0 and not near_runs(chords, spans, block, by_pivots, near):
            continue
        for k in range(min(WIDTH, n_runs - block * WIDTH)):
            run = block * WIDTH + k
            if near[k] == 0 or not member_bounds(poses, f, members, run, light, limit, bounds):
                continue
            for i in range(min(RUN, n - run * RUN)):
                m = run * RUN + i
                if bounds[i] <= limit and pair_distance(poses, f, members, m, weights, threshold) <= threshold:
                    return m
    return -1


@kernel
def put(poses: Singles, f: int, members: Singles, m: int) -> None:
    """Make pose f the member m."""
    for j in range(poses.shape[1]):
        for c in range(4):
            members[m // WIDTH, j, c, m % WIDTH] = poses[f, j, c]


@kernel
def keep_chord(chord: float, k: int, m: int, spans: Singles) -> None:
    """Note the chord from member m, the last one of its run, to pivot k."""
    run, first = m // RUN, m % RUN == 0
    low, high = spans[0, run // WIDTH, k], spans[1, run // WIDTH, k]
    low[run % WIDTH] = chord if first else min(low[run % WIDTH], chord)
    high[run % WIDTH] = chord if first else max(high[run % WIDTH], chord)


@kernel
def choose_pivots(members: Singles, n: int, weights: Array, pivots: Singles, spans: Singles) -> None:
    """Make pivots of members that are far from each other, and note the chords from all n members to them."""
    light = weights.astype(np.float32)
    nearest, chords = np.empty(n, np.float32), np.empty(PIVOTS, np.float32)
    pose = np.empty((1, light.shape[0], 4), np.float32)
    for m in range(n):
        nearest[m] = np.inf
    chosen = 0
    for k in range(PIVOTS):
        _take(members, chosen, pose)
        for j in range(light.shape[0]):
            for c in range(4):
                pivots[j, c, k] = pose[0, j, c]
        chosen = 0
        for m in range(n):
            _take(members, m, pose)
            pivot_chords(pose, 0, pivots, light, chords)
            keep_chord(chords[k], k, m, spans)
            nearest[m] = min(nearest[m], chords[k])
            chosen = m if nearest[m] > nearest[chosen] else chosen


@kernel
def _take(members: Singles, m: int, pose: Singles) -> None:
    for j in range(members.shape[1]):
        for c in range(4):
            pose[0, j, c] = members[m // WIDTH, j, c, m % WIDTH]


@kernel
def admit(
    poses: Singles,
    members: Singles,
    n: int,
    hint: int,
    pivots: Singles,
    spans: Singles,
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
        pivots: or none, (joints, 4, 0).
        spans: with room.
        weights: of the joints, summing to 1.
        threshold: rad; below 0, all poses are added.
        admitted: (poses,) gets the indices of those added.

    Returns:
        how many members there are now, and the next hint.
    """
    light, chords = weights.astype(np.float32), np.empty(pivots.shape[2], np.float32)
    before = n
    for f in range(poses.shape[0]):
        if threshold >= 0.0 and hint < n and pair_distance(poses, f, members, hint, weights, threshold) <= threshold:
            continue
        if chords.shape[0] > 0:
            pivot_chords(poses, f, pivots, light, chords)
        found = like_one_of(poses, f, members, n, chords, spans, weights, light, threshold) if threshold >= 0.0 else -1
        if found >= 0:
            hint = found
            continue
        put(poses, f, members, n)
        for k in range(chords.shape[0]):
            keep_chord(chords[k], k, n, spans)
        admitted[n - before] = f
        hint = n
        n += 1
    return n, hint
