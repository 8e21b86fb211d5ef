"""Goals of a clip that are served strictly first: what they miss, and their targets shifted by it.

See `over_time` for why. Arrays are those of one frame; `scratch` (3 or more, 3 or more) is to work in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import rotation_gap
from posewright.kernels.tables import ROTATION, Array, Table
from posewright.kernels.tree.tracking_frame import shift_target


@kernel
def missed(
    terms: Table, held: npt.NDArray[np.int8], target: Array, rotations: Array, positions: Array, scratch: Array
) -> float:
    """What the worst goal served strictly first misses along an axis (m, rad)."""
    worst = 0.0
    for k in range(terms.shape[0]):
        if held[k] != 0 and terms[k]["kind"] <= ROTATION:
            _gap(terms, k, target, rotations, positions, scratch)
            for i in range(3):
                worst = max(worst, abs(scratch[0, i]))
    return worst


@kernel
def shift_missed(
    terms: Table,
    held: npt.NDArray[np.int8],
    target: Array,
    rotations: Array,
    positions: Array,
    drop: bool,
    shifts: Array,
    wanted: Array,
    scratch: Array,
) -> None:
    """Move the targets of goals served strictly first by what they miss; or drop the shifts."""
    for k in range(terms.shape[0]):
        if held[k] != 0 and terms[k]["kind"] <= ROTATION:
            _gap(terms, k, target, rotations, positions, scratch)
            for i in range(3):
                shifts[k, i] = 0.0 if drop else shifts[k, i] + scratch[0, i]
            shift_target(terms[k]["kind"], target[k], shifts[k], wanted[k])


@kernel
def _gap(terms: Table, k: int, target: Array, rotations: Array, positions: Array, scratch: Array) -> None:
    """Write into the first row of `scratch` what a point or a rotation misses (m, rad)."""
    gap, ux, uy = scratch[0, :3], scratch[1, :3], scratch[2, :3]
    j = terms[k]["joint"]
    R, p, u, v = rotations[j], terms[k]["point"], terms[k]["x_axis"], terms[k]["y_axis"]
    for i in range(3):
        gap[i] = target[k, i] - positions[j, i] - (R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2])
        ux[i] = R[i, 0] * u[0] + R[i, 1] * u[1] + R[i, 2] * u[2]
        uy[i] = R[i, 0] * v[0] + R[i, 1] * v[1] + R[i, 2] * v[2]
    if terms[k]["kind"] == ROTATION:
        rotation_gap(ux, uy, target[k], gap)
