"""Position and orientation in one goal, shared by two weights (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.goal import SiteGoal
from posewright.goals.orientation import Measure, check_directions, check_measure, orientation_terms
from posewright.goals.term import Point, SiteTerm, Target, Term, checked_radius, checked_target, is_number
from posewright.kernels.tables import POSITION


@dataclass(frozen=True)
class Placement(SiteGoal):
    """A site at a point and turned as wanted."""

    target: Target
    """m, in the world; or a site's name."""
    x: Point | None = None
    """Wanted world direction of the site's x axis; None leaves it free."""
    y: Point | None = None
    like: str | None = None
    """Turned like this site of the same figure, instead of `x` and `y`."""
    position_weight: float = 0.5
    """Share of the weight; with `orientation_weight` it sums to 1."""
    orientation_weight: float = 0.5
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""
    measure: Measure = "angle"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", checked_target(self.target, f"the target of {self}"))
        x, y = check_directions(self.x, self.y, self.like, str(self))
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)
        checked_radius(self.radius, str(self))
        check_measure(self.measure, str(self))
        shares = (self.position_weight, self.orientation_weight)
        numbers = all(map(is_number, shares))
        if not (numbers and min(shares) >= 0.0 and abs(sum(shares) - 1.0) <= 1e-9):
            raise InvalidSetting(f"{self}: position_weight and orientation_weight are {shares}; they must sum to 1")

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """A point, then the directions."""
        point = SiteTerm(POSITION, self.site, "m", point=self.target, share=self.position_weight)
        turn = orientation_terms(
            self.site, self.x, self.y, self.like, self.radius, self.measure, self.orientation_weight
        )
        return (point, *turn)
