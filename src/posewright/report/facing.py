"""Which joints are on a figure's left and right, and which way the figure therefore faces."""

from __future__ import annotations

import numpy as np

from posewright.anatomy.sides import side_of
from posewright.conventions import FORWARD, UP, Array, IntArray
from posewright.figures import Figure

_SIGN = {"left": 1, "right": -1, "": 0}


def side_of_joints(figure: Figure) -> IntArray:
    """(joints,): 1 on the left, -1 on the right, 0 between; a joint whose name is silent is on its parent's side."""
    sides = np.zeros(len(figure.joints), dtype=np.int64)
    for index, (joint, parent) in enumerate(zip(figure.joints, figure.parents, strict=True)):
        sides[index] = _SIGN[side_of(joint.name)] or (sides[parent] if parent >= 0 else 0)
    return sides


def facing(figure: Figure, positions: Array) -> Array:
    """Horizontal unit vector (3,) to which a figure faces, from joint positions (..., joints, 3).

    Up and the way from the joints on the right to those on the left tell it; forward where there are none.
    """
    sides = side_of_joints(figure)
    if (sides == 1).any() and (sides == -1).any():
        points = positions.reshape(-1, len(sides), 3)
        left = (points[:, sides == 1].mean(axis=1) - points[:, sides == -1].mean(axis=1)).sum(axis=0)
        front = np.cross(left, UP)
        if np.linalg.norm(front) > 1e-6 * np.ptp(points.reshape(-1, 3), axis=0).max():
            return np.asarray(front / np.linalg.norm(front))
    return np.array(FORWARD)
