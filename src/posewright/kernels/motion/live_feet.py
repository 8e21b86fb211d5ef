"""Feet whose frames arrive one by one: contacts found and kept with what little is known of the frames ahead."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import exp_matrix, log_vector, multiply, times_transposed
from posewright.kernels.motion.footprints import heading, level_frame, smooth
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]
NEVER: Final = -1
"""A contact that does not come as far as is known."""

RULE: Final = np.dtype(
    [
        ("per_step", "f8"),  # figure heights per second that a step of 1 m in a frame is
        ("per_height", "f8"),  # figure heights that 1 m is
        ("height", "f8"),  # figure heights
        ("speed", "f8"),  # figure heights per second
        ("release", "f8"),
        ("window", "i8"),  # frames over which speed is measured
        ("shortest", "i8"),  # frames of a contact
        ("rate", "f8"),  # per frame: how quickly corrections go back
        ("ease", "f8"),  # frames in which a contact grows from a wish to a must
    ],
    align=True,
)

FOOT: Final = np.dtype(
    [(name, "f8", (3,)) for name in ("heel", "toe_tip", "ball", "ankle", "along")]  # m, seen from the sole
    + [("length", "f8"), ("bend", "f8"), ("has_toes", "i8")]
    # What is remembered: where heel and toes are pinned, and corrections of place and turn with their last steps.
    + [("heel_pinned", "i8"), ("toes_pinned", "i8")]
    + [(name, "f8", (3,)) for name in ("heel_pin", "toes_pin", "moved", "moving", "turned", "turning")],
    align=True,
)

WAY: Final = np.dtype(
    [
        ("place", "f8", (3,)),
        ("frame", "f8", (3, 3)),
        ("toes", "f8", (3, 3)),
        ("ankle", "f8", (3,)),
        ("sole_rests", "f8"),  # from 0 to 1
        ("toes_rest", "f8"),
    ],
    align=True,
)
"""Where a sole goes in a frame, how its toes lie, and how much both rest."""


@kernel
def advance_feet(
    rules: Table, touching: Ints, points: Array, heights: Array, feet: Table, places: Array, turns: Array,
    toe_tips: Array, ways: Table,
) -> None:  # fmt: skip
    """The next frame of two feet.

    Args:
        rules: one row of RULE.
        touching: (4,) whether left heel, left toes, right heel, right toes rest; in and out.
        points: (frames, 4, 3), m: these of the source in the frame before, this frame, and those ahead.
        heights: (frames, 4), m, above the floor.
        feet: two rows of FOOT, in and out.
        places: (2, frames, 3), m: the carried soles in this frame and those ahead.
        turns: (2, frames, 3, 3): their frames.
        toe_tips: (2, 3), m, seen from the sole, in this frame.
        ways: two rows of WAY, out.
    """
    work = np.empty((4, 3, 3))
    rests = np.empty(4, np.int64)
    for k in range(4):
        rests[k] = _rests_in(rules[0], touching, points, heights, k)
    for f in range(2):
        _advance(rules[0], feet[f], places[f], turns[f], toe_tips[f], rests[2 * f], rests[2 * f + 1], work, ways[f])


@kernel
def _rests_in(rule: Row, touching: Ints, points: Array, heights: Array, k: int) -> int:
    """In how many frames a point rests: 0 now, or NEVER."""
    n, shortest = points.shape[0] - 2, rule["shortest"]
    if touching[k] != 0:
        stays = False
        for i in range(min(shortest, n)):
            stays = stays or _low_and_slow(rule, rule["release"], points, heights, k, i)
        touching[k] = 1 if stays else 0
        if stays:
            return 0
    elif _touches(rule, points, heights, k, 0, min(shortest, n)):
        touching[k] = 1
        return 0
    for i in range(1, n - shortest + 1):
        if _touches(rule, points, heights, k, i, i + shortest):
            return i
    return NEVER


@kernel
def _touches(rule: Row, points: Array, heights: Array, k: int, first: int, last: int) -> bool:
    """Whether a contact begins in frame `first`: low and slow up to `last`, and quite so at least once."""
    enters = False
    for i in range(first, last):
        if not _low_and_slow(rule, rule["release"], points, heights, k, i):
            return False
        enters = enters or _low_and_slow(rule, 1.0, points, heights, k, i)
    return enters


@kernel
def _low_and_slow(rule: Row, factor: float, points: Array, heights: Array, k: int, i: int) -> bool:
    if heights[i + 1, k] * rule["per_height"] >= factor * rule["height"]:
        return False
    limit = factor * rule["speed"]
    if _step(points, k, i) * rule["per_step"] < limit:
        return True
    total, count = 0.0, min(rule["window"], points.shape[0] - 2 - i)
    for s in range(i + 1, i + 1 + count):
        total += _step(points, k, s)
    return bool(total / count * rule["per_step"] < limit)


@kernel
def _step(points: Array, k: int, i: int) -> float:
    x, y, z = (
        points[i + 1, k, 0] - points[i, k, 0],
        points[i + 1, k, 1] - points[i, k, 1],
        points[i + 1, k, 2] - points[i, k, 2],
    )
    return math.sqrt(x * x + y * y + z * z)


@kernel
def _advance(
    rule: Row, foot: Row, places: Array, turns: Array, toe_tip: Array, heel: int, toes: int, work: Array, way: Row
) -> None:
    foot["heel_pinned"] = _pin(
        foot, heel, places, turns, foot["heel"], foot["heel_pinned"], foot["heel_pin"], foot["toes_pinned"],
        foot["toes_pin"], toes,
    )  # fmt: skip
    foot["toes_pinned"] = _pin(
        foot, toes, places, turns, foot["toe_tip"], foot["toes_pinned"], foot["toes_pin"], foot["heel_pinned"],
        foot["heel_pin"], heel,
    )  # fmt: skip
    flat = max(heel, toes) if heel != NEVER and toes != NEVER else NEVER
    wanted, level, R = work[0, 0], work[1], way["frame"]
    if flat != NEVER:
        level_frame(
            heading(turns[flat], foot["heel_pin"], foot["toes_pin"], True, foot["along"], 0.0, 0.0, True), level
        )
        times_transposed(level, turns[flat], work[2])
        log_vector(work[2], wanted)
    _correct(rule["rate"], flat, wanted, foot["turned"], foot["turning"])
    exp_matrix(foot["turned"], work[2])
    multiply(work[2], turns[0], R)
    L = way["toes"]
    if foot["has_toes"] != 0:
        angle = heading(R, foot["heel_pin"], foot["toes_pin"], flat == 0, foot["along"], 0.0, 0.0, True)
        level_frame(angle, level)
        steep = max(0.0, math.asin(min(1.0, max(-1.0, -R[1, 0]))) - foot["bend"])
        for i in range(3):
            wanted[i] = -steep * level[i, 2]
        exp_matrix(wanted, work[2])
        multiply(work[2], level, L)
    else:
        for i in range(3):
            for j in range(3):
                L[i, j] = R[i, j]
    soon = max(heel, toes) if heel == NEVER or toes == NEVER else min(heel, toes)
    if soon == 0:
        _shift(foot, places[0], R, L, heel == 0, wanted)
    elif soon != NEVER:
        _shift(foot, places[soon], turns[soon], turns[soon], heel == soon, wanted)
    _correct(rule["rate"], soon, wanted, foot["moved"], foot["moving"])
    place = way["place"]
    for i in range(3):
        place[i] = places[0, i] + foot["moved"][i]
    if soon != 0:
        ball = foot["ball"]
        low = min(_along(R, 1, foot["heel"]), R[1, 0] * ball[0] + R[1, 2] * ball[2])
        place[1] += max(0.0, -(min(low, _along(R, 1, toe_tip)) + place[1]))
    for i in range(3):
        way["ankle"][i] = place[i] + _along(R, i, foot["ankle"])
    way["sole_rests"], way["toes_rest"] = _share(soon, rule["ease"]), _share(toes, rule["ease"])


@kernel
def _pin(
    foot: Row, rests_in: int, places: Array, turns: Array, point: Array, pinned: int, pin: Array, other_pinned: int,
    other: Array, other_rests_in: int,
) -> int:  # fmt: skip
    """Write where a point rests or will, and return whether it does: once it rests the place is kept."""
    if rests_in == NEVER:
        return 0
    if rests_in == 0 and pinned != 0:
        return 1
    n = places.shape[0]
    x, z = 0.0, 0.0
    for frame in range(rests_in, n):
        x += places[frame, 0] + _along(turns[frame], 0, point)
        z += places[frame, 2] + _along(turns[frame], 2, point)
    x, z = x / (n - rests_in), z / (n - rests_in)
    if other_pinned != 0 and other_rests_in == 0:
        long = math.sqrt((x - other[0]) ** 2 + (z - other[2]) ** 2)
        if long > 1e-9:
            x = other[0] + (x - other[0]) * foot["length"] / long
            z = other[2] + (z - other[2]) * foot["length"] / long
    pin[0], pin[1], pin[2] = x, 0.0, z
    return 1


@kernel
def _shift(foot: Row, place: Array, R: Array, toes: Array, by_heel: bool, out: Array) -> None:
    """Write what is added to the carried place when the foot rests."""
    tip, ball = foot["toe_tip"], foot["ball"]
    for i in range(3):
        if by_heel:
            out[i] = foot["heel_pin"][i] - _along(R, i, foot["heel"]) - place[i]
        else:
            bent = toes[i, 0] * (tip[0] - ball[0]) + toes[i, 1] * (tip[1] - ball[1]) + toes[i, 2] * (tip[2] - ball[2])
            out[i] = foot["toes_pin"][i] - bent - _along(R, i, ball) - place[i]


@kernel
def _correct(rate: float, soon: int, wanted: Array, value: Array, step: Array) -> None:
    """Let a correction arrive where it is wanted in time, or go back to zero with the velocity that it had."""
    for i in range(3):
        if soon == NEVER:  # a critically damped spring
            step[i] += -2.0 * rate * step[i] - rate * rate * value[i]
        else:
            step[i] = (wanted[i] - value[i]) / (soon + 1.0)
        value[i] += step[i]


@kernel
def _along(R: Array, i: int, point: Array) -> float:
    """A coordinate of a turned point."""
    return float(R[i, 0] * point[0] + R[i, 1] * point[1] + R[i, 2] * point[2])


@kernel
def _share(soon: int, ease: float) -> float:
    return 0.0 if soon == NEVER else smooth(1.0 - soon / ease)
