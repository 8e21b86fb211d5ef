"""Joints of a figure relative to their parents, which is how glTF moves nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames
from posewright.rotations import quaternion_from_matrix


def local_frames(figure: Figure, q: Array, parents: Sequence[int] | None = None) -> tuple[Array, Array]:
    """Positions (frames, joints, 3) and rotations (frames, joints, 3, 3) of joints in their parents' frames.

    Args:
        figure: the figure.
        q: (frames, dofs)
        parents: other parents than the figure's own; -1 leaves a joint in the world's frame.
    """
    frames = joint_frames(figure, q)
    parent = np.array(figure.parents if parents is None else parents, dtype=np.int64)
    above = frames.rotations[:, parent]
    origin = frames.positions[:, parent]
    roots = parent < 0
    above[:, roots], origin[:, roots] = np.eye(3), 0.0
    back = np.swapaxes(above, -1, -2)
    return np.einsum("fjab,fjb->fja", back, frames.positions - origin), back @ frames.rotations


def local_quaternions(figure: Figure, q: Array) -> tuple[Array, Array]:
    """Positions (frames, joints, 3) and rotations (frames, joints, 4) wxyz in the parents' frames."""
    positions, rotations = local_frames(figure, q)
    return positions, quaternion_from_matrix(rotations)
