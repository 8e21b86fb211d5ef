"""Posewright's own figure files: YAML that people can read and write, complete and exact.

The fields are those of the parts of a figure. Angles are in degrees in files and in radians in figures; lengths are in
metres in both.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias, get_type_hints

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    PlainSerializer,
    ValidationError,
    create_model,
    model_validator,
)

from posewright.constraints import LinearConstraint
from posewright.conventions import exact_degrees
from posewright.errors import FileProblem
from posewright.figures import Ball, Body, Capsule, Figure, Hinge, Joint, JointGroup, Site, Slide, Source
from posewright.figures.joint import NO_TURN, ORIGIN, Vector, X, Y, Z
from posewright.formats.atomic import replacing
from posewright.formats.budget import LARGEST_DOCUMENT, Budget
from posewright.formats.field_errors import field_problem, first_location
from posewright.formats.json_document import parse_json
from posewright.formats.options import ReadOptions
from posewright.formats.yaml_document import YamlDocument, read_yaml
from posewright.motions import Motion

FORMAT: Final = "posewright-figure"
VERSION: Final = 1

_HEAD = "# A Posewright figure. Angles are degrees, lengths metres, y is up; rest rotations are quaternions wxyz.\n"
_OTHER_FILES = {
    "goals": "a task, which posewright pose solves",
    "keys": "an edit, which posewright edit makes",
    "values": "a pose, which a task may start from",
}
_LETTERS: dict[Any, str] = {X: "x", Y: "y", Z: "z"}
_ANGLES = ("lower", "upper", "rest")

Number = Annotated[float, Field(allow_inf_nan=False)]
NotNegative = Annotated[Number, Field(ge=0.0)]
Three = tuple[Number, Number, Number]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


def read(path: Path, options: ReadOptions) -> Figure:
    """Read the figure from a file.

    Raises:
        FileProblem: the file is invalid; the message has line and field.
    """
    del options  # the file states everything
    file = read_yaml(path, "a figure file", "name and joints", most_bytes=LARGEST_DOCUMENT)
    return _figure(path, file.data, file)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure; its meshes (`figure.skin`) cannot be stored in this file."""
    text = yaml.dump(document(figure), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    with replacing(path) as temporary:
        temporary.write_text(_HEAD + text, encoding="utf-8")


def write(motion: Motion, path: Path) -> None:
    """Refuse, because motions cannot be stored in this file."""
    n = len(motion)
    raise FileProblem(path, f"holds a figure, not the {n} frames of a motion; write .npz, or use convert --figure-only")


def to_json(figure: Figure) -> str:
    """The same document on one line, for motion files."""
    return json.dumps(document(figure), separators=(",", ":"), ensure_ascii=False)


def from_json(path: Path, text: str) -> Figure:
    """The figure in a motion file."""
    budget = Budget(path, len(text))
    budget.require_items(text.count(","), "values in its figure")
    return _figure(path, parse_json(budget, text, "its figure", infinite=True), None)


def document(figure: Figure) -> dict[str, Any]:
    """A figure as plain mappings, lists and numbers."""
    turning = _turning(figure.joints)
    model = FigureModel(
        format=FORMAT,
        version=VERSION,
        name=figure.name,
        joints=tuple(JointModel.of(joint) for joint in figure.joints),
        sites=tuple(SiteModel.of(site) for site in figure.sites),
        groups=tuple(GroupModel.of_figure(group, turning) for group in figure.groups),
        constraints=tuple(ConstraintModel.of_figure(constraint, turning) for constraint in figure.constraints),
        source=None if figure.source is None else SourceModel.of(figure.source),
    )
    plain = model.model_dump(mode="json", exclude_defaults=True)
    for joint, whole in zip(plain["joints"], model.joints, strict=True):
        if whole.ball is not None:
            joint.setdefault("ball", {})  # a free ball has only defaults
    return {"format": FORMAT, "version": VERSION, "units": model.units.model_dump(), **plain}


def _figure(path: Path, data: Any, source: YamlDocument | None) -> Figure:
    if not isinstance(data, Mapping):
        kind = "nothing" if data is None else f"a {type(data).__name__}"
        raise FileProblem(path, f"is not a figure file: it holds {kind}, not fields such as name and joints")
    for field, what in _OTHER_FILES.items():
        if field in data and "format" not in data:
            raise FileProblem(path, f"is not a figure file: with its field {field!r} it looks like {what}")
    if data.get("format") != FORMAT:
        raise FileProblem(path, f"is not a figure file: its format is {str(data.get('format'))[:40]!r}, not {FORMAT!r}")
    if data.get("version") != VERSION:
        found = str(data.get("version"))[:20]
        raise FileProblem(path, f"is a figure file of version {found}; version {VERSION} is read")
    try:
        model = FigureModel.model_validate(data)
    except ValidationError as error:
        line = None if source is None else source.line(first_location(error))
        raise field_problem(path, error, FigureModel, line=line) from None
    joints = tuple(joint.build() for joint in model.joints)
    turning = _turning(joints)
    return Figure(
        name=model.name,
        joints=joints,
        sites=tuple(site.build() for site in model.sites),
        groups=tuple(group.build_with(turning) for group in model.groups),
        constraints=tuple(constraint.build() for constraint in model.constraints),
        source=None if model.source is None else model.source.build(),
    )


def _turning(joints: tuple[Joint, ...]) -> set[str]:
    """Names of the dofs that are angles."""
    return {f"{joint.name}.{label}" for joint in joints for label in joint.labels[len(joint.slides) :]}


class _Dumper(yaml.SafeDumper):
    """Block style outside, but one line for each vector, slide or hinge; no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:
        flat = not any(isinstance(item, dict | list) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=flat)

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        # `axis` marks slides and hinges, `start` capsules: they read best as rows
        row = isinstance(mapping, dict) and (not mapping or "axis" in mapping or "start" in mapping)
        return super().represent_mapping(tag, mapping, flow_style=row)


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
"""Axes are letters in the file if they are one of the three, otherwise three numbers."""


class _Part(BaseModel):
    """Fields with the names and meaning of part of a figure; `angles` are degrees here and radians there."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    makes: ClassVar[type[Any]]
    angles: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, part: Any) -> Self:
        """Convert from part of a figure."""
        return cls(**{name: cls._to_file(name, getattr(part, name)) for name in cls.model_fields})

    def build(self) -> Any:
        """Convert to part of a figure."""
        return self.makes(**self._for_figure())

    def _for_figure(self) -> dict[str, Any]:
        return {name: self._to_figure(name, getattr(self, name)) for name in type(self).model_fields}

    @classmethod
    def _to_file(cls, name: str, value: Any) -> Any:
        if name in cls.angles:
            return tuple(map(exact_degrees, value)) if isinstance(value, tuple) else exact_degrees(value)
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


def _model_of(makes: type[Any], angles: tuple[str, ...] = (), **kinds: Any) -> Any:
    """The model of part of a figure; `kinds` add to the annotations of fields."""
    kinds = get_type_hints(makes) | kinds
    defaults = {f.name: ... if f.default is dataclasses.MISSING else f.default for f in dataclasses.fields(makes)}
    fields: dict[str, Any] = {name: (kinds[name], default) for name, default in defaults.items()}
    model = create_model(f"{makes.__name__}Model", __base__=_Part, **fields)
    model.makes, model.angles = makes, angles
    return model


if TYPE_CHECKING:
    SlideModel: TypeAlias = _Part
    HingeModel: TypeAlias = _Part
    BallModel: TypeAlias = _Part
    CapsuleModel: TypeAlias = _Part
    SiteModel: TypeAlias = _Part
    BodyModel: TypeAlias = _Part
    SourceModel: TypeAlias = _Part
else:
    SlideModel = _model_of(Slide, axis=Axis, rest=Number, rigidity=Share)
    HingeModel = _model_of(Hinge, (*_ANGLES, "max_speed"), axis=Axis, rest=Number, rigidity=Share)
    BallModel = _model_of(Ball, _ANGLES, rest=Three, rigidity=tuple[Share, Share, Share], hinges=tuple[HingeModel, ...])
    CapsuleModel = _model_of(Capsule, start=Three, end=Three, start_radius=NotNegative, end_radius=NotNegative)
    SiteModel = _model_of(Site, point=Three, x_axis=Axis, y_axis=Axis)
    BodyModel = _model_of(Body, point=Three)
    SourceModel = _model_of(
        Source, metres_per_unit=Annotated[Number, Field(gt=0.0)], up=Literal["y", "z"], bodies=tuple[BodyModel, ...]
    )
_MODELS = {
    model.makes: model for model in (SlideModel, HingeModel, BallModel, CapsuleModel, SiteModel, BodyModel, SourceModel)
}


class Units(_Part):
    """The units of the numbers in the file."""

    angle: Literal["degrees"] = "degrees"
    length: Literal["metres"] = "metres"
    mass: Literal["kilograms"] = "kilograms"


class JointModel(_Part):
    """A joint, which rotates by hinges or by a ball."""

    name: str
    parent: str | None = None
    offset: Three = ORIGIN
    rest: tuple[Number, Number, Number, Number] = NO_TURN
    """Unit quaternion wxyz."""
    slides: tuple[SlideModel, ...] = ()
    slides_replace_offset: bool = False
    hinges: tuple[HingeModel, ...] = ()
    ball: BallModel | None = None
    mass: NotNegative = 0.0
    centre: Three = ORIGIN
    shape: tuple[CapsuleModel, ...] = ()

    @model_validator(mode="after")
    def _one_rotation(self) -> Self:
        if self.hinges and self.ball is not None:
            raise ValueError("turns by hinges or by a ball, not by both")
        return self

    def build(self) -> Joint:
        """Convert to a joint of a figure."""
        fields = self._for_figure()
        hinges, ball = fields.pop("hinges"), fields.pop("ball")
        return Joint(**fields, rotation=hinges if ball is None else ball)


class GroupModel(_Part):
    """A joint group; `offset` in degrees for members that rotate, m for those that slide."""

    makes = JointGroup
    name: str
    coordinates: tuple[str, ...]
    members: tuple[str, ...]
    matrix: tuple[tuple[Number, ...], ...]
    """Radians (metres) of a member per unit of a coordinate."""
    offset: tuple[Number, ...] = ()

    @classmethod
    def of_figure(cls, group: JointGroup, turning: set[str]) -> Self:
        """Convert from a group of a figure; `turning` are the dofs that are angles."""
        offset = [exact_degrees(v) if m in turning else v for m, v in zip(group.members, group.offset, strict=True)]
        return cls.of(group).model_copy(update={"offset": tuple(offset) if any(offset) else ()})

    def build_with(self, turning: set[str]) -> JointGroup:
        """Convert to a group of a figure."""
        made: JointGroup = self.build()
        pairs = zip(made.members, made.offset, strict=True)
        return dataclasses.replace(made, offset=tuple(math.radians(v) if m in turning else v for m, v in pairs))


class ConstraintModel(_Part):
    """A linear constraint; its bounds are in its `unit`."""

    name: str
    unit: Literal["degrees", "metres", "radians and metres"]
    factors: dict[str, Number]
    lower: float = -math.inf
    upper: float = math.inf

    @classmethod
    def of_figure(cls, constraint: LinearConstraint, turning: set[str]) -> Self:
        """Convert from a constraint of a figure; `turning` are the dofs that are angles."""
        angles = [dof in turning for dof, _ in constraint.coefficients]
        bounds = constraint.lower, constraint.upper
        degrees = tuple(map(exact_degrees, bounds))
        in_degrees = all(angles) and tuple(map(math.radians, degrees)) == bounds  # there are bounds that no degrees are
        return cls(
            name=constraint.name,
            unit="degrees" if in_degrees else "radians and metres" if any(angles) else "metres",
            factors=dict(constraint.coefficients),
            lower=degrees[0] if in_degrees else constraint.lower,
            upper=degrees[1] if in_degrees else constraint.upper,
        )

    def build(self) -> LinearConstraint:
        """Convert to a constraint of a figure."""
        factor = math.pi / 180.0 if self.unit == "degrees" else 1.0
        factors = tuple(self.factors.items())
        return LinearConstraint(
            name=self.name, coefficients=factors, lower=self.lower * factor, upper=self.upper * factor
        )


class FigureModel(_Part):
    """A complete figure file."""

    format: Literal["posewright-figure"]
    version: Literal[1]
    units: Units = Units()
    name: str
    joints: Annotated[tuple[JointModel, ...], Field(min_length=1), FailFast()]
    sites: Annotated[tuple[SiteModel, ...], FailFast()] = ()
    groups: Annotated[tuple[GroupModel, ...], FailFast()] = ()
    constraints: Annotated[tuple[ConstraintModel, ...], FailFast()] = ()
    source: SourceModel | None = None
