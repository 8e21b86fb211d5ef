"""Contacts: when points rest on the floor, in a whole motion or in the frames of a stream that have arrived."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

RULE: Final = np.dtype(
    [
        ("height", "f8"),  # m above its standing level below which a point touches
        ("speed", "f8"),  # m/s
        ("release", "f8"),  # a contact lasts until height or speed exceed this many times their thresholds
        ("shortest", "f8"),  # frames of a contact and of a gap, from the first to the last
        ("window", "f8"),  # frames over which speed is measured
        ("fps", "f8"),
    ],
    align=True,
)
"""What counts as a contact."""


@kernel
def slowest_speeds(points: Array, window: float, fps: float, out: Array) -> None:
    """Write the lesser of the mean speeds over the window before and after, (frames, sites), m/s.

    A foot that has just come to rest is slow already, and one that is about to leave is slow still. At the ends of the
    motion one of the two windows is shorter or empty.
    """
    n = points.shape[0]
    for frame in range(n):
        for k in range(points.shape[1]):
            slowest = 0.0 if n < 2 else math.inf
            for moment in (min(frame + window, n - 1.0), max(frame - window, 0.0)):
                if moment == frame:
                    continue
                i = min(int(moment), n - 2)
                share, square = moment - i, 0.0
                for c in range(3):
                    there = points[i, k, c] + share * (points[i + 1, k, c] - points[i, k, c])
                    square += (there - points[frame, k, c]) ** 2
                slowest = min(slowest, math.sqrt(square) * fps / abs(moment - frame))
            out[frame, k] = slowest


@kernel
def find_contacts(
    rules: Table, heights: Array, speeds: Array, first: int, before: Ints, notice: int, out: Flags
) -> None:
    """Write whether points touch the floor in the frames from `first` on, (frames, points).

    Contacts are runs of frames that are low and slow within the release thresholds, and at least once within the
    stricter ones. Short gaps are closed, then short contacts removed: whether a foot trembles for one frame must not
    decide what belongs together. Contacts at the ends may go on outside and may be short.

    Args:
        rules: one row of RULE.
        heights: (all frames, points), m, above their standing levels.
        speeds: (all frames, points), m/s.
        first: the first frame to be judged.
        before: (points,): 1 if it touched in the frame before; else 0, or if a contact was announced then, 2 and the
            frames that were left till it begins; -1: the motion begins here.
        notice: frames from now before which a contact does not begin that was not announced; 0 for a whole motion.
        out: (frames from `first` on, points).
    """
    rule = rules[0]
    shortest, n = rule["shortest"], out.shape[0]
    for k in range(out.shape[1]):
        for frame in range(n):
            out[frame, k] = _low_and_slow(rule, rule["release"], heights[first + frame, k], speeds[first + frame, k])
        frame = 0
        while frame < n:  # gaps
            begin = frame
            while frame < n and not out[frame, k]:
                frame += 1
            if frame - 1 - begin < shortest and frame < n and (begin > 0 or before[k] == 1):
                for i in range(begin, frame):
                    out[i, k] = True
            while frame < n and out[frame, k]:
                frame += 1
        frame = 0
        while frame < n:  # contacts
            while frame < n and not out[frame, k]:
                frame += 1
            begin, enters = frame, -1
            while frame < n and out[frame, k]:
                if enters < 0 and _low_and_slow(rule, 1.0, heights[first + frame, k], speeds[first + frame, k]):
                    enters = frame
                frame += 1
            if begin == 0 and before[k] == 1:
                continue
            start = max(begin, before[k] - 3 if before[k] >= 2 else min(notice, enters))
            if enters < 0 or (frame - 1 - begin < shortest and frame < n and (begin > 0 or before[k] >= 0)):
                start = frame
            for i in range(begin, min(start, frame)):
                out[i, k] = False


@kernel
def _low_and_slow(rule: Row, factor: float, height: float, speed: float) -> bool:
    return bool(height < factor * rule["height"] and speed < factor * rule["speed"])
