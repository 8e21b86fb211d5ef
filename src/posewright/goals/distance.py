"""Distance goals: keep a site at a given distance from a point (on a sphere) or from another site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.goals.fields import Metres, Point, PointOrSite
from posewright.goals.goal import SiteGoal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import POINT, Compared, SiteTerm, SiteTrack, SiteValues, Term, away
from posewright.kernels.goals.residuals import DISTANCE


@dataclass(frozen=True)
class DistanceTerm(SiteTerm):
    """The distance minus the wanted distance, which is the term's `radius`."""

    kind = DISTANCE

    @property
    def wanted(self) -> float:
        """The wanted distance, m."""
        assert self.radius is not None
        return self.radius

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """The point comes from where the source has the wanted distance from it, along the line to the source."""
        line = source.points - targets[:, POINT]
        distance = np.linalg.norm(line, axis=1, keepdims=True)
        towards = line / np.maximum(distance, 1e-12)
        targets[:, POINT] += (1.0 - activation) * (distance - self.wanted) * towards

    def nearest_point(self, target: Array, here: Array) -> Array:
        """On the sphere, on the line from its centre."""
        line = here - target[POINT]
        distance = float(np.linalg.norm(line))
        direction = line / distance if distance > 1e-12 else np.array([1.0, 0.0, 0.0])
        nearest: Array = target[POINT] + self.wanted * direction
        return nearest

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By the distance."""
        distances = np.linalg.norm(away(self, target, at), axis=1, keepdims=True)
        return [Compared(distances, np.array([self.wanted]), is_length=True)]


@dataclass(frozen=True)
class Distance(SiteGoal):
    """Keep a site at a distance from a point, or from another site of the same figure (for example, hands on a bar)."""

    target: PointOrSite
    """World position, m, or the name of a site."""
    distance: Metres
    """Wanted distance, m, above 0."""

    moves_its_site = True
    path_field = "target"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One distance."""
        return (DistanceTerm(self.site, self.target, radius=self.distance),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The point, and the wanted distance from it towards the site."""
        centre = on.point(self.target)
        line = on.site(self.site) - centre
        yield on.target(centre)
        yield on.line(centre, centre + line * (self.distance / max(float(np.linalg.norm(line)), 1e-12)))
