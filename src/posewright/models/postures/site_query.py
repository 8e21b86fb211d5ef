"""What goals ask of postures: values in the frame of the root, by which samples are compared (Li et al., section 4.2).

A point gives three numbers, a direction three, a line two, a plane one. They are taken in the frame of the root that is
assumed for the answer, so that neither the place nor the heading of a sample matters; lengths are divided by the
figure's reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.fields import Point
from posewright.goals.term import SiteTerm, SiteValues
from posewright.models.postures.figure_postures import QueryColumn
from posewright.problem.lowering import LoweredProblem


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

    def of_target(self, target: Array) -> Array:
        """A point and two directions of the world (9,) in the frame of the root."""
        return np.concatenate([self.of_point(target[:3]), target[3:6] @ self.rotation, target[6:9] @ self.rotation])


@dataclass(frozen=True, eq=False)
class SiteQuery:
    """One term of a goal: what is wanted of a site."""

    goal: Goal
    term: SiteTerm
    site: str
    row: int
    """Of the targets."""
    axis: Point = (1.0, 0.0, 0.0)
    """The direction that is meant: components along the site's x axis, its y axis and their cross product."""
    choice: int = -1
    """Number of the disjunction that it belongs to, or -1."""
    branch: int = 0

    @property
    def partner(self) -> str | None:
        """The site of the same figure that is its target."""
        return self.term.partner

    @property
    def is_point(self) -> bool:
        """Whether it is about where the site is, rather than how it is turned."""
        return self.term.part == "position"

    @property
    def is_place(self) -> bool:
        """Whether it wants the site at a point of the world."""
        return self.is_point and self.term.fixes and self.partner is None

    @property
    def sites(self) -> tuple[str, ...]:
        """The site, and its partner if there is one."""
        return (self.site,) if self.partner is None else (self.site, self.partner)

    def columns(self, target: Array, root: RootFrame, at: SiteValues, scale: float) -> list[QueryColumn]:
        """The values of all postures and what is wanted; `target` (TARGET_WIDTH,) as of a lowered problem.

        Lengths are multiplied by `scale`, one over the reach of the figure.
        """
        found = self.term.compare(root.of_target(target), at, self.axis)
        return [QueryColumn(one.values, one.wanted, scale if one.is_length else 1.0) for one in found]

    def nearest_point(self, target: Array, root: RootFrame, here: Array) -> Array:
        """Of the points (3,) that satisfy it the one nearest to `here`, in the frame of the root."""
        nearest = self.term.nearest_point(root.of_target(target), here)
        return here if nearest is None else nearest


def site_queries(lowered: LoweredProblem) -> tuple[SiteQuery, ...]:
    """What the goals of a problem want of sites; centres of mass, postures and Python goals ask nothing of samples."""
    figure = lowered.problem.figure
    found: list[SiteQuery] = []
    for goal, terms, rows in zip(lowered.goals, lowered.goal_terms, lowered.goal_sites, strict=True):
        for row, term in enumerate(terms, start=rows.start):
            if isinstance(term, SiteTerm) and term.site is not None:
                axis = _axis(figure, term.site, term)
                choice = int(lowered.terms["choice"][row])
                branch = lowered.refs[row].branch
                found.append(SiteQuery(goal, term, term.site, row, axis, choice, branch))
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


def _axis(figure: Figure, name: str, term: SiteTerm) -> Point:
    if isinstance(term.axis, str):
        return (1.0, 0.0, 0.0) if term.axis == "x" else (0.0, 1.0, 0.0)
    site = figure.site(name)
    x, y, axis = np.array(site.x_axis), np.array(site.y_axis), np.array(term.axis)
    return float(axis @ x), float(axis @ y), float(axis @ np.cross(x, y))
