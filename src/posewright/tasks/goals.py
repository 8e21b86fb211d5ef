"""Goals in task files, read by the fields that each goal kind declares (`goals.fields`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast, get_args

from pydantic import Discriminator, Field, Tag, create_model, model_validator

from posewright.figures import Figure, Pose
from posewright.goals import GOAL_KINDS, AnyOf, Goal
from posewright.goals.fields import declared_fields
from posewright.goals.goal import GoalSettings, SiteGoal
from posewright.tasks.fields import (
    Direction,
    FileMapping,
    JointName,
    JointOrDofName,
    NotNegative,
    Number,
    Positive,
    Share,
    SiteName,
    Three,
    expanded,
    kind_of,
    word_or_other,
)
from posewright.tasks.points import Place, Point, Turn, means_start, turned
from posewright.tasks.start import StartModel

Joints = Annotated[
    Annotated[Literal["limb", "limb+spine", "whole"], Tag("<word>")]
    | Annotated[tuple[JointName, ...], Field(min_length=1), Tag("<other>")],
    Discriminator(word_or_other),
]


class GoalModel(FileMapping):
    """Fields of every goal; each kind declares its other fields."""

    goal: ClassVar[type[Goal]]

    name: Annotated[str, Field(max_length=100)] = ""
    weight: NotNegative = 1.0
    priority: Annotated[int, Field(ge=1, strict=True)] = 1
    joints: Joints = "whole"
    recruiting: Literal["auto", "limb", "limb+spine", "whole"] = "auto"
    """How much of the body `design` takes from a posture database for this goal."""
    enabled: bool = True

    def build(self, figure: Figure, start: Pose) -> Goal:
        """The goal, for a task that starts at a given pose."""
        values = {name: getattr(self, name) for name in declared(self.goal) if hasattr(self, name)}
        for name, (_, role) in declared(self.goal).items():
            if role is not None and role.word in _MEANINGS and name in values:
                values |= _MEANINGS[role.word](self, name, figure, start)
        return self.goal(**values, **self.settings(figure))

    def settings(self, figure: Figure) -> GoalSettings:
        """The arguments that all goals share."""
        return {
            "name": self.name,
            "weight": self.weight,
            "priority": self.priority,
            "tolerance": self.inner_tolerance,
            "joints": self.joints if isinstance(self.joints, str) else expanded(figure, self.joints),
            "enabled": self.enabled,
        }

    @property
    def unit(self) -> str | None:
        """Unit of the error; None if there is no tolerance."""
        return self.goal.error_unit

    @property
    def inner_tolerance(self) -> float | None:
        """The tolerance in metres or radians; None: the default."""
        tolerance: float | None = getattr(self, "tolerance", None)
        return math.radians(tolerance) if tolerance is not None and self.unit == "rad" else tolerance


class _AnyOfModel(GoalModel):
    """The nearest of several goals about sites. Its tolerance is in metres, or in degrees if all members are angles."""

    @property
    def unit(self) -> str | None:
        """The unit of its members, if they share one."""
        units = {member.unit for member in getattr(self, "members", ())}
        return units.pop() if len(units) == 1 else None

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        for member in getattr(self, "members", ()):
            own = member.model_fields_set & (GoalModel.model_fields.keys() - {"name"} | {"tolerance"})
            if own:
                raise ValueError(
                    f"has a member with its own {min(own)}; that belongs to the any_of, not to its members"
                )
        if getattr(self, "tolerance", None) is not None and self.unit is None:
            raise ValueError("has a tolerance, but its members are not all distances or all angles; leave it out")
        return self


class _Face(FileMapping):
    """A face of a polyhedron."""

    point: Three
    normal: Direction
    """Outward normal."""


# What the fields of goals are in files, by role, and what becomes of them once figure and start are known.

_Pose = Annotated[
    Annotated[Literal["start", "rest"], Tag("<word>")] | Annotated[StartModel, Tag("<other>")],
    Discriminator(word_or_other),
]
_TYPES: Mapping[str, Any] = {
    "site": SiteName,
    "place": Place,
    "point": Point,
    "direction": Direction,
    "like": Turn,
    "wxyz": tuple[Number, Number, Number, Number],
    "matrix": tuple[Three, Three, Three],
    "radius": Positive,
    "metres": Positive,
    "share": Share,
    "joints": Annotated[tuple[JointName, ...], Field(min_length=1)],
    "weights": dict[JointOrDofName, NotNegative],
    "faces": Annotated[tuple[_Face, ...], Field(min_length=1)],
    "box": tuple[Three, Three],
}


def _place(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    target = getattr(model, name)
    return {name: model.goal.place_in(start, vars(model)) if means_start(target, start) else target}


def _like(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    x, y, like = (getattr(model, field) for field in ("x", "y", name))
    found = turned(x, y, like, getattr(model, "site"), start)  # noqa: B009 (of goals that have one)
    return dict(zip(("x", "y", name), found, strict=True))


def _joints(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    return {name: expanded(figure, getattr(model, name))}


def _weights(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    by_range = getattr(model, name).items()
    return {name: {joint: weight for key, weight in by_range for joint in expanded(figure, (key,))}}


def _pose(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    given = getattr(model, name)
    if isinstance(given, StartModel):
        return {name: given.pose(figure)}
    return {name: start if given == "start" else Pose.rest(figure)}


def _members(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    return {name: tuple(member.build(figure, start) for member in getattr(model, name))}


def _faces(model: GoalModel, name: str, figure: Figure, start: Pose) -> dict[str, Any]:
    given = getattr(model, name)
    return {name: None if given is None else tuple((face.point, face.normal) for face in given)}


_MEANINGS: Mapping[str, Callable[[GoalModel, str, Figure, Pose], dict[str, Any]]] = {
    "place": _place,
    "like": _like,
    "joints": _joints,
    "weights": _weights,
    "pose": _pose,
    "goals": _members,
    "faces": _faces,
}


def declared(kind: type[Goal]) -> dict[str, Any]:
    """Type and role of the fields that a kind declares itself, in order."""
    return {name: field for name, field in declared_fields(kind).items() if name not in declared_fields(Goal)}


@cache
def goal_model(kind: type[Goal]) -> type[GoalModel]:
    """The fields of a kind of goal in task files."""
    defaults = {field.name: field for field in fields(kind)}
    own: dict[str, Any] = {"kind": (Literal[kind.word()], ...)}
    for name, (hint, role) in declared(kind).items():
        accepted: Any = hint if role is None else _TYPES.get(role.word)
        if accepted is not None and type(None) in get_args(hint):
            accepted = accepted | None
        field = defaults.get(name)
        if role is not None and role.word == "pose":
            own[name] = (_Pose, "start")
        elif role is not None and role.word == "goals":
            sites = goal_choice(one for one in GOAL_KINDS.values() if issubclass(one, SiteGoal))
            own[name] = (tuple.__class_getitem__((sites, ...)), Field(min_length=1))
        elif field is None:  # an argument, such as wxyz
            own[name] = (accepted, None)
        elif field.default_factory is not MISSING:
            own[name] = (accepted, Field(default_factory=field.default_factory))
        else:
            own[name] = (accepted, ... if field.default is MISSING else field.default)
    if kind.error_unit is not None:
        own["tolerance"] = (Positive | None, None)
    base = _AnyOfModel if kind is AnyOf else GoalModel
    model = create_model(f"{kind.__name__}Model", __base__=base, **own)
    model.goal = kind
    return model


def goal_choice(kinds: Iterable[type[Goal]], *others: type[GoalModel]) -> Any:
    """The type of a field that holds a goal of one of several kinds, named by its `kind`."""
    models = [*map(goal_model, kinds), *others]
    tagged = [Annotated[model, Tag(f"<{get_args(model.model_fields['kind'].annotation)[0]}>")] for model in models]
    return Annotated[cast(Any, reduce(or_, tagged)), Discriminator(kind_of)]


if TYPE_CHECKING:
    AnyGoal = GoalModel
else:
    AnyGoal = goal_choice(GOAL_KINDS.values())
