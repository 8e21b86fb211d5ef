"""Commands about goals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from posewright.errors import InvalidSetting
from posewright.goals import Goal, Orientation, Position, pin
from posewright.studio.session.command import Command
from posewright.studio.session.goals.fields import changed, read_goal
from posewright.studio.session.goals.places import Quaternion, moved, turned
from posewright.studio.session.modes import Mode, kept_still
from posewright.studio.session.names import free_name
from posewright.studio.session.state import State

Name = Annotated[str, Field(min_length=1, max_length=200)]
Point = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class AddGoal(Command):
    """A goal more, of any kind."""

    kind: Literal["add_goal"] = "add_goal"
    solves = True
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
    """Goals brought elsewhere and turned: what a drag comes to."""

    kind: Literal["move_goals"] = "move_goals"
    solves = True
    targets: dict[Name, Point]
    """m, by goal: where its handle is now"""
    turns: dict[Name, Quaternion] = field(default_factory=dict)
    """wxyz, by goal: how far its directions are turned from where they were"""
    mode: Mode = "full body"
    """What of the body may move for them."""

    def apply(self, state: State) -> State:
        """Each goal with its new point and directions."""
        for name, goal in self.goals(state).items():
            state = state.replacing(name, goal)
        return replace(state, still=kept_still(state, (*self.targets, *self.turns), self.mode))

    def goals(self, state: State) -> dict[str, Goal]:
        """The goals that it changes, by name."""
        found: dict[str, Goal] = {}
        for name, point in self.targets.items():
            found[name] = moved(state.goal(name), point, state.pose)
        for name, by in self.turns.items():
            found[name] = turned(found.get(name) or state.goal(name), by)
        return found

    @property
    def says(self) -> str:
        """In a few words."""
        names = ", ".join(dict.fromkeys((*self.targets, *self.turns)))
        return f"{'move' if self.targets else 'turn'} {names}"


@dataclass(frozen=True, kw_only=True)
class SetGoal(Command):
    """Settings of a goal; those that are None stay."""

    kind: Literal["set_goal"] = "set_goal"
    words = "change {name}"
    solves = True
    name: Name
    weight: float | None = None
    priority: int | None = None
    enabled: bool | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    """Others, as in a task file: `{"distance": 0.3, "tolerance": 0.01, "name": "left hand"}`; None takes one away."""

    def apply(self, state: State) -> State:
        """The goal with them."""
        given = {name: getattr(self, name) for name in ("weight", "priority", "enabled")}
        changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        goal = replace(state.goal(self.name), **changes)
        return state.replacing(self.name, changed(goal, self.fields, state) if self.fields else goal)


@dataclass(frozen=True, kw_only=True)
class PinGoal(Command):
    """Hold a goal's site where it is now, before all else; or let go of it."""

    kind: Literal["pin_goal"] = "pin_goal"
    solves = True
    name: Name
    pinned: bool
    position: bool = True
    """Whether the pin holds the place of the site."""
    orientation: bool = True
    """Whether it holds how the site is turned."""

    def apply(self, state: State) -> State:
        """A pin is a goal of priority 1; a site let go of is wanted where it is, by priority 2."""
        old = state.goal(self.name)
        site = getattr(old, "site", None)
        if site is None:
            raise InvalidSetting(f"{old} is not about a site; only those of one site can be pinned")
        if self.pinned and not (self.position or self.orientation):
            raise InvalidSetting(f"a pin of {old} holds neither position nor orientation; let go of it instead")
        kept: dict[str, Any] = {"name": old.name or self.name, "weight": old.weight, "enabled": old.enabled}
        kept["name"] = "" if kept["name"] == site else kept["name"]
        held = pin(state.pose, site, priority=1, **kept)[0]
        new: Goal = held
        if not self.pinned:
            new = Position(site, held.target, priority=2, **kept)
        elif not self.orientation:
            new = Position(site, held.target, priority=1, **kept)
        elif not self.position:
            new = Orientation(site, x=held.x, y=held.y, priority=1, **kept)
        return state.replacing(self.name, new)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"{'pin' if self.pinned else 'let go of'} {self.name}"


@dataclass(frozen=True, kw_only=True)
class DeleteGoal(Command):
    """One goal less. The pose stays as it is."""

    kind: Literal["delete_goal"] = "delete_goal"
    words = "delete {name}"
    name: Name

    def apply(self, state: State) -> State:
        """Without it, and without its site if a click made that."""
        return state.without_goal(self.name)
