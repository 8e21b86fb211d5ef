"""Centre-of-mass goals: at a point, or on a vertical line (Courty & Arnaud 2008, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.conventions import UP
from posewright.figures import Figure
from posewright.goals.goal import Goal
from posewright.goals.term import SiteTerm, Target, Term, checked_target
from posewright.kernels.tables import MASS_LINE, MASS_POINT


@dataclass(frozen=True)
class CentreOfMass(Goal):
    """The centre of mass at a point, or anywhere above and below it."""

    target: Target
    """m, in the world; or a site's name."""
    vertical: bool = True
    """Only the two horizontal directions count: the centre of mass is over the target."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", checked_target(self.target, f"the target of {self}"))

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or "centre_of_mass"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """Two distances across the vertical, or three."""
        kind = MASS_LINE if self.vertical else MASS_POINT
        return (SiteTerm(kind, None, "m", point=self.target, x=UP),)
