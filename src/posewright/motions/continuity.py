"""Continuous angles: the same motion in numbers that do not jump by whole turns nor flip in gimbal lock."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import nearest_turn, other_triple, turns_freely
from posewright.motions.motion import Motion
from posewright.rotations import nearest_branch


def unwrapped(motion: Motion) -> Motion:
    """See `Motion.unwrapped`; the first frame stays.

    Hinges change by whole turns, three perpendicular hinges also to their second triple of equal meaning
    (a+π, π-b, c+π), balls to another branch of their vector. The world sees no difference.
    """
    q = motion.q.copy()
    for index, joint in enumerate(motion.figure.joints):
        where = motion.figure.dof_slice(index)
        rotation = slice(where.start + len(joint.slides), where.stop)
        q[:, rotation] = follow(joint, q[:, rotation])
    return motion.with_q(q)


def follow(joint: Joint, angles: Array) -> Array:
    """Continuous numbers (frames, n) of one joint's hinges or ball."""
    if len(angles) < 2 or angles.shape[1] == 0:
        return angles
    if joint.ball is not None:
        return nearest_branch(angles, angles[0])
    if turns_freely(joint):
        angles = _follow_triples(joint, angles)
    return np.unwrap(angles, axis=0)


def _follow_triples(joint: Joint, angles: Array) -> Array:
    # Exchanging both triples of two frames keeps their distance, so whether to exchange *relative to the frame
    # before* does not depend on earlier choices, and the choices are a running parity.
    other = other_triple(joint, angles)
    stay = nearest_turn(angles[1:], angles[:-1]) - angles[:-1]
    change = nearest_turn(other[1:], angles[:-1]) - angles[:-1]
    changes = np.sum(change**2, axis=1) < np.sum(stay**2, axis=1)
    exchanged = np.concatenate([[False], np.cumsum(changes) % 2 == 1])
    followed: Array = np.where(exchanged[:, None], other, angles)
    return followed
