"""Commands about the contacts of a clip: when feet are on the ground."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.errors import InvalidSetting, UnknownName
from posewright.motions.contacts import feet_of
from posewright.studio.session.clips.clip import Bar
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import Frame, open_clip
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.state import State

GAP = 0.1
"""s that a cut takes out of a contact."""

Number = Annotated[int, Field(ge=0, lt=2**31)]


@dataclass(frozen=True, kw_only=True)
class SetContact(Command):
    """A foot is on the ground over some frames: one contact more, or one that begins and ends elsewhere."""

    kind: Literal["set_contact"] = "set_contact"
    foot: Name
    """left_foot"""
    number: Number | None = None
    """Of the contacts of the foot, counted from 0, which it takes the place of; None: one more"""
    start: Frame
    end: Frame
    """The last frame."""

    def apply(self, state: State) -> State:
        """The clip with it; contacts that touch are one."""
        clip = open_clip(state)
        known = feet_of(state.figure)
        if self.foot not in known:
            raise UnknownName("foot", self.foot, known, where=f"figure {state.figure.name!r}")
        if self.end < self.start:
            raise InvalidSetting(f"a contact would end at frame {self.end}, before it begins at frame {self.start}")
        gone = None if self.number is None else clip.contact(self.foot, self.number)
        others = [bar for bar in clip.contacts if bar is not gone]
        return replace(state, clip=clip.with_contacts((*others, Bar(self.foot, self.start, self.end))))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"{'add' if self.number is None else 'move'} a contact of {self.foot}"


@dataclass(frozen=True, kw_only=True)
class CutContact(Command):
    """A foot is off the ground for a moment in the middle of a contact."""

    kind: Literal["cut_contact"] = "cut_contact"
    words = "cut a contact of {foot}"
    foot: Name
    number: Number
    """Counted from 0."""
    frame: Frame
    """Where."""

    def apply(self, state: State) -> State:
        """Two contacts in place of one, or a shorter one if it is cut at its end."""
        clip = open_clip(state)
        bar = clip.contact(self.foot, self.number)
        if not bar.start <= self.frame <= bar.end:
            raise InvalidSetting(f"frame {self.frame} is outside the contact, from frame {bar.start} to {bar.end}")
        half = max(0, round(0.5 * (GAP * clip.fps - 1.0)))
        left = [Bar(bar.foot, bar.start, self.frame - half - 1), Bar(bar.foot, self.frame + half + 1, bar.end)]
        others = [one for one in clip.contacts if one is not bar]
        return replace(state, clip=clip.with_contacts((*others, *(one for one in left if one.start <= one.end))))


@dataclass(frozen=True, kw_only=True)
class DeleteContact(Command):
    """A contact less."""

    kind: Literal["delete_contact"] = "delete_contact"
    words = "delete a contact of {foot}"
    foot: Name
    number: Number
    """Counted from 0."""

    def apply(self, state: State) -> State:
        """The clip without it."""
        clip = open_clip(state)
        gone = clip.contact(self.foot, self.number)
        return replace(state, clip=clip.with_contacts(tuple(bar for bar in clip.contacts if bar is not gone)))


@dataclass(frozen=True, kw_only=True)
class FindContacts(Command):
    """Contacts as they are found in the clip, without what was changed by hand."""

    kind: Literal["find_contacts"] = "find_contacts"
    words = "find the contacts"

    def apply(self, state: State) -> State:
        """The clip with them."""
        return replace(state, clip=open_clip(state).with_contacts(None))
