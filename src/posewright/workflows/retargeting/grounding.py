"""A carried posture laid on the floor: bodies of other proportions would sink into it, or lean on hands under it.

Where trunk, head or limbs are under the floor, the whole body rises and leans a little about its pelvis, as far as
that helps: what keeps all bones as they are to each other comes before arms and legs that bend. Feet that rest hold it
back; of what hands, elbows and knees are under the floor, a body that sits or lies rises for none, for it would float,
and one upside down for all, for it stands on them.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import joint_frames
from posewright.motions.smoothing import gaussian
from posewright.motions.splines import ease
from posewright.rotations import (
    matrix_from_quaternion,
    nearest_branch,
    quaternion_from_matrix,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)
from posewright.workflows.retargeting.reach import smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup

_TRUNK = ("pelvis", "spine", "neck", "head", "clavicle", "shoulder", "hip")
_LIMBS = ("elbow", "wrist", "knee")
_SKIN = 0.005
"""m above the floor at which joints stay."""
_LEAN = math.radians(8.0)
"""rad by which a body leans at most."""
_TRUNK_WEIGHT, _FEET_WEIGHT = 3.0, 4.0
"""Of trunk and head, and of feet that rest, over that of limbs."""
_RISE_COST, _LEAN_COST = 0.05, 0.05
"""Of 1 m and of 1 rad, squared, over that of a limb 1 m under the floor."""
_ROUNDS = 6
_SLOW = 0.08
"""s: the width of what smooths the lean."""
_SITS, _STANDS = 0.4, 0.7
"""Heights of hips over the length of the legs: below, a body sits, kneels or lies; above, it stands."""
_ON_FEET = 0.8
"""Share of what limbs are under the floor by which a body rises that stands on its feet."""
_AT_ONCE = 4096
"""Frames."""


def grounded(setup: RetargetSetup, q: Array, resting: BoolArray) -> Array:
    """Frames (frames, dofs) of the target, risen and leant so that little of it is under the floor.

    Args:
        setup: both figures.
        q: (frames, dofs): the carried posture.
        resting: (frames, 2): whether left and right foot rest.
    """
    body, fps = setup.match.target, setup.source.fps
    centre = {part: body.segments.centre(part) for part in body.parts if part.endswith((*_TRUNK, *_LIMBS))}
    trunk = [body.last(part) if part in ("spine", "head") else k for part, k in centre.items() if part.endswith(_TRUNK)]
    limbs = [k for part, k in centre.items() if part.endswith(_LIMBS)]
    feet = [centre_of for centre_of in (body.segments.centre(f"{side}_ankle") for side in SIDES)]
    pelvis, hips = body.last("pelvis"), [centre[f"{side}_hip"] for side in SIDES]
    heights, levers = np.empty((len(q), len(trunk) + len(limbs))), np.empty((len(q), len(trunk) + len(limbs) + 2, 3))
    high, turns = np.empty(len(q)), np.empty((len(q), 3, 3))
    above = setup.figure.parents[pelvis]
    for start in range(0, len(q), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        frames = joint_frames(setup.figure, q[some])
        heights[some] = frames.positions[:, [*trunk, *limbs], 1]
        levers[some] = frames.positions[:, [*trunk, *limbs, *feet]] - frames.positions[:, [pelvis]]
        high[some] = frames.positions[:, hips, 1].mean(axis=1)
        turns[some] = frames.rotations[:, above] if above >= 0 else np.eye(3)
    deep = _SKIN - heights
    if not (deep > 0.0).any():
        return q
    n_trunk, sigma = len(trunk), _SLOW * fps
    lean = np.zeros((len(q), 2))
    if setup.figure.joints[pelvis].ball is not None:
        weights = np.where(np.arange(deep.shape[1]) < n_trunk, _TRUNK_WEIGHT, 1.0)
        lean = _leans(deep, levers, weights, resting)
        lean = gaussian(lean, sigma) if sigma >= 0.5 else lean
        lean *= np.minimum(1.0, _LEAN / np.maximum(np.linalg.norm(lean, axis=1, keepdims=True), 1e-9))
    deep -= (_rows(levers[:, :-2])[..., :2] * lean[:, None]).sum(axis=-1)
    stands = ease((high / body.segments.leg_length - _SITS) / (_STANDS - _SITS))
    on_feet = resting.any(axis=1).astype(np.float64)
    on_feet = gaussian(on_feet, sigma) if sigma >= 0.5 else on_feet
    share = stands * (1.0 - (1.0 - _ON_FEET) * on_feet)
    rise = np.maximum(deep[:, :n_trunk].max(axis=1), share * deep[:, n_trunk:].max(axis=1, initial=0.0))
    out = setup.lowered(q, -smooth_need(np.maximum(0.0, rise), fps))
    if lean.any():
        where = setup.figure.dof_slice(pelvis)
        out[:, where.stop - 3 : where.stop] = _leant(setup, pelvis, out[:, where.stop - 3 : where.stop], lean, turns)
    return out


def _rows(levers: Array) -> Array:
    """What heights (..., 3) gain by leaning about x and z (rad) and by rising (m), at levers (..., 3), m."""
    return np.stack([-levers[..., 2], levers[..., 0], np.ones(levers.shape[:-1])], axis=-1)


def _leans(deep: Array, levers: Array, weights: Array, resting: BoolArray) -> Array:
    """Leans (frames, 2) about x and z, rad, that bring points up at the least cost, together with a rise.

    Args:
        deep: (frames, points), m: how far points are under the floor; negative above it.
        levers: (frames, points + 2, 3), m: of points and of both ankles from the pelvis.
        weights: (points,)
        resting: (frames, 2): whether feet rest, which stay as high as they are.
    """
    leans = np.zeros((len(deep), 2))
    some = np.flatnonzero((deep > 0.0).any(axis=1))
    rows, wanted = _rows(levers[some]), deep[some]
    points, feet = rows[:, :-2], rows[:, -2:]
    held = np.einsum("fk,fki,fkj->fij", _FEET_WEIGHT * resting[some], feet, feet)
    held += np.diag([_LEAN_COST, _LEAN_COST, _RISE_COST])
    found = np.zeros((len(some), 3))
    for _ in range(_ROUNDS):
        active = weights * (wanted > np.einsum("fki,fi->fk", points, found))
        matrix = held + np.einsum("fk,fki,fkj->fij", active, points, points)
        found = np.linalg.solve(matrix, np.einsum("fk,fki,fk->fi", active, points, wanted)[..., None])[..., 0]
    leans[some] = found[:, :2]
    return leans


def _leant(setup: RetargetSetup, pelvis: int, w: Array, lean: Array, above: Array) -> Array:
    """Rotation vectors (frames, 3) of the pelvis, leant about the world's x and z."""
    rest = quaternion_multiply(quaternion_from_matrix(above), np.array(setup.figure.joints[pelvis].rest))
    axis = np.stack([lean[:, 0], np.zeros(len(lean)), lean[:, 1]], axis=1)
    own = np.einsum("fij,fi->fj", matrix_from_quaternion(rest), axis)  # the lean, seen from the joint at rest
    turned = quaternion_multiply(quaternion_from_vector(own), quaternion_from_vector(w))
    return nearest_branch(vector_from_quaternion(turned), w)
