"""Feet over time: planted, rolling over heel and toes, and swinging from one place to the next.

While planted, the foot's pitch is the only freedom: toes up, it rolls on its heel; heel up, on the ball with the toes
flat (or on the tip of toes that cannot bend). Both rolls start from the flat foot with zero speed and acceleration,
and a swing takes over place, speed and acceleration where one plant ends and hands them back where the next begins,
so the ankle's acceleration is continuous throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from posewright.clips.biped import Foot
from posewright.clips.curves import about, apply, between, ease, quintic, turn
from posewright.clips.targets import FootTarget
from posewright.conventions import Array

_STEP = 1e-4  # s, of the differences that give a swing its first and last speed and acceleration
_LATER = 99.0  # s, after any clip


@dataclass(frozen=True, kw_only=True, eq=False)
class Plant:
    """One stay of a foot on the ground."""

    place: Array
    """(3,), m, of the middle of the sole when flat."""
    start: float = -1.0
    """s, first touch."""
    end: float = _LATER
    """s, last touch."""
    ground: Array = field(default_factory=lambda: np.eye(3))
    """(3, 3), how the flat foot is turned: its direction and the slope of the ground."""
    strike: float = 0.0
    """rad, pitch at the first touch: positive toes up, negative heel up."""
    flat_after: float = 0.08
    """s, from the first touch until the sole is flat."""
    push: float = 0.0
    """rad, pitch at the last touch, not positive."""
    push_for: float = 0.2
    """s, from the rise of the heel to the last touch."""


@dataclass(frozen=True, kw_only=True)
class Swing:
    """How a foot travels between two plants."""

    clearance: float = 0.03
    """m, lowest height of heel and toes above the straight line, in the middle."""
    lift: float = 0.0
    """m, how much higher the ankle is carried beyond that."""
    lift_at: float = 0.5
    """Where that is highest, from 0 (just left) to 1 (about to land)."""
    hover: float = 0.0
    """m, lift shortly before it is set down."""
    pitch: float = 0.0
    """rad, added in between: negative points the toes down."""
    pitch_at: float = 0.5
    """When that is most, from 0 to 1."""
    spare: float = 0.0
    """Share of the leg's length held in reserve for the landing. Above 0 the other foot is taken to be in the air too,
    and the leg carries this one only as far as it reaches."""
    late: float = 0.0
    """How long the foot hangs back before it hurries to its place, in shares of the swing, up to 0.15."""


def standing_foot(foot: Foot, t: Array) -> FootTarget:
    """A foot that stays where it stands at rest, its toes turned out a little."""
    return foot_track(foot, t, [Plant(place=foot.sole, ground=turn(left=foot.side * 0.05))])


def stepping_foot(
    foot: Foot,
    t: Array,
    swing: Swing,
    *,
    leaves: float,
    lands: float,
    ahead: float,
    turned: tuple[float, float],
    push: float,
    push_for: float,
    strike: float = 0.0,
    flat_after: float = 0.08,
) -> FootTarget:
    """A foot that stands at rest, leaves the floor and lands (s) a step (m) ahead, to stay there.

    It is turned to the left by so much (rad) before and after; the rest is as of a `Plant`.
    """
    before = Plant(place=foot.sole, end=leaves, ground=turn(left=turned[0]), push=push, push_for=push_for)
    there = foot.sole + np.array([0.0, 0.0, ahead])
    after = Plant(place=there, start=lands, ground=turn(left=turned[1]), strike=strike, flat_after=flat_after)
    return foot_track(foot, t, [before, after], swing)


def foot_track(foot: Foot, t: Array, plants: Sequence[Plant], swing: Swing | None = None) -> FootTarget:
    """The foot at times `t`, which must lie between the first plant's start and the last one's end."""
    swing = swing or Swing()
    n = len(t)
    ankle, turns, toe_turns, aloft, spare = (
        np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3, 3)), np.zeros(n, dtype=bool), np.zeros(n)
    )  # fmt: skip
    for plant in plants:
        here = (t >= plant.start) & (t <= plant.end)
        ankle[here], turns[here], toe_turns[here] = _planted(foot, plant, t[here])
    for before, after in pairwise(plants):
        here = (t > before.end) & (t < after.start)
        ankle[here], turns[here], toe_turns[here] = _swung(foot, before, after, swing, t[here])
        if swing.spare > 0.0:
            aloft |= here
            landed = after.start + 0.25 * (after.end - after.start)
            rising = ease(t, before.end, before.end + 0.3 * (after.start - before.end))
            settling = ease(t, after.start, min(landed, after.start + 0.15))
            spare = np.maximum(spare, swing.spare * (rising - settling))
    return FootTarget(ankle, turns, toe_turns, turns[..., 0].copy(), aloft, spare)


def _pitch(plant: Plant, t: Array) -> Array:
    """Pitch (rad) while planted; a little beyond either end it continues smoothly."""
    pitch = np.zeros_like(t)
    if plant.strike:
        # It falls from the first touch on and comes to rest flat.
        rate = -0.9 * plant.strike / plant.flat_after
        flat = plant.start + plant.flat_after
        fall = quintic(t, [(plant.start, plant.strike, rate, 0.0), (flat, 0.0, 0.0, 0.0)])
        pitch = np.where(t < flat, fall, pitch)
    if plant.push:
        rise = plant.end - plant.push_for
        rate = 1.7 * plant.push / plant.push_for
        lift = quintic(t, [(rise, 0.0, 0.0, 0.0), (plant.end, plant.push, rate, 0.0)])
        pitch = np.where(t > rise, lift, pitch)
    return pitch


def _planted(foot: Foot, plant: Plant, t: Array) -> tuple[Array, Array, Array]:
    pitch = _pitch(plant, t)
    pivot = np.where(pitch[:, None] > 0.0, foot.heel, foot.forepart)
    roll = about((-1.0, 0.0, 0.0), pitch)
    ankle = plant.place + (pivot + apply(roll, foot.ankle - pivot)) @ plant.ground.T
    toe_roll = roll @ about((-1.0, 0.0, 0.0), np.clip(-pitch, 0.0, None)) if foot.bends else roll
    return ankle, plant.ground @ roll, plant.ground @ toe_roll


def _swung(foot: Foot, before: Plant, after: Plant, swing: Swing, t: Array) -> tuple[Array, Array, Array]:
    start, end = before.end, after.start
    s = (t - start) / (end - start)
    leave = np.array([start - _STEP, start, start + _STEP])
    land = np.array([end - _STEP, end, end + _STEP])
    ankle = quintic(
        t - swing.late * (end - start) * _bump(s, 0.78),
        [_node(start, _planted(foot, before, leave)[0]), _node(end, _planted(foot, after, land)[0])],
    )
    pitch = quintic(t, [_node(start, _pitch(before, leave)), _node(end, _pitch(after, land))])
    pitch = pitch + swing.pitch * _bump(s, swing.pitch_at)
    turns = between(before.ground, after.ground, ease(s, 0.0, 1.0)) @ about((-1.0, 0.0, 0.0), pitch)
    bend = np.zeros_like(s)
    if foot.bends and before.push:
        straight = start + 0.5 * (end - start)
        bend = quintic(t, [_node(start, -_pitch(before, leave)), (straight, 0.0, 0.0, 0.0)])
        bend = np.where(t < straight, bend, 0.0)
    toe_turns = turns @ about((-1.0, 0.0, 0.0), bend)
    ankle[:, 1] += _raise(foot, before, after, swing, s, ankle, turns, toe_turns)
    return ankle, turns, toe_turns


def _raise(
    foot: Foot, before: Plant, after: Plant, swing: Swing, s: Array, ankle: Array, turns: Array, toe_turns: Array
) -> Array:
    """How much (frames,), m, the ankle must be lifted so that heel and toes clear the ground on their path."""
    bump, lifted = _bump(s, 0.5), swing.lift * _bump(s, swing.lift_at) + swing.hover * _bump(s, 0.80)
    if not s.size:
        return lifted
    ground = before.place[1] + (after.place[1] - before.place[1]) * s
    ball = ankle + apply(turns, foot.ball - foot.ankle)
    points = (
        ankle + apply(turns, foot.heel - foot.ankle),
        ankle + apply(turns, foot.ball * [1.0, 0.0, 1.0] - foot.ankle),
        ball + apply(toe_turns, foot.toe_tip - foot.ball),
    )
    lowest = np.min([point[:, 1] for point in points], axis=0) - ground + lifted
    middle = (s > 0.15) & (s < 0.85)
    need = np.max((swing.clearance * bump - lowest)[middle] / bump[middle], initial=0.0)
    total: Array = lifted + need * bump
    return total


def _bump(s: Array, peak: float) -> Array:
    """0 at both ends with zero speed and acceleration, 1 at `peak`: s^a (1-s)^b with the smaller power 3."""
    late = peak / (1.0 - peak)
    a, b = (3.0, 3.0 / late) if late < 1.0 else (3.0 * late, 3.0)
    bump: Array = s**a * (1.0 - s) ** b / (peak**a * (1.0 - peak) ** b)
    return bump


def _node(time: float, three: Array) -> tuple[float, Array, Array, Array]:
    """Value, rate and acceleration at `time` from samples a small step before, at and after it."""
    return time, three[1], (three[2] - three[0]) / (2.0 * _STEP), (three[2] - 2.0 * three[1] + three[0]) / _STEP**2
