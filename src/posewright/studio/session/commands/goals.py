"""Commands about goals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from posewright.errors import InvalidSetting
from posewright.goals import Goal, Position, pin
from posewright.studio.session.command import Command
from posewright.studio.session.names import free_name
from posewright.studio.session.state import State

Name = Annotated[str, Field(min_length=1, max_length=200)]
Point = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class AddGoal(Command):
    """A goal more, of any kind."""

    kind: Literal["add_goal"] = "add_goal"
    goal: dict[str, Any]
    """As in a task file: `{"kind": "position", "site": "left_hand", "target": [0.2, 1.1, 0.4]}`."""

    def apply(self, state: State) -> State:
        """The goal gets a name of its own where its site has a goal already."""
        goal = read_goal(self.goal, state)
        taken = [one.label for one in state.goals]
        return state.with_goal(replace(goal, name=free_name(goal.label, taken)) if goal.label in taken else goal)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"add a {self.goal.get('kind', '')} goal"


@dataclass(frozen=True, kw_only=True)
class MoveGoals(Command):
    """Goals brought elsewhere: what a drag comes to."""

    kind: Literal["move_goals"] = "move_goals"
    targets: dict[Name, Point]
    """m, by goal"""

    def apply(self, state: State) -> State:
        """Each goal with its new point; its directions stay."""
        for name, point in self.targets.items():
            state = state.replacing(name, moved(state.goal(name), point))
        return state

    @property
    def says(self) -> str:
        """In a few words."""
        return f"move {', '.join(self.targets)}"


@dataclass(frozen=True, kw_only=True)
class SetGoal(Command):
    """Settings of a goal; those that are None stay."""

    kind: Literal["set_goal"] = "set_goal"
    name: Name
    weight: float | None = None
    priority: int | None = None
    enabled: bool | None = None

    def apply(self, state: State) -> State:
        """The goal with them."""
        given = {field: getattr(self, field) for field in ("weight", "priority", "enabled")}
        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        return state.replacing(self.name, replace(state.goal(self.name), **changes))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"change {self.name}"


@dataclass(frozen=True, kw_only=True)
class PinGoal(Command):
    """Hold a goal's site where it is now, in position and orientation, before all else; or let go of it."""

    kind: Literal["pin_goal"] = "pin_goal"
    name: Name
    pinned: bool

    def apply(self, state: State) -> State:
        """A pin is a goal of priority 1; a site let go of is wanted where it is, by priority 2."""
        old = state.goal(self.name)
        site = getattr(old, "site", None)
        if site is None:
            raise InvalidSetting(f"{old} is not about a site; only those of one site can be pinned")
        kept: dict[str, Any] = {"name": old.name, "weight": old.weight, "enabled": old.enabled}
        new: Goal = pin(state.pose, site, priority=1, **kept)[0]
        if not self.pinned:
            new = Position(site, tuple(state.pose.point(site).tolist()), priority=2, **kept)
        return state.replacing(self.name, new)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"{'pin' if self.pinned else 'let go of'} {self.name}"


@dataclass(frozen=True, kw_only=True)
class DeleteGoal(Command):
    """One goal less. The pose stays as it is."""

    kind: Literal["delete_goal"] = "delete_goal"
    name: Name

    solves = False

    def apply(self, state: State) -> State:
        """Without it, and without its site if a click made that."""
        return state.without_goal(self.name)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"delete {self.name}"


def moved(goal: Goal, point: Point) -> Goal:
    """A goal with its point elsewhere.

    Raises:
        InvalidSetting: the goal has no point to move.
    """
    if goal.path_field is None:
        raise InvalidSetting(f"{goal} has no point that could be moved")
    changes: dict[str, Any] = {goal.path_field: point}
    return replace(goal, **changes)


@cache
def _reader() -> TypeAdapter[Any]:
    from posewright.tasks.goals import AnyGoal

    return TypeAdapter(AnyGoal)


def read_goal(fields: dict[str, Any], state: State) -> Goal:
    """A goal as task files write them.

    Raises:
        InvalidSetting: with the first thing that is wrong about it.
    """
    try:
        model = _reader().validate_python(fields, context={"figure": state.figure})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("<"))
        problem = first["msg"].removeprefix("Value error, ")
        raise InvalidSetting(f"the goal cannot be read: {where or 'it'}: {problem}") from None
    goal: Goal = model.build(state.figure, state.pose)
    return goal
