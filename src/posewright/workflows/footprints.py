"""Where a foot goes so that it neither slides nor sinks: its way as carried over, moved to keep every contact.

Heel and toes that rest in the source get a fixed place on the floor each, for as long as they rest; where both do, the
places are a foot's length apart and the sole is flat. Between contacts the foot goes as the source's does, and what
the contacts added fades.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figure import Figure
from posewright.figure.kinematics import joint_frames, site_frames
from posewright.motion.contacts import BoolArray, intervals
from posewright.rotations import matrix_from_vector, quaternion_from_matrix, vector_from_quaternion

FADE = 0.2
"""s, over which what a contact added fades before and after it."""
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
        frame = basis(places.x_axes[0], places.y_axes[0])
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
    heel_places = _places(points + turned @ shape.heel, heel, toes)
    toe_places = _places(points + turned @ shape.toe_tip, toes, heel)
    flat = heel & toes
    _keep_length(heel_places, toe_places, flat, float(np.linalg.norm(shape.toe_tip - shape.heel)))
    level = _level_frames(turned, heel_places, toe_places, flat, shape)
    added = vector_from_quaternion(quaternion_from_matrix(level @ np.swapaxes(turned, 1, 2)))
    turned = matrix_from_vector(faded(added, flat, fade)) @ turned
    if shape.has_toes:
        lying = lying_toes(turned, _level_frames(turned, heel_places, toe_places, flat, shape), shape.bend)
    else:
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
    n = len(values)
    frames = np.arange(n)
    before = np.maximum.accumulate(np.where(known, frames, -1))
    after = np.minimum.accumulate(np.where(known, frames, n)[::-1])[::-1]
    gap = np.where((before >= 0) & (after < n), (after - before).astype(np.float64), np.inf)
    span = np.maximum(np.minimum(gap, fade), 1.0)
    left = np.where(before >= 0, 1.0 - smooth((frames - before) / span), 0.0)
    right = np.where(after < n, smooth(1.0 - (after - frames) / span), 0.0)
    first, last = np.maximum(before, 0), np.minimum(after, n - 1)
    ends, begins = np.maximum(first - 1, 0), np.minimum(last + 1, n - 1)
    leaving = (values[first] - values[ends]) * known[ends][:, None]
    coming = (values[begins] - values[last]) * known[begins][:, None]
    onward = values[first] + _run_out((frames - before) / span, span) * leaving
    inward = values[last] - _run_out((after - frames) / span, span) * coming
    mixed: Array = left[:, None] * onward + right[:, None] * inward
    return np.where(known[:, None], values, mixed)


def _run_out(share: Array, span: Array) -> Array:
    """How many frames (frames, 1) a velocity is followed: ever fewer, within a third of the fade."""
    s = np.clip(3.0 * share, 0.0, 1.0)
    return (span / 3.0 * (s - s**3 + 0.5 * s**4))[:, None]


def smooth(share: Array) -> Array:
    """From 0 to 1 with neither velocity nor acceleration at the ends."""
    s = np.clip(share, 0.0, 1.0)
    eased: Array = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    return eased


def basis(x: Array, y: Array) -> Array:
    """Rotations (..., 3, 3) with the columns x, y and what is across."""
    return np.stack([x, y, np.cross(x, y)], axis=-1)


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


def lying_toes(turned: Array, level: Array, bend: float) -> Array:
    """Toes (frames, 3, 3) flat on the floor, or tipped with a foot that is steeper than they can bend."""
    steep = np.maximum(0.0, np.arcsin(np.clip(-turned[:, 1, 0], -1.0, 1.0)) - bend)
    return matrix_from_vector(-steep[:, None] * level[:, :, 2]) @ level


def _places(points: Array, resting: BoolArray, other: BoolArray) -> Array:
    """Where a point rests, the same (3,) in every frame of a contact; from where both ends rest, if they ever do."""
    places = points.copy()
    for first, after in intervals(resting):
        both = other[first:after]
        chosen = points[first:after][both] if both.any() else points[first:after]
        places[first:after] = chosen.mean(axis=0)
        places[first:after, 1] = 0.0
    return places


def _keep_length(heels: Array, toes: Array, flat: BoolArray, length: float) -> None:
    """Move places on the floor until heel and toes that rest together are a foot's length apart."""
    together = intervals(flat)
    begins = together[:, 0]
    heel_runs, toe_runs = _same(heels, begins), _same(toes, begins)
    for _ in range(_ROUNDS if len(together) > 1 else 1):
        for first, heel, toe in zip(begins, heel_runs, toe_runs, strict=True):
            way = toes[first] - heels[first]
            long = float(np.linalg.norm(way))
            if long < 1e-9:
                continue
            move = 0.5 * (1.0 - length / long) * way
            heels[heel] += move
            toes[toe] -= move


def _same(places: Array, frames: IntArray) -> list[slice]:
    """For each of some frames, the run of frames with the same place."""
    changes = np.flatnonzero(np.any(places[1:] != places[:-1], axis=1)) + 1
    edges = np.concatenate([[0], changes, [len(places)]])
    runs = np.searchsorted(edges, frames, side="right") - 1
    return [slice(int(edges[k]), int(edges[k + 1])) for k in runs]


def _level_frames(turned: Array, heels: Array, toes: Array, flat: BoolArray, shape: FootShape) -> Array:
    """Frames (frames, 3, 3) of a flat sole: along the places of heel and toes, or where the foot points."""
    own = shape.toe_tip - shape.heel
    way = np.where(flat[:, None], toes - heels, turned @ own)
    angle = np.arctan2(way[:, 2], way[:, 0]) - np.arctan2(own[2], own[0])
    # A foot that stands on its tip points nowhere: then where it last did.
    pointing = np.hypot(way[:, 0], way[:, 2]) > _STEEP * np.linalg.norm(own)
    last = np.maximum.accumulate(np.where(pointing, np.arange(len(angle)), 0))
    angle = angle[last]
    zero = np.zeros(len(angle))
    return basis(
        np.stack([np.cos(angle), zero, np.sin(angle)], axis=1), np.array([0.0, 1.0, 0.0]) + np.zeros((len(angle), 3))
    )
