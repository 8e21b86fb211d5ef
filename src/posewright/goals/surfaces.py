"""Line, plane and half-space goals: bring a site onto or beyond something (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from posewright.figures import Figure
from posewright.goals.goal import SiteGoal
from posewright.goals.term import Point, SiteTerm, Target, Term, checked_direction, checked_target
from posewright.kernels.tables import HALF_SPACE, LINE, PLANE


@dataclass(frozen=True)
class Line(SiteGoal):
    """A site anywhere on a line."""

    point: Target
    """m, on the line; or a site's name."""
    direction: Point
    """Of the line; any length."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", checked_target(self.point, f"the point of {self}"))
        object.__setattr__(self, "direction", checked_direction(self.direction, f"the direction of {self}"))

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """Two distances across the line."""
        return (SiteTerm(LINE, self.site, "m", point=self.point, x=self.direction),)


@dataclass(frozen=True)
class _SurfaceGoal(SiteGoal):
    """A site and a plane."""

    kind: ClassVar[int]
    point: Target
    """m, on the plane; or a site's name."""
    normal: Point
    """Of the plane, towards the wanted side if there is one; any length."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "point", checked_target(self.point, f"the point of {self}"))
        object.__setattr__(self, "normal", checked_direction(self.normal, f"the normal of {self}"))

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One distance."""
        return (SiteTerm(self.kind, self.site, "m", point=self.point, x=self.normal),)


class Plane(_SurfaceGoal):
    """A site anywhere on a plane."""

    kind = PLANE


class HalfSpace(_SurfaceGoal):
    """A site on the side of a plane into which its normal points."""

    kind = HALF_SPACE
