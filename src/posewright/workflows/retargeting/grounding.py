"""A carried posture laid on the floor: bodies of other proportions would sink into it, or lean on hands under it.

Where trunk, head or limbs are under the floor, the whole body rises and leans a little about its pelvis, as far as
that helps: what keeps all bones as they are to each other comes before arms and legs that bend. Feet that rest hold
the lean back. The body rises for all that its trunk is under the floor, and for what of hands, elbows and knees is
further under it than limbs that turn by a few degrees bring them up: an arm that points straight down brings up little.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import joint_frames
from posewright.motions.smoothing import gaussian
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
_LIMBS = (("shoulder", "elbow", "wrist"), ("hip", "knee"))
_SKIN = 0.005
"""m above the floor at which joints stay."""
_LEAN = math.radians(5.0)
"""rad by which a body leans at most."""
_TRUNK_WEIGHT, _FEET_WEIGHT = 3.0, 4.0
"""Of trunk and head, and of feet that rest, over that of limbs."""
_RISE_COST, _LEAN_COST = 0.05, 0.05
"""Of 1 m and of 1 rad, squared, over that of a limb 1 m under the floor."""
_ROUNDS = 6
_SLOW = 0.08
"""s: the width of what smooths the lean."""
_ARM, _LEG = math.radians(5.0), math.radians(18.0)
"""rad by which the bones of arms and legs turn to come up."""
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
    trunk = [body.last(part) for part in body.parts if part.endswith(_TRUNK)]
    bones = [
        [body.segments.centre(part) for part in chain]
        for chain in (tuple(f"{side}_{part}" for part in limb) for side in SIDES for limb in _LIMBS)
        if all(part in body.parts for part in chain)
    ]
    limbs = [joint for chain in bones for joint in chain[1:]]
    feet = [body.segments.centre(f"{side}_ankle") for side in SIDES]
    pelvis = body.last("pelvis")
    above = setup.figure.parents[pelvis]
    deep = np.empty((len(q), len(trunk) + len(limbs)))
    gives, levers = np.zeros_like(deep), np.empty((len(q), deep.shape[1] + 2, 3))
    turns = np.empty((len(q), 3, 3))
    for start in range(0, len(q), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        frames = joint_frames(setup.figure, q[some])
        deep[some] = _SKIN - frames.positions[:, [*trunk, *limbs], 1]
        gives[some, len(trunk) :] = np.concatenate([_gives(frames.positions[:, chain]) for chain in bones], axis=1)
        levers[some] = frames.positions[:, [*trunk, *limbs, *feet]] - frames.positions[:, [pelvis]]
        turns[some] = frames.rotations[:, above] if above >= 0 else np.eye(3)
    if not (deep > 0.0).any():
        return q
    lean = np.zeros((len(q), 2))
    if setup.figure.joints[pelvis].ball is not None:
        weights = np.where(np.arange(deep.shape[1]) < len(trunk), _TRUNK_WEIGHT, 1.0)
        lean = gaussian(_leans(deep, levers, weights, resting), max(0.5, _SLOW * fps))
        lean *= np.minimum(1.0, _LEAN / np.maximum(np.linalg.norm(lean, axis=1, keepdims=True), 1e-9))
    deep -= (_rows(levers[:, :-2])[..., :2] * lean[:, None]).sum(axis=-1)
    out = setup.lowered(q, -smooth_need(np.maximum(0.0, (deep - gives).max(axis=1)), fps))
    if lean.any():
        where = setup.figure.dof_slice(pelvis)
        out[:, where.stop - 3 : where.stop] = _leant(setup, pelvis, out[:, where.stop - 3 : where.stop], lean, turns)
    return out


def _gives(places: Array) -> Array:
    """How far (frames, joints - 1), m, the joints of a limb come up below its first, (frames, joints, 3), m."""
    bones = np.diff(places, axis=1)
    long = np.linalg.norm(bones, axis=-1)
    slope = np.arcsin(np.clip(bones[..., 1] / np.maximum(long, 1e-9), -1.0, 1.0))
    turn = _ARM if bones.shape[1] == 2 else _LEG
    found: Array = np.cumsum(long * (np.sin(np.minimum(slope + turn, 0.5 * math.pi)) - np.sin(slope)), axis=1)
    return found


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
