"""Commands about a clip and its keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.errors import InvalidSetting
from posewright.figures import Site
from posewright.studio.session.clips.clip import Clip, Key
from posewright.studio.session.clips.opening import built_in_clip
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.commands.sites import site_name
from posewright.studio.session.sources import Source
from posewright.studio.session.state import State

Frame = Annotated[int, Field(ge=0, lt=2**31)]
KeyEase = Annotated[float, Field(ge=0.0, lt=2**31)]
Frames = Annotated[tuple[Frame, ...], Field(max_length=1000)]


@dataclass(frozen=True, kw_only=True)
class OpenClip(Command):
    """A clip made by code, performed by the figure, in place of the one that is open."""

    kind: Literal["open_clip"] = "open_clip"
    words = "open {clip}"
    clip: Name
    """Such as walk."""

    keeps_state = True

    def apply(self, state: State) -> State:
        """The clip without keys; the pose stays."""
        clip = built_in_clip(state.figure, self.clip)
        return replace(state, clip=clip).with_source(Source("clip", self.clip)).without_unused_sites()


@dataclass(frozen=True, kw_only=True)
class SetKey(Command):
    """Where a point of the body must be at a frame; the rest of the clip follows."""

    kind: Literal["set_key"] = "set_key"
    words = "key of {site} at frame {frame}"
    frame: Frame
    site: Name
    """A site or joint; a key that it has at this frame already is moved."""
    point: Point | None = None
    """m, in the frame of the joint that `site` names: there a site is made for it. None: `site` itself"""
    target: Point
    """m"""

    def apply(self, state: State) -> State:
        """The clip with the key."""
        clip = open_clip(state)
        clip.require_frame(self.frame)
        site = self.site
        if self.point is not None:
            site = site_name(state, self.site)
            state = state.with_site(Site(name=site, joint=self.site, point=self.point))
        state.figure.site(site)
        others = tuple(key for key in clip.keys if (key.frame, key.site) != (self.frame, site))
        ease = next((key.ease for key in clip.keys if key.frame == self.frame), None)
        return replace(state, clip=clip.with_keys((*others, Key(self.frame, site, self.target, ease))))


@dataclass(frozen=True, kw_only=True)
class SetKeys(Command):
    """Several keys at once, such as those that are pasted."""

    kind: Literal["set_keys"] = "set_keys"
    words = "paste keys at frame {keys[0].frame}"
    keys: Annotated[tuple[SetKey, ...], Field(min_length=1, max_length=1000)]

    def apply(self, state: State) -> State:
        """The clip with them."""
        for key in self.keys:
            state = key.apply(state)
        return state


@dataclass(frozen=True, kw_only=True)
class MoveKey(Command):
    """All keys of a frame at another one; those of the same sites that are there give way."""

    kind: Literal["move_key"] = "move_key"
    words = "move the key of frame {frame} to {to}"
    frame: Frame
    to: Frame
    also: Frames = ()
    """Other frames whose keys go as far."""

    def apply(self, state: State) -> State:
        """The clip with its keys so."""
        clip = open_clip(state)
        clip.require_frame(self.to)
        return replace(state, clip=clip.keys_moved({self.frame, *self.also}, self.to - self.frame))


@dataclass(frozen=True, kw_only=True)
class EaseKey(Command):
    """Over how many frames the keys of a frame fade in and out; without numbers, over as many as it takes."""

    kind: Literal["ease_key"] = "ease_key"
    words = "ease the key of frame {frame}"
    frame: Frame
    ease: tuple[KeyEase, KeyEase] | None = None
    """Before and after."""

    def apply(self, state: State) -> State:
        """The clip with the keys so."""
        clip = open_clip(state)
        clip.keys_at(self.frame)
        keys = tuple(replace(key, ease=self.ease) if key.frame == self.frame else key for key in clip.keys)
        return replace(state, clip=clip.with_keys(keys))


@dataclass(frozen=True, kw_only=True)
class DeleteKey(Command):
    """The keys of a frame less, or the one of a site in it."""

    kind: Literal["delete_key"] = "delete_key"
    words = "delete the key of frame {frame}"
    frame: Frame
    site: Name | None = None
    """None: all of the frame"""
    also: Frames = ()
    """Other frames, which lose theirs too."""

    def apply(self, state: State) -> State:
        """Without them, and without sites that were made for them."""
        clip = open_clip(state)
        gone = {key for frame in (self.frame, *self.also) for key in clip.keys_at(frame, self.site)}
        left = clip.with_keys(tuple(key for key in clip.keys if key not in gone))
        return replace(state, clip=left).without_unused_sites()


def open_clip(state: State) -> Clip:
    """The clip that is open.

    Raises:
        InvalidSetting: there is none.
    """
    if state.clip is None:
        raise InvalidSetting("no clip is open; open one first")
    return state.clip
