"""A clip that is edited: the motion it came as, what is asked of it, and what that made of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure
from posewright.goals import Point, Position
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.studio.session.clips.span import Span


@dataclass(frozen=True)
class Key:
    """Where a site must be at a frame."""

    frame: int
    site: str
    target: Point
    """m"""
    ease: tuple[float, float] | None = None
    """Frames before and after over which it fades; None: as many as keep the motion smooth"""

    @property
    def goal(self) -> Timed:
        """As `edit` takes it."""
        return Position(self.site, self.target).at(self.frame, ease=self.ease)


@dataclass(frozen=True)
class Bar:
    """A foot on the ground, from a frame to another."""

    foot: str
    start: int
    end: int
    """The last frame of the contact."""


@dataclass(frozen=True, kw_only=True)
class EditSettings:
    """How a clip is edited; see `workflows.editing.edit`."""

    in_model: bool = True
    """Whether edits stay in the motion model, if there is one; else they are made in joint space."""
    hold_contacts: bool | None = None
    hold_together: tuple[tuple[str, str], ...] = ()
    keep_detail: bool = True
    limits: bool = False
    max_deviation: float | None = None


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of the session's figure being edited. A change is a new clip; arrays that did not change are shared."""

    name: str
    fps: float
    source: Array
    """(frames, dofs), read-only: as it was opened"""
    q: Array
    """(frames, dofs), read-only: as edited; `source` itself while nothing is asked"""
    found: tuple[Bar, ...] = ()
    """Contacts of the source."""
    keys: tuple[Key, ...] = ()
    """By frame, then in the order they were set."""
    spans: tuple[Span, ...] = ()
    """Goals over several frames, in the order they were made."""
    by_hand: tuple[Bar, ...] | None = None
    """Contacts in place of those found; None: none was changed"""
    settings: EditSettings = EditSettings()
    notes: tuple[str, ...] = ()
    """What the last edit had to say, a sentence each; not kept in files."""
    first_frame: int = 0
    """Number of its first frame in its file, by which edit files speak of frames; here they count from 0."""

    def __len__(self) -> int:
        """How many frames."""
        return len(self.source)

    def motion(self, figure: Figure) -> Motion:
        """As edited."""
        return Motion(figure, self.q, self.fps, self.name)

    def source_motion(self, figure: Figure) -> Motion:
        """As opened."""
        return Motion(figure, self.source, self.fps, self.name)

    def require_frame(self, frame: int) -> None:
        """A frame of the clip, counted from 0.

        Raises:
            InvalidSetting: it is outside.
        """
        if not 0 <= frame < len(self):
            raise InvalidSetting(f"frame {frame} is outside the clip, whose frames are 0 to {len(self) - 1}")

    def keys_at(self, frame: int, site: str | None = None) -> tuple[Key, ...]:
        """Those of a frame, or the one of a site in it.

        Raises:
            InvalidSetting: there are none.
        """
        found = tuple(key for key in self.keys if key.frame == frame and site in (None, key.site))
        if not found:
            there = ", ".join(dict.fromkeys(str(key.frame) for key in self.keys)) or "none"
            about = "" if site is None else f" about {site!r}"
            raise InvalidSetting(f"frame {frame} has no key{about}; frames with keys: {there}")
        return found

    # What is asked.

    @property
    def goals(self) -> list[Timed]:
        """As `edit` takes them."""
        return [*(key.goal for key in self.keys), *(span.timed for span in self.spans)]

    @property
    def contacts(self) -> tuple[Bar, ...]:
        """Those that hold: by foot, then by frame."""
        return self.found if self.by_hand is None else self.by_hand

    @property
    def feet(self) -> tuple[str, ...]:
        """In the order of their bars."""
        return tuple(dict.fromkeys(bar.foot for bar in (*self.found, *self.contacts)))

    @property
    def bars(self) -> dict[str, list[tuple[int, int]]] | None:
        """Contacts set by hand, as `edit` takes them."""
        if self.by_hand is None:
            return None
        return {foot: [(bar.start, bar.end) for bar in self.by_hand if bar.foot == foot] for foot in self.feet}

    @property
    def asks(self) -> bool:
        """Whether anything is asked of it."""
        return bool(self.keys or self.spans) or self.by_hand is not None

    def span(self, name: str) -> Span:
        """The span of that name.

        Raises:
            UnknownName: there is none.
        """
        for span in self.spans:
            if span.name == name:
                return span
        raise UnknownName("path", name, [span.name for span in self.spans], where="the clip")

    def keys_moved(self, frames: Collection[int], by: int) -> Clip:
        """The keys of some frames so many frames later; those of the same sites that are there give way.

        Raises:
            InvalidSetting: a frame has none, or they would go outside.
        """
        moved = [replace(key, frame=frame + by) for frame in frames for key in self.keys_at(frame)]
        for key in moved:
            self.require_frame(key.frame)
        gone = {(key.frame, key.site) for key in moved}
        stay = [key for key in self.keys if key.frame not in frames and (key.frame, key.site) not in gone]
        return self.with_keys((*stay, *moved))

    def with_keys(self, keys: tuple[Key, ...]) -> Clip:
        """Other keys; what they make of the clip is not known yet."""
        return replace(self, keys=tuple(sorted(keys, key=lambda key: key.frame)), notes=())

    def with_span(self, span: Span) -> Clip:
        """One span more, or in place of the one of its name."""
        self.require_frame(span.start)
        self.require_frame(span.end)
        names = [one.name for one in self.spans]
        if span.name in names:
            return replace(self, spans=tuple(span if one.name == span.name else one for one in self.spans), notes=())
        return replace(self, spans=(*self.spans, span), notes=())

    def without_span(self, name: str) -> Clip:
        """One span less."""
        gone = self.span(name)
        return replace(self, spans=tuple(one for one in self.spans if one is not gone), notes=())

    def with_contacts(self, bars: tuple[Bar, ...] | None) -> Clip:
        """Contacts set by hand; those of a foot that touch or overlap are one. None: those found."""
        if bars is None:
            return replace(self, by_hand=None, notes=())
        merged: list[Bar] = []
        for foot in dict.fromkeys((*self.feet, *(bar.foot for bar in bars))):
            for bar in sorted((one for one in bars if one.foot == foot), key=lambda one: one.start):
                self.require_frame(bar.start)
                self.require_frame(bar.end)
                last = merged[-1] if merged and merged[-1].foot == foot else None
                if last is not None and bar.start <= last.end + 1:
                    merged[-1] = replace(last, end=max(last.end, bar.end))
                else:
                    merged.append(bar)
        return replace(self, by_hand=None if tuple(merged) == self.found else tuple(merged), notes=())

    def contact(self, foot: str, number: int) -> Bar:
        """A contact of a foot, counted from 0.

        Raises:
            InvalidSetting: there is none.
        """
        own = [bar for bar in self.contacts if bar.foot == foot]
        if not 0 <= number < len(own):
            raise InvalidSetting(f"{foot!r} has no contact {number}; it has {len(own)}, counted from 0")
        return own[number]

    def with_q(self, q: Array, notes: tuple[str, ...] = ()) -> Clip:
        """What became of it."""
        if q.shape != self.source.shape or not np.isfinite(q).all():
            raise InvalidSetting(f"the clip has shape {q.shape}; it must be {self.source.shape} finite numbers")
        as_it_was = q is self.source or np.array_equal(q, self.source)  # read from a journal it is another array
        return replace(self, q=self.source if as_it_was else read_only(np.array(q)), notes=notes)

    @property
    def changed(self) -> tuple[int, int]:
        """The first frame that differs from the source and the one after the last; 0, 0: none does."""
        return changed_frames(self.q, self.source)


def changed_frames(q: Array, source: Array) -> tuple[int, int]:
    """The first frame (of both (frames, dofs)) that differs and the one after the last; 0, 0: none does."""
    if q is source:
        return 0, 0
    frames = np.flatnonzero((q != source).any(axis=1))
    return (int(frames[0]), int(frames[-1]) + 1) if len(frames) else (0, 0)
