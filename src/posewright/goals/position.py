"""Position goals: bring a site to a point (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.figures import Figure
from posewright.goals.goal import SiteGoal
from posewright.goals.term import SiteTerm, Target, Term, checked_target
from posewright.kernels.tables import POSITION


@dataclass(frozen=True)
class Position(SiteGoal):
    """A site at a point, or at another site of the same figure (hands together)."""

    target: Target
    """m, in the world; or a site's name."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", checked_target(self.target, f"the target of {self}"))

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One point."""
        return (SiteTerm(POSITION, self.site, "m", point=self.target),)
