"""Motions of hinges as motions of balls and back, all joints at once."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint_rotation import turns_freely
from posewright.figures.transforms.balls import HingedAgain
from posewright.figures.transforms.coordinates import converted_q
from posewright.rotations import quaternion_from_vector, quaternion_multiply, vector_from_quaternion


class AsBalls:
    """A figure and the same with balls (`Figure.with_balls`), whose dofs stand in the same places."""

    def __init__(self, figure: Figure, balls: Figure) -> None:
        self._figure, self._balls = figure, balls
        triples = [
            (figure.dof_slice(index).start + len(joint.slides), joint)
            for index, (joint, other) in enumerate(zip(figure.joints, balls.joints, strict=True))
            if other.ball is not None and joint.ball is None
        ]
        self._simple = all(turns_freely(joint) for _, joint in triples)  # others may not reach what balls do
        self._columns = np.array([range(first, first + 3) for first, _ in triples], dtype=np.int64).reshape(-1, 3)
        self._axes = np.array([[hinge.axis for hinge in joint.hinges] for _, joint in triples]).reshape(-1, 3, 3)
        self._hinged = HingedAgain(balls, figure)

    def into(self, q: Array) -> Array:
        """Poses (..., dofs) with rotation vectors, at most half a turn long, instead of the angles of three hinges."""
        if not self._simple:
            return converted_q(self._figure, self._balls, q)
        out = np.array(q)
        if len(self._columns):
            angles = q[..., self._columns]
            turns = quaternion_from_vector(angles[..., 0, None] * self._axes[:, 0])
            for k in (1, 2):
                turns = quaternion_multiply(turns, quaternion_from_vector(angles[..., k, None] * self._axes[:, k]))
            out[..., self._columns] = vector_from_quaternion(turns)
        return out

    def back(self, q: Array) -> Array:
        """The way back for a motion (frames, dofs), in continuous angles that begin nearest to rest."""
        if not self._simple:
            return converted_q(self._balls, self._figure, q)
        return self._hinged(q)
