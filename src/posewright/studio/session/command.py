"""What a command is: a small frozen value that turns a state into another. The journal is made of them.

A new command is a frozen dataclass below `Command` in a file of `commands/`, with a `kind`, `words` and an `apply`. Its
fields are what travels in messages and journals: strings, numbers, tuples and mappings of them, typed, so that they are
checked when they arrive and the page's types follow (`posewright.studio.typescript`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, is_dataclass, replace
from types import ModuleType
from typing import Any, ClassVar

from pydantic import ConfigDict

from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """Something a user does that can be undone."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    words: ClassVar[str]
    """What undo would undo, in a few words, such as "move {site}": fields in braces are filled in."""

    solves: ClassVar[bool] = False
    """Whether the pose is searched anew after it; else `apply` leaves or sets the pose itself."""

    keeps_state: ClassVar[bool] = False
    """Whether its entry keeps the whole state it led to: what was read from a file or made by other code must not be
    read or made again."""

    @abstractmethod
    def apply(self, state: State) -> State:
        """The state after it, but for the solve. It raises a PosewrightError for what makes no sense."""

    @property
    def says(self) -> str:
        """The words, filled in; commands that say it otherwise have their own."""
        return self.words.format(**vars(self))


def after(command: Command, state: State) -> State:
    """The state after a command, but for the solve. What the one before it kept still may move again."""
    return command.apply(replace(state, still=()) if state.still else state)


def declared_in(*modules: ModuleType) -> list[type[Any]]:
    """The dataclasses that some modules declare, in order."""
    return [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__
    ]
