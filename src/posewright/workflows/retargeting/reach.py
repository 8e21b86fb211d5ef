"""What bodies of other proportions need before the solve: a pelvis low enough for feet, high enough for the rest."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.kernels.motion.feet import towards
from posewright.motions.smoothing import smooth_above

_AHEAD = 0.08
"""s: how long before and after it is needed a correction is there."""
_CLEAR, _DEEP = 0.015, 0.02
"""Weight of a hand that is moved out of the body, over that of feet, and m from which on it has that: no arm is forced
against its limits for it."""
SKIN = 0.008
"""m above the floor at which all but feet stay."""


def smooth_need(need: Array, fps: float) -> Array:
    """Smooth curves (frames, ...) that are nowhere below what a frame needs."""
    return smooth_above(need, math.ceil(_AHEAD * fps)) if _AHEAD * fps >= 1.0 and need.any() else need


class NeedFilter:
    """The same while frames arrive: values that go along quintics to the most that the frames ahead need."""

    def __init__(self, n: int, ahead: int) -> None:
        """Of some values, for so many frames ahead."""
        zero, unit = np.zeros(3), np.eye(3)
        self._from_state = np.array([towards(0.0, 0.0, float(ahead), *row) for row in unit]).T
        self._from_goal = np.array(towards(1.0, 0.0, float(ahead), *zero))[:, None]
        self._state = np.zeros((3, n))  # value, velocity and acceleration, per frame

    def next(self, needs: Array) -> Array:
        """The values (n,) of a frame, given what it and the frames ahead need (frames, n)."""
        self._state = self._from_state @ self._state + self._from_goal * needs.max(axis=0)
        found: Array = np.maximum(0.0, self._state[0])
        return found


def clear_activation(moved: Array) -> Array:
    """How much hands count that are moved (...), m, to leave the body."""
    active: Array = _CLEAR * np.minimum(1.0, moved / _DEEP)
    return active
