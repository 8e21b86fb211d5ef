"""Several commands as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, InstanceOf

from posewright.studio.session.command import Command
from posewright.studio.session.state import State


def _read(given: Any) -> Any:
    from posewright.studio.session.codec import read_command

    return tuple(map(read_command, given)) if isinstance(given, list) else given


@dataclass(frozen=True, kw_only=True)
class Together(Command):
    """What one gesture did, undone at once: a goal made and moved by one drag, a pose pasted."""

    kind: Literal["together"] = "together"
    solves = True
    commands: Annotated[tuple[InstanceOf[Command], ...], BeforeValidator(_read), Field(min_length=1, max_length=100)]
    """In order."""

    def apply(self, state: State) -> State:
        """One after the other."""
        for command in self.commands:
            state = command.apply(state)
        return state

    @property
    def says(self) -> str:
        """What the last one did: those before it prepare it."""
        return self.commands[-1].says
