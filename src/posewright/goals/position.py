"""Position goals: bring a site to a point (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.goals.goal import Goal, Point, SiteTerm, finite_point
from posewright.kernels.tables import POSITION


@dataclass(frozen=True)
class PositionGoal(Goal):
    """A site at a point."""

    site: str
    target: Point
    """m, in the world."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", finite_point(self.target, f"the target of {self}"))

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or self.site

    def terms(self) -> tuple[SiteTerm, ...]:
        """One point."""
        return (SiteTerm(POSITION, self.site, (*self.target, *(0.0,) * 6), "m"),)
