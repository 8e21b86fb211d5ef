"""What limbs of other lengths need before the solve: a pelvis low enough for the feet, hands above the floor."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from posewright.conventions import Array

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
    return eased(need, fps)


def eased(need: Array, fps: float) -> Array:
    """A smooth curve (frames,) that is never below what is needed in any frame."""
    width = _AHEAD * fps
    if width < 1.0 or len(need) == 1 or not need.any():
        return need
    # The most that is needed around a frame, smoothed over less than that.
    most = maximum_filter1d(need, 2 * int(np.ceil(width)) + 1, mode="nearest")
    curve: Array = gaussian_filter1d(most, width / 3.0, mode="nearest", truncate=3.0)
    return curve


def hand_lift(lowest: Array, fps: float) -> Array:
    """How far to lift a hand (frames,), m, whose lowest point is at these heights, above the floor y = 0."""
    return eased(np.maximum(0.0, -lowest), fps)
