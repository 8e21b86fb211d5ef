"""What all clips share: the `Clip` that they return, the `Take` that they are made from, and checks of settings."""

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
"""A function of values at given times that returns a smooth curve (frames,) through them."""


@dataclass(frozen=True, eq=False)
class Clip(Motion):
    """A motion with named events and marks."""

    events: Mapping[str, float] = field(default_factory=dict)
    """Times of events, s from the first frame, such as {"take_off": 0.72, "landing": 1.15}."""
    marks: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """World points that the motion refers to, m, such as {"ball": (0.1, 0.02, 0.8)}."""

    def __getitem__(self, frames: slice) -> Motion:
        """A range of frames as a plain motion, without events and marks."""
        return self._plain()[frames]

    def warped(
        self, *, events: npt.ArrayLike, onto: npt.ArrayLike, fps: float | None = None, frames: int | None = None
    ) -> Motion:
        """See `Motion.warped`; returns a plain motion, without events and marks."""
        return self._plain().warped(events=events, onto=onto, fps=fps, frames=frames)

    def mirrored(self, *, tolerance: float = 0.05) -> Clip:
        """See `Motion.mirrored`; marks are mirrored too."""
        return self._with_marks(super().mirrored(tolerance=tolerance).q, REFLECTION, (0.0, 0.0, 0.0))

    def moved(self, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Clip:
        """See `Motion.moved`; marks are moved too."""
        return self._with_marks(super().moved(translation, yaw).q, turns_about_vertical(np.array(yaw)), translation)

    def _plain(self) -> Motion:
        return Motion(self.figure, self.q, self.fps, self.name, self.notes)

    def _with_marks(self, q: Array, turn: Array, translation: Sequence[float]) -> Clip:
        """The clip with other dof values and with marks rotated (or reflected) and then translated."""
        marks = {name: vector(turn @ np.array(point) + np.array(translation)) for name, point in self.marks.items()}
        return replace(self, q=q, marks=marks)

    def frame_of(self, event: str) -> int:
        """The frame nearest to an event, counted from 0."""
        return round(self.events[event] * self.fps)


@dataclass(frozen=True, eq=False)
class Take:
    """One performance of a clip: the biped, the times, and the random numbers that distinguish performances."""

    biped: Biped
    rng: np.random.Generator
    t: Array
    """Times of the frames (frames,), s."""
    fps: float
    pace: float = 1.0
    """Factor by which this figure takes longer than a person."""

    @classmethod
    def lasting(cls, duration: float, biped: Biped, rng: np.random.Generator, fps: float, *, pace: float = 1.0) -> Take:
        """A take from 0 to `duration` (s), which is rounded to whole frames."""
        if not (np.isfinite(fps) and fps >= 5.0):
            raise InvalidSetting(f"fps is {fps}; a clip needs at least 5 frames per second")
        return cls(biped, rng, np.arange(round(duration * fps) + 1) / fps, fps, pace)

    @property
    def s(self) -> Array:
        """Times of the frames (frames,) for a person, s."""
        return self.t / self.pace

    def keyed(self, *times: float) -> Keyed:
        """A function that returns a curve through values at these times (s, for a person)."""
        return lambda *values: through(self.s, list(zip(times, values, strict=True)))

    def wander(self, amount: float) -> Array:
        """Slow, aimless movement (frames,) of about `amount`: three sines of 0.2 to 1.1 Hz."""
        rates = self.rng.uniform([0.2, 0.4, 0.8], [0.4, 0.8, 1.1])
        phases = self.rng.uniform(0.0, 2.0 * np.pi, 3)
        sines: Array = np.sin(2.0 * np.pi * np.multiply.outer(self.t, rates) + phases) @ np.array([0.6, 0.4, 0.2])
        return amount * sines


def require_between(name: str, value: float, low: float, high: float, unit: str = "(no unit)") -> None:
    """Refuse a number outside the range that a clip accepts."""
    if not low <= value <= high:
        raise InvalidSetting(f"{name} is {value:g} {unit}; it must be from {low:.3g} to {high:.3g} {unit}")


def is_left(side: str) -> bool:
    """Whether a side is "left"; anything but "left" or "right" is refused."""
    if side not in ("left", "right"):
        raise UnknownName("side", side, ("left", "right"))
    return side == "left"
