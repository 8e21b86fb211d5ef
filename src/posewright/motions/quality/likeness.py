"""How like a motion is to its source: where bones point, how they are twisted, and the path of the root.

A bone's direction is fixed on its segment when the figure stands, so bodies of other proportions and rest poses can be
compared: a limb points along its bone, a trunk upright, a collar bone sideways, a foot ahead along its sole, a head
where it looks. The motion may be somewhere else, face another way and be of another size: the heading that fits its
trunk best is taken out, and so is the middle of what separates the paths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray
from posewright.figures.figure import Figure
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.motions.contacts import intervals
from posewright.motions.floor import Floor
from posewright.motions.motion import Motion

STRETCH = 0.1
"""s that a bone must be off on end to count as the worst."""
_AXIS, _FRONT, _ACROSS = 0, 1, 2
_DIRECTIONS = {"head": (_FRONT, _AXIS), "clavicle": (_ACROSS, _AXIS)}
"""Columns of the anatomical frame that a bone points along and by which its twist is seen, where not axis and front."""
_NAMES = {
    "pelvis": "pelvis", "spine": "chest", "neck": "neck", "head": "gaze", "clavicle": "collar bone",
    "shoulder": "upper arm", "elbow": "forearm", "wrist": "hand", "hip": "thigh", "knee": "shin", "ankle": "foot",
}  # fmt: skip
"""What the segments of parts are called. Fingers and toes are left out: few recordings capture them."""
_BENDS = (("hip", "knee"), ("shoulder", "elbow"))
_POP, _AROUND = 0.025, 0.05
"""s in which a joint pops, and within which the source may bend likewise."""
_TURNED_BACK = 0.5
"""1 + cosine of the angle between two bones below which nothing can be said about their twist."""
_BLOCK = 4096
"""Frames at a time."""


@dataclass(frozen=True)
class Stretch:
    """Frames in which a bone is off."""

    bone: str
    """Such as "right upper arm"."""
    first: int
    last: int
    """Frames, counted from 0, the last included."""
    degrees: float
    """The most that it is off."""
    plain: float | None = None
    """Degrees: the most that plain transfer leaves it off in these frames, where that is known."""
    first_frame: int = 0
    """What the motion's file calls frame 0."""

    def as_dict(self) -> dict[str, str | int | float | None]:
        """Plain values, for JSON; frames as the motion's file numbers them."""
        first, last = self.numbers
        return {"bone": self.bone, "first": first, "last": last, "degrees": self.degrees, "plain": self.plain}

    @property
    def numbers(self) -> tuple[int, int]:
        """The first and the last frame as the motion's file numbers them."""
        return self.first_frame + self.first, self.first_frame + self.last

    def __str__(self) -> str:
        first, last = self.numbers
        when = f"in frame {first}" if first == last else f"from frame {first} to {last}"
        plain = "" if self.plain is None else f" (plain transfer: {self.plain:.0f})"
        return f"{self.bone} {self.degrees:.0f} degrees off {when}{plain}"


@dataclass(frozen=True, eq=False)
class Likeness:
    """How far the bones of a motion are from those of its source, frame by frame."""

    bones: tuple[str, ...]
    """Such as "right upper arm"; those that both figures have, without fingers and toes."""
    angles: Array
    """(frames, bones), degrees between the directions of a bone"""
    twists: Array
    """(frames, bones), degrees about the bone; nan where it cannot twist by itself or points elsewhere altogether"""
    path: Array
    """(frames,), leg lengths between the scaled paths of the hips"""
    pops: Array
    """(frames, knees and elbows), degrees that each bends further in 25 ms than the source's does around that time"""
    fps: float
    sunk: BoolArray | None = None
    """(frames, bones): whether a bone is a hand under the floor; None: not known"""
    first_frame: int = 0
    """What the motion's file calls frame 0."""

    @property
    def mean(self) -> float:
        """Degrees, over all bones and frames."""
        return float(self.angles.mean())

    @property
    def worst(self) -> float:
        """Degrees: the most that a bone is off for 0.1 s on end."""
        return float(self.lasting.max(initial=0.0))

    @property
    def limbs(self) -> BoolArray:
        """(bones,): trunk, upper arms, forearms, thighs and shins; not what ends them, which limits often hold back."""
        return np.array([not bone.endswith(("gaze", "neck", "hand", "foot")) for bone in self.bones])

    @property
    def upper(self) -> BoolArray:
        """(bones,): all but those of the legs, which contacts may ask to depart from the source."""
        return np.array([not bone.endswith(("thigh", "shin", "foot")) for bone in self.bones])

    @cached_property
    def lasting(self) -> Array:
        """(frames, bones), degrees that each is off for 0.1 s on end around a frame"""
        return lasting(self.angles, self.fps)

    @property
    def mean_twist(self) -> float:
        """Degrees, over all bones and frames in which there is a twist."""
        return float(np.nanmean(self.twists)) if np.isfinite(self.twists).any() else 0.0

    def perfect(self) -> Likeness:
        """What the source itself has: nothing is off."""
        zero = {name: np.zeros_like(getattr(self, name)) for name in ("angles", "twists", "path", "pops")}
        return replace(self, **zero)

    def beyond(self, reference: Likeness) -> Array:
        """(frames, bones), degrees by which bones are further off than in a reference; zero where they are not.

        Hands that the reference has under the floor do not count: none can point there and stay above it.
        """
        order = [reference.bones.index(bone) for bone in self.bones]
        more = np.maximum(0.0, self.angles - reference.angles[:, order])
        return more if reference.sunk is None else np.where(reference.sunk[:, order], 0.0, more)

    def stretches(self, off: BoolArray, plain: Likeness | None = None) -> tuple[Stretch, ...]:
        """Where bones are off for 0.1 s on end, the worst first; what is less than 0.1 s apart is one stretch.

        Args:
            off: (frames, bones), whether a bone counts as off.
            plain: likeness of the transferred motion, if known.
        """
        long = _frames(self.fps, len(off))
        found = []
        for k, bone in enumerate(self.bones):
            runs = [run for run in intervals(off[:, k]).tolist() if run[1] - run[0] >= long]
            for first, after in _joined(runs, long):
                known = None if plain is None else float(plain.angles[first:after, plain.bones.index(bone)].max())
                most = float(self.angles[first:after, k].max())
                found.append(Stretch(bone, first, after - 1, most, known, self.first_frame))
        return tuple(sorted(found, key=lambda stretch: -stretch.degrees))


def _joined(runs: Sequence[Sequence[int]], gap: int) -> list[list[int]]:
    """Runs (first, after) without gaps shorter than some frames."""
    joined: list[list[int]] = []
    for first, after in runs:
        if joined and first - joined[-1][1] < gap:
            joined[-1][1] = after
        else:
            joined.append([first, after])
    return joined


def lasting(angles: Array, fps: float) -> Array:
    """The most that angles (frames, ...) exceed for 0.1 s around each frame, (frames, ...)."""
    n = _frames(fps, len(angles))
    if n < 2:
        return angles
    least = np.lib.stride_tricks.sliding_window_view(angles, n, axis=0).min(axis=-1)
    padded = np.concatenate([np.repeat(least[:1], n - 1, axis=0), least, np.repeat(least[-1:], n - 1, axis=0)])
    most: Array = np.lib.stride_tricks.sliding_window_view(padded, n, axis=0).max(axis=-1)
    return most


def likeness(
    motion: Motion, source: Motion, bodies: tuple[Anatomy, Anatomy] | None = None, floor: Floor | None = None
) -> Likeness:
    """How like a motion is to its source, frame by frame.

    Args:
        motion: as many frames as the source.
        source: what it was made from.
        bodies: which joints are which part, of the motion's and of the source's figure; both should rest as they
            stand (default: as recognised).
        floor: under the motion, to tell which hands are below it (default: nothing is told).
    """
    mine, theirs = bodies or (motion.figure.anatomy, source.figure.anatomy)
    same = same_bones(motion.figure, source.figure)
    both = [part for part in mine.parts if part in theirs.parts and part.rpartition("_")[2] in _NAMES]
    parts = [part for part in both if _turns(mine, part) and _turns(theirs, part)]
    found, reference = _Bones(theirs if same else mine, parts, motion), _Bones(theirs, parts, source)
    heading = _heading(found, reference)
    angles, twists = np.empty((2, len(motion), len(parts)))
    for some in _blocks(len(motion)):
        (a, a_front), (b, b_front) = found.turned(some, heading), reference.turned(some)
        angles[some] = np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.einsum("fbi,fbi->fb", a, b)))
        twists[some] = _twists(a, a_front, b, b_front)
    twists[:, ~(found.twistable & reference.twistable)] = np.nan
    apart = found.hips @ heading.T / mine.segments.leg_length - reference.hips / theirs.segments.leg_length
    path = np.linalg.norm(apart - np.median(apart, axis=0), axis=-1)
    popping = pops(found.bends, reference.bends, motion.fps)
    sunk = None if floor is None else _sunk_hands(motion, mine, parts, floor)
    return Likeness(tuple(map(_bone_name, parts)), angles, twists, path, popping, motion.fps, sunk, motion.first_frame)


def same_bones(figure: Figure, other: Figure) -> bool:
    """Whether two figures have the same joints in the same places, however they rest."""
    return figure.parents == other.parents and all(
        (a.name, a.offset, a.rest) == (b.name, b.offset, b.rest)
        for a, b in zip(figure.joints, other.joints, strict=True)
    )


class _Bones:
    """The matched bones of a motion over its frames."""

    def __init__(self, body: Anatomy, parts: Sequence[str], motion: Motion) -> None:
        figure, joints = motion.figure, [body.last(part) for part in parts]
        columns = [_DIRECTIONS.get(part.rpartition("_")[2], (_AXIS, _FRONT)) for part in parts]
        frames = [body.segments.joint_frame(part, joint) for part, joint in zip(parts, joints, strict=True)]
        self._local: Array = np.array([f[:, list(c)] for f, c in zip(frames, columns, strict=True)])
        self._trunk = [k for k, part in enumerate(parts) if part in ("pelvis", "spine")]
        self.twistable = np.array([_turns(body, part) >= 3 for part in parts])
        hips = [body.segments.centre(f"{side}_hip") for side in SIDES]
        self._rotations, self.hips = np.empty((len(motion), len(parts), 3, 3)), np.empty((len(motion), 3))
        for some in _blocks(len(motion)):
            placed = joint_frames(figure, motion.q[some])
            self._rotations[some] = placed.rotations[:, joints]
            self.hips[some] = placed.positions[:, hips].mean(axis=1)
        self._frames: Array = np.array(frames)
        above = [(f"{side}_{upper}", f"{side}_{lower}") for side in SIDES for upper, lower in _BENDS]
        self._bends = [(parts.index(upper), parts.index(lower)) for upper, lower in above]

    def turned(self, some: slice, heading: Array | None = None) -> tuple[Array, Array]:
        """Directions and fronts (frames, bones, 3) in the world, turned by a heading (3, 3)."""
        turned = self._rotations[some] @ self._local
        if heading is not None:
            turned = heading @ turned
        return turned[..., 0], turned[..., 1]

    @property
    def bends(self) -> Array:
        """(frames, 4), rad: how far knees and elbows are bent."""
        bends = np.empty((len(self._rotations), len(self._bends)))
        for some in _blocks(len(bends)):
            directions = self.turned(some)[0]
            for k, (upper, lower) in enumerate(self._bends):
                cosines = np.einsum("fi,fi->f", directions[:, upper], directions[:, lower])
                bends[some, k] = np.arccos(np.clip(cosines, -1.0, 1.0))
        return bends

    @property
    def trunk(self) -> Array:
        """(frames, parts of the trunk, 3, 3)"""
        found: Array = self._rotations[:, self._trunk] @ self._frames[self._trunk]
        return found


def _heading(found: _Bones, reference: _Bones) -> Array:
    """The turn about the vertical (3, 3) that brings one trunk nearest to another."""
    M = np.einsum("fkic,fkjc->ij", reference.trunk, found.trunk)
    angle = math.atan2(M[0, 2] - M[2, 0], M[0, 0] + M[2, 2])
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _twists(a: Array, a_front: Array, b: Array, b_front: Array) -> Array:
    """Degrees between fronts after the smallest turn that brings direction a to b."""
    both = 1.0 + np.einsum("fbi,fbi->fb", a, b)
    back = both < _TURNED_BACK
    across = np.einsum("fbi,fbi->fb", b, a_front) / np.where(back, 1.0, both)
    front = a_front - across[..., None] * (a + b)
    sine, cosine = np.linalg.norm(np.cross(front, b_front), axis=-1), np.einsum("fbi,fbi->fb", front, b_front)
    twists: Array = np.where(back, np.nan, np.degrees(np.arctan2(sine, cosine)))
    return twists


def pops(bends: Array, reference: Array, fps: float) -> Array:
    """Degrees (frames, n) by which angles (frames, n), rad, change further in 25 ms than others do around that time."""
    step, around = max(1, round(_POP * fps)), math.ceil(_AROUND * fps)
    found = np.zeros_like(bends)
    if len(bends) > step:
        change, usual = (np.abs(angles[step:] - angles[:-step]) for angles in (bends, reference))
        padded = np.concatenate([np.repeat(usual[:1], around, axis=0), usual, np.repeat(usual[-1:], around, axis=0)])
        allowed = np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1, axis=0).max(axis=-1)
        found[step:] = np.degrees(np.maximum(0.0, change - allowed))
    return found


def _sunk_hands(motion: Motion, body: Anatomy, parts: Sequence[str], floor: Floor) -> BoolArray:
    """(frames, parts): whether a part is a hand that is under the floor, with all below it."""
    figure = motion.figure
    sunk = np.zeros((len(motion), len(parts)), np.bool_)
    for k, part in enumerate(parts):
        if part.endswith("wrist"):
            below = [figure.joint_names[j] for j in figure.subtree(body.first(part))]
            below += [site.name for site in figure.sites if site.joint in below]
            for some in _blocks(len(motion)):
                points = site_frames(figure, motion.q[some], below).points
                sunk[some, k] = floor.heights_of(points).min(axis=1) < 0.0
    return sunk


def _turns(body: Anatomy, part: str) -> int:
    """In how many ways the joints of a part turn: a head that is fixed to its chest looks nowhere by itself."""
    joints = [body.figure.joints[body.figure.joint_index(name)] for name in body.parts[part]]
    return sum(joint.n_dofs - len(joint.slides) for joint in joints)


def _bone_name(part: str) -> str:
    side, _, kind = part.rpartition("_")
    return f"{side} {_NAMES[kind]}".strip()


def _frames(fps: float, available: int) -> int:
    return max(1, min(int(STRETCH * fps + 1e-6) + 1, available))


def _blocks(frames: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, frames, _BLOCK))
