"""Goals about more than one site, as task files state them, and the union of all kinds."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from posewright.figures import Figure, Pose
from posewright.goals import AnyOf, CentreOfMass, Goal, Outside, Posture, Smoothness
from posewright.tasks.fields import (
    Direction,
    JointName,
    JointOrDofName,
    NotNegative,
    Part,
    SiteName,
    Three,
    expanded,
    word_or_other,
)
from posewright.tasks.points import Place, balanced
from posewright.tasks.site_goals import AngleModel, GoalModel, LengthModel, PlacementModel, SiteGoals, kind_of
from posewright.tasks.start import StartModel


class CentreOfMassModel(LengthModel):
    """Balance."""

    kind: Literal["centre_of_mass"]
    target: Place
    vertical: bool = True
    """Only the two horizontal directions count."""

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return CentreOfMass(balanced(self.target, start, vertical=self.vertical), self.vertical, **self.common(figure))


class PostureModel(GoalModel):
    """Every dof near a reference."""

    kind: Literal["posture"]
    reference: Annotated[
        Annotated[Literal["start", "rest"], Tag("<word>")] | Annotated[StartModel, Tag("<other>")],
        Discriminator(word_or_other),
    ] = "start"
    weights: dict[JointOrDofName, NotNegative] = Field(default_factory=dict)
    """By joint or dof; those not named count 1."""

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself; a start is the reference unless another is given."""
        reference = start if self.reference == "start" else Pose.rest(figure)
        if isinstance(self.reference, StartModel):
            reference = self.reference.pose(figure)
        weights = {name: weight for key, weight in self.weights.items() for name in expanded(figure, (key,))}
        return Posture(reference, weights, **self.common(figure))


class SmoothnessModel(GoalModel):
    """Neighbouring joints turned alike."""

    kind: Literal["smoothness"]
    chain: Annotated[tuple[JointName, ...], Field(min_length=1)]

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return Smoothness(expanded(figure, self.chain), **self.common(figure))


class AnyOfModel(LengthModel):
    """The nearest of several goals about sites. A tolerance is in metres, or in degrees if all members are angles."""

    kind: Literal["any_of"]
    members: Annotated[tuple[Annotated[SiteGoals, Discriminator(kind_of)], ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        for member in self.members:
            own = member.model_fields_set & {"weight", "priority", "tolerance", "joints", "recruiting", "enabled"}
            if own:
                raise ValueError(
                    f"has a member with its own {min(own)}; that belongs to the any_of, not to its members"
                )
        angles = [isinstance(member, AngleModel) for member in self.members]
        other = any(isinstance(member, PlacementModel) for member in self.members)
        if self.tolerance is not None and (other or any(angles) != all(angles)):
            raise ValueError("has a tolerance, but its members are not all distances or all angles; leave it out")
        return self

    @property
    def inner_tolerance(self) -> float | None:
        """In metres or radians, as its members."""
        angles = self.tolerance is not None and isinstance(self.members[0], AngleModel)
        return math.radians(self.tolerance) if angles and self.tolerance is not None else self.tolerance

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        return AnyOf(tuple(member.build(figure, start) for member in self.members), **self.common(figure))


class FaceModel(Part):
    """A face of a polyhedron."""

    point: Three
    normal: Direction
    """Outward."""


class OutsideModel(LengthModel):
    """A site outside a box or a convex polyhedron."""

    kind: Literal["outside"]
    site: SiteName
    box: tuple[Three, Three] | None = None
    """Two opposite corners."""
    faces: Annotated[tuple[FaceModel, ...], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _check_shape(self) -> Self:
        if (self.box is None) == (self.faces is None):
            raise ValueError("must have a box (two opposite corners) or faces, and not both")
        if self.box is not None and any(a == b for a, b in zip(*self.box, strict=True)):
            raise ValueError("must have a box with a length in every direction: its corners share a coordinate")
        return self

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal itself."""
        faces = None if self.faces is None else tuple((face.point, face.normal) for face in self.faces)
        return Outside(self.site, faces, self.box, **self.common(figure))


AnyGoal = Annotated[
    SiteGoals
    | Annotated[CentreOfMassModel, Tag("<centre_of_mass>")]
    | Annotated[PostureModel, Tag("<posture>")]
    | Annotated[SmoothnessModel, Tag("<smoothness>")]
    | Annotated[AnyOfModel, Tag("<any_of>")]
    | Annotated[OutsideModel, Tag("<outside>")],
    Discriminator(kind_of),
]
