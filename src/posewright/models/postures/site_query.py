"""Queries of goals to postures: values in the frame of the root by which samples are compared (Li et al., section 4.2).

A point gives three numbers, a direction three, a line two, a plane one. They are taken in the root frame assumed for
the answer, so that position and heading of a sample do not matter. Lengths are divided by the figure's reach. Goals
about the root itself determine that frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint_coordinates import joint_coordinates
from posewright.figures.kinematics import joint_frames
from posewright.goals import Goal
from posewright.goals.fields import Point
from posewright.goals.term import SiteTerm, SiteValues
from posewright.models.postures.figure_postures import QueryColumn
from posewright.motions.placing import heading, roots, turns_about_vertical
from posewright.problem.lowered_problem import LoweredProblem
from posewright.rotations import matrix_from_axes, matrix_from_vector


@dataclass(frozen=True, eq=False)
class RootFrame:
    """Position and orientation of the root of a posture."""

    point: Array
    """(3,), m"""
    rotation: Array
    """(3, 3): world_from_root"""

    def of_targets(self, targets: Array) -> Array:
        """Points and two directions each (terms, 9) of the world in the frame of the root."""
        vectors = targets.reshape(-1, 3, 3).copy()
        vectors[:, 0] -= self.point
        seen: Array = (vectors.reshape(-1, 3) @ self.rotation).reshape(-1, 9)
        return seen


@dataclass(frozen=True, eq=False)
class SiteQuery:
    """One term of a goal about a site."""

    goal: Goal
    term: SiteTerm
    site: str
    row: int
    """Type of the targets."""
    axis: Point
    """The direction, as components along the site's x axis, its y axis and their cross product."""
    choice: int
    """Number of its disjunction, or -1."""
    branch: int

    @property
    def is_point(self) -> bool:
        """Whether it is about the position of the site, not its orientation."""
        return self.term.part == "position"

    @property
    def is_place(self) -> bool:
        """Whether its target is a point of the world."""
        return self.is_point and self.term.fixes and self.term.partner is None

    @property
    def sites(self) -> tuple[str, ...]:
        """The site, and the site of the same figure that is its target, if any."""
        return (self.site,) if self.term.partner is None else (self.site, self.term.partner)

    def columns(self, targets: Array, at: SiteValues, scale: float) -> list[QueryColumn]:
        """The values of all postures and what is wanted; `targets` (terms, 9) in the frame of the root.

        Lengths are multiplied by `scale`, one over the reach of the figure.
        """
        found = self.term.compare(targets[self.row], at, self.axis)
        return [QueryColumn(one.values, one.wanted, scale if one.is_length else 1.0) for one in found]


def site_queries(lowered: LoweredProblem) -> tuple[SiteQuery, ...]:
    """The queries of a problem's goals; centres of mass, postures and Python goals have none."""
    figure = lowered.problem.figure
    found: list[SiteQuery] = []
    for goal, terms, rows in zip(lowered.goals, lowered.goal_terms, lowered.goal_sites, strict=True):
        for row, term in enumerate(terms, start=rows.start):
            if isinstance(term, SiteTerm) and term.site is not None:
                choice, branch = int(lowered.terms["choice"][row]), lowered.refs[row].branch
                found.append(SiteQuery(goal, term, term.site, row, _axis(figure, term), choice, branch))
    return tuple(found)


def _axis(figure: Figure, term: SiteTerm) -> Point:
    if isinstance(term.axis, str):
        return (1.0, 0.0, 0.0) if term.axis == "x" else (0.0, 1.0, 0.0)
    x, y, z = (np.array(term.axis) @ _site_axes(figure, str(term.site))).tolist()
    return x, y, z


class RootGoals:
    """The first root of a figure, and goals about it."""

    def __init__(self, figure: Figure, queries: Sequence[SiteQuery]) -> None:
        """Queries about sites on the root."""
        self._figure, self.index = figure, roots(figure)[0]
        self._joint, self.dofs = figure.joints[self.index], figure.dof_slice(self.index)
        self.name = self._joint.name
        self._rest = self.frame(figure.rest).rotation.T
        self.labels = tuple(dict.fromkeys(query.goal.label for query in queries))
        self._queries = [(query, _site_axes(figure, query.site), figure.site(query.site).point) for query in queries]
        self.give_place = any(query.is_point and query.term.fixes for query in queries)
        """Whether goals determine its position."""
        self.give_turn = any(not query.is_point and query.term.fixes for query in queries)
        """Whether goals determine its orientation."""

    def frame(self, q: Array) -> RootFrame:
        """Its frame in a pose `q` (dofs,)."""
        frames = joint_frames(self._figure, q)
        return RootFrame(frames.positions[self.index], frames.rotations[self.index])

    def wanted(self, frame: RootFrame, targets: Array) -> RootFrame:
        """A frame, moved and turned to meet the goals."""
        rotation, point = frame.rotation, frame.point
        for query, axes, _ in self._queries:
            target = targets[query.row]
            if query.term.takes == ("x", "y"):
                rotation = matrix_from_axes(target[3:6], target[6:9]) @ axes.T
            elif query.term.takes == ("x",):
                rotation = _shortest_turn(rotation @ (axes @ np.array(query.axis)), target[3:6]) @ rotation
        for query, _, own in self._queries:
            if query.is_point and query.term.fixes:
                point = targets[query.row, :3] - rotation @ np.array(own)
        return RootFrame(point, rotation)

    def put(self, frame: RootFrame, q: Array) -> RootFrame:
        """Write its dofs of `q` (dofs,) to match a frame as nearly as possible; return the resulting frame."""
        point, rotation = frame.point[np.newaxis], frame.rotation[np.newaxis]
        found = joint_coordinates(self._joint, point, rotation, q[self.dofs])[0]
        q[self.dofs] = np.clip(found, self._figure.lower[self.dofs], self._figure.upper[self.dofs])
        return self.frame(q)

    def floor(self, frame: RootFrame) -> RootFrame:
        """The point on the floor below a frame, with its heading, where normalised postures are placed."""
        turn = turns_about_vertical(heading(frame.rotation @ self._rest))
        return RootFrame(np.array([frame.point[0], 0.0, frame.point[2]]), turn)


def _site_axes(figure: Figure, site: str) -> Array:
    """(3, 3): joint_from_site."""
    found = figure.site(site)
    return matrix_from_axes(np.array(found.x_axis), np.array(found.y_axis))


def _shortest_turn(here: Array, there: Array) -> Array:
    """The rotation (3, 3) that takes one unit vector to another."""
    across = np.cross(here, there)
    sine, cosine = float(np.linalg.norm(across)), float(here @ there)
    if sine < 1e-12:
        across, sine = np.cross(here, np.eye(3)[int(np.abs(here).argmin())]), 0.0
    length = float(np.linalg.norm(across))
    return np.asarray(matrix_from_vector(across / length * math.atan2(sine, cosine)))
