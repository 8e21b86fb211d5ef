"""The fields of a figure file: what each may be, and how it becomes part of a figure and comes from one.

Angles are degrees here and radians in figures; lengths are metres in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from posewright.constraints import LinearConstraint
from posewright.figures import Ball, Capsule, Hinge, Joint, JointGroup, Site, Slide, Source
from posewright.figures.joint import NO_TURN, ORIGIN, Vector, X, Y, Z

FORMAT: Final = "posewright-figure"
VERSION: Final = 1

_LETTERS: dict[Any, str] = {X: "x", Y: "y", Z: "z"}
_ANGLES = ("lower", "upper", "rest")
_HINGE_ANGLES = (*_ANGLES, "max_speed")
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
    """Fields that have the names and meaning of a figure's part, but for those that the file holds otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def _like(cls, part: object, **otherwise: Any) -> Self:
        found = {name: otherwise[name] if name in otherwise else getattr(part, name) for name in cls.model_fields}
        return cls.model_validate(found)

    def _fields(self, **otherwise: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields} | otherwise


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

    @classmethod
    def of(cls, slide: Slide) -> Self:
        """From a figure's."""
        return cls._like(slide)

    def build(self) -> Slide:
        """For a figure."""
        return Slide(**self._fields())


class HingeModel(_Freedom):
    """A hinge, degrees."""

    @classmethod
    def of(cls, hinge: Hinge) -> Self:
        """From a figure's."""
        return cls._like(hinge, **{name: math.degrees(getattr(hinge, name)) for name in _HINGE_ANGLES})

    def build(self) -> Hinge:
        """For a figure."""
        return Hinge(**self._fields(**{name: math.radians(getattr(self, name)) for name in _HINGE_ANGLES}))


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
        hinges = tuple(HingeModel.of(hinge) for hinge in ball.hinges)
        return cls._like(ball, hinges=hinges, **{name: _degrees(getattr(ball, name)) for name in _ANGLES})

    def build(self) -> Ball:
        """For a figure."""
        hinges = tuple(hinge.build() for hinge in self.hinges)
        return Ball(**self._fields(hinges=hinges, **{name: _radians(getattr(self, name)) for name in _ANGLES}))


class CapsuleModel(_Part):
    """A rounded cone, m."""

    start: Three
    end: Three
    start_radius: Annotated[Number, Field(ge=0.0)]
    end_radius: Annotated[Number, Field(ge=0.0)]

    @classmethod
    def of(cls, capsule: Capsule) -> Self:
        """From a figure's."""
        return cls._like(capsule)

    def build(self) -> Capsule:
        """For a figure."""
        return Capsule(**self._fields())


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
        return cls._like(
            joint,
            slides=tuple(SlideModel.of(slide) for slide in joint.slides),
            hinges=tuple(HingeModel.of(hinge) for hinge in joint.hinges),
            ball=None if joint.ball is None else BallModel.of(joint.ball),
            shape=tuple(CapsuleModel.of(capsule) for capsule in joint.shape),
        )

    def build(self) -> Joint:
        """For a figure."""
        fields = self._fields(
            slides=tuple(slide.build() for slide in self.slides),
            rotation=tuple(hinge.build() for hinge in self.hinges) if self.ball is None else self.ball.build(),
            shape=tuple(capsule.build() for capsule in self.shape),
        )
        del fields["hinges"], fields["ball"]
        return Joint(**fields)


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
        return cls._like(site)

    def build(self) -> Site:
        """For a figure."""
        return Site(**self._fields())


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
        return cls._like(group, offset=tuple(offset) if any(offset) else ())

    def build(self, turning: set[str]) -> JointGroup:
        """For a figure."""
        offset = self.offset
        if len(offset) == len(self.members):
            pairs = zip(self.members, offset, strict=True)
            offset = tuple(math.radians(value) if member in turning else value for member, value in pairs)
        return JointGroup(**self._fields(offset=offset))


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
    joint_order: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Source) -> Self:
        """From a figure's."""
        return cls._like(source)

    def build(self) -> Source:
        """For a figure."""
        return Source(**self._fields())


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
