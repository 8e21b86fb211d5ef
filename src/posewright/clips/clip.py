"""Clips: motions made by code, which know when things happen in them and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from posewright.motions.motion import Motion


@dataclass(frozen=True, eq=False)
class Clip(Motion):
    """A motion with its events and marks; wherever a `Motion` is wanted, a clip is one."""

    events: Mapping[str, float] = field(default_factory=dict)
    """Seconds from the first frame, such as {"take_off": 0.72, "landing": 1.15}."""
    marks: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """World points (m) that the motion refers to, such as {"ball": (0.1, 0.02, 0.8)}."""

    def __getitem__(self, frames: slice) -> Motion:
        """A stretch of the clip, as a plain motion: its events would be at other times."""
        return Motion(self.figure, self.q, self.fps, self.name, self.notes)[frames]

    def frame_of(self, event: str) -> int:
        """The frame nearest an event."""
        return round(self.events[event] * self.fps)
