"""Aim goals: turn a direction of a site towards a point (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from posewright.figures import Figure
from posewright.goals.goal import SiteGoal
from posewright.goals.term import Point, SiteTerm, Target, Term, checked_direction, checked_radius, checked_target
from posewright.kernels.tables import AIM


@dataclass(frozen=True)
class Aim(SiteGoal):
    """A site's axis along the line from the site to a point."""

    target: Target
    """m, in the world; or a site's name."""
    axis: Point | None = None
    """Direction in the frame of the site's joint; None: the site's x axis."""
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", checked_target(self.target, f"the target of {self}"))
        if self.axis is not None:
            object.__setattr__(self, "axis", checked_direction(self.axis, f"the axis of {self}"))
        checked_radius(self.radius, str(self))

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One direction."""
        term = SiteTerm(AIM, self.site, "rad", self.target, axis=self.axis or "x", radius=self.radius)
        return (replace(term, part="orientation"),)
