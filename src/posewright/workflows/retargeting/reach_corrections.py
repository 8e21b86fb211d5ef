"""What limbs of other lengths need before the solve: a pelvis low enough for the feet, hands above the floor."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.motions.filters import smooth_above

_STRETCH = 0.995
"""Of its length: a leg is asked to reach no further, for a straight knee snaps."""
_AHEAD = 0.08
"""s: how long before and after it is needed a correction is there."""


def pelvis_drop(hips: Array, ankles: Array, lengths: Array, fps: float) -> Array:
    """How far the pelvis must sink (frames,), m, smoothly, for the ankles to be within reach.

    Args:
        hips: (frames, legs, 3), m.
        ankles: (frames, legs, 3), m: where they are wanted.
        lengths: (legs,), m, of thigh and shin.
        fps: frames per second.
    """
    way = ankles - hips
    across = way[..., 0] ** 2 + way[..., 2] ** 2
    longest = np.sqrt(np.maximum((_STRETCH * lengths) ** 2 - across, 0.0))
    need = np.maximum(0.0, -way[..., 1] - longest).max(axis=1)
    return _smooth(need, fps)


def hand_lift(lowest: Array, fps: float) -> Array:
    """How far to lift a hand (frames,), m, whose lowest point is at these heights, above the floor y = 0."""
    return _smooth(np.maximum(0.0, -lowest), fps)


def _smooth(need: Array, fps: float) -> Array:
    """A smooth curve (frames,) that is never below what a frame needs."""
    if len(need) == 1 or not need.any() or _AHEAD * fps < 1.0:
        return need
    return smooth_above(need, math.ceil(_AHEAD * fps))
