"""How far poses are from standing: feet below, trunk upright, so that directions have a meaning.

For most figures the rest pose stands. Some files have none worth the name (all bones along one axis, legs apart by
twenty degrees); then the frame of their motion that stands best can take its place: often a T-pose that opens the clip,
else someone standing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import UP, Array
from posewright.figures.figure import Figure
from posewright.figures.kinematics import joint_positions

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy

DOUBTFUL = 1.5
"""rad, see `standing_errors`: a pose above it is not a standing one."""
_LEVEL = 0.9
"""rad from the vertical: a trunk further from it lies, a leg nearer to it stands."""
_FRAMES = 200
"""How many frames of a motion are looked at, spread over it; the first ones always."""
_REST_BONUS = 0.6
"""rad: how much worse than a frame the rest pose may look. It was made with care; people in a frame lean and slouch."""


def standing_errors(anatomy: Anatomy, q: Array) -> Array:
    """How far poses (frames, dofs) are from standing, (frames,), rad: a sum of angles, 0 for a T-pose."""
    at = joint_positions(anatomy.figure, np.ascontiguousarray(q))
    place = {part: at[:, anatomy.first(part)] for part in anatomy.parts}
    hips, shoulders = (place[f"left_{part}"] - place[f"right_{part}"] for part in ("hip", "shoulder"))
    middle = 0.5 * (place["left_shoulder"] + place["right_shoulder"] - place["left_hip"] - place["right_hip"])
    total = angle(middle, np.array(UP)) + angle(_level(hips), _level(shoulders))
    forward = np.cross(_level(hips), UP)
    for side in SIDES:
        for above, below in (("hip", "knee"), ("knee", "ankle")):
            total += 0.5 * angle(place[f"{side}_{below}"] - place[f"{side}_{above}"], -np.array(UP))
        if f"{side}_toes" in place:
            total += 0.5 * angle(_level(place[f"{side}_toes"] - place[f"{side}_ankle"]), forward)
    return total + 0.3 * _asymmetry(place, hips)


def on_all_fours(anatomy: Anatomy) -> bool:
    """Whether a recognised body rests on four legs: all limbs go down to one level, from a trunk that lies."""
    at = joint_positions(anatomy.figure, anatomy.figure.rest)
    up = np.array(UP)
    place = {part: at[anatomy.first(part)] for part in anatomy.parts}
    trunk = sum(place[f"{side}_shoulder"] - place[f"{side}_hip"] for side in SIDES)
    if angle(trunk, up) < _LEVEL:
        return False
    down, ends = [], []
    for side in SIDES:
        hand = place.get(f"{side}_wrist", place[f"{side}_elbow"])
        for top, end in ((place[f"{side}_hip"], place[f"{side}_ankle"]), (place[f"{side}_shoulder"], hand)):
            down.append(float(angle(end - top, -up)))
            ends.append(float(end @ up))
    leg = float(np.linalg.norm(place["left_hip"] - place["left_ankle"]))
    return max(down) < _LEVEL and float(np.ptp(ends)) < 0.5 * leg


def standing_figure(anatomy: Anatomy, q: Array) -> Figure:
    """The figure resting as it stands best in some frames (frames, dofs), or as it is if that is about as good."""
    figure = anatomy.figure
    if anatomy.missing or len(q) == 0:
        return figure
    spread = np.linspace(0, len(q) - 1, min(_FRAMES, len(q))).astype(np.int64)
    frames = np.unique(np.concatenate([np.arange(min(2, len(q))), spread]))
    poses = np.concatenate([figure.rest[None], q[frames]])
    errors = standing_errors(anatomy, poses)
    errors[0] -= _REST_BONUS
    best = int(np.argmin(errors))
    return figure if best == 0 else figure.with_rest(poses[best])


def angle(a: Array, b: Array) -> Array:
    """Angles (...,), rad, between vectors (..., 3); half a turn where one vanishes."""
    a, b = np.broadcast_arrays(a, b)
    sizes = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    cosine = np.sum(a * b, axis=-1) / np.maximum(sizes, 1e-12)
    found: Array = np.arccos(np.clip(np.where(sizes > 1e-12, cosine, -1.0), -1.0, 1.0))
    return found


def _level(vectors: Array) -> Array:
    flat: Array = vectors * np.array([1.0, 0.0, 1.0])
    return flat


def _asymmetry(place: dict[str, Array], hips: Array) -> Array:
    """Angle between one arm and the other seen in a mirror, rad."""
    normal = hips / np.maximum(np.linalg.norm(hips, axis=-1, keepdims=True), 1e-12)
    arms = [place[f"{side}_elbow"] - place[f"{side}_shoulder"] for side in SIDES]
    mirrored = arms[1] - 2.0 * np.sum(arms[1] * normal, axis=-1, keepdims=True) * normal
    return angle(arms[0], mirrored)
