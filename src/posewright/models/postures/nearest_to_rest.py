"""The same postures in the angles nearest to rest.

Recorded angles run through whole turns, and three hinges have two triples of angles for every rotation; which one a
clip uses depends on where it began. Only on one branch are the angles of different clips near each other when the
postures are, so that they can be averaged.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_rotation import nearest_turn, other_triple, turns_freely
from posewright.rotations import nearest_branch


def nearest_to_rest(figure: Figure, q: Array) -> Array:
    """Poses (poses, dofs) with every joint's hinges and balls on the branch nearest to its rest values.

    Joints with limits keep their angles: another branch may lie beyond them. What is nearest already keeps its very
    bits. In gimbal lock, where triples of angles for a rotation are without number, two of them are compared.
    """
    out = np.array(q)
    for index, joint in enumerate(figure.joints):
        where = figure.dof_slice(index)
        turning = slice(where.start + len(joint.slides), where.stop)
        if turning.start == turning.stop or np.isfinite([figure.lower[turning], figure.upper[turning]]).any():
            continue
        rest = np.tile(figure.rest[turning], (len(out), 1))
        out[:, turning] = _nearest(joint, out[:, turning], rest)
    return out


def _nearest(joint: Joint, angles: Array, rest: Array) -> Array:
    if joint.ball is not None:
        return nearest_branch(angles, rest)
    found = nearest_turn(angles, rest)
    if not turns_freely(joint):
        return found
    other = nearest_turn(other_triple(joint, angles), rest)
    is_nearer = ((other - rest) ** 2).sum(axis=1) < ((found - rest) ** 2).sum(axis=1)
    nearest: Array = np.where(is_nearer[:, np.newaxis], other, found)
    return nearest
