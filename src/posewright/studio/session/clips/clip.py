"""A clip that is edited: the motion it came as, the keys set in it, and what they made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals import Point, Position
from posewright.goals.timed import Timed
from posewright.motions import Motion


@dataclass(frozen=True)
class Key:
    """Where a site must be at a frame."""

    frame: int
    site: str
    target: Point
    """m"""

    @property
    def goal(self) -> Timed:
        """As `edit` takes it."""
        return Position(self.site, self.target).at(self.frame)


@dataclass(frozen=True)
class Bar:
    """A foot on the ground, from a frame to another."""

    foot: str
    start: int
    end: int
    """The last frame of the contact."""


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of the session's figure being edited. A change is a new clip; arrays that did not change are shared."""

    name: str
    fps: float
    source: Array
    """(frames, dofs), read-only: as it was opened"""
    q: Array
    """(frames, dofs), read-only: as its keys make it; `source` itself while there are none"""
    contacts: tuple[Bar, ...] = ()
    """Of the source: feet keep their places in them."""
    keys: tuple[Key, ...] = ()
    """By frame, then in the order they were set."""
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

    def with_keys(self, keys: tuple[Key, ...]) -> Clip:
        """Other keys; what they make of the clip is not known yet."""
        return replace(self, keys=tuple(sorted(keys, key=lambda key: key.frame)))

    def with_q(self, q: Array) -> Clip:
        """What the keys make of it."""
        if q.shape != self.source.shape or not np.isfinite(q).all():
            raise InvalidSetting(f"the clip has shape {q.shape}; it must be {self.source.shape} finite numbers")
        return replace(self, q=q if q is self.source else read_only(np.array(q)))

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
