"""How much work LeastSquares puts into each frame of a motion."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.checks import require_number


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

    @classmethod
    def precise(cls) -> Tracking:
        """To rounding, for comparisons: several times the work of the defaults."""
        return cls(steps=200, gain=1e-14, met=1e-13)

    def __post_init__(self) -> None:
        require_number(self.steps, "steps of a tracking", at_least=1.0, whole=True)
        for name in ("damping", "gain", "still", "met"):
            require_number(getattr(self, name), f"{name} of a tracking", at_least=0.0)
