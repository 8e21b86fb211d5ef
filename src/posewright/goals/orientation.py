"""Orientation goals: turn a site's two directions; either may be left free (Zhao & Badler 1994, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import InitVar, dataclass, field
from typing import Literal, get_args

import numpy as np

from posewright.checks import require_choice
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.fields import (
    Direction,
    LikeSite,
    Matrix,
    Point,
    Quaternion,
    Radius,
    checked_directions,
    declared_fields,
)
from posewright.goals.goal import SiteGoal
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.term import (
    NOWHERE,
    Compared,
    SiteTerm,
    SiteTrack,
    SiteValues,
    Term,
    X,
    Y,
    between,
    difference,
    directions,
)
from posewright.kernels.goals.residuals import DIRECTION, ROTATION
from posewright.rotations import matrix_from_axes, matrix_from_quaternion, quaternion_from_matrix, slerp

Measure = Literal["angle", "chord"]


@dataclass(frozen=True)
class RotationTerm(SiteTerm):
    """The angle of the rotation from the site to the target."""

    kind = ROTATION
    unit = "rad"
    part = "orientation"
    takes = ("x", "y")
    fixes = True

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """By the shortest rotation."""
        here = quaternion_from_matrix(matrix_from_axes(source.x, source.y))
        there = quaternion_from_matrix(matrix_from_axes(targets[:, X], targets[:, Y]))
        mixed = matrix_from_quaternion(slerp(here, there, activation[:, 0]))
        targets[:, X], targets[:, Y] = mixed[:, :, 0], mixed[:, :, 1]

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By both axes."""
        return [
            difference(at.x_axes, self, target[X], is_length=False),
            difference(at.y_axes, self, target[Y], is_length=False),
        ]


@dataclass(frozen=True)
class DirectionTerm(SiteTerm):
    """The chord between a direction of a site and the wanted direction."""

    kind = DIRECTION
    unit = "rad"
    part = "orientation"
    takes = ("x",)

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """By the angle."""
        targets[:, X] = between(source.x, targets[:, X], activation)

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """By the direction."""
        return [difference(lambda site: directions(at, site, axis), self, target[X], is_length=False)]


@dataclass(frozen=True)
class TurnedGoal(SiteGoal):
    """A goal with an orientation, given as two directions, a quaternion, a matrix, or another site."""

    x: Direction | None = field(default=None, kw_only=True)
    """Wanted world direction of the site's x axis; None leaves it free."""
    y: Direction | None = field(default=None, kw_only=True)
    """Wanted world direction of the site's y axis; None leaves it free."""
    wxyz: InitVar[Quaternion | None] = field(default=None, kw_only=True)
    """World orientation of the site as a unit quaternion; converted to `x` and `y`."""
    matrix: InitVar[Matrix | None] = field(default=None, kw_only=True)
    """World orientation of the site as a 3x3 rotation matrix; converted to `x` and `y`."""
    like: LikeSite | None = field(default=None, kw_only=True)
    """Another site of the same figure whose orientation is wanted, instead of `x` and `y`."""
    radius: Radius | None = field(default=None, kw_only=True)
    """Metres that one radian counts as; None: the reach of the chain. `degrees(1)/d` lets d degrees count as 1 m."""
    measure: Measure = field(default="angle", kw_only=True)
    """Error when both directions are given: the "angle" of the rotation to the target, or the two "chord"s between the
    directions, as in the paper. A single direction always uses its chord."""

    def __post_init__(self, wxyz: Quaternion | None, matrix: Matrix | None) -> None:
        super().__post_init__()
        rotations = {"wxyz": wxyz, "matrix": matrix}
        given = {name: value for name, value in rotations.items() if value is not None}
        stated = [*given, *(name for name in ("x", "y", "like") if getattr(self, name) is not None)]
        if not stated or (len(stated) > 1 and stated != ["x", "y"]):
            raise InvalidSetting(
                f"{self} needs exactly one of: directions x and/or y, wxyz, matrix, like; "
                f"got {' and '.join(stated) or 'none'}"
            )
        require_choice(self.measure, f"the measure of {self}", get_args(Measure))
        both = None if self.x is None or self.y is None else checked_directions(self.x, self.y, str(self))
        for name, value in given.items():
            role = declared_fields(type(self))[name][1]
            assert role is not None
            both = role.check(value, f"the {name} of {self}")
        if both is not None:
            object.__setattr__(self, "x", both[0])
            object.__setattr__(self, "y", both[1])

    def orientation_terms(self, share: float = 1.0) -> tuple[SiteTerm, ...]:
        """A rotation, or one direction for each given axis."""
        x, y, like = self.x or NOWHERE, self.y or NOWHERE, self.like
        if (like is not None or (self.x is not None and self.y is not None)) and self.measure == "angle":
            return (RotationTerm(self.site, x=x, y=y, like=like, radius=self.radius, share=share),)
        axes: tuple[tuple[Literal["x", "y"], Point | None], ...] = (("x", self.x), ("y", self.y))
        return tuple(
            DirectionTerm(self.site, x=wanted or NOWHERE, like=like, axis=axis, radius=self.radius, share=share)
            for axis, wanted in axes
            if like is not None or wanted is not None
        )

    def sketch_axes(self, on: Sketch, at: Array) -> Iterator[Stroke]:
        """The wanted directions; the x axis is drawn longer."""
        axes = (self.x, self.y) if self.like is None else on.axes(self.like)
        for direction, length in zip(axes, (0.22, 0.13), strict=True):
            if direction is not None:
                yield on.line(at, at + length * on.size * np.array(direction))


@dataclass(frozen=True)
class Orientation(TurnedGoal):
    """Turn a site so that its x axis, its y axis, or both point in given directions."""

    error_unit = "rad"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """A rotation, or one direction for each given axis."""
        return self.orientation_terms()

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The wanted directions, at the site."""
        yield from self.sketch_axes(on, on.site(self.site))
