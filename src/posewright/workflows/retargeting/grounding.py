"""A carried posture laid on the floor: bodies of other proportions would sink into it, or lean on hands under it.

What keeps all bones as they are to each other comes before arms and legs that bend: the body rises for all that its
trunk is under the floor, and for what of hands, elbows and knees is further under it than limbs that turn by a few
degrees bring them up. An arm that points straight down brings up little.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.workflows.retargeting.reach import smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup

_TRUNK = ("pelvis", "spine", "neck", "head", "clavicle", "shoulder", "hip")
_LIMBS = (("shoulder", "elbow", "wrist"), ("hip", "knee"))
_SKIN = 0.005
"""m above the floor at which joints stay."""
_ARM, _LEG = math.radians(5.0), math.radians(18.0)
"""rad by which the bones of arms and legs turn to come up."""
_AT_ONCE = 4096
"""Frames."""


def grounded(setup: RetargetSetup, q: Array) -> Array:
    """Frames (frames, dofs) of the target, raised so that little of it is under the floor."""
    body = setup.match.target
    trunk = [body.last(part) for part in body.parts if part.endswith(_TRUNK)]
    chains = [[f"{side}_{part}" for part in limb] for side in SIDES for limb in _LIMBS]
    limbs = [[body.segments.centre(part) for part in chain] for chain in chains if set(chain) <= set(body.parts)]
    need = np.empty(len(q))
    for start in range(0, len(q), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        places = joint_positions(setup.figure, q[some])
        need[some] = _SKIN - places[:, trunk, 1].min(axis=1)
        for limb in limbs:
            under = _SKIN - places[:, limb[1:], 1] - _gives(places[:, limb])
            np.maximum(need[some], under.max(axis=1), out=need[some])
    return setup.lowered(q, -smooth_need(np.maximum(0.0, need), setup.source.fps)) if (need > 0.0).any() else q


def _gives(places: Array) -> Array:
    """How far (frames, joints - 1), m, the joints of a limb come up below its first, (frames, joints, 3), m."""
    bones = np.diff(places, axis=1)
    long = np.linalg.norm(bones, axis=-1)
    slope = np.arcsin(np.clip(bones[..., 1] / np.maximum(long, 1e-9), -1.0, 1.0))
    turn = _ARM if bones.shape[1] == 2 else _LEG
    found: Array = np.cumsum(long * (np.sin(np.minimum(slope + turn, 0.5 * math.pi)) - np.sin(slope)), axis=1)
    return found
