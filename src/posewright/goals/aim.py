"""Aim goals: turn a direction of a site towards a point (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Unpack

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.fields import Direction, Point, PointOrSite, Radius, Target
from posewright.goals.goal import GoalSettings, SiteGoal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import POINT, Compared, SiteTerm, SiteTrack, SiteValues, Term, away, between, directions
from posewright.kernels.goals.residuals import AIM

_FAR = 2.0
"""m, for a human: targets further away are not drawn."""


@dataclass(frozen=True)
class AimTerm(SiteTerm):
    """The angle between a direction of a site and the line from the site to a point."""

    kind = AIM
    unit = "rad"
    part = "orientation"

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """The point swings in from where the source looks, at its distance."""
        path = targets[:, POINT] - source.points
        far = np.linalg.norm(path, axis=1, keepdims=True)
        targets[:, POINT] = source.points + far * between(source.x, path / np.maximum(far, 1e-12), activation)

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By the direction, against that to the point."""
        assert self.site is not None
        line = away(self, target, at)
        line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)
        return [Compared(directions(at, self.site, axis) - line, np.zeros(3), is_length=False)]


@dataclass(frozen=True, init=False)
class Aim(SiteGoal):
    """Point an axis of a site at a point or at another site.

    A site keeps away from its target by a thousandth of `radius` if it can: nearer, a direction means little.
    """

    target: PointOrSite
    """World position, m, or the name of a site."""
    axis: Direction | None = None
    """Direction in the frame of the site's joint; None: the site's x axis."""
    radius: Radius | None = None
    """Metres that one radian counts as; None: the reach of the chain."""

    path_field = "target"
    error_unit = "rad"

    def __init__(
        self,
        site: str,
        at: Target | None = None,
        axis: Point | None = None,
        radius: float | None = None,
        *,
        target: Target | None = None,
        **settings: Unpack[GoalSettings],
    ) -> None:
        """Aim a site at a point or another site; `target` is another name for `at`."""
        point = target if at is None else at
        if point is None:
            raise InvalidSetting(f"an Aim of {site!r} needs a point or a site to aim at")
        if isinstance(point, str) and point == site:
            raise InvalidSetting(f"{site!r} cannot aim at itself; an Aim needs a point or another site")
        values = {field.name: field.default for field in fields(self)} | dict(settings)
        values |= {"site": site, "target": point, "axis": axis, "radius": radius}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One direction."""
        return (AimTerm(self.site, self.target, axis=self.axis or "x", radius=self.radius),)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The line of sight; only its start if the target is far away, so that the figure stays large."""
        eye, point = on.site(self.site), on.point(self.target)
        away = float(np.linalg.norm(point - eye))
        if away > _FAR * on.size:
            yield on.line(eye, eye + (on.size / away) * (point - eye))
        else:
            yield on.target(point)
            yield on.line(eye, point)
