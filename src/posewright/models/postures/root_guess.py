"""Where the root of a designed posture is: as its goals ask, otherwise as in postures that do what is wanted.

The root is never recruited for a goal (it would join all parts of the body), so it is placed before them. What no goal
says about it, its height and how it leans, is blended from the postures nearest to all goals as seen from the floor.
Its place on the floor and its heading stay as in the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint_coordinates import joint_coordinates
from posewright.figures.kinematics import joint_frames
from posewright.models.postures.site_query import RootFrame, SiteQuery
from posewright.motions.placing import roots
from posewright.rotations import matrix_from_vector


class FigureRoot:
    """The first root of a figure: from coordinates to its frame and back."""

    def __init__(self, figure: Figure) -> None:
        self._figure, self.index = figure, roots(figure)[0]
        self._joint, self.dofs = figure.joints[self.index], figure.dof_slice(self.index)
        self.name = self._joint.name
        self._rest = self.frame(figure.rest).rotation.T

    def frame(self, q: Array) -> RootFrame:
        """Where it is in a pose `q` (dofs,)."""
        frames = joint_frames(self._figure, q)
        return RootFrame(frames.positions[self.index], frames.rotations[self.index])

    def put(self, frame: RootFrame, q: Array) -> RootFrame:
        """Write its dofs of `q` (dofs,) so that it is in a frame, or as near as it can be; return where it is."""
        point, rotation = frame.point[np.newaxis], frame.rotation[np.newaxis]
        found = joint_coordinates(self._joint, point, rotation, q[self.dofs])[0]
        q[self.dofs] = np.clip(found, self._figure.lower[self.dofs], self._figure.upper[self.dofs])
        return self.frame(q)

    def floor(self, frame: RootFrame) -> RootFrame:
        """The point of the floor below a frame, with its heading: where normalised postures are put."""
        R = frame.rotation @ self._rest
        # The yaw nearest to a rotation maximises tr(R_yᵀ R): the twist of its swing-twist split.
        yaw = math.atan2(R[0, 2] - R[2, 0], R[0, 0] + R[2, 2])
        c, s = math.cos(yaw), math.sin(yaw)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        return RootFrame(np.array([frame.point[0], 0.0, frame.point[2]]), turn)


class RootGoals:
    """What goals want of the root itself."""

    def __init__(self, figure: Figure, queries: Sequence[SiteQuery]) -> None:
        """Of sites on the root."""
        self.labels = tuple(dict.fromkeys(query.goal.label for query in queries))
        sites = [figure.site(query.site) for query in queries]
        axes = [_axes(np.array(site.x_axis), np.array(site.y_axis)) for site in sites]
        self._queries = list(zip(queries, axes, [np.array(site.point) for site in sites], strict=True))
        self.give_place = any(query.is_point and query.term.fixes for query in queries)
        """Whether its place is given."""
        self.give_turn = any(not query.is_point and query.term.fixes for query in queries)
        """Whether its orientation is given."""

    def applied(self, frame: RootFrame, targets: Array) -> RootFrame:
        """A frame, turned and moved as wanted."""
        rotation, point = frame.rotation, frame.point
        for query, axes, _ in self._queries:
            target = targets[query.row]
            if query.term.takes == ("x", "y"):
                rotation = _axes(target[3:6], target[6:9]) @ axes.T
            elif query.term.takes == ("x",):
                rotation = _shortest_turn(rotation @ (axes @ np.array(query.axis)), target[3:6]) @ rotation
        for query, _, own in self._queries:
            if query.is_point and query.term.fixes:
                point = targets[query.row, :3] - rotation @ own
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
