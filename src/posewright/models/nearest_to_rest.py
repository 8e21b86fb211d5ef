"""The same postures in the angles nearest to rest.

Recorded angles run through whole turns, and three hinges have two triples of angles for every rotation; which one a
clip uses depends on where it began. Only on one branch are the angles of different clips near each other when the
postures are, so that they can be averaged.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figure import Figure
from posewright.figure.joint import Joint
from posewright.figure.turning import angles_of, nearest_turn, turn_of, turns_freely


def nearest_to_rest(figure: Figure, q: Array) -> Array:
    """Poses (poses, dofs) with every joint's hinges and balls on the branch nearest to its rest values.

    Joints with limits keep their angles: another branch may lie beyond them.
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
    if turns_freely(joint):
        return angles_of(joint, turn_of(joint, angles), rest)
    return nearest_turn(angles, rest)
