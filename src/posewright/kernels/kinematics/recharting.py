"""Rotation vectors in another chart: a fixed turn before each, frame by frame."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

_TINY = 1e-12  # rad: below, the sine of an angle is the angle


@kernel
def turn_before(q: Array, columns: npt.NDArray[np.int64], turns: Array) -> None:
    """Change the rotation vectors of poses (frames, dofs), in place, to those of `turn · exp(w)`, at most pi long.

    Args:
        q: rotation vectors stand in some of its columns.
        columns: (balls, 3).
        turns: (balls, 4), unit quaternions wxyz.
    """
    for frame in range(q.shape[0]):
        for b in range(columns.shape[0]):
            i, j, k = columns[b, 0], columns[b, 1], columns[b, 2]
            x, y, z = q[frame, i], q[frame, j], q[frame, k]
            angle = math.sqrt(x * x + y * y + z * z)
            s = math.sin(0.5 * angle) / angle if angle > _TINY else 0.5
            w, x, y, z = math.cos(0.5 * angle), s * x, s * y, s * z
            a, u, v, t = turns[b, 0], turns[b, 1], turns[b, 2], turns[b, 3]
            turned = a * w - u * x - v * y - t * z
            sign = -1.0 if turned < 0.0 else 1.0
            rx = sign * (a * x + u * w + v * z - t * y)
            ry = sign * (a * y - u * z + v * w + t * x)
            rz = sign * (a * z + u * y - v * x + t * w)
            sine = math.sqrt(rx * rx + ry * ry + rz * rz)
            factor = 2.0 * math.atan2(sine, sign * turned) / sine if sine > _TINY else 2.0
            q[frame, i], q[frame, j], q[frame, k] = factor * rx, factor * ry, factor * rz
