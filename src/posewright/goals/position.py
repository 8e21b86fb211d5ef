"""Position goals: bring a site to a point (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.goals.fields import Place, Point
from posewright.goals.goal import SiteGoal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import POINT, Compared, SiteTerm, SiteValues, Term, difference
from posewright.kernels.goals.residuals import POSITION


@dataclass(frozen=True)
class PointTerm(SiteTerm):
    """Three residuals: the components of the difference, m."""

    kind = POSITION
    fixes = True

    def nearest_point(self, target: Array, here: Array) -> Array:
        """The point itself."""
        return target[POINT]

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By the point."""
        return [difference(at.values, self, target[POINT], is_length=True)]


@dataclass(frozen=True)
class Position(SiteGoal):
    """Bring a site to a point, or to another site of the same figure (for example, two hands together)."""

    target: Place
    """World position, m, or the name of a site."""

    moves_its_site = True
    path_field = "target"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One point."""
        return (PointTerm(self.site, self.target),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """A target and a gap."""
        yield from on.place(self.site, self.target)
