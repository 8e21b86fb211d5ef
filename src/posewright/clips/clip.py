"""What all clips share: the value that they return, one performance in the making, and the checks of their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from posewright.clips.biped import Biped
from posewright.clips.curves import through
from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures.vectors import vector
from posewright.motions.mirroring import REFLECTION
from posewright.motions.motion import Motion
from posewright.motions.placing import turns_about_vertical

Keyed = Callable[..., Array]
"""From values at some moments to the smooth curve (frames,) through them."""


@dataclass(frozen=True, eq=False)
class Clip(Motion):
    """A motion with its events and marks; wherever a `Motion` is wanted, a clip is one."""

    events: Mapping[str, float] = field(default_factory=dict)
    """Seconds from the first frame, such as {"take_off": 0.72, "landing": 1.15}."""
    marks: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """World points (m) that the motion refers to, such as {"ball": (0.1, 0.02, 0.8)}."""

    def __getitem__(self, frames: slice) -> Motion:
        """A slice of the clip, as a plain motion: its events would be at other times."""
        return self._plain()[frames]

    def warped(
        self, *, events: npt.ArrayLike, onto: npt.ArrayLike, fps: float | None = None, frames: int | None = None
    ) -> Motion:
        """See `Motion.warped`; a plain motion, as a slice is."""
        return self._plain().warped(events=events, onto=onto, fps=fps, frames=frames)

    def mirrored(self, *, tolerance: float = 0.05) -> Clip:
        """See `Motion.mirrored`; marks are mirrored, too."""
        return self._with_marks(super().mirrored(tolerance=tolerance).q, REFLECTION, (0.0, 0.0, 0.0))

    def moved(self, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Clip:
        """See `Motion.moved`; marks are moved, too."""
        return self._with_marks(super().moved(translation, yaw).q, turns_about_vertical(np.array(yaw)), translation)

    def _plain(self) -> Motion:
        return Motion(self.figure, self.q, self.fps, self.name, self.notes)

    def _with_marks(self, q: Array, turn: Array, translation: Sequence[float]) -> Clip:
        """The clip with other coordinates, its marks turned (or reflected) and then moved."""
        marks = {name: vector(turn @ np.array(point) + np.array(translation)) for name, point in self.marks.items()}
        return replace(self, q=q, marks=marks)

    def frame_of(self, event: str) -> int:
        """The frame nearest an event."""
        return round(self.events[event] * self.fps)


@dataclass(frozen=True, eq=False)
class Take:
    """One performance of a clip: who moves, at which times, and what differs from other performances."""

    biped: Biped
    rng: np.random.Generator
    t: Array
    """(frames,), s"""
    fps: float
    pace: float = 1.0
    """How many times as long as a person this figure takes."""

    @classmethod
    def lasting(cls, duration: float, biped: Biped, rng: np.random.Generator, fps: float, *, pace: float = 1.0) -> Take:
        """From 0 to `duration` (s), which is rounded to whole frames."""
        if not (np.isfinite(fps) and fps >= 5.0):
            raise InvalidSetting(f"fps is {fps}; at least 5 frames per second are needed to show a motion")
        return cls(biped, rng, np.arange(round(duration * fps) + 1) / fps, fps, pace)

    @property
    def s(self) -> Array:
        """(frames,): the times as a person would take them, s."""
        return self.t / self.pace

    def keyed(self, *times: float) -> Keyed:
        """The function that draws a curve through values at these times (s of a person)."""
        return lambda *values: through(self.s, list(zip(times, values, strict=True)))

    def wander(self, amount: float) -> Array:
        """Slow aimless movement (frames,) of about `amount`, as a living body has: three sines of 0.2 to 1.1 Hz."""
        rates = self.rng.uniform([0.2, 0.4, 0.8], [0.4, 0.8, 1.1])
        phases = self.rng.uniform(0.0, 2.0 * np.pi, 3)
        sines: Array = np.sin(2.0 * np.pi * np.multiply.outer(self.t, rates) + phases) @ np.array([0.6, 0.4, 0.2])
        return amount * sines


def require_between(name: str, value: float, low: float, high: float, unit: str = "(no unit)") -> None:
    """Refuse a number outside what a clip can show."""
    if not low <= value <= high:
        raise InvalidSetting(f"{name} is {value:g} {unit}; between {low:.3g} and {high:.3g} {unit} is possible")


def is_left(side: str) -> bool:
    """Whether a side is "left"; anything but left or right is refused."""
    if side not in ("left", "right"):
        raise UnknownName("side", side, ("left", "right"))
    return side == "left"
