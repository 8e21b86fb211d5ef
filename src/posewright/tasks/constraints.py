"""Constraints in task files: rows over dofs, polygons, coupled dofs. Degrees, or metres for slides."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from posewright.constraints import LinearConstraint
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.tasks.fields import DofName, FileMapping, Name, Number, is_angle, kind_of


class LinearModel(FileMapping):
    """`lower <= Σ factor · dof <= upper`, or `Σ factor · dof = equals`."""

    kind: Literal["linear"]
    name: Name
    sum: Annotated[dict[DofName, Number], Field(min_length=1)]
    """Factor by dof."""
    lower: Number | None = None
    upper: Number | None = None
    equals: Number | None = None

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if (self.equals is None) == (self.lower is None and self.upper is None):
            raise ValueError("must have equals, or lower or upper or both")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"has a lower bound of {self.lower:g} above its upper bound of {self.upper:g}")
        return self

    def build(self, figure: Figure) -> tuple[LinearConstraint, ...]:
        """The row."""
        unit = _unit(figure, self.sum, self.name)
        lower = self.lower if self.equals is None else self.equals
        upper = self.upper if self.equals is None else self.equals
        return (
            LinearConstraint(
                name=self.name,
                coefficients=tuple(self.sum.items()),
                lower=-math.inf if lower is None else lower * unit,
                upper=math.inf if upper is None else upper * unit,
            ),
        )


class PolygonModel(FileMapping):
    """Two dofs inside a convex polygon."""

    kind: Literal["polygon"]
    name: Name
    dofs: tuple[DofName, DofName]
    corners: tuple[tuple[Number, Number], ...]
    """Counter-clockwise."""

    def build(self, figure: Figure) -> tuple[LinearConstraint, ...]:
        """One row per edge."""
        unit = _unit(figure, self.dofs, self.name)
        return LinearConstraint.polygon(self.name, *self.dofs, [(u * unit, v * unit) for u, v in self.corners])


class CoupledModel(FileMapping):
    """`follower = ratio · leader + offset`."""

    kind: Literal["coupled"]
    name: Name
    follower: DofName
    leader: DofName
    ratio: Number
    offset: Number = 0.0

    def build(self, figure: Figure) -> tuple[LinearConstraint, ...]:
        """The row."""
        unit = _unit(figure, (self.follower, self.leader), self.name)
        return (LinearConstraint.coupling(self.name, self.follower, self.leader, self.ratio, self.offset * unit),)


AnyConstraint = Annotated[
    Annotated[LinearModel, Tag("<linear>")]
    | Annotated[PolygonModel, Tag("<polygon>")]
    | Annotated[CoupledModel, Tag("<coupled>")],
    Discriminator(kind_of),
]


def _unit(figure: Figure, dofs: Iterable[str], name: str) -> float:
    """One unit of the file in radians or metres."""
    angles = [is_angle(figure, dof) for dof in dofs]
    if any(angles) != all(angles):
        raise InvalidSetting(f"constraint {name!r} mixes angles and slides, so its bounds have no common unit")
    return math.radians(1.0) if all(angles) else 1.0
