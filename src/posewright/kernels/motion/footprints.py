"""Feet over frames: flat soles, toes that lie, corrections that fade, places a foot's length apart.

Frames (3, 3) of a sole have the columns ahead, up from the sole, across; the floor is y = 0.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import exp_matrix, log_vector, multiply, times_transposed
from posewright.kernels.tables import Array

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@kernel
def turns_to_flat(turned: Array, heels: Array, toes: Array, flat: Flags, own: Array, least: float, out: Array) -> None:
    """Write the turns (frames, 3), rotation vectors in the world, that lay soles flat.

    Args:
        turned: (frames, 3, 3) how the soles are.
        heels: (frames, 3), m: where heel and toes are wanted in frames that are `flat`.
        toes: see above.
        flat: (frames,)
        own: (3,), m: from heel to toes, seen from the sole.
        least: m along the floor below which a foot points nowhere: it stands on its tip, and points where it last did.
        out: as above.
    """
    level, between = np.empty((3, 3)), np.empty((3, 3))
    angle = 0.0
    for frame in range(turned.shape[0]):
        angle = heading(turned[frame], heels[frame], toes[frame], flat[frame], own, least, angle, frame == 0)
        level_frame(angle, level)
        times_transposed(level, turned[frame], between)
        log_vector(between, out[frame])


@kernel
def turn_and_lie(
    vectors: Array,
    heels: Array,
    toes: Array,
    flat: Flags,
    own: Array,
    least: float,
    bend: float,
    turned: Array,
    lying: Array,
) -> None:
    """Turn soles (frames, 3, 3), in place, by vectors (frames, 3), and write how toes lie that rest (frames, 3, 3).

    These are flat, or tipped with a foot that is steeper than they can `bend` (rad). Unless `lying` is empty.
    """
    turn, level, tip = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    angle = 0.0
    for frame in range(turned.shape[0]):
        R = turned[frame]
        exp_matrix(vectors[frame], turn)
        multiply(turn, R, level)
        for i in range(3):
            for j in range(3):
                R[i, j] = level[i, j]
        if lying.shape[0] > 0:
            angle = heading(R, heels[frame], toes[frame], flat[frame], own, least, angle, frame == 0)
            level_frame(angle, level)
            steep = max(0.0, math.asin(min(1.0, max(-1.0, -R[1, 0]))) - bend)
            for i in range(3):
                tip[i] = -steep * level[i, 2]
            exp_matrix(tip, turn)
            multiply(turn, level, lying[frame])


@kernel
def heading(
    turned: Array, heel: Array, toes: Array, flat: bool, own: Array, least: float, last: float, first: bool
) -> float:
    """The angle about y by which a flat sole is turned: along the places of heel and toes, or where the foot points."""
    x, z = toes[0] - heel[0], toes[2] - heel[2]
    if not flat:
        x = turned[0, 0] * own[0] + turned[0, 1] * own[1] + turned[0, 2] * own[2]
        z = turned[2, 0] * own[0] + turned[2, 1] * own[1] + turned[2, 2] * own[2]
    if not first and math.sqrt(x * x + z * z) <= least:
        return last
    return math.atan2(z, x) - math.atan2(own[2], own[0])


@kernel
def level_frame(angle: float, out: Array) -> None:
    """Write the frame (3, 3) of a flat sole."""
    c, s = math.cos(angle), math.sin(angle)
    out[0, 0], out[0, 1], out[0, 2] = c, 0.0, -s
    out[1, 0], out[1, 1], out[1, 2] = 0.0, 1.0, 0.0
    out[2, 0], out[2, 1], out[2, 2] = s, 0.0, c


@kernel
def fade(values: Array, known: Flags, within: float, out: Array) -> None:
    """Write values (frames, n) where known; elsewhere they fade to zero `within` frames, or from one to the next.

    They leave what is known with the velocity that they have there, so that nothing jerks.
    """
    n, m = values.shape
    after = np.empty(n, np.int64)
    coming = n
    for frame in range(n - 1, -1, -1):
        if known[frame]:
            coming = frame
        after[frame] = coming
    before = -1
    for frame in range(n):
        if known[frame]:
            before = frame
            for k in range(m):
                out[frame, k] = values[frame, k]
            continue
        span = within
        if before >= 0 and after[frame] < n:
            span = min(span, float(after[frame] - before))
        span = max(span, 1.0)
        for k in range(m):
            out[frame, k] = 0.0
        if before >= 0:
            share = (frame - before) / span
            left, run = 1.0 - smooth(share), run_out(share, span)
            e = before - 1
            for k in range(m):
                gone = values[before, k] - values[e, k] if e >= 0 and known[e] else 0.0
                out[frame, k] += left * (values[before, k] + run * gone)
        a = after[frame]
        if a < n:
            share = (a - frame) / span
            right, run = smooth(1.0 - share), run_out(share, span)
            e = a + 1
            for k in range(m):
                gone = values[e, k] - values[a, k] if e < n and known[e] else 0.0
                out[frame, k] += right * (values[a, k] - run * gone)


@kernel
def run_out(share: float, span: float) -> float:
    """How many frames a velocity is followed: ever fewer, within a third of the fade."""
    s = min(1.0, max(0.0, 3.0 * share))
    return span / 3.0 * (s - s**3 + 0.5 * s**4)


@kernel
def smooth(share: float) -> float:
    """From 0 to 1 with neither velocity nor acceleration at the ends."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@kernel
def keep_length(begins: Ints, heel_runs: Ints, toe_runs: Ints, length: float, rounds: int, places: Array) -> None:
    """Move places (2, frames, 3) of heel and toes until those that rest together are a foot's length apart.

    Args:
        begins: (n,): a frame of each time that both rest.
        heel_runs: (n, 2): the frames, from first to last, in which the heel's place is the one it has there.
        toe_runs: likewise.
        length: m
        rounds: how often: places may belong to more than one of these times.
        places: in and out.
    """
    move = np.empty(3)
    for _ in range(rounds):
        for k in range(begins.shape[0]):
            square = 0.0
            for i in range(3):
                move[i] = places[1, begins[k], i] - places[0, begins[k], i]
                square += move[i] * move[i]
            long = math.sqrt(square)
            if long < 1e-9:
                continue
            for i in range(3):
                move[i] *= 0.5 * (1.0 - length / long)
            for frame in range(heel_runs[k, 0], heel_runs[k, 1]):
                for i in range(3):
                    places[0, frame, i] += move[i]
            for frame in range(toe_runs[k, 0], toe_runs[k, 1]):
                for i in range(3):
                    places[1, frame, i] -= move[i]
