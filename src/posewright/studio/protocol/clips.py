"""Clips: previews of edits, keys, contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from posewright.studio.protocol.request import Request
from posewright.studio.session.commands.clips import Frame, Frames
from posewright.studio.session.commands.goals import Name, Point


@dataclass(frozen=True, kw_only=True)
class Preview(Request):
    """Show what a command about the clip would make of it; nothing is done. A newer one replaces one that waits."""

    kind: Literal["preview"] = "preview"
    command: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class StopPreview(Request):
    """Show the clip as it is."""

    kind: Literal["stop_preview"] = "stop_preview"


@dataclass(frozen=True, kw_only=True)
class CopyKeys(Request):
    """Remember the keys of a frame, and of others."""

    kind: Literal["copy_keys"] = "copy_keys"
    frame: Frame
    also: Frames = ()


@dataclass(frozen=True, kw_only=True)
class PasteKeys(Request):
    """The keys that were copied, at a frame; flipped: for the other side of the body."""

    kind: Literal["paste_keys"] = "paste_keys"
    frame: Frame
    flipped: bool = False


@dataclass(frozen=True, kw_only=True)
class StopEditing(Request):
    """Give up the edits of the clip that are not made yet; it stays as it is."""

    kind: Literal["stop_editing"] = "stop_editing"


@dataclass(frozen=True, kw_only=True)
class LookAtCurves(Request):
    """The dofs of a joint and how it moves over time; they come as `curves` to the page that asks."""

    kind: Literal["look_at_curves"] = "look_at_curves"
    joint: Name


@dataclass(frozen=True, kw_only=True)
class CurveInfo:
    """A dof, or a measure of where the joint is, over time."""

    name: str
    unit: Literal["m", "rad", "m/s", "m/s³"]
    of: Literal["dofs", "height", "speed", "jerk"]
    """What it is a curve of; height is above the floor."""
    source: tuple[float, ...]
    """In the clip as it was opened."""
    edited: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Curves:
    """The dofs of a joint and how it moves, in the clip as it is shown."""

    kind: Literal["curves"] = "curves"
    joint: str
    frames: tuple[int, ...]
    """At which there are values: all, but of a long clip."""
    curves: tuple[CurveInfo, ...]


@dataclass(frozen=True, kw_only=True)
class KeyInfo:
    """A key of the clip."""

    frame: int
    site: str
    target: Point
    """m"""
    error: float
    """m, in the clip as edited"""
    reached: bool
    ease_in: float
    """Frames before it over which it fades in; 0: in a motion model, where it is felt all over."""
    ease_out: float
    eased: bool
    """Whether these were set by hand."""


@dataclass(frozen=True, kw_only=True)
class KnotInfo:
    """A point that a path goes through."""

    frame: float
    point: Point
    """m"""


@dataclass(frozen=True, kw_only=True)
class SpanInfo:
    """A goal over several frames of the clip."""

    name: str
    goal_kind: str
    """As in edit files: position, orientation, ..."""
    turnable: bool
    site: str | None
    start: int
    end: int
    """The last frame at which it counts in full."""
    ease_in: float
    """Frames."""
    ease_out: float
    knots: tuple[KnotInfo, ...]
    """Of the path; none: it is held."""
    points: tuple[Point, ...]
    """m: the path from its first knot to its last, for the eye"""
    tension: float
    continuity: float
    bias: float
    error: float
    """m or rad, in the worst of its frames"""
    unit: Literal["m", "rad"]
    reached: bool


@dataclass(frozen=True, kw_only=True)
class ContactInfo:
    """A foot on the ground."""

    foot: str
    """left_foot"""
    start: int
    end: int
    """The last frame."""


@dataclass(frozen=True, kw_only=True)
class ClipInfo:
    """The clip; its poses come as binary frames."""

    name: str
    frames: int
    fps: float
    keys: tuple[KeyInfo, ...]
    """By frame."""
    spans: tuple[SpanInfo, ...]
    feet: tuple[str, ...]
    """That have contacts, or had some when the clip was opened."""
    contacts: tuple[ContactInfo, ...]
    contacts_by_hand: bool
    """Whether they are not those that were found in the clip."""
    notes: tuple[str, ...]
    """What the last edit had to say, a sentence each."""


@dataclass(frozen=True, kw_only=True)
class Previewed:
    """The clip as a gesture would have it, but for its poses; sent while the gesture lasts."""

    kind: Literal["previewed"] = "previewed"
    clip: ClipInfo | None
    """None: as it is."""


@dataclass(frozen=True, kw_only=True)
class Editing:
    """Edits of the clip that are under way beside the line of requests; sent when something of it changes."""

    kind: Literal["editing"] = "editing"
    what: str
    """The one that is made now, in a few words; empty: none is."""
    steps: int
    """That it has taken so far; nobody knows how many there will be."""
    waiting: int
    """How many more are to be made after it."""
