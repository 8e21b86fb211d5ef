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


def pace_of(
    gait: str, speed: float | None, usual: float, legs: float, *, slowest: float, fastest: float
) -> tuple[float, float]:
    """The speed (m/s) of a gait, `usual` if none is asked for, and how many times the usual it is.

    Refused below `slowest` and above `fastest` times the usual; `legs` (m) says whose it is.
    """
    chosen = float(usual if speed is None else speed)
    pace = chosen / usual
    if not slowest <= pace <= fastest:
        raise InvalidSetting(
            f"speed {chosen:g} m/s is no {gait} for legs of {legs:.2f} m; "
            f"between {slowest * usual:.2f} and {fastest * usual:.2f} m/s is"
        )
    return chosen, float(pace)


def require_steps(steps: int) -> None:
    """Refuse a gait without a step."""
    if steps < 1:
        raise InvalidSetting(f"steps is {steps}; at least 1 is needed")


def is_left(side: str) -> bool:
    """Whether "left" was asked for; anything but left or right is refused."""
    if side not in ("left", "right"):
        raise UnknownName("side", side, ("left", "right"))
    return side == "left"
