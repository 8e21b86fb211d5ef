"""What goals ask of postures: values in the frame of the root, by which samples are compared (Li et al., section 4.2).

A point gives three numbers, a direction three, a line two, a plane one. They are taken in the frame of the root that is
assumed for the answer, so that neither the place nor the heading of a sample matters; lengths are divided by the
figure's reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.term import SiteTerm
from posewright.kernels.tables import AIM, DIRECTION, HALF_SPACE, LINE, PLANE, POSITION, ROTATION
from posewright.models.postures.figure_postures import QueryColumn
from posewright.problem.lowering import LoweredProblem

_POINTS = (POSITION, LINE, PLANE, HALF_SPACE)


class SiteValues(Protocol):
    """Where postures have the sites of a figure, in the frame of the root: (postures, 3) each."""

    def values(self, site: str) -> Array:
        """Points, m."""

    def x_axes(self, site: str) -> Array:
        """Unit vectors."""

    def y_axes(self, site: str) -> Array:
        """Unit vectors."""


@dataclass(frozen=True, eq=False)
class RootFrame:
    """Position and orientation of the root of a posture."""

    point: Array
    """(3,), m"""
    rotation: Array
    """(3, 3): world_from_root"""

    def of_point(self, point: Array) -> Array:
        """A point of the world in the frame of the root."""
        seen: Array = (point - self.point) @ self.rotation
        return seen

    def of_direction(self, direction: Array) -> Array:
        """A direction of the world in the frame of the root."""
        seen: Array = direction @ self.rotation
        return seen


@dataclass(frozen=True, eq=False)
class SiteQuery:
    """One term of a goal: what is wanted of a site."""

    goal: Goal
    kind: int
    site: str
    row: int
    """Of the targets."""
    partner: str | None = None
    """The site of the same figure that is its target."""
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """The direction that is meant: components along the site's x axis, its y axis and their cross product."""
    choice: int = -1
    """Number of the disjunction that it belongs to, or -1."""
    branch: int = 0

    @property
    def is_point(self) -> bool:
        """Whether it is about where the site is, rather than how it is turned."""
        return self.kind in _POINTS

    @property
    def is_place(self) -> bool:
        """Whether it wants the site at a point of the world."""
        return self.kind == POSITION and self.partner is None

    @property
    def sites(self) -> tuple[str, ...]:
        """The site, and its partner if there is one."""
        return (self.site,) if self.partner is None else (self.site, self.partner)

    def columns(self, target: Array, root: RootFrame, at: SiteValues, scale: float) -> list[QueryColumn]:
        """The values of all postures and what is wanted; `target` (TARGET_WIDTH,) as of a lowered problem.

        Lengths are multiplied by `scale`, one over the reach of the figure.
        """
        other = self.partner
        if self.kind == POSITION:
            return [_compared(at.values, self.site, other, root.of_point(target[:3]), scale)]
        point, along = root.of_point(target[:3]), root.of_direction(target[3:6])
        if self.kind == ROTATION:
            across = root.of_direction(target[6:9])
            return [_compared(at.x_axes, self.site, other, along), _compared(at.y_axes, self.site, other, across)]
        if self.kind == DIRECTION:
            return [_compared(lambda site: self._directions(at, site), self.site, other, along)]
        away = (point if other is None else at.values(other)) - at.values(self.site)
        if self.kind == AIM:
            length = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
            return [QueryColumn(self._directions(at, self.site) - away / length, np.zeros(3))]
        if self.kind == LINE:
            return [QueryColumn(away @ _across(along), np.zeros(2), scale)]
        below = away @ along[:, np.newaxis]
        return [QueryColumn(np.maximum(below, 0.0) if self.kind == HALF_SPACE else below, np.zeros(1), scale)]

    def nearest_point(self, target: Array, root: RootFrame, here: Array) -> Array:
        """Of the points (3,) that satisfy it the one nearest to `here`, in the frame of the root."""
        point = root.of_point(target[:3])
        if self.kind == POSITION:
            return point
        along = root.of_direction(target[3:6])
        beyond = float((here - point) @ along)
        if self.kind == LINE:
            return np.asarray(point + along * beyond)
        return here if self.kind == HALF_SPACE and beyond >= 0.0 else np.asarray(here - along * beyond)

    def _directions(self, at: SiteValues, site: str) -> Array:
        a, b, c = self.axis
        if self.axis == (1.0, 0.0, 0.0):
            return at.x_axes(site)
        if self.axis == (0.0, 1.0, 0.0):
            return at.y_axes(site)
        x, y = at.x_axes(site), at.y_axes(site)
        return a * x + b * y + c * np.cross(x, y)


def site_queries(lowered: LoweredProblem) -> tuple[SiteQuery, ...]:
    """What the goals of a problem want of sites; centres of mass, postures and Python goals ask nothing of samples."""
    figure = lowered.problem.figure
    found: list[SiteQuery] = []
    for goal, terms, rows in zip(lowered.goals, lowered.goal_terms, lowered.goal_sites, strict=True):
        for row, term in enumerate(terms, start=rows.start):
            if isinstance(term, SiteTerm) and term.site is not None:
                partner = term.like or (term.point if isinstance(term.point, str) else None)
                axis = _axis(figure, term.site, term)
                choice = int(lowered.terms["choice"][row])
                branch = lowered.refs[row].branch
                found.append(SiteQuery(goal, term.kind, term.site, row, partner, axis, choice, branch))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class OnePosture:
    """A single posture as a table of one row, to measure it as samples are measured."""

    figure: Figure
    q: Array
    root: str
    _known: dict[str, tuple[Array, ...]] = field(default_factory=dict)

    def values(self, site: str) -> Array:
        """Points, m."""
        return self._frames(site)[0]

    def x_axes(self, site: str) -> Array:
        """Unit vectors."""
        return self._frames(site)[1]

    def y_axes(self, site: str) -> Array:
        """Unit vectors."""
        return self._frames(site)[2]

    def _frames(self, site: str) -> tuple[Array, ...]:
        if site not in self._known:
            frames = site_frames(self.figure, self.q, [self.root, site])
            x, y = frames.x_axes[0], frames.y_axes[0]
            rotation = np.stack([x, y, np.cross(x, y)], axis=1)
            vectors = (frames.points[1] - frames.points[0], frames.x_axes[1], frames.y_axes[1])
            self._known[site] = tuple((vector @ rotation)[np.newaxis] for vector in vectors)
        return self._known[site]


def _compared(
    vectors: Callable[[str], Array], site: str, other: str | None, wanted: Array, scale: float = 1.0
) -> QueryColumn:
    """A site's vectors against those wanted, or against those of another site."""
    if other is None:
        return QueryColumn(vectors(site), wanted, scale)
    return QueryColumn(vectors(site) - vectors(other), np.zeros(3), scale)


def _axis(figure: Figure, name: str, term: SiteTerm) -> tuple[float, float, float]:
    if isinstance(term.axis, str):
        return (1.0, 0.0, 0.0) if term.axis == "x" else (0.0, 1.0, 0.0)
    site = figure.site(name)
    x, y, axis = np.array(site.x_axis), np.array(site.y_axis), np.array(term.axis)
    return float(axis @ x), float(axis @ y), float(axis @ np.cross(x, y))


def _across(direction: Array) -> Array:
    """(3, 2): two unit vectors perpendicular to a direction and to each other."""
    u = np.cross(direction, np.eye(3)[int(np.abs(direction).argmin())])
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(direction, u)], axis=1)
