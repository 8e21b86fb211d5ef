"""Where a foot goes so that it neither slides nor sinks: its way as carried over, moved to keep every contact.

Heel and toes that rest in the source get a fixed place on the floor each, for as long as they rest; where both do, the
places are a foot's length apart and the sole is flat. Between contacts the foot goes as the source's does, and what
the contacts added fades.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figure import Figure
from posewright.figure.kinematics import joint_frames, site_frames
from posewright.motion.contacts import BoolArray, intervals
from posewright.rotations import matrix_from_vector, quaternion_from_matrix, vector_from_quaternion

FADE = 0.2
"""s, over which what a contact added fades before and after it."""
_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class FootShape:
    """Points of a foot that stands, seen from its sole: x ahead, y up (m)."""

    heel: Array
    toe_tip: Array
    ball: Array
    """What the foot turns about when its heel rises: the joint of the toes, or the toe tip of a foot without."""

    @classmethod
    def of(cls, figure: Figure, side: str) -> FootShape:
        """Of a figure with soles, in its rest pose."""
        names = [f"{side}_{point}" for point in ("sole", "heel", "toe_tip")]
        places = site_frames(figure, figure.rest, names)
        frame = basis(places.x_axes[0], places.y_axes[0])
        heel, toe_tip = (places.points[1:] - places.points[0]) @ frame
        toes = figure.joint_index(figure.site(names[2]).joint)
        ball = toe_tip
        if figure.site(names[0]).joint != figure.site(names[2]).joint:
            ball = (joint_frames(figure, figure.rest).positions[toes] - places.points[0]) @ frame
        return cls(heel, toe_tip, ball)


@dataclass(frozen=True, eq=False)
class FootWay:
    """The way of a sole through the frames of a motion."""

    points: Array
    """(frames, 3), m"""
    x: Array
    """(frames, 3): ahead"""
    y: Array
    """(frames, 3): up from the sole"""
    ahead: Array
    """(frames, 3): ahead along the floor, for toes that rest"""


def planted(points: Array, x: Array, y: Array, heel: BoolArray, toes: BoolArray, shape: FootShape, fps: float) -> FootWay:
    """The way of a sole that keeps its contacts; the floor is y = 0.

    Args:
        points: (frames, 3), m: the sole's way as carried over.
        x: (frames, 3): where it points.
        y: (frames, 3): its upward normal.
        heel: (frames,) whether the heel rests.
        toes: (frames,) whether the toes do.
        shape: of the foot.
        fps: frames per second.
    """
    fade = FADE * fps
    turned = basis(x, y)
    heel_places = _places(points + turned @ shape.heel, heel, toes)
    toe_places = _places(points + turned @ shape.toe_tip, toes, heel)
    _keep_length(heel_places, toe_places, heel & toes, float(np.linalg.norm(shape.toe_tip - shape.heel)))
    flat = heel & toes
    level = _level_frames(turned, heel_places, toe_places, flat, shape)
    added = vector_from_quaternion(quaternion_from_matrix(level @ np.swapaxes(turned, 1, 2)))
    turned = matrix_from_vector(faded(added, flat, fade)) @ turned
    ahead = level[:, :, 0].copy()

    kept = points.copy()
    kept[toes] = (toe_places + level @ (shape.ball - shape.toe_tip) - turned @ shape.ball)[toes]
    kept[heel] = (heel_places - turned @ shape.heel)[heel]
    moved = points + faded(kept - points, heel | toes, fade)
    lowest = np.minimum((turned @ shape.heel)[:, 1], (turned @ shape.toe_tip)[:, 1]) + moved[:, 1]
    moved[:, 1] += np.maximum(0.0, -lowest) * ~toes
    return FootWay(moved, turned[:, :, 0].copy(), turned[:, :, 1].copy(), ahead)


def faded(values: Array, known: BoolArray, fade: float) -> Array:
    """Values (frames, n) where known; elsewhere they fade to zero within `fade` frames, or from one to the next."""
    n = len(values)
    frames = np.arange(n)
    before = np.maximum.accumulate(np.where(known, frames, -1))
    after = np.minimum.accumulate(np.where(known, frames, n)[::-1])[::-1]
    gap = np.where((before >= 0) & (after < n), (after - before).astype(np.float64), np.inf)
    span = np.maximum(np.minimum(gap, fade), 1.0)
    left = np.where(before >= 0, 1.0 - smooth((frames - before) / span), 0.0)
    right = np.where(after < n, smooth(1.0 - (after - frames) / span), 0.0)
    mixed: Array = left[:, None] * values[np.maximum(before, 0)] + right[:, None] * values[np.minimum(after, n - 1)]
    return np.where(known[:, None], values, mixed)


def smooth(share: Array) -> Array:
    """From 0 to 1 with neither velocity nor acceleration at the ends."""
    s = np.clip(share, 0.0, 1.0)
    eased: Array = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    return eased


def basis(x: Array, y: Array) -> Array:
    """Rotations (..., 3, 3) with the columns x, y and what is across."""
    return np.stack([x, y, np.cross(x, y)], axis=-1)


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
    heel_runs, toe_runs = _same(heels), _same(toes)
    for _ in range(_ROUNDS if len(together) > 1 else 1):
        for first, _after in together:
            heel, toe = heel_runs[first], toe_runs[first]
            way = toes[first] - heels[first]
            long = float(np.linalg.norm(way))
            if long < 1e-9:
                continue
            move = 0.5 * (1.0 - length / long) * way
            heels[heel] += move
            toes[toe] -= move


def _same(places: Array) -> list[slice]:
    """For each frame, the run of frames with the same place."""
    changes = np.flatnonzero(np.any(np.diff(places, axis=0) != 0.0, axis=1)) + 1
    edges = np.concatenate([[0], changes, [len(places)]])
    run = np.searchsorted(edges, np.arange(len(places)), side="right") - 1
    return [slice(int(edges[k]), int(edges[k + 1])) for k in run]


def _level_frames(turned: Array, heels: Array, toes: Array, flat: BoolArray, shape: FootShape) -> Array:
    """Frames (frames, 3, 3) of a sole flat on the floor: along the places of heel and toes, or where the foot points."""
    own = shape.toe_tip - shape.heel
    way = np.where(flat[:, None], toes - heels, turned @ own)
    angle = np.arctan2(way[:, 2], way[:, 0]) - np.arctan2(own[2], own[0])
    zero = np.zeros(len(angle))
    return basis(np.stack([np.cos(angle), zero, np.sin(angle)], axis=1), np.array([0.0, 1.0, 0.0]) + np.zeros((len(angle), 3)))
