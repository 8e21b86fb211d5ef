"""The fields of a figure file: what each may be, and how it becomes part of a figure and comes from one.

Angles are degrees here and radians in figures; lengths are metres in both.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from posewright.constraints import LinearConstraint
from posewright.figures import Ball, Capsule, Hinge, Joint, JointGroup, Site, Slide, Source
from posewright.figures.joint import NO_TURN, ORIGIN, Vector, X, Y, Z

FORMAT: Final = "posewright-figure"
VERSION: Final = 1

_LETTERS: dict[Any, str] = {X: "x", Y: "y", Z: "z"}
_ANGLES = ("lower", "upper", "rest")
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
    """Fields that have the names and meaning of a part of a figure; `angles` are degrees here and radians there."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    makes: ClassVar[type[Any]]
    angles: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, part: Any) -> Self:
        """From a figure's."""
        return cls(**{name: cls._to_file(name, getattr(part, name)) for name in cls.model_fields})

    def build(self) -> Any:
        """For a figure."""
        return self.makes(**{name: self._to_figure(name, getattr(self, name)) for name in type(self).model_fields})

    @classmethod
    def _to_file(cls, name: str, value: Any) -> Any:
        if name in cls.angles:
            return tuple(map(math.degrees, value)) if isinstance(value, tuple) else math.degrees(value)
        if isinstance(value, tuple):
            return tuple(cls._to_file("", item) for item in value)
        return _MODELS[type(value)].of(value) if type(value) in _MODELS else value

    @classmethod
    def _to_figure(cls, name: str, value: Any) -> Any:
        if name in cls.angles:
            return tuple(map(math.radians, value)) if isinstance(value, tuple) else math.radians(value)
        if isinstance(value, tuple):
            return tuple(cls._to_figure("", item) for item in value)
        return value.build() if isinstance(value, _Part) else value


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
    max_speed: float = math.inf
    """Per second."""


class SlideModel(_Freedom):
    """A slide, m."""

    makes = Slide


class HingeModel(_Freedom):
    """A hinge, degrees."""

    makes = Hinge
    angles = (*_ANGLES, "max_speed")


class BallModel(_Part):
    """A ball; its rotation vector in degrees."""

    makes = Ball
    angles = _ANGLES
    lower: Bounds = _FREE
    upper: Bounds = (math.inf, math.inf, math.inf)
    rest: Three = ORIGIN
    rigidity: tuple[Share, Share, Share] = ORIGIN
    hinges: tuple[HingeModel, ...] = ()


class CapsuleModel(_Part):
    """A rounded cone, m."""

    makes = Capsule
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

    def build(self) -> Joint:
        """For a figure."""
        fields = {name: self._to_figure(name, getattr(self, name)) for name in type(self).model_fields}
        hinges, ball = fields.pop("hinges"), fields.pop("ball")
        return Joint(**fields, rotation=hinges if ball is None else ball)


class SiteModel(_Part):
    """A site, m."""

    makes = Site
    name: str
    joint: str
    point: Three = ORIGIN
    x_axis: Axis = X
    y_axis: Axis = Y
    tip: bool = False


class GroupModel(_Part):
    """A joint group; `offset` in degrees for members that turn, m for those that slide."""

    makes = JointGroup
    name: str
    coordinates: tuple[str, ...]
    members: tuple[str, ...]
    matrix: tuple[tuple[Number, ...], ...]
    """Radians (metres) of a member per unit of a coordinate."""
    offset: tuple[Number, ...] = ()

    @classmethod
    def of_figure(cls, group: JointGroup, turning: set[str]) -> Self:
        """From a figure's; `turning` are the dofs that are angles."""
        offset = [math.degrees(v) if m in turning else v for m, v in zip(group.members, group.offset, strict=True)]
        return cls.of(group).model_copy(update={"offset": tuple(offset) if any(offset) else ()})

    def build_with(self, turning: set[str]) -> JointGroup:
        """For a figure."""
        made: JointGroup = self.build()
        pairs = zip(made.members, made.offset, strict=True)
        return replace(made, offset=tuple(math.radians(v) if m in turning else v for m, v in pairs))


class ConstraintModel(_Part):
    """A linear constraint; its bounds are in the `unit` that it states."""

    name: str
    unit: Literal["degrees", "metres", "radians and metres"]
    factors: dict[str, Number]
    lower: float = -math.inf
    upper: float = math.inf

    @classmethod
    def of_figure(cls, constraint: LinearConstraint, turning: set[str]) -> Self:
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

    makes = Source
    format: str
    metres_per_unit: Annotated[Number, Field(gt=0.0)] = 1.0
    up: Literal["y", "z"] = "y"
    channels: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = ()
    joint_order: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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


_MODELS: dict[type[Any], type[_Part]] = {
    model.makes: model for model in (SlideModel, HingeModel, BallModel, CapsuleModel, SiteModel, SourceModel)
}
