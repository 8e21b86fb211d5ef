"""Where a foot goes so that it neither slides nor sinks: its way as carried over, moved to keep every contact.

Heel and toes that rest in the source get a fixed place on the floor each, for as long as they rest; where both do, the
places are a foot's length apart and the sole is flat. Between contacts the foot goes as the source's does, and what
the contacts added fades.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.kernels.motion import footprints as kernels
from posewright.motions.intervals import intervals
from posewright.motions.smoothing import smoothed_between
from posewright.rotations import matrix_from_axes

FADE = 0.2
"""s, over which what a contact added fades before and after it."""
SETTLE = 0.02
"""s at the ends of a contact in which a sole may settle, if jerk asks for it."""
SETTLED = 0.0005
"""m by which it may."""
_ROUNDS = 20
_STEEP = 0.7
"""Cosine of the pitch from which on a foot is too steep to tell where it points."""
_SHORT = 0.05
"""Toes shorter than this share of the foot do not count."""


@dataclass(frozen=True, eq=False)
class FootShape:
    """Points of a foot that stands, seen from its sole: x ahead, y up (m)."""

    heel: Array
    toe_tip: Array
    ball: Array
    """What the foot turns about when its heel rises: the joint of the toes, or the toe tip of a foot without."""
    ankle: Array
    bend: float
    """rad: how far the toes can bend up."""

    @classmethod
    def of(cls, figure: Figure, side: str) -> FootShape:
        """Of a figure with soles, in its rest pose."""
        names = [f"{side}_{point}" for point in ("sole", "heel", "toe_tip")]
        places = site_frames(figure, figure.rest, names)
        frame = matrix_from_axes(places.x_axes[0], places.y_axes[0])
        heel, toe_tip = (places.points[1:] - places.points[0]) @ frame
        toes, foot = (figure.joint_index(figure.site(name).joint) for name in (names[2], names[0]))
        at = (joint_frames(figure, figure.rest).positions - places.points[0]) @ frame
        turning = figure.joints[toes].n_dofs > len(figure.joints[toes].slides)
        long = np.linalg.norm(toe_tip - at[toes]) > _SHORT * np.linalg.norm(toe_tip - heel)
        if toes == foot or not turning or not long:
            return cls(heel, toe_tip, toe_tip, at[foot], 0.0)
        return cls(heel, toe_tip, at[toes], at[foot], _bend(figure, toes, names[2]))

    @property
    def has_toes(self) -> bool:
        """Whether the toes bend."""
        return self.ball is not self.toe_tip

    @cached_property
    def along(self) -> Array:
        """(3,), m: from heel to toes."""
        way: Array = self.toe_tip - self.heel
        return way

    @cached_property
    def length(self) -> float:
        """m: from heel to toes."""
        return float(np.linalg.norm(self.along))

    @property
    def least(self) -> float:
        """Length along the floor (m) below which a foot is too steep to tell where it points."""
        return _STEEP * self.length


@dataclass(frozen=True, eq=False)
class FootWay:
    """The way of a sole through the frames of a motion."""

    points: Array
    """(frames, 3), m"""
    x: Array
    """(frames, 3): ahead"""
    y: Array
    """(frames, 3): up from the sole"""
    toes: Array
    """(frames, 3, 3): how toes lie that rest: flat, unless they cannot bend that far"""
    ankles: Array
    """(frames, 3), m"""

    def heights(self, shape: FootShape) -> Array:
        """How high heel and toes are (frames,), m, the lower of them."""
        across_y = self.x[:, 2] * self.y[:, 0] - self.x[:, 0] * self.y[:, 2]
        upward = np.stack([self.x[:, 1], self.y[:, 1], across_y], axis=1)  # what the sole's axes rise by
        lowest: Array = np.minimum(upward @ shape.heel, upward @ shape.toe_tip) + self.points[:, 1]
        return lowest

    def smoothed(self, resting: BoolArray, roughness: float, settle: float) -> FootWay:
        """The way with the sole's path smoothed except where it rests.

        In the `settle` first and last frames of a rest it may be a little off, if that is not 0.
        """
        given = np.hstack([self.points, self.x, self.y])
        path = smoothed_between(given, resting, roughness)
        if settle:
            inner = np.convolve(~resting, np.ones(2 * round(settle) + 1), mode="same") < 0.5
            loose = smoothed_between(given, inner, roughness) - path
            off = float(np.linalg.norm(loose[resting, :3], axis=1).max(initial=0.0))
            path += min(1.0, SETTLED / max(off, SETTLED)) * loose
        x = path[:, 3:6] / np.linalg.norm(path[:, 3:6], axis=1, keepdims=True)
        y = path[:, 6:] - np.einsum("fi,fi->f", x, path[:, 6:])[:, None] * x
        return replace(self, points=path[:, :3].copy(), x=x, y=y / np.linalg.norm(y, axis=1, keepdims=True))


def planted(
    points: Array, turned: Array, toe_tips: Array, heel: BoolArray, toes: BoolArray, shape: FootShape, fps: float
) -> FootWay:
    """The way of a sole that keeps its contacts; the floor is y = 0.

    Args:
        points: (frames, 3), m: the sole's way as carried over.
        turned: (frames, 3, 3): its frame: ahead, up from the sole, across.
        toe_tips: (frames, 3), m: where its toes end, seen from the sole, when they do not rest.
        heel: (frames,) whether the heel rests.
        toes: (frames,) whether the toes do.
        shape: of the foot.
        fps: frames per second.
    """
    fade = FADE * fps
    places = np.stack(
        [
            _places(points + turned @ shape.heel, heel, toes),
            _places(points + turned @ shape.toe_tip, toes, heel),
        ]
    )
    flat = heel & toes
    _keep_length(places, flat, shape.length)
    heel_places, toe_places = places
    added = np.empty(points.shape)
    kernels.turns_to_flat(turned, heel_places, toe_places, flat, shape.along, shape.least, added)
    added, turned = faded(added, flat, fade), np.array(turned)
    lying = np.empty(turned.shape if shape.has_toes else (0, 3, 3))
    kernels.turn_and_lie(added, heel_places, toe_places, flat, shape.along, shape.least, shape.bend, turned, lying)
    if not shape.has_toes:
        lying = turned

    kept = points.copy()
    kept[toes] = (toe_places - lying @ (shape.toe_tip - shape.ball) - turned @ shape.ball)[toes]
    kept[heel] = (heel_places - turned @ shape.heel)[heel]
    moved = points + faded(kept - points, heel | toes, fade)
    under_ball = shape.ball * np.array([1.0, 0.0, 1.0])
    lowest = np.minimum((turned @ shape.heel)[:, 1], (turned @ under_ball)[:, 1]) + moved[:, 1]
    free = 1.0 - faded(toes[:, None].astype(np.float64), toes, fade)[:, 0]
    tips = np.einsum("fi,fi->f", turned[:, 1], toe_tips) + moved[:, 1]
    moved[:, 1] += np.maximum(np.maximum(0.0, -lowest), np.maximum(0.0, -tips) * free)
    return FootWay(moved, turned[:, :, 0].copy(), turned[:, :, 1].copy(), lying, moved + turned @ shape.ankle)


def faded(values: Array, known: BoolArray, fade: float) -> Array:
    """Values (frames, n) where known; elsewhere they fade to zero within `fade` frames, or from one to the next.

    They leave what is known with the velocity that they have there, so that nothing jerks.
    """
    out = np.empty(values.shape)
    kernels.fade(values, np.array(known), float(fade), out)
    return out


def smooth(share: Array) -> Array:
    """From 0 to 1 with neither velocity nor acceleration at the ends."""
    s = np.clip(share, 0.0, 1.0)
    eased: Array = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    return eased


def _bend(figure: Figure, toes: int, tip: str) -> float:
    """How far the limits let the toes bend up from rest (rad): by the dof that lifts their tip most."""
    small = 1e-3
    dofs = range(figure.dof_slice(toes).start + len(figure.joints[toes].slides), figure.dof_slice(toes).stop)
    poses = np.repeat(figure.rest[None], len(dofs) + 1, axis=0)
    for row, dof in enumerate(dofs):
        poses[row + 1, dof] += small
    heights = site_frames(figure, poses, [tip]).points[:, 0, 1]
    lifts = heights[1:] - heights[0]
    best = int(np.argmax(np.abs(lifts)))
    dof = dofs[best]
    room = figure.upper[dof] - figure.rest[dof] if lifts[best] > 0.0 else figure.rest[dof] - figure.lower[dof]
    return float(room)


def _places(points: Array, resting: BoolArray, other: BoolArray) -> Array:
    """Where a point rests, the same (3,) in every frame of a contact; from where both ends rest, if they ever do."""
    places = points.copy()
    for first, after in intervals(resting):
        both = other[first:after]
        chosen = points[first:after][both] if both.any() else points[first:after]
        places[first:after] = chosen.mean(axis=0)
        places[first:after, 1] = 0.0
    return places


def _keep_length(places: Array, flat: BoolArray, length: float) -> None:
    """Move places (2, frames, 3) on the floor until heel and toes that rest together are a foot's length apart."""
    together = intervals(flat)
    begins = together[:, 0].copy()
    heel_runs, toe_runs = _same(places[0], begins), _same(places[1], begins)
    kernels.keep_length(begins, heel_runs, toe_runs, length, _ROUNDS if len(together) > 1 else 1, places)


def _same(places: Array, frames: IntArray) -> IntArray:
    """For each of some frames, the run (n, 2) of frames with the same place: from the first to after the last."""
    changes = np.flatnonzero(np.any(places[1:] != places[:-1], axis=1)) + 1
    edges = np.concatenate([[0], changes, [len(places)]])
    runs = np.searchsorted(edges, frames, side="right") - 1
    return np.stack([edges[runs], edges[runs + 1]], axis=1)
