"""Contacts of feet that are loosened where a body cannot keep them.

A contact is strict as long as the body stays near the transferred posture. If keeping it bends the body too far,
because of limits, missing joints or other proportions, it is loosened in three steps. First the sole need not lie flat:
one end stays in place, and the posture's orientation is a goal that may be missed. Then the place may be missed as
well. At last the contact is given up. The trunk never pays for a contact. Each contact is judged as a whole, on the
solved motion; one that was given up without much effect is made strict again.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures.kinematics import joint_frames
from posewright.motions.contacts import around, intervals
from posewright.motions.quality.likeness import pops
from posewright.motions.splines import ease
from posewright.workflows.retargeting.key_points import SourceFeet

STRICT, TIPPED, SOFT, RELEASED = range(4)
"""How loose a contact is: flat and in place; one end in place, orientation may be missed; place may be missed too;
not kept."""
_TRUNK, _LEG = math.radians(17.0), math.radians(35.0)
"""rad by which the trunk, a thigh or a shin may depart from the transferred posture for a contact."""
_LYING, _LIES, _STANDS_UP = math.radians(12.0), 0.2, 0.6
"""The same in rad for a leg that carries no weight, and the cosines of its shin's tilt by which such legs are told."""
_AWAY = 0.25
"""The same for the pelvis, as a share of the length of the legs."""
_POP = 10.0
"""Degrees by which a knee may bend more than the transferred one within 25 ms."""
_LASTS = 0.05
"""s: shorter departures do not count."""
_AROUND = 0.1
"""s before and after a contact in which it affects the body."""
_RADIUS = 0.3
"""m of displacement that count as much as one radian of rotation of a sole."""
_HELPED = 0.5
"""A contact that was given up is made strict again if more than this share of the departure is left."""
_SHARE = 0.7
"""Contacts are loosened whose correction is at least this share of the largest."""
_STANDS, _TIPTOE = 0.26, 0.7
"""Cosine of the tilt beyond which a sole carries no weight, and sine of the pitch of a foot on tiptoe, which does."""
_FLAT = 0.21
"""Sine of the pitch beyond which a sole is not flat, however low both its ends are."""
LOW = 0.22
"""Share of the length of the legs: if the hips are lower, the body lies or sits and its feet carry no weight."""
_REACH, _TRIMMED = 0.08, 0.04
"""Share of the length of the leg by which the pelvis is lowered at most at the ends of a contact; beyond, up to so many
seconds are trimmed from the contact."""
_AT_ONCE = 4096
"""Frames."""


def standing(source: SourceFeet, heights: Array, resting: BoolArray) -> BoolArray:
    """The contacts (frames, 4) among those found on which a body can stand.

    A sole that faces sideways or up, as when lying, carries no weight. A contact of heel or toes begins and ends where
    they are low compared with the other end that rests; ends that are under the floor in the recording count as on it.

    Args:
        source: its feet.
        heights: (frames, 4), m: of the ends of its soles above their standing levels.
        resting: (frames, 4): whether left heel, left toes, right heel, right toes rest.
    """
    kept = resting.copy()
    for f in range(2):
        heel, toes, up, ahead = 2 * f, 2 * f + 1, source.turns[:, f, 1, 1], source.turns[:, f, 1, 0]
        lies = (up < 0.0) | ((up < _STANDS) & (ahead > -_TIPTOE))
        for end in (heel, toes):
            for first, after in intervals(resting[:, end]).tolist():
                kept[first:after, end] = lies[first:after].mean() < 0.5
        higher = np.maximum(0.0, heights[:, heel]) - np.maximum(0.0, heights[:, toes])
        steep = _FLAT * np.linalg.norm(source.ends[:, toes] - source.ends[:, heel], axis=1)
        other = {heel: kept[:, toes].copy(), toes: kept[:, heel].copy()}
        for end, raised in ((heel, higher > steep), (toes, higher < -steep)):
            for first, after in intervals(kept[:, end]).tolist():
                rests = np.flatnonzero(~(raised & other[end])[first:after])
                begin, stop = (first + rests[0], first + rests[-1] + 1) if len(rests) else (after, after)
                kept[first:begin, end], kept[stop:after, end] = False, False
    return kept


def within_reach(resting: BoolArray, drops: Array, fps: float) -> BoolArray:
    """Contacts (frames, 4), trimmed at their ends where a leg does not reach, as of short feet on tiptoe.

    Args:
        resting: whether left heel, left toes, right heel, right toes rest.
        drops: (frames, 2): how far the pelvis would have to be lowered for it, of the length of the leg.
        fps: frames per second.
    """
    kept, most = resting.copy(), round(_TRIMMED * fps)
    for f in range(2):
        ends = slice(2 * f, 2 * f + 2)
        for first, after in intervals(np.asarray(resting[:, ends].any(axis=1))).tolist():
            within = np.flatnonzero(drops[first:after, f] <= _REACH)
            if len(within) and first > 0:
                kept[first : first + min(within[0], most), ends] = False
            if len(within) and after < len(kept):
                kept[after - min(after - first - 1 - within[-1], most) : after, ends] = False
    return kept


class Departure:
    """How far a body departs from a posture; 1 is the limit."""

    def __init__(self, anatomy: Anatomy) -> None:
        """Prepare for a figure whose body is recognised."""
        segments = anatomy.segments
        parts = [f"{side}_{part}" for part in ("hip", "knee", "ankle") for side in SIDES]
        self._figure, self._joints = anatomy.figure, [segments.centre(part) for part in parts]
        self._trunk = [anatomy.last(part) for part in ("pelvis", "spine") if part in anatomy.parts]
        self._leg = segments.leg_length

    def between(self, q: Array, posture: Array, fps: float) -> tuple[Array, Array]:
        """Compare frames (frames, dofs): trunk, pelvis and sudden knees (frames,), and legs (frames, 2)."""
        trunk, away, legs = np.empty(len(q)), np.empty((len(q), 3)), np.empty((len(q), 2))
        bends, own_bends = np.empty((len(q), 2)), np.empty((len(q), 2))
        for start in range(0, len(q), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            (hips, bones, turns), (own_hips, own_bones, own_turns) = self._placed(q[some]), self._placed(posture[some])
            cosines = 0.5 * (np.einsum("fkij,fkij->fk", turns, own_turns).min(axis=1) - 1.0)
            angles = 2.0 * np.arcsin(np.minimum(1.0, 0.5 * np.linalg.norm(bones - own_bones, axis=-1)))
            trunk[some], away[some] = np.arccos(np.clip(cosines, -1.0, 1.0)) / _TRUNK, hips - own_hips
            stands = ease((-own_bones[:, 1, :, 1] - _LIES) / (_STANDS_UP - _LIES))
            legs[some] = angles.max(axis=1) / (_LYING + (_LEG - _LYING) * stands)
            bends[some], own_bends[some] = (
                np.arccos(np.clip(np.einsum("fsi,fsi->fs", each[:, 0], each[:, 1]), -1.0, 1.0))
                for each in (bones, own_bones)
            )
        path = np.linalg.norm(away - np.median(away, axis=0), axis=1)  # bodies may stand lower than they are carried
        sudden = pops(bends, own_bends, fps).max(axis=1) / _POP
        sudden[:-1] = np.maximum(sudden[:-1], sudden[1:])  # both ends of the pop
        return np.maximum.reduce([trunk, path / (_AWAY * self._leg), sudden]), legs

    def _placed(self, q: Array) -> tuple[Array, Array, Array]:
        """Middle of the hips (frames, 3), directions of thighs and shins (frames, 2, sides, 3), turns of the trunk."""
        frames = joint_frames(self._figure, q)
        limbs = frames.positions[:, self._joints].reshape(len(q), 3, 2, 3)
        bones = np.diff(limbs, axis=1)
        bones /= np.maximum(np.linalg.norm(bones, axis=-1, keepdims=True), 1e-9)
        return limbs[:, 0].mean(axis=1), bones, frames.rotations[:, self._trunk]


class Contacted:
    """The contacts of both feet; each lasts from where heel or toes come to rest to where neither rests."""

    def __init__(self, resting: BoolArray, fps: float) -> None:
        """Contacts as found, (frames, 4): whether left heel, left toes, right heel, right toes rest."""
        self._found, self._fps = resting, fps
        self._runs = [intervals(resting[:, 2 * f] | resting[:, 2 * f + 1]).tolist() for f in range(2)]
        self.levels: IntArray = np.zeros((len(resting), 2), np.int64)
        """(frames, 2): how loose each foot's contact is"""
        self._bent: dict[tuple[int, int], float] = {}
        """Total departure while a contact was strict, by foot and first frame; 0: it stays strict."""

    @property
    def resting(self) -> BoolArray:
        """(frames, 4): what rests. Of loose contacts only the end that rests longer does, of given up ones none."""
        resting = self._found.copy()
        for f in range(2):
            for first, after in self._runs[f]:
                level, ends = self.levels[first, f], resting[first:after, 2 * f : 2 * f + 2]
                if level != STRICT:
                    heel, toes = np.count_nonzero(ends, axis=0)
                    ends[:, 1 if heel > toes else 0] = False
                if level == RELEASED:
                    ends[:] = False
        return resting

    def loosen(self, trunk: Array, legs: Array, sunk: Array, corrections: Array) -> bool:
        """Loosen contacts that bend the body too far or pull it into the floor; return whether there were any.

        Args:
            trunk: (frames,): how far trunk and pelvis depart; 1 is the limit.
            legs: (frames, 2): the same for the legs.
            sunk: (frames,): the same for the depth of the body under the floor.
            corrections: (frames, 2), m: how far contacts move and turn soles.
        """
        most = corrections.max(axis=1, keepdims=True)
        near, lasts = round(_AROUND * self._fps), max(1, round(_LASTS * self._fps))
        pulled = ((trunk > 1.0) | around(sunk > 1.0, lasts))[:, None]
        excess = np.maximum(0.0, np.maximum(np.maximum(trunk, sunk)[:, None], legs) - 1.0)
        off = (legs > 1.0) | (pulled & (corrections >= _SHARE * most))
        changed, in_vain = False, []
        for f in range(2):
            for first, after in self._runs[f]:
                level, beside = self.levels[first, f], slice(max(0, first - near), after + near)
                bent, strict = float(excess[beside, f].sum()), self._bent.get((f, first))
                if level == RELEASED and strict and bent > _HELPED * strict:
                    in_vain.append((f, first, after))
                elif level != RELEASED and strict != 0.0 and np.count_nonzero(off[beside, f]) >= lasts:
                    self._bent.setdefault((f, first), bent)
                    self.levels[first:after, f], changed = level + 1, True
        if changed:
            return True
        for f, first, after in in_vain:
            self.levels[first:after, f], self._bent[f, first] = STRICT, 0.0
        return bool(in_vain)


def sole_corrections(places: Array, frames: Array, soles: Array, turns: Array) -> Array:
    """How far soles are moved and turned from the posture, (frames, 2), m.

    Args:
        places: (frames, 2, 3), m: planned.
        frames: (frames, 2, 3, 3): planned orientations.
        soles: (frames, 2, 3), m: in the posture.
        turns: (frames, 2, 3, 3): orientations in the posture.
    """
    away = np.linalg.norm(places - soles, axis=-1)
    cosine = 0.5 * (np.einsum("fsij,fsij->fs", frames, turns) - 1.0)
    found: Array = away + _RADIUS * np.arccos(np.clip(cosine, -1.0, 1.0))
    return found
