"""How far poses are from standing: feet down and trunk upright, so that directions are meaningful.

Most figures stand in their rest pose. In some files they do not (all bones along one axis, legs spread by twenty
degrees). The frame of the motion that is nearest to standing can then replace it, often a T-pose at the start.
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
"""rad, see `standing_errors`: a pose with a larger error does not stand."""
_LEVEL = 0.9
"""rad from the vertical: a trunk further away is horizontal, a leg nearer stands."""
_FRAMES = 200
"""Number of frames of a motion that are examined, evenly spread, besides the first two."""
_REST_BONUS = 0.6
"""rad: how much worse than a frame the rest pose may be. It was made with care; in frames people lean and slouch."""


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
    """Whether a recognised body stands on four legs: all limbs point down to one level from a horizontal trunk."""
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
    """The figure with the frame (of (frames, dofs)) nearest to standing as its rest pose, if that is clearly better."""
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
    """Angles (...,), rad, between vectors (..., 3); pi if one is zero."""
    a, b = np.broadcast_arrays(a, b)
    sizes = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    cosine = np.sum(a * b, axis=-1) / np.maximum(sizes, 1e-12)
    found: Array = np.arccos(np.clip(np.where(sizes > 1e-12, cosine, -1.0), -1.0, 1.0))
    return found


def _level(vectors: Array) -> Array:
    flat: Array = vectors * np.array([1.0, 0.0, 1.0])
    return flat


def _asymmetry(place: dict[str, Array], hips: Array) -> Array:
    """Angle between one arm and the mirror image of the other, rad."""
    normal = hips / np.maximum(np.linalg.norm(hips, axis=-1, keepdims=True), 1e-12)
    arms = [place[f"{side}_elbow"] - place[f"{side}_shoulder"] for side in SIDES]
    mirrored = arms[1] - 2.0 * np.sum(arms[1] * normal, axis=-1, keepdims=True) * normal
    return angle(arms[0], mirrored)
