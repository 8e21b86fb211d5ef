"""Heights of a moving figure, and whether it falls freely: what tells a wrong frame rate."""

from __future__ import annotations

import math
from typing import Final

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

LOWEST: Final = 0
HIGHEST: Final = 1
MEAN: Final = 2
ROOT: Final = 3


@kernel
def measure_heights(positions: Array, out: Array) -> None:
    """Rows of `out` (4, frames): height of the lowest and highest joint, the mean, and the first joint's; m."""
    n_joints = positions.shape[1]
    for frame in range(positions.shape[0]):
        root = positions[frame, 0, 1]
        low, high, total = root, root, 0.0
        for j in range(n_joints):
            height = positions[frame, j, 1]
            low = min(low, height)
            high = max(high, height)
            total += height
        out[LOWEST, frame] = low
        out[HIGHEST, frame] = high
        out[MEAN, frame] = total / n_joints
        out[ROOT, frame] = root


@kernel
def fall(heights: Array, fps: float, weakest: float) -> float:
    """Acceleration downwards (m/s²) of heights that follow a parabola opening downwards, else 0.

    Args:
        heights: (frames,), m; four at least.
        fps: frames per second.
        weakest: m/s², accelerations below it do not count.
    """
    n = heights.shape[0]
    middle = 0.5 * (n - 1)
    mean, mean_square = 0.0, 0.0
    low, high = heights[0], heights[0]
    for i in range(n):
        mean += heights[i] / n
        mean_square += (i - middle) ** 2 / n
        low = min(low, heights[i])
        high = max(high, heights[i])
    # In frames: the centred time, and its square less the mean, are perpendicular to each other and to a constant.
    along, per_along, across, per_across = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        time = i - middle
        square = time * time - mean_square
        along += time * (heights[i] - mean)
        per_along += time * time
        across += square * (heights[i] - mean)
        per_across += square * square
    slope, curvature = along / per_along, across / per_across
    gravity = -2.0 * curvature * fps * fps
    if not gravity > weakest:
        return 0.0
    rest = 0.0
    for i in range(n):
        time = i - middle
        rest += (heights[i] - mean - slope * time - curvature * (time * time - mean_square)) ** 2
    miss = math.sqrt(rest / n)
    # The curve must be seen: what a straight line leaves over is much more than what the parabola leaves.
    bend = -0.25 * curvature * (n - 1) ** 2
    span = high - low
    if miss > 0.05 * span or bend < 10.0 * miss or bend < 0.1 * span:
        return 0.0
    return gravity
