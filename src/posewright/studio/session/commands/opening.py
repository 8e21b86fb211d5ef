"""The command that stands for a file that was opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from posewright.errors import InvalidSetting
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class OpenFile(Command):
    """A file was opened (`Editor.open`). Its entry keeps what it held: replaying it reads nothing."""

    kind: Literal["open_file"] = "open_file"
    words = "open {name}"
    name: Name

    keeps_state = True

    def apply(self, state: State) -> State:
        """Refuse: a command reads no files."""
        raise InvalidSetting(f"{self.name!r} cannot be opened by a command; ask to open it")
