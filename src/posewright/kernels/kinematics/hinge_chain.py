"""Angles of up to three hinges in a row, on one joint or on several: exact, within limits, or slow through gimbal lock.

A unit (`transfer.UNIT`) holds the axes u, v, w in the frame above it: X = H(u, a) H(v, b) H(w, c). What is wanted is an
X, or with weights a matrix M for which trace(Xᵀ M) is to be greatest; for one hinge, the others held, that has a closed
form (`twist`).
"""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_rows_into
from posewright.kernels.kinematics.fit_rotation import solve_in_place
from posewright.kernels.kinematics.rotations import (
    log_vector,
    multiply,
    nearest_angle,
    times_transposed,
    turn_matrix,
    turned_row,
    twist,
)
from posewright.kernels.tables import Array, Row, Table

LOCK = 0.35  # volume of the three axes below which hinges are damped
_LOCKED_DAMPING = 0.05  # in the lock itself
_STEPS = 6
_SWEEPS = 30


@kernel
def volume(axes: Array, middle: float, work: Array) -> float:
    """|u · (v x H(v, b) w)|: 1 for hinges at right angles, 0 in gimbal lock."""
    turn_matrix(axes[1], middle, work[3])
    u, v, w = axes[0], axes[1], axes[2]
    x = work[3, 0, 0] * w[0] + work[3, 0, 1] * w[1] + work[3, 0, 2] * w[2]
    y = work[3, 1, 0] * w[0] + work[3, 1, 1] * w[1] + work[3, 1, 2] * w[2]
    z = work[3, 2, 0] * w[0] + work[3, 2, 1] * w[1] + work[3, 2, 2] * w[2]
    return float(abs(u[0] * (v[1] * z - v[2] * y) + u[1] * (v[2] * x - v[0] * z) + u[2] * (v[0] * y - v[1] * x)))


@kernel
def lock_damping(room: float) -> float:
    """Damping that fades out as the volume `room` of the axes grows to where they are far from gimbal lock."""
    share = 1.0 - (min(room, LOCK) / LOCK) ** 2
    return _LOCKED_DAMPING * share * share


@kernel
def follow_damped(unit: Row, dofs: Table, X: Array, damping: float, last: Array, out: Array, work: Array) -> None:
    """Angles (3,) for a product near X but near the last frame, too: least |missing turn|² + damping |change|².

    In gimbal lock exact angles would whirl; these stay about as fast as the turn itself, and lag behind for some
    frames.
    """
    axes = unit["axes"]
    J, H, g, product = work[0], work[1], work[6, 0], work[7]
    for k in range(3):
        out[k] = last[k]
    for _ in range(_STEPS):
        for i in range(3):
            for j in range(3):
                product[i, j] = 1.0 if i == j else 0.0
        for k in range(3):
            for i in range(3):
                J[k, i] = product[i, 0] * axes[k, 0] + product[i, 1] * axes[k, 1] + product[i, 2] * axes[k, 2]
            sine, cosine = math.sin(out[k]), math.cos(out[k])
            x, y, z = axes[k, 0], axes[k, 1], axes[k, 2]
            for i in range(3):
                product[i, 0], product[i, 1], product[i, 2] = turned_row(
                    product[i, 0], product[i, 1], product[i, 2], x, y, z, sine, 1.0 - cosine
                )
        times_transposed(X, product, work[3])
        missing = work[6, 1]
        log_vector(work[3], missing)
        for i in range(3):
            for j in range(3):
                H[i, j] = J[i, 0] * J[j, 0] + J[i, 1] * J[j, 1] + J[i, 2] * J[j, 2]
            H[i, i] += damping + 1e-9
            g[i] = J[i, 0] * missing[0] + J[i, 1] * missing[1] + J[i, 2] * missing[2] + damping * (last[i] - out[i])
        for i in range(3):  # what would leave its limits rests
            dof = dofs[unit["dofs"][i]]
            if (out[i] <= dof["lower"] and g[i] < 0.0) or (out[i] >= dof["upper"] and g[i] > 0.0):
                for j in range(3):
                    H[i, j], H[j, i] = 0.0, 0.0
                H[i, i], g[i] = 1.0, 0.0
        solve_in_place(H, g, 3)
        moved = 0.0
        for i in range(3):
            dof = dofs[unit["dofs"][i]]
            value = min(dof["upper"], max(dof["lower"], out[i] + g[i]))
            moved = max(moved, abs(value - out[i]))
            out[i] = value
        if moved < 1e-6:
            break


@kernel
def fit_hinges(unit: Row, dofs: Table, M: Array, follow: bool, angles: Array, work: Array) -> float:
    """Improve angles (3,) within their limits, one hinge at a time, until they rest; returns trace(Xᵀ M).

    A hinge whose best angle is outside its limits goes to the end that is nearer to it around the circle, or, to
    `follow` the angles, to the end that is reached first: it cannot pass from one end to the other in a frame.
    """
    n = unit["hinges"]
    axes = unit["axes"]
    for _ in range(_SWEEPS):
        moved = 0.0
        for k in range(n):
            _undo_others(axes, angles, n, k, M, work)
            dof = dofs[unit["dofs"][k]]
            best = nearest_angle(twist(work[6], axes[k]), angles[k])
            if follow:
                best = min(dof["upper"], max(dof["lower"], best))
            elif not dof["lower"] <= best <= dof["upper"]:
                low = abs(nearest_angle(dof["lower"] - best, 0.0))
                high = abs(nearest_angle(dof["upper"] - best, 0.0))
                best = dof["lower"] if low < high else dof["upper"]
            moved = max(moved, abs(best - angles[k]))
            angles[k] = best
        if moved < 1e-7 or n == 1:
            break
    return hinge_fit(unit, M, angles, work)


@kernel
def hinge_fit(unit: Row, M: Array, angles: Array, work: Array) -> float:
    """trace(Xᵀ M) of angles (3,)."""
    _undo_others(unit["axes"], angles, unit["hinges"], unit["hinges"], M, work)
    return float(work[6, 0, 0] + work[6, 1, 1] + work[6, 2, 2])


@kernel
def _undo_others(axes: Array, angles: Array, n: int, kept: int, M: Array, work: Array) -> None:
    """Write into work[6] the M that is wanted of hinge `kept` alone, the turns of all others undone."""
    copy_rows_into(M, work[6])
    for h in range(kept):  # those in front
        turn_matrix(axes[h], -angles[h], work[7])
        multiply(work[7], work[6], work[3])
        copy_rows_into(work[3], work[6])
    for h in range(n - 1, kept, -1):  # and those behind
        turn_matrix(axes[h], -angles[h], work[7])
        multiply(work[6], work[7], work[3])
        copy_rows_into(work[3], work[6])
