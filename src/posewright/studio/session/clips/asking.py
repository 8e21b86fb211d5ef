"""Edits of a clip that were asked for and are not made yet: they take long, so the session goes on without them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from posewright.errors import InvalidSetting
from posewright.studio.session.command import Command, after
from posewright.studio.session.state import State


@dataclass(frozen=True, eq=False)
class Asked:
    """A command whose edit of the clip is not made yet."""

    command: Command
    before: State
    """On which it was asked: with all edits that are made before this one."""
    state: State
    """What it asks; its clip moves as it was shown last."""

    def on(self, now: State) -> State:
        """What it asks of the session as it has become meanwhile.

        Raises:
            PosewrightError: it no longer makes sense.
        """
        if not self.command.keeps_state:
            return after(self.command, now)
        return self.added_to(now, but="clip")  # which is edited again

    def added_to(self, now: State, but: str = "") -> State:
        """All that it changed, in the session as it has become meanwhile.

        Raises:
            InvalidSetting: something of it was changed there too; `but` may have been.
        """
        names = [one.name for one in fields(State)]
        changed = [name for name in names if getattr(self.state, name) is not getattr(self.before, name)]
        if any(name != but and getattr(now, name) is not getattr(self.before, name) for name in changed):
            raise InvalidSetting(f"the session has changed while {self.command.says!r} was under way; do it again")
        return replace(now, **{name: getattr(self.state, name) for name in changed})


def same_clip(one: State, other: State) -> bool:
    """Whether two states have edits of one clip."""
    return one.clip is not None and other.clip is not None and one.clip.source is other.clip.source
