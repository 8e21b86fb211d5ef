"""Following a rotation vector over time: of all vectors that mean one rotation, the one nearest the frame before."""

from __future__ import annotations

import math

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Array


@kernel
def follow_branches(w: Array) -> None:
    """Replace each of the rotation vectors (frames, 3) but the first by its branch nearest the one before."""
    turn = 2.0 * math.pi
    for frame in range(1, w.shape[0]):
        x, y, z = w[frame, 0], w[frame, 1], w[frame, 2]
        angle = math.sqrt(x * x + y * y + z * z)
        if angle > 1e-12:  # no axis, no branches
            along = (x * w[frame - 1, 0] + y * w[frame - 1, 1] + z * w[frame - 1, 2]) / angle
            turns = math.floor((along - angle) / turn + 0.5)
            if turns != 0.0:
                factor = 1.0 + turns * turn / angle
                w[frame, 0], w[frame, 1], w[frame, 2] = factor * x, factor * y, factor * z
