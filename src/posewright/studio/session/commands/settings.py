"""Commands about what is searched, and by what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.errors import UnknownName
from posewright.solvers.registry import solver_name
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class SetRigidity(Command):
    """How unwilling a joint is to move, of all its dofs."""

    kind: Literal["set_rigidity"] = "set_rigidity"
    words = "rigidity of {joint}"
    joint: Name
    rigidity: Annotated[float, Field(ge=0.0, le=1.0)]
    """0: it moves like the others; 1: it does not move"""

    def apply(self, state: State) -> State:
        """The figure with the joint so; the next solve heeds it."""
        state.figure.joint(self.joint)
        return replace(state, figure=state.figure.with_rigidity({self.joint: self.rigidity}))


@dataclass(frozen=True, kw_only=True)
class SetRelation(Command):
    """A joint group or a linear constraint of the figure, on or off."""

    kind: Literal["set_relation"] = "set_relation"
    solves = True
    name: Name
    on: bool

    def apply(self, state: State) -> State:
        """With it, or without."""
        groups = {group.name for group in state.figure.groups}
        constraints = {constraint.name for constraint in state.figure.constraints}
        if self.name in groups:
            return replace(state, groups=(state.groups | {self.name}) if self.on else state.groups - {self.name})
        if self.name not in constraints:
            raise UnknownName("joint group or constraint", self.name, sorted(groups | constraints))
        released = state.released - {self.name} if self.on else state.released | {self.name}
        return replace(state, released=released)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"switch {self.name} {'on' if self.on else 'off'}"


@dataclass(frozen=True, kw_only=True)
class SetSolver(Command):
    """What answers from now on."""

    kind: Literal["set_solver"] = "set_solver"
    solves = True
    solver: Name

    def apply(self, state: State) -> State:
        """Solved by it at once."""
        return replace(state, solver=solver_name(self.solver), solver_settings=())

    @property
    def says(self) -> str:
        """In a few words."""
        return f"solve by {self.solver.replace('_', ' ')}"
