"""Arguments that all clips share, checked in one place."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName


def frame_times(duration: float, fps: float) -> Array:
    """Times (frames,), s, from 0 to `duration`, which is rounded to whole frames."""
    if not (np.isfinite(fps) and fps >= 5.0):
        raise InvalidSetting(f"fps is {fps}; at least 5 frames per second are needed to show a motion")
    return np.arange(round(duration * fps) + 1) / fps


def require_between(name: str, value: float, low: float, high: float, unit: str) -> None:
    """Refuse a number outside what a clip can show."""
    if not low <= value <= high:
        raise InvalidSetting(f"{name} is {value:g} {unit}; between {low:.3g} and {high:.3g} {unit} is possible")


def is_left(side: str) -> bool:
    """Whether "left" was asked for; anything but left or right is refused."""
    if side not in ("left", "right"):
        raise UnknownName("side", side, ("left", "right"))
    return side == "left"
