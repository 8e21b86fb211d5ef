"""A session as a value: a first state and a journal of what was done to it.

Undo and redo move along the journal. Every entry keeps the pose it led to, so undo, redo, recovery and replay
restore numbers and never solve again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.studio.session.command import Command, after
from posewright.studio.session.state import State


@dataclass(frozen=True, eq=False)
class Entry:
    """One thing that was done."""

    command: Command
    start: Array | None
    """(dofs,): where its last solve began, which scripts and task files repeat; None: nothing was solved"""
    q: Array
    """(dofs,): the pose it led to"""
    clip_q: Array | None = None
    """(frames, dofs): what it made of the clip; None: it left the clip as it was, or closed it"""
    state: State | None = None
    """All that it led to, of commands that keep it; None: the command and these numbers tell it"""

    def replayed(self, state: State) -> State:
        """The state it leads to from another, by the numbers it keeps."""
        if self.state is not None:
            return self.state
        found = after(self.command, state).with_pose(self.q)
        if self.clip_q is None or found.clip is None:
            return found
        return replace(found, clip=found.clip.with_q(self.clip_q))


@dataclass(frozen=True, eq=False)
class Session:
    """A first state, the journal, and how much of it is done."""

    entries: tuple[Entry, ...]
    states: tuple[State, ...]
    """One more than entries: before and after each."""
    done: int
    """How many entries hold; those after it were undone and can be redone."""

    @classmethod
    def begin(cls, state: State) -> Session:
        """Nothing done yet."""
        return cls((), (state,), 0)

    @classmethod
    def replay(cls, state: State, entries: tuple[Entry, ...], done: int | None = None) -> Session:
        """A session from its journal; nothing is solved."""
        session = cls.begin(state)
        for entry in entries:
            session = session.with_entry(entry, entry.replayed(session.state))
        return session if done is None else replace(session, done=done)

    @property
    def state(self) -> State:
        """The one that holds now."""
        return self.states[self.done]

    @property
    def undoes(self) -> str | None:
        """What undo would undo, in a few words; None: nothing is left."""
        return self.entries[self.done - 1].command.says if self.done else None

    @property
    def redoes(self) -> str | None:
        """What redo would do again; None: nothing was undone."""
        return self.entries[self.done].command.says if self.done < len(self.entries) else None

    def with_entry(self, entry: Entry, state: State) -> Session:
        """One thing more is done, which leads to a state; what was undone is forgotten."""
        return Session((*self.entries[: self.done], entry), (*self.states[: self.done + 1], state), self.done + 1)

    def undone(self) -> Session:
        """The last thing undone."""
        if not self.done:
            raise InvalidSetting("there is nothing to undo")
        return replace(self, done=self.done - 1)

    def redone(self) -> Session:
        """What was undone last, done again."""
        if self.done == len(self.entries):
            raise InvalidSetting("there is nothing to redo")
        return replace(self, done=self.done + 1)
