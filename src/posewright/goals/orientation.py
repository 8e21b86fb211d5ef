"""Orientation goals: turn a site's two directions; either may be left free (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from posewright.checks import require
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.goal import SiteGoal
from posewright.goals.term import NOWHERE, Point, SiteTerm, Term, checked_direction, checked_radius
from posewright.kernels.tables import DIRECTION, ROTATION

Measure = Literal["angle", "chord"]


@dataclass(frozen=True)
class Orientation(SiteGoal):
    """A site turned so that its x axis, its y axis, or both point as wanted."""

    x: Point | None = None
    """Wanted world direction of the site's x axis; None leaves it free."""
    y: Point | None = None
    """Wanted world direction of the site's y axis; None leaves it free."""
    like: str | None = None
    """Turned like this site of the same figure, instead of `x` and `y`."""
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain. `degrees(1)/d` makes d degrees worth a metre."""
    measure: Measure = "angle"
    """What both directions together cost: the squared angle of the missing rotation, or the squared chords of the two
    directions as in the paper. One direction alone always costs its chord."""

    def __post_init__(self) -> None:
        super().__post_init__()
        x, y = check_directions(self.x, self.y, self.like, str(self))
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)
        checked_radius(self.radius, str(self))
        check_measure(self.measure, str(self))

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One rotation, or a direction each."""
        return orientation_terms(self.site, self.x, self.y, self.like, self.radius, self.measure)


def orientation_terms(
    site: str,
    x: Point | None,
    y: Point | None,
    like: str | None,
    radius: float | None,
    measure: Measure,
    share: float = 1.0,
) -> tuple[SiteTerm, ...]:
    """The terms of an orientation, also as part of other goals."""
    if (like is not None or (x is not None and y is not None)) and measure == "angle":
        both = SiteTerm(
            ROTATION, site, "rad", x=x or NOWHERE, y=y or NOWHERE, like=like, radius=radius, share=share,
            part="orientation",
        )  # fmt: skip
        return (both,)
    axes: tuple[tuple[Literal["x", "y"], Point | None], ...] = (("x", x), ("y", y))
    return tuple(
        SiteTerm(
            DIRECTION,
            site,
            "rad",
            x=direction or NOWHERE,
            like=like,
            axis=axis,
            radius=radius,
            share=share,
            part="orientation",
        )
        for axis, direction in axes
        if like is not None or direction is not None
    )


def check_directions(
    x: Point | None, y: Point | None, like: str | None, what: str
) -> tuple[Point | None, Point | None]:
    """Unit directions, perpendicular where both are given."""
    require(like, str | None, f"what {what} is like", "the name of a site")
    if (like is None) == (x is None and y is None):
        raise InvalidSetting(f"{what} needs a direction for x or y, or a site to be like, and not both")
    x = None if x is None else checked_direction(x, f"the x direction of {what}")
    y = None if y is None else checked_direction(y, f"the y direction of {what}")
    if x is not None and y is not None:
        along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
        if abs(along) > 1.0 - 1e-9:
            raise InvalidSetting(f"the x and y directions of {what} are parallel")
        y = checked_direction((y[0] - along * x[0], y[1] - along * x[1], y[2] - along * x[2]), what)
    return x, y


def check_measure(measure: Measure, what: str) -> None:
    """One of those there are."""
    if measure not in get_args(Measure):
        raise InvalidSetting(f"{what}: measure is {measure!r}; it must be {' or '.join(get_args(Measure))}")
