"""Position and heading of a motion on the floor: removed before learning, restored afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint import NO_TURN
from posewright.figures.kinematics import joint_frames
from posewright.motions.placing import heading, move_slides, moved_q, roots, turns_about_vertical
from posewright.problem.space import Space, recharted
from posewright.rotations import quaternion_conjugate, quaternion_multiply


@dataclass(frozen=True)
class FloorPlacement:
    """A place on the floor and a heading."""

    x: float = 0.0
    """m"""
    z: float = 0.0
    """m"""
    yaw: float = 0.0
    """rad about the vertical, counter-clockwise from above; 0: faces as at rest"""

    @classmethod
    def of(cls, figure: Figure, q: Array) -> FloorPlacement:
        """The position of the first root of a pose, and the turn about the vertical nearest to its orientation."""
        x, z, yaw = floor_places(figure, q).tolist()
        return cls(x, z, yaw)

    def into_chart(self, vectors: Space, q: Array) -> Array:
        """Poses (..., dofs) of a figure at this placement, moved to the origin, in the chart of `vectors`."""
        if not self._turns_by_balls(vectors.figure):
            return vectors.in_chart(brought_back(vectors.figure, q, np.array([self.x, self.z, self.yaw])))
        columns, references = vectors.charted
        own = recharted(np.array(q), columns, quaternion_conjugate(self._turned(vectors, references)))
        move_slides(vectors.figure, own, *_back(np.array([self.x, self.z, self.yaw])))
        return own

    def out_of_chart(self, vectors: Space, q: Array) -> Array:
        """The inverse of `into_chart`; may change the given array."""
        here, yaw = np.array([self.x, 0.0, self.z]), np.array(self.yaw)
        if not self._turns_by_balls(vectors.figure):
            return moved_q(vectors.figure, vectors.out_of_chart(q), here, yaw)
        columns, references = vectors.charted
        own = recharted(q, columns, self._turned(vectors, references))
        move_slides(vectors.figure, own, here, yaw)
        return own

    def _turns_by_balls(self, figure: Figure) -> bool:
        return all(figure.joints[root].ball is not None for root in roots(figure))

    def _turned(self, vectors: Space, references: Array) -> Array:
        """The chart's rotations (balls, 4); those of roots are preceded by the turn of this placement."""
        turned = references.copy()
        own = yaw = np.array([math.cos(0.5 * self.yaw), 0.0, math.sin(0.5 * self.yaw), 0.0])
        for k, (name, _) in enumerate(vectors.chart):
            joint = vectors.figure.joint(name)
            if joint.parent is not None:
                continue
            if joint.rest != NO_TURN:
                rest = np.array(joint.rest)
                own = quaternion_multiply(quaternion_conjugate(rest), quaternion_multiply(yaw, rest))
            turned[k] = quaternion_multiply(own, turned[k])
        return turned

    def seen_from(self, targets: Array) -> Array:
        """Targets of goals (..., 9), a point (m) and two directions, in the frame of this placement."""
        R = turns_about_vertical(np.array(self.yaw))
        shift = np.array([self.x, 0.0, self.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        turned: Array = ((targets - shift).reshape(*targets.shape[:-1], 3, 3) @ R).reshape(targets.shape)
        return turned


def floor_places(figure: Figure, q: Array) -> Array:
    """Placements of the first root in poses (..., dofs): x, z (m) and the nearest turn (rad)."""
    frames = joint_frames(figure, q)
    root = roots(figure)[0]
    rest = joint_frames(figure, figure.rest).rotations[root]
    yaw = heading(frames.rotations[..., root, :, :] @ rest.T)
    places = frames.positions[..., root, :]
    return np.stack([places[..., 0], places[..., 2], yaw], axis=-1)


def brought_back(figure: Figure, q: Array, places: Array) -> Array:
    """Poses (..., dofs) with given placements (..., 3), see `floor_places`, moved to the origin."""
    return moved_q(figure, q, *_back(places))


def _back(places: Array) -> tuple[Array, Array]:
    """The translations (..., 3) and turns (...) that move placements to the origin."""
    x, z, yaw = places[..., 0], places[..., 1], places[..., 2]
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return np.stack([sine * z - cosine * x, np.zeros_like(x), -sine * x - cosine * z], axis=-1), -yaw
