"""Feet over frames: when they rest on the floor, and paths of soles that keep these contacts.

Where a foot rests, its path is the one that keeps heel and toes at their places on the floor. Elsewhere it is the
transferred path plus a correction of place and turn, which goes along the quintic of least jerk: from the value,
velocity and acceleration that it has to those of the next contact, or to zero within `fade` frames. It is planned anew
in every frame, from the frames that are known: all of a clip, or the few of a stream that have arrived. A contact that
is seen late only leaves it less time.

Frames (3, 3) of a sole have the columns ahead, up from the sole, across; the floor is y = 0.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import (
    exp_matrix,
    log_vector,
    multiply,
    nearest_angle,
    times_transposed,
)
from posewright.kernels.motion.contacts import Flags, Ints, find_contacts, slowest_speeds
from posewright.kernels.tables import Array, Row, Table

FOOT: Final = np.dtype(
    [(name, "f8", (3,)) for name in ("heel", "toe_tip", "ball", "ankle")]  # m, seen from the sole
    + [("bend", "f8"), ("leg", "f8"), ("has_toes", "i8")],
    align=True,
)
"""The shape of a foot; `bend` (rad) is how far its toes can bend up, `leg` (m) the length of thigh and shin."""
PATH: Final = np.dtype(
    [
        ("place", "f8", (3,)),  # m
        ("frame", "f8", (3, 3)),
        ("toes", "f8", (3, 3)),  # how toes lie that rest: flat, unless they cannot bend that far
        ("drop", "f8"),  # m by which the hip must sink for the leg to reach
        ("sole_active", "f8"),  # how much place and frame count, from 0 to 1
        ("toes_active", "f8"),
    ],
    align=True,
)
"""Where a sole goes in a frame."""
PIN, TURN, MOVE, SINCE, HEADING, STATE_ROWS = 0, 2, 5, 8, 9, 10
"""Rows of a foot's memory (STATE_ROWS, 4): places of heel and toes; corrections of turn and place, each with velocity
and acceleration; frames since heel, toes, both and any of them rested; where the foot pointed (nan: not known)."""
HEEL, TOES, BOTH, ANY = 0, 1, 2, 3
FAR: Final = 1 << 40
"""Frames: never."""

_STEEP, _LEVEL = 0.6, 0.85  # cosines of the pitch between which a foot begins to tell where it points
_STRETCH = 0.995  # of its length: a leg is asked to reach no further, for a straight knee snaps
_ROUNDS = 20
_SWING = 0.5  # activation of a sole in the air: as heavy as other goals
_CLOSE = 0.03  # m above the floor below which a sole in the air counts more, lest it dips into it
_LOW = 0.8  # how much more at the floor, of what is missing to a must
_TOES_EVEN = 0.01  # share at which toes that begin to rest are half-way between lying flat and the example


class BothFeet(NamedTuple):
    """Two feet, left and right."""

    shapes: Table
    """two rows of FOOT"""
    timing: Array
    """(2,), frames: in which a correction goes back to zero, and in which a contact grows to a must"""
    state: Array
    """(2, STATE_ROWS, 4): their memory, read and written"""


class Carried(NamedTuple):
    """Soles as they are transferred."""

    soles: Array
    """(frames, 2, 3), m"""
    turns: Array
    """(frames, 2, 3, 3): their frames"""
    tips: Array
    """(frames, 2, 3), m: where toes end that do not rest, seen from the sole"""
    hips: Array
    """(frames, 2, 3), m"""


class _Contacts(NamedTuple):
    """Of one foot."""

    until: Ints
    """(frames + 1, 4): in how many frames heel, toes, both and any of them rest next"""
    runs: Ints
    """(frames, 2): the number of the contact of heel and toes"""
    pins: Array
    """(2, contacts, 3), m: places of heel and toes, which rest there"""


@kernel
def advance_feet(
    rules: Table, feet: BothFeet, points: Array, heights: Array, carried: Carried, touching: Ints, resting: Flags,
    paths: Table,
) -> None:  # fmt: skip
    """Take a frame of a stream: find contacts in its window and plan both feet.

    Args:
        rules: one row of RULE.
        feet: both.
        points: (window, 4, 3), m: heels and toe tips of the source, some frames before this one, this and those ahead.
        heights: (window, 4), m, above their standing levels.
        carried: this frame and those ahead.
        touching: (4,): whether left heel, left toes, right heel, right toes touch, as `before` of `find_contacts`; in
            and out.
        resting: (frames, 4), out: the same in this frame and those ahead.
        paths: (frames, 2) of PATH, out; those ahead may change.
    """
    speeds = np.empty(heights.shape)
    slowest_speeds(points, rules[0]["window"], rules[0]["fps"], speeds)
    n = resting.shape[0]
    find_contacts(rules, heights, speeds, points.shape[0] - n, touching, n // 2, resting)
    for k in range(4):
        touching[k] = 0
        for frame in range(n - 1, -1, -1):
            if resting[frame, k]:
                touching[k] = 2 + frame if frame > 0 else 1
    plan_feet(feet, carried, resting, 1, paths)


@kernel
def plan_feet(feet: BothFeet, carried: Carried, resting: Flags, steps: int, paths: Table) -> None:
    """Write the paths of both soles, which keep their contacts.

    Args:
        feet: both.
        carried: where they go without contacts.
        resting: (frames, 4): whether left heel, left toes, right heel, right toes rest.
        steps: after how many frames the memory is kept: all of a clip, one of a stream.
        paths: (frames, 2) of PATH, out.
    """
    n = resting.shape[0]
    contacts = _Contacts(np.empty((n + 1, 4), np.int64), np.empty((n, 2), np.int64), np.empty((2, n // 2 + 1, 3)))
    added = np.empty((n, 3))
    work = np.empty((3, 3, 3))
    for f in range(2):
        foot, state = feet.shapes[f], feet.state[f]
        _look_ahead(resting, f, contacts.until)
        _pin_contacts(foot, f, carried, state, contacts)
        _keep_length(foot, state, contacts)
        _turn(foot, f, carried.turns, contacts, feet.timing[0], steps, state, added, work, paths)
        _move(foot, f, carried, contacts, feet.timing, steps, state, added, paths)


@kernel
def _look_ahead(resting: Flags, f: int, until: Ints) -> None:
    """Write in how many frames heel, toes, both and any of them rest next, (frames + 1, 4)."""
    n = resting.shape[0]
    for k in range(4):
        until[n, k] = FAR
    for frame in range(n - 1, -1, -1):
        heel, toes = resting[frame, 2 * f], resting[frame, 2 * f + 1]
        until[frame, HEEL] = 0 if heel else until[frame + 1, HEEL] + 1
        until[frame, TOES] = 0 if toes else until[frame + 1, TOES] + 1
        until[frame, BOTH] = 0 if heel and toes else until[frame + 1, BOTH] + 1
        until[frame, ANY] = 0 if heel or toes else until[frame + 1, ANY] + 1


@kernel
def _pin_contacts(foot: Row, f: int, carried: Carried, state: Array, contacts: _Contacts) -> None:
    """Number the contacts of heel and toes, and give each a place on the floor: that of its frames, on the mean.

    Only those frames count in which both ends rest, if there are any. A contact under way keeps its place.
    """
    soles, turns = carried.soles, carried.turns
    until, runs, pins = contacts
    n = soles.shape[0]
    for end in range(2):
        point = foot["heel"] if end == HEEL else foot["toe_tip"]
        run, frame = -1, 0
        while frame < n:
            if until[frame, end] > 0:
                runs[frame, end] = 0
                frame += 1
                continue
            run += 1
            begin, together, sums = frame, 0, (0.0, 0.0)
            while frame < n and until[frame, end] == 0:
                runs[frame, end] = run
                both = until[frame, BOTH] == 0
                if both and together == 0:
                    sums = (0.0, 0.0)
                if both or together == 0:
                    R = turns[frame, f]
                    sums = (
                        sums[0] + soles[frame, f, 0] + _along(R, 0, point),
                        sums[1] + soles[frame, f, 2] + _along(R, 2, point),
                    )
                together += 1 if both else 0
                frame += 1
            count = together if together > 0 else frame - begin
            pin = pins[end, run]
            pin[0], pin[1], pin[2] = sums[0] / count, 0.0, sums[1] / count
            if begin == 0 and state[SINCE, end] == 0.0:
                for i in range(3):
                    pin[i] = state[PIN + end, i]


@kernel
def _keep_length(foot: Row, state: Array, contacts: _Contacts) -> None:
    """Move places of heel and toes that rest together until they are a foot's length apart."""
    until, runs, pins = contacts
    n = runs.shape[0]
    length = _length(foot)
    for _ in range(_ROUNDS):
        furthest = 0.0
        for frame in range(n):
            if until[frame, BOTH] > 0 or (frame > 0 and until[frame - 1, BOTH] == 0):
                continue
            heel, toes = pins[HEEL, runs[frame, HEEL]], pins[TOES, runs[frame, TOES]]
            heel_stays = state[SINCE, HEEL] == 0.0 and until[0, HEEL] == 0 and runs[frame, HEEL] == 0
            toes_stay = state[SINCE, TOES] == 0.0 and until[0, TOES] == 0 and runs[frame, TOES] == 0
            long = math.sqrt((toes[0] - heel[0]) ** 2 + (toes[2] - heel[2]) ** 2)
            if long < 1e-9 or (heel_stays and toes_stay):
                continue
            heel_share = 0.0 if heel_stays else 1.0 if toes_stay else 0.5
            for i in range(0, 3, 2):
                gap = (toes[i] - heel[i]) * (1.0 - length / long)
                heel[i] += heel_share * gap
                toes[i] -= (1.0 - heel_share) * gap
                furthest = max(furthest, abs(gap))
        if furthest < 1e-12:
            return


@kernel
def _turn(
    foot: Row, f: int, turns: Array, contacts: _Contacts, fade: float, steps: int, state: Array, added: Array,
    work: Array, paths: Table,
) -> None:  # fmt: skip
    """Write how soles are turned, flat where heel and toes rest, and how toes lie that rest."""
    until, runs, pins = contacts
    for frame in range(turns.shape[0]):
        if until[frame, BOTH] == 0:
            _turn_to_flat(foot, turns[frame, f], runs[frame], pins, work, added[frame])
    _correct(until, BOTH, fade, steps, state, TURN, added)
    angle = state[HEADING, 0]
    for frame in range(turns.shape[0]):
        R = paths[frame, f]["frame"]
        exp_matrix(added[frame], work[0])
        multiply(work[0], turns[frame, f], R)
        angle = _heading(foot, R, runs[frame], pins, until[frame, BOTH] == 0, angle)
        _lay_toes(foot, R, angle, work, paths[frame, f]["toes"])
        if frame == steps - 1:
            state[HEADING, 0] = angle


@kernel
def _move(
    foot: Row, f: int, carried: Carried, contacts: _Contacts, timing: Array, steps: int, state: Array, added: Array,
    paths: Table,
) -> None:  # fmt: skip
    """Write where soles go that are turned already, and how much they count."""
    soles, _, tips, hips = carried
    until, runs, pins = contacts
    fade, ease = timing[0], timing[1]
    heel, ball, tip = foot["heel"], foot["ball"], foot["toe_tip"]
    for frame in range(soles.shape[0]):
        if until[frame, ANY] == 0:
            _shift(foot, soles[frame, f], paths[frame, f], until[frame, HEEL] == 0, runs[frame], pins, added[frame])
    since, since_heel, since_toes = state[SINCE, ANY], state[SINCE, HEEL], state[SINCE, TOES]
    _correct(until, ANY, fade, steps, state, MOVE, added)
    for frame in range(soles.shape[0]):
        path = paths[frame, f]
        since = 0.0 if until[frame, ANY] == 0 else since + 1.0
        since_heel = 0.0 if until[frame, HEEL] == 0 else since_heel + 1.0
        since_toes = 0.0 if until[frame, TOES] == 0 else since_toes + 1.0
        place, R = path["place"], path["frame"]
        for i in range(3):
            place[i] = soles[frame, f, i] + added[frame, i]
        rest = _share(since_toes, until[frame, TOES], 2.0 * ease)
        path["toes_active"] = 1.0 if rest >= 1.0 else min(1.0, _TOES_EVEN * rest / (1.0 - rest))
        low = min(_along(R, 1, heel), _along(R, 1, foot["ankle"]), R[1, 0] * ball[0] + R[1, 2] * ball[2]) + place[1]
        if until[frame, TOES] > 0:
            low = min(low, _lowest_tip(foot, path, tips[frame, f]) + place[1])
        place[1] += max(0.0, -low)
        path["drop"] = _drop(foot, R, place, hips[frame, f])
        height = min(_along(R, 1, heel), _along(R, 1, tip)) + place[1]
        aloft = (1.0 - _share(since, until[frame, ANY], ease)) * (1.0 - _LOW * smooth(1.0 - height / _CLOSE))
        path["sole_active"] = _SWING + (1.0 - _SWING) * (1.0 - aloft)
        if frame == steps - 1:
            state[SINCE, HEEL], state[SINCE, TOES] = since_heel, since_toes
            for end in range(2):
                for i in range(3):
                    state[PIN + end, i] = pins[end, runs[frame, end], i]


@kernel
def _correct(until: Ints, kind: int, fade: float, steps: int, state: Array, row: int, values: Array) -> None:
    """Fill in a correction (frames, 3) between contacts of a kind, in which it is given."""
    kept = state[SINCE, kind]
    for i in range(3):
        x, v, a = state[row, i], state[row + 1, i], state[row + 2, i]
        since = state[SINCE, kind]
        for frame in range(values.shape[0]):
            ahead = until[frame, kind]
            goal, speed = 0.0, 0.0
            if ahead + 1 <= fade:
                goal = values[frame + ahead, i]
                if until[frame + ahead + 1, kind] == 0:
                    speed = values[frame + ahead + 1, i] - goal
            if math.isnan(x):  # the first frame: as if it had been under way before
                x, v, a = 0.0, 0.0, 0.0
                for left in range(int(fade), ahead + 1, -1):
                    x, v, a = towards(goal, speed, float(left), x, v, a)
            if ahead == 0:
                x, v, a = goal, goal - x if since == 0.0 else 0.0, 0.0
            elif ahead + 1 <= fade:
                x, v, a = towards(goal, speed, ahead + 1.0, x, v, a)
            else:
                x, v, a = towards(0.0, 0.0, fade - since, x, v, a)
            values[frame, i] = x
            since = 0.0 if ahead == 0 else since + 1.0
            if frame == steps - 1:
                state[row, i], state[row + 1, i], state[row + 2, i] = x, v, a
                kept = since
    state[SINCE, kind] = kept


@kernel
def _turn_to_flat(foot: Row, turned: Array, runs: Ints, pins: Array, work: Array, out: Array) -> None:
    """Write the turn, a rotation vector in the world, that lays a sole flat along the places of heel and toes."""
    _level_frame(_heading(foot, turned, runs, pins, True, 0.0), work[0])
    times_transposed(work[0], turned, work[1])
    log_vector(work[1], out)


@kernel
def _heading(foot: Row, R: Array, runs: Ints, pins: Array, flat: bool, last: float) -> float:
    """The angle about y by which a flat sole is turned: along the places of heel and toes, or where the foot points.

    A foot that stands on its tip points where it last did.
    """
    tip, back = foot["toe_tip"], foot["heel"]
    own_x, own_y, own_z = tip[0] - back[0], tip[1] - back[1], tip[2] - back[2]
    if flat:
        heel, toes = pins[HEEL, runs[HEEL]], pins[TOES, runs[TOES]]
        x, z = toes[0] - heel[0], toes[2] - heel[2]
    else:
        x = R[0, 0] * own_x + R[0, 1] * own_y + R[0, 2] * own_z
        z = R[2, 0] * own_x + R[2, 1] * own_y + R[2, 2] * own_z
    angle = math.atan2(z, x) - math.atan2(own_z, own_x)
    if not flat and not math.isnan(last):  # what is steep turns about the vertical at random
        level = math.sqrt(x * x + z * z) / _length(foot)
        return last + smooth((level - _STEEP) / (_LEVEL - _STEEP)) * nearest_angle(angle - last, 0.0)
    return angle


@kernel
def _length(foot: Row) -> float:
    """m: from heel to toe tip."""
    tip, heel = foot["toe_tip"], foot["heel"]
    return math.sqrt((tip[0] - heel[0]) ** 2 + (tip[1] - heel[1]) ** 2 + (tip[2] - heel[2]) ** 2)


@kernel
def _level_frame(angle: float, out: Array) -> None:
    """Write the frame (3, 3) of a flat sole."""
    c, s = math.cos(angle), math.sin(angle)
    out[0, 0], out[0, 1], out[0, 2] = c, 0.0, -s
    out[1, 0], out[1, 1], out[1, 2] = 0.0, 1.0, 0.0
    out[2, 0], out[2, 1], out[2, 2] = s, 0.0, c


@kernel
def _lay_toes(foot: Row, R: Array, angle: float, work: Array, out: Array) -> None:
    """Write how toes lie that rest: flat, or tipped with a foot that is steeper than they can bend."""
    if foot["has_toes"] == 0:
        for i in range(3):
            for j in range(3):
                out[i, j] = R[i, j]
        return
    level, tip = work[0], work[2, 0]
    _level_frame(angle, level)
    steep = max(0.0, math.asin(min(1.0, max(-1.0, -R[1, 0]))) - foot["bend"])
    for i in range(3):
        tip[i] = -steep * level[i, 2]
    exp_matrix(tip, work[1])
    multiply(work[1], level, out)


@kernel
def _shift(foot: Row, place: Array, path: Row, by_heel: bool, runs: Ints, pins: Array, out: Array) -> None:
    """Write what is added to a transferred place when the foot rests."""
    R, toes, tip, ball = path["frame"], path["toes"], foot["toe_tip"], foot["ball"]
    for i in range(3):
        if by_heel:
            out[i] = pins[HEEL, runs[HEEL], i] - _along(R, i, foot["heel"]) - place[i]
        else:
            bent = toes[i, 0] * (tip[0] - ball[0]) + toes[i, 1] * (tip[1] - ball[1]) + toes[i, 2] * (tip[2] - ball[2])
            out[i] = pins[TOES, runs[TOES], i] - bent - _along(R, i, ball) - place[i]


@kernel
def _lowest_tip(foot: Row, path: Row, own: Array) -> float:
    """How high (m) the tip of toes is above the sole that are on their way from lying flat to where they are carried.

    How far on their way is known roughly.
    """
    R, toes, tip, ball, active = path["frame"], path["toes"], foot["toe_tip"], foot["ball"], path["toes_active"]
    high, flat, carried, between = _along(R, 1, ball), 0.0, 0.0, 0.0
    for i in range(3):
        lying = toes[i, 0] * (tip[0] - ball[0]) + toes[i, 1] * (tip[1] - ball[1]) + toes[i, 2] * (tip[2] - ball[2])
        going = _along(R, i, own) - _along(R, i, ball)
        flat, carried, between = flat + lying * lying, carried + going * going, between + lying * going
    lowest = math.inf
    for even in (_TOES_EVEN, 3.0 * _TOES_EVEN):
        s = active / (active + even * (1.0 - active))
        lying = toes[1, 0] * (tip[0] - ball[0]) + toes[1, 1] * (tip[1] - ball[1]) + toes[1, 2] * (tip[2] - ball[2])
        going = _along(R, 1, own) - high
        size = s * s * flat + (1.0 - s) * (1.0 - s) * carried + 2.0 * s * (1.0 - s) * between
        long = s * math.sqrt(flat) + (1.0 - s) * math.sqrt(carried)
        shrunk = max(0.1, math.sqrt(max(0.0, size)) / max(long, 1e-9))
        lowest = min(lowest, high + (s * lying + (1.0 - s) * going) / shrunk)
    return lowest


@kernel
def towards(goal: float, speed: float, frames: float, x: float, v: float, a: float) -> tuple[float, float, float]:
    """Value, velocity and acceleration one frame on, along the quintic to a goal and its speed in so many frames."""
    if frames <= 1.0:
        return goal, speed, 0.0
    s, gap = 1.0 / frames, goal - x
    v, a, speed = v * frames, a * frames * frames, speed * frames
    c3 = 10.0 * gap - 6.0 * v - 4.0 * speed - 1.5 * a
    c4 = -15.0 * gap + 8.0 * v + 7.0 * speed + 1.5 * a
    c5 = 6.0 * gap - 3.0 * v - 3.0 * speed - 0.5 * a
    return (
        x + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5)))),
        s * (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))),
        s * s * (a + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))),
    )


@kernel
def _drop(foot: Row, R: Array, place: Array, hip: Array) -> float:
    """How far (m) a hip must sink for its leg to reach the ankle of a sole."""
    x = place[0] + _along(R, 0, foot["ankle"]) - hip[0]
    y = place[1] + _along(R, 1, foot["ankle"]) - hip[1]
    z = place[2] + _along(R, 2, foot["ankle"]) - hip[2]
    return float(max(0.0, -y - math.sqrt(max(0.0, (_STRETCH * foot["leg"]) ** 2 - x * x - z * z))))


@kernel
def _share(since: float, until: float, fade: float) -> float:
    """1 in a contact, going to 0 within `fade` frames of one, or from one to the next."""
    span = max(1.0, min(fade, since + until))
    return min(1.0, smooth(1.0 - since / span) + smooth(1.0 - until / span))


@kernel
def smooth(share: float) -> float:
    """From 0 to 1 with neither velocity nor acceleration at the ends."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@kernel
def _along(R: Array, i: int, point: Array) -> float:
    """A coordinate of a turned point."""
    return float(R[i, 0] * point[0] + R[i, 1] * point[1] + R[i, 2] * point[2])
