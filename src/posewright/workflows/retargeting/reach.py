"""Corrections for other proportions before the solve: a pelvis low enough for feet and high enough for the rest."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.kernels.motion.feet import towards
from posewright.motions.smoothing import smooth_above

_AHEAD = 0.08
"""s before and after it is needed in which a correction fades in and out."""
_CLEAR, _DEEP = 0.015, 0.02
"""Weight of a hand that is moved out of the body, relative to feet, and m of movement at which it is reached. It is
small, so that no arm is forced against its limits."""
SKIN = 0.008
"""m above the floor that everything but feet keeps."""


def smooth_need(need: Array, fps: float) -> Array:
    """Smooth curves (frames, ...) that are nowhere below `need`."""
    return smooth_above(need, math.ceil(_AHEAD * fps)) if _AHEAD * fps >= 1.0 and need.any() else need


class NeedFilter:
    """The same for a stream: values that follow quintics to the largest need of the frames ahead."""

    def __init__(self, n: int, ahead: int) -> None:
        """Prepare for `n` values and `ahead` frames."""
        zero, unit = np.zeros(3), np.eye(3)
        self._from_state = np.array([towards(0.0, 0.0, float(ahead), *row) for row in unit]).T
        self._from_goal = np.array(towards(1.0, 0.0, float(ahead), *zero))[:, None]
        self._state = np.zeros((3, n))  # value, velocity and acceleration, per frame

    def next(self, needs: Array) -> Array:
        """The values (n,) of a frame, given the needs (frames, n) of it and the frames ahead."""
        self._state = self._from_state @ self._state + self._from_goal * needs.max(axis=0)
        found: Array = np.maximum(0.0, self._state[0])
        return found


def clear_activation(moved: Array) -> Array:
    """Activation of hands that are moved (...), m, to leave the body."""
    active: Array = _CLEAR * np.minimum(1.0, moved / _DEEP)
    return active
