"""What legs and arms of other lengths need before the solve: a pelvis low enough for the feet, hands above the floor."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from posewright.conventions import Array
from posewright.figure import Figure
from posewright.figure.kinematics import joint_frames, site_frames

_STRETCH = 0.995
"""Of its length: a leg is asked to reach no further, for a straight knee snaps."""
_AHEAD = 0.08
"""s: how long before and after it is needed the pelvis is low."""


def pelvis_drop(hips: Array, ankles: Array, lengths: Array, fps: float) -> Array:
    """How far the pelvis must sink (frames,), m, smoothly, for the ankles to be within reach.

    Args:
        hips: (frames, legs, 3), m.
        ankles: (frames, legs, 3), m: where they are wanted.
        lengths: (legs,), m, of thigh and shin.
        fps: frames per second.
    """
    across = np.sum((ankles - hips)[..., [0, 2]] ** 2, axis=-1)
    longest = np.sqrt(np.maximum((_STRETCH * lengths) ** 2 - across, 0.0))
    need = np.maximum(0.0, hips[..., 1] - ankles[..., 1] - longest).max(axis=1)
    width = _AHEAD * fps
    if width < 1.0 or not need.any():
        return need
    # What is needed at most around a frame, smoothed within less than that: never less than what is needed.
    held = maximum_filter1d(need, 2 * int(np.ceil(width)) + 1, mode="nearest")
    drop: Array = gaussian_filter1d(held, width / 3.0, mode="nearest", truncate=3.0)
    return drop


def hand_lift(figure: Figure, q: Array, wrist: int) -> Array:
    """How far a hand is below the floor y = 0 (frames,), m: its joints and all sites on them."""
    below = figure.subtree(wrist)
    lowest = joint_frames(figure, q).positions[:, list(below), 1].min(axis=1)
    names = [site.name for site in figure.sites if figure.joint_index(site.joint) in below]
    if names:
        lowest = np.minimum(lowest, site_frames(figure, q, names).points[..., 1].min(axis=1))
    lift: Array = np.maximum(0.0, -lowest)
    return lift
