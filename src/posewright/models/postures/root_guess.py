"""Where the root of a designed posture is: as its goals say, for the rest as in postures that do what is wanted.

The root is never recruited for a goal (it would glue all parts of the body together), so it is settled before them.
What no goal says of it is blended from the postures nearest to all goals as seen from the floor: its height and how it
leans. Its place on the floor and its heading stay as in the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint import NO_TURN
from posewright.figures.joint_inverse import joint_coordinates
from posewright.figures.joint_rotation import turns_freely
from posewright.figures.kinematics import joint_frames
from posewright.figures.tables import effective_offset
from posewright.kernels.postures.splicing import rotation_vector
from posewright.kernels.rotations import exp_matrix
from posewright.kernels.tables import DIRECTION, POSITION, ROTATION
from posewright.models.postures.site_query import RootFrame, Want
from posewright.motions.placing import roots
from posewright.rotations import matrix_from_vector


@dataclass(frozen=True, eq=False)
class Floor:
    """The place on the floor under the root and its heading: where normalised postures are put."""

    point: Array
    """(3,), m; its height is 0"""
    turn: Array
    """(3, 3), about the vertical"""

    def of_point(self, point: Array) -> Array:
        """A point of the world as it would be in a normalised posture."""
        seen: Array = (point - self.point) @ self.turn
        return seen


class RootOf:
    """The first root of a figure: its frame for coordinates, and the way back."""

    def __init__(self, figure: Figure) -> None:
        self.figure, self.index = figure, roots(figure)[0]
        self.joint, self.where = figure.joints[self.index], figure.dof_slice(self.index)
        self.name = self.joint.name
        self.member = np.array([self.index], dtype=np.int64)
        self._lower, self._upper = figure.lower[self.where], figure.upper[self.where]
        self._sliding = slice(self.where.start, self.where.start + 3)
        self._turning = slice(self.where.start + 3, self.where.start + 6)
        axes = np.array([slide.axis for slide in self.joint.slides]).reshape(-1, 3)
        self.is_free = (
            turns_freely(self.joint)
            and self.joint.rest == NO_TURN
            and np.array_equal(axes, np.eye(3))
            and not any(effective_offset(self.joint))
            and bool(np.isinf([self._lower, self._upper]).all())
        )
        """Whether it can be anywhere, by three slides along the axes and then a ball or three hinges."""
        self._has_ball = self.is_free and self.joint.ball is not None
        self._rest = self.frame(figure.rest).rotation.T

    def frame(self, q: Array) -> RootFrame:
        """Where it is in a pose `q` (dofs,)."""
        if self._has_ball:
            rotation = np.empty((3, 3))
            exp_matrix(q[self._turning], rotation)
            return RootFrame(q[self._sliding].copy(), rotation)
        frames = joint_frames(self.figure, q)
        return RootFrame(frames.positions[self.index], frames.rotations[self.index])

    def put(self, frame: RootFrame, q: Array) -> RootFrame:
        """Write its dofs of `q` (dofs,) so that it is in a frame, or as near as it can be; return where it is."""
        if self._has_ball:
            q[self._sliding] = frame.point
            rotation_vector(frame.rotation, q[self._turning])
            return frame
        point, rotation = frame.point[np.newaxis], frame.rotation[np.newaxis]
        found = joint_coordinates(self.joint, point, rotation, q[self.where])[0]
        q[self.where] = np.clip(found, self._lower, self._upper)
        return self.frame(q)

    def floor(self, frame: RootFrame) -> Floor:
        """What is below a frame, and the heading nearest to its orientation."""
        R = frame.rotation @ self._rest
        # The yaw nearest to a rotation maximises tr(R_yᵀ R): the twist of its swing-twist split.
        yaw = math.atan2(R[0, 2] - R[2, 0], R[0, 0] + R[2, 2])
        c, s = math.cos(yaw), math.sin(yaw)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        return Floor(np.array([frame.point[0], 0.0, frame.point[2]]), turn)


class RootGoals:
    """What goals say of the root itself."""

    def __init__(self, figure: Figure, wants: Sequence[Want]) -> None:
        self.wants = tuple(wants)
        """Of sites on the root."""
        self.labels = tuple(dict.fromkeys(want.goal.label for want in wants))
        sites = [figure.site(want.site) for want in wants]
        self._axes = [_axes(np.array(site.x_axis), np.array(site.y_axis)) for site in sites]
        self._points = [np.array(site.point) for site in sites]
        self.says_place = any(want.kind == POSITION for want in wants)
        """Whether its place is given."""
        self.says_turn = any(want.kind == ROTATION for want in wants)
        """Whether its orientation is given."""

    @property
    def held_point(self) -> Array:
        """(3,), m: the point of the root that the last goal is about."""
        return self._points[-1]

    @property
    def says_place_only(self) -> bool:
        """Whether no goal is about how it is turned."""
        return all(want.kind == POSITION for want in self.wants)

    def applied(self, frame: RootFrame, targets: Array) -> RootFrame:
        """A frame, turned and moved as wanted."""
        if not self.wants:
            return frame
        rotation, point = frame.rotation, frame.point
        for want, axes in zip(self.wants, self._axes, strict=True):
            target = targets[want.row]
            if want.kind == ROTATION:
                rotation = _axes(target[3:6], target[6:9]) @ axes.T
            elif want.kind == DIRECTION:
                rotation = _shortest_turn(rotation @ (axes @ np.array(want.axis)), target[3:6]) @ rotation
        for want, own in zip(self.wants, self._points, strict=True):
            if want.kind == POSITION:
                point = targets[want.row, :3] - rotation @ own
        return RootFrame(point, rotation)


def _axes(x: Array, y: Array) -> Array:
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _shortest_turn(here: Array, there: Array) -> Array:
    """The rotation (3, 3) that takes one unit vector to another."""
    across = np.cross(here, there)
    sine, cosine = float(np.linalg.norm(across)), float(here @ there)
    if sine < 1e-12:
        across, sine = np.cross(here, np.eye(3)[int(np.abs(here).argmin())]), 0.0
    length = float(np.linalg.norm(across))
    return np.asarray(matrix_from_vector(across / length * math.atan2(sine, cosine)))
