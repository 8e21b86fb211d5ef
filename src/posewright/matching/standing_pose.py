"""The pose in which a figure stands: feet flat, trunk upright, so that directions have a meaning.

For most figures that is the rest pose. Some files have none worth the name (all bones along one axis, legs apart by
twenty degrees); then the frame of their motion that stands best takes its place: often a T-pose that opens the clip,
else someone standing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.anatomy.body import Body
from posewright.anatomy.parts import SIDES
from posewright.checks import require
from posewright.conventions import UP, Array
from posewright.figures import Ball, Figure, Joint
from posewright.figures.kinematics import joint_positions
from posewright.motions import Motion

_FRAMES = 200
"""How many frames of a motion are looked at, spread over it; the first ones always."""
_REST_BONUS = 0.6
"""rad: how much worse than a frame the rest pose may look. It was made with care; people in a frame lean and slouch."""
DOUBTFUL = 1.5
"""rad, see `unease`: a pose above it is no standing one."""


def standing(loaded: Figure | Motion, body: Body | None = None) -> Figure:
    """The figure with the pose in which it stands as its rest pose; of a figure without motion, itself."""
    require(loaded, Figure | Motion, "what shall stand", "a Figure or a Motion, such as load(path)")
    if isinstance(loaded, Figure) or len(loaded) == 0:
        return loaded if isinstance(loaded, Figure) else loaded.figure
    figure = loaded.figure
    body = body or Body.find(figure).require()
    spread = np.linspace(0, len(loaded) - 1, min(_FRAMES, len(loaded))).astype(np.int64)
    frames = np.unique(np.concatenate([np.arange(min(2, len(loaded))), spread]))
    poses = np.concatenate([figure.rest[None], loaded.q[frames]])
    unrest = unease(body, poses)
    unrest[0] -= _REST_BONUS
    best = int(np.argmin(unrest))
    return figure if best == 0 else resting_at(figure, poses[best])


def unease(body: Body, q: Array) -> Array:
    """How far poses (frames, dofs) are from standing at ease, (frames,), rad: a sum of angles, 0 for a T-pose."""
    at = joint_positions(body.figure, np.ascontiguousarray(q))
    place = {part: at[:, body.first(part)] for part in body.joints}
    hips, shoulders = (_across(place, part) for part in ("hip", "shoulder"))
    middle = 0.5 * (place["left_shoulder"] + place["right_shoulder"] - place["left_hip"] - place["right_hip"])
    total = angle(middle, np.array(UP)) + angle(_level(hips), _level(shoulders))
    forward = np.cross(_level(hips), UP)
    for side in SIDES:
        for above, below in (("hip", "knee"), ("knee", "ankle")):
            total += 0.5 * angle(place[f"{side}_{below}"] - place[f"{side}_{above}"], -np.array(UP))
        if f"{side}_toes" in place:
            total += 0.5 * angle(_level(place[f"{side}_toes"] - place[f"{side}_ankle"]), forward)
    return total + 0.3 * _asymmetry(place, hips)


def resting_at(figure: Figure, q: Array) -> Figure:
    """The same figure with the values of `q` (dofs,), brought within the limits, as rest values."""
    values = np.clip(q, figure.lower, figure.upper)
    joints = tuple(_resting(joint, values[figure.dof_slice(k)].tolist()) for k, joint in enumerate(figure.joints))
    return replace(figure, joints=joints)


def angle(a: Array, b: Array) -> Array:
    """Angles (...,), rad, between vectors (..., 3); half a turn where one vanishes."""
    a, b = np.broadcast_arrays(a, b)
    sizes = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    cosine = np.sum(a * b, axis=-1) / np.maximum(sizes, 1e-12)
    found: Array = np.arccos(np.clip(np.where(sizes > 1e-12, cosine, -1.0), -1.0, 1.0))
    return found


def _resting(joint: Joint, values: list[float]) -> Joint:
    n = len(joint.slides)
    slides = tuple(replace(slide, rest=value) for slide, value in zip(joint.slides, values[:n], strict=True))
    if isinstance(joint.rotation, Ball):
        x, y, z = values[n:]
        return replace(joint, slides=slides, rotation=replace(joint.rotation, rest=(x, y, z)))
    hinges = tuple(replace(hinge, rest=value) for hinge, value in zip(joint.rotation, values[n:], strict=True))
    return replace(joint, slides=slides, rotation=hinges)


def _across(place: dict[str, Array], part: str) -> Array:
    return place[f"left_{part}"] - place[f"right_{part}"]


def _level(vectors: Array) -> Array:
    flat: Array = vectors * np.array([1.0, 0.0, 1.0])
    return flat


def _asymmetry(place: dict[str, Array], hips: Array) -> Array:
    """Angle between one arm and the other seen in a mirror, rad."""
    normal = hips / np.maximum(np.linalg.norm(hips, axis=-1, keepdims=True), 1e-12)
    arms = [place[f"{side}_elbow"] - place[f"{side}_shoulder"] for side in SIDES]
    mirrored = arms[1] - 2.0 * np.sum(arms[1] * normal, axis=-1, keepdims=True) * normal
    return angle(arms[0], mirrored)
