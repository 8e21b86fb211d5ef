"""Line, plane and half-space goals: bring a site onto or beyond something (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.goals.fields import Direction, Point, PointOrSite
from posewright.goals.goal import SiteGoal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import POINT, Compared, SiteTerm, SiteTrack, SiteValues, Term, X, away
from posewright.kernels.goals.residuals import HALF_SPACE, LINE, PLANE


@dataclass(frozen=True)
class LineTerm(SiteTerm):
    """Two residuals: the components of the distance from a line, m."""

    kind = LINE
    takes = ("point", "x")

    def nearest_point(self, target: Array, here: Array) -> Array:
        """The foot on the line."""
        nearest: Array = target[POINT] + target[X] * float((here - target[POINT]) @ target[X])
        return nearest

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By two directions across the line."""
        u = np.cross(target[X], np.eye(3)[int(np.abs(target[X]).argmin())])
        u /= np.linalg.norm(u)
        across = np.stack([u, np.cross(target[X], u)], axis=1)
        return [Compared(away(self, target, at) @ across, np.zeros(2), is_length=True)]


@dataclass(frozen=True)
class PlaneTerm(SiteTerm):
    """One residual: the distance from a plane, m."""

    kind = PLANE
    takes = ("point", "x")

    def nearest_point(self, target: Array, here: Array) -> Array:
        """The foot on the plane."""
        nearest: Array = here - target[X] * float((here - target[POINT]) @ target[X])
        return nearest

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By the height."""
        return [Compared(away(self, target, at) @ target[X, np.newaxis], np.zeros(1), is_length=True)]


@dataclass(frozen=True)
class HalfSpaceTerm(SiteTerm):
    """One residual: the distance from a plane, m, or 0 on the side of its normal."""

    kind = HALF_SPACE
    takes = ("point", "x")

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """The plane comes from where the source is on the wrong side."""
        beyond = np.minimum(0.0, ((source.points - targets[:, POINT]) * targets[:, X]).sum(axis=1, keepdims=True))
        targets[:, POINT] += (1.0 - activation) * beyond * targets[:, X]

    def nearest_point(self, target: Array, here: Array) -> Array:
        """The foot on the plane, if the point is on the wrong side."""
        nearest: Array = here - target[X] * min(0.0, float((here - target[POINT]) @ target[X]))
        return nearest

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By how far a site is on the wrong side."""
        below = away(self, target, at) @ target[X, np.newaxis]
        return [Compared(np.maximum(below, 0.0), np.zeros(1), is_length=True)]


@dataclass(frozen=True)
class Line(SiteGoal):
    """Bring a site onto a line."""

    point: PointOrSite
    """A point on the line, m, or the name of a site."""
    direction: Direction
    """Direction of the line; any length."""

    moves_its_site = True

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """Two components of the distance from the line."""
        return (LineTerm(self.site, self.point, self.direction),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """A piece of the line, near the site."""
        point, along = on.point(self.point), np.array(self.direction)
        middle = point + along * float((on.site(self.site) - point) @ along)
        yield on.line(middle - 0.5 * on.size * along, middle + 0.5 * on.size * along)


@dataclass(frozen=True)
class _SurfaceGoal(SiteGoal):
    """A goal about a site and a plane."""

    point: PointOrSite
    """A point on the plane, m, or the name of a site."""
    normal: Direction
    """Normal of the plane, any length; it points to the wanted side if there is one."""

    term: ClassVar[type[SiteTerm]]

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """The distance from the plane."""
        return (self.term(self.site, self.point, self.normal),)

    def _foot(self, on: Sketch) -> Array:
        site, normal = on.site(self.site), np.array(self.normal)
        foot: Array = site - normal * float((site - on.point(self.point)) @ normal)
        return foot

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """A piece of the plane, near the site."""
        yield on.square(self._foot(on), np.array(self.normal))


class Plane(_SurfaceGoal):
    """Bring a site onto a plane."""

    term = PlaneTerm
    moves_its_site = True


class HalfSpace(_SurfaceGoal):
    """Keep a site on the side of a plane to which its normal points."""

    term = HalfSpaceTerm

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The plane, and an arrow to the wanted side."""
        yield from super().sketch(on)
        foot = self._foot(on)
        yield on.line(foot, foot + 0.2 * on.size * np.array(self.normal))
