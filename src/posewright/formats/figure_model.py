"""The fields of a figure file: what each may be, and how it becomes part of a figure and comes from one.

Angles are degrees here and radians in figures; lengths are metres in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from posewright.constraints import LinearConstraint
from posewright.figure import Ball, Capsule, Hinge, Joint, JointGroup, Site, Slide, Source
from posewright.figure.joint import NO_TURN, ORIGIN, Vector, X, Y, Z

FORMAT: Final = "posewright-figure"
VERSION: Final = 1

_LETTERS: dict[Any, str] = {X: "x", Y: "y", Z: "z"}
_FREE = (-math.inf, -math.inf, -math.inf)

Number = Annotated[float, Field(allow_inf_nan=False)]
Three = tuple[Number, Number, Number]
Bounds = tuple[float, float, float]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


def _axis_from_letter(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    axis = next((axis for axis, letter in _LETTERS.items() if letter == value), None)
    if axis is None:
        raise ValueError("must be x, y, z or three numbers")
    return axis


def _letter_of_axis(axis: Vector) -> str | Vector:
    return _LETTERS.get(axis, axis)


Axis = Annotated[Three, BeforeValidator(_axis_from_letter), PlainSerializer(_letter_of_axis)]
"""A letter in the file where it is one of the three, else three numbers."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Units(_Part):
    """What the numbers mean; stated so that nobody has to guess."""

    angle: Literal["degrees"] = "degrees"
    length: Literal["metres"] = "metres"
    mass: Literal["kilograms"] = "kilograms"


class _Freedom(_Part):
    """What slides and hinges have in common."""

    axis: Axis
    label: str = ""
    lower: float = -math.inf
    upper: float = math.inf
    rest: Number = 0.0
    rigidity: Share = 0.0


class SlideModel(_Freedom):
    """A slide, m."""

    @classmethod
    def of(cls, slide: Slide) -> Self:
        """From a figure's."""
        return cls(
            axis=slide.axis,
            label=slide.label,
            lower=slide.lower,
            upper=slide.upper,
            rest=slide.rest,
            rigidity=slide.rigidity,
        )

    def build(self) -> Slide:
        """For a figure."""
        return Slide(
            axis=self.axis,
            label=self.label,
            lower=self.lower,
            upper=self.upper,
            rest=self.rest,
            rigidity=self.rigidity,
        )


class HingeModel(_Freedom):
    """A hinge, degrees."""

    @classmethod
    def of(cls, hinge: Hinge) -> Self:
        """From a figure's."""
        return cls(
            axis=hinge.axis,
            label=hinge.label,
            lower=math.degrees(hinge.lower),
            upper=math.degrees(hinge.upper),
            rest=math.degrees(hinge.rest),
            rigidity=hinge.rigidity,
        )

    def build(self) -> Hinge:
        """For a figure."""
        return Hinge(
            axis=self.axis,
            label=self.label,
            lower=math.radians(self.lower),
            upper=math.radians(self.upper),
            rest=math.radians(self.rest),
            rigidity=self.rigidity,
        )


class BallModel(_Part):
    """A ball; its rotation vector in degrees."""

    lower: Bounds = _FREE
    upper: Bounds = (math.inf, math.inf, math.inf)
    rest: Three = ORIGIN
    rigidity: tuple[Share, Share, Share] = ORIGIN
    hinges: tuple[HingeModel, ...] = ()

    @classmethod
    def of(cls, ball: Ball) -> Self:
        """From a figure's."""
        return cls(
            lower=_degrees(ball.lower),
            upper=_degrees(ball.upper),
            rest=_degrees(ball.rest),
            rigidity=ball.rigidity,
            hinges=tuple(HingeModel.of(hinge) for hinge in ball.hinges),
        )

    def build(self) -> Ball:
        """For a figure."""
        return Ball(
            lower=_radians(self.lower),
            upper=_radians(self.upper),
            rest=_radians(self.rest),
            rigidity=self.rigidity,
            hinges=tuple(hinge.build() for hinge in self.hinges),
        )


class CapsuleModel(_Part):
    """A rounded cone, m."""

    start: Three
    end: Three
    start_radius: Annotated[Number, Field(ge=0.0)]
    end_radius: Annotated[Number, Field(ge=0.0)]


class JointModel(_Part):
    """A joint."""

    name: str
    parent: str | None = None
    offset: Three = ORIGIN
    rest: tuple[Number, Number, Number, Number] = NO_TURN
    """Unit quaternion wxyz."""
    slides: tuple[SlideModel, ...] = ()
    slides_replace_offset: bool = False
    hinges: tuple[HingeModel, ...] = ()
    ball: BallModel | None = None
    mass: Annotated[Number, Field(ge=0.0)] = 0.0
    centre: Three = ORIGIN
    shape: tuple[CapsuleModel, ...] = ()

    @model_validator(mode="after")
    def _one_rotation(self) -> Self:
        if self.hinges and self.ball is not None:
            raise ValueError("turns by hinges or by a ball, not by both")
        return self

    @classmethod
    def of(cls, joint: Joint) -> Self:
        """From a figure's."""
        return cls(
            name=joint.name,
            parent=joint.parent,
            offset=joint.offset,
            rest=joint.rest,
            slides=tuple(SlideModel.of(slide) for slide in joint.slides),
            slides_replace_offset=joint.slides_replace_offset,
            hinges=tuple(HingeModel.of(hinge) for hinge in joint.hinges),
            ball=None if joint.ball is None else BallModel.of(joint.ball),
            mass=joint.mass,
            centre=joint.centre,
            shape=tuple(
                CapsuleModel(start=c.start, end=c.end, start_radius=c.start_radius, end_radius=c.end_radius)
                for c in joint.shape
            ),
        )

    def build(self) -> Joint:
        """For a figure."""
        return Joint(
            name=self.name,
            parent=self.parent,
            offset=self.offset,
            rest=self.rest,
            slides=tuple(slide.build() for slide in self.slides),
            slides_replace_offset=self.slides_replace_offset,
            rotation=tuple(h.build() for h in self.hinges) if self.ball is None else self.ball.build(),
            mass=self.mass,
            centre=self.centre,
            shape=tuple(
                Capsule(start=c.start, end=c.end, start_radius=c.start_radius, end_radius=c.end_radius)
                for c in self.shape
            ),
        )


class SiteModel(_Part):
    """A site, m."""

    name: str
    joint: str
    point: Three = ORIGIN
    x_axis: Axis = X
    y_axis: Axis = Y
    tip: bool = False

    @classmethod
    def of(cls, site: Site) -> Self:
        """From a figure's."""
        return cls(
            name=site.name,
            joint=site.joint,
            point=site.point,
            x_axis=site.x_axis,
            y_axis=site.y_axis,
            tip=site.tip,
        )

    def build(self) -> Site:
        """For a figure."""
        return Site(
            name=self.name,
            joint=self.joint,
            point=self.point,
            x_axis=self.x_axis,
            y_axis=self.y_axis,
            tip=self.tip,
        )


class GroupModel(_Part):
    """A joint group; `offset` in degrees for members that turn, m for those that slide."""

    name: str
    coordinates: tuple[str, ...]
    members: tuple[str, ...]
    matrix: tuple[tuple[Number, ...], ...]
    """Radians (metres) of a member per unit of a coordinate."""
    offset: tuple[Number, ...] = ()

    @classmethod
    def of(cls, group: JointGroup, turning: set[str]) -> Self:
        """From a figure's; `turning` are the dofs that are angles."""
        offset = [math.degrees(v) if m in turning else v for m, v in zip(group.members, group.offset, strict=True)]
        return cls(
            name=group.name,
            coordinates=group.coordinates,
            members=group.members,
            matrix=group.matrix,
            offset=tuple(offset) if any(offset) else (),
        )

    def build(self, turning: set[str]) -> JointGroup:
        """For a figure."""
        offset = self.offset
        if len(offset) == len(self.members):
            pairs = zip(self.members, offset, strict=True)
            offset = tuple(math.radians(value) if member in turning else value for member, value in pairs)
        return JointGroup(
            name=self.name, coordinates=self.coordinates, members=self.members, matrix=self.matrix, offset=offset
        )


class ConstraintModel(_Part):
    """A linear constraint; its bounds are in the `unit` that it states."""

    name: str
    unit: Literal["degrees", "metres", "radians and metres"]
    factors: dict[str, Number]
    lower: float = -math.inf
    upper: float = math.inf

    @classmethod
    def of(cls, constraint: LinearConstraint, turning: set[str]) -> Self:
        """From a figure's; `turning` are the dofs that are angles."""
        angles = [dof in turning for dof, _ in constraint.coefficients]
        factor = 180.0 / math.pi if all(angles) else 1.0
        return cls(
            name=constraint.name,
            unit="degrees" if all(angles) else "radians and metres" if any(angles) else "metres",
            factors=dict(constraint.coefficients),
            lower=constraint.lower * factor,
            upper=constraint.upper * factor,
        )

    def build(self) -> LinearConstraint:
        """For a figure."""
        factor = math.pi / 180.0 if self.unit == "degrees" else 1.0
        return LinearConstraint(
            name=self.name,
            coefficients=tuple(self.factors.items()),
            lower=self.lower * factor,
            upper=self.upper * factor,
        )


class SourceModel(_Part):
    """Where the figure came from."""

    format: str
    metres_per_unit: Annotated[Number, Field(gt=0.0)] = 1.0
    up: Literal["y", "z"] = "y"
    channels: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source) -> Self:
        """From a figure's."""
        return cls.model_validate({name: getattr(source, name) for name in cls.model_fields})

    def build(self) -> Source:
        """For a figure."""
        return Source(**self.model_dump())


class FigureModel(_Part):
    """A figure file, whole."""

    format: Literal["posewright-figure"]
    version: Literal[1]
    units: Units = Units()
    name: str
    joints: Annotated[tuple[JointModel, ...], Field(min_length=1)]
    sites: tuple[SiteModel, ...] = ()
    groups: tuple[GroupModel, ...] = ()
    constraints: tuple[ConstraintModel, ...] = ()
    source: SourceModel | None = None


def _degrees(values: Sequence[float]) -> Any:
    return tuple(math.degrees(value) for value in values)


def _radians(values: Sequence[float]) -> Vector:
    x, y, z = (math.radians(value) for value in values)
    return x, y, z
