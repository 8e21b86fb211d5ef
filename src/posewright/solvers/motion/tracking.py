"""How much work LeastSquares puts into each frame of a motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from posewright.checks import require_number
from posewright.errors import InvalidSetting


@dataclass(frozen=True, kw_only=True)
class Tracking:
    """Settings of the frame loop of `LeastSquares`."""

    steps: int = 60
    """At most so many per frame. One or two are taken as they come: quick, smooth, a little behind a fast track. From
    three on, steps that raise the cost are undone, and those after the first are Newton steps."""
    damping: float = 5e-3
    """Of a frame's first step, over the weight of the tracks."""
    gain: float = 1e-6
    """A step that lowers the cost by less than this share ends a frame."""
    still: float = 1e-10
    """So does one in which no dof changes by more than this (rad, m)."""
    met: float = 1e-6
    """What goals served strictly first may miss (m, rad, along each axis)."""

    def __post_init__(self) -> None:
        require_number(self.steps, "steps of a tracking", "at least 1")
        if self.steps < 1:
            raise InvalidSetting(f"steps of a tracking is {self.steps}; it must be at least 1")
        for name in ("damping", "gain", "still", "met"):
            value = getattr(self, name)
            require_number(value, f"{name} of a tracking", "finite and not negative")
            if not (math.isfinite(value) and value >= 0.0):
                raise InvalidSetting(f"{name} of a tracking is {value}; it must be finite and not negative")
