"""Angles of one to three hinges from rotations, over frames, each frame on the branch nearest to a reference.

Symbols: R = H(u, a) H(v, b) H(w, c), a turn about each of the unit axes u, v, w in order. With three hinges
u·R w = u·H(v, b) w fixes b up to two branches, R w = H(u, a) (H(v, b) w) then fixes a, and what remains is c
(Davenport's angles for any axes). In gimbal lock, where H(v, b) w is parallel to u, a stays what it was.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.rotations import multiply
from posewright.kernels.tables import Array

_LOCKED = 1e-13  # sine of the angle between the outer axes below which only a + c or a - c is known
_EXACT = 1e-14  # rad; larger remainders are polished


@kernel
def hinge_angles_all(axes: Array, rotations: Array, near: Array, out: Array) -> None:
    """Angles `out` (frames, n) of n = 1, 2 or 3 hinges about `axes` (n, 3) that make `rotations` (frames, 3, 3).

    Of all angles that mean a rotation, the first frames take those nearest to the rows of `near` (rows, n), and each
    frame after the last row those nearest to the frame before. Rotations out of reach get angles near them.
    """
    n = axes.shape[0]
    found, other = np.empty(n), np.empty(n)
    work = np.empty((4, 3, 3))
    for frame in range(rotations.shape[0]):
        R = rotations[frame]
        previous = near[frame] if frame < near.shape[0] else out[frame - 1]
        if n == 1:
            found[0] = twist(R, axes[0])
        elif n == 2:
            found[0] = _turn_between(axes[0], axes[1], R, axes[1], previous[0])
            _remainder(axes, found, 1, R, work)
            found[1] = twist(work[0], axes[1])
        else:
            shortest = math.inf
            for branch in (1.0, -1.0):
                _three(axes, R, branch, previous, work, other)
                distance = _nearest_turns(other, previous)
                if distance < shortest:
                    shortest = distance
                    for k in range(3):
                        found[k] = other[k]
        _nearest_turns(found, previous)
        for k in range(n):  # a loop compiles in a tenth of the time of out[frame] = found
            out[frame, k] = found[k]


@kernel
def follow_branches(vectors: Array, near: Array) -> None:
    """Change rotation vectors (frames, 3), in place, into those of the same rotations nearest to a reference.

    That is a row of `near` (rows, 3) for the first frames, and the frame before after the last row.
    """
    for frame in range(vectors.shape[0]):
        w = vectors[frame]
        previous = near[frame] if frame < near.shape[0] else vectors[frame - 1]
        angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        length = angle
        x, y, z = w[0], w[1], w[2]
        if angle < 1e-12:  # no turn: any axis will do, so the one that was
            x, y, z = previous[0], previous[1], previous[2]
            length = math.sqrt(x * x + y * y + z * z)
        if length > 1e-12:
            x, y, z = x / length, y / length, z / length
            along = x * previous[0] + y * previous[1] + z * previous[2]
            turns = np.round((along - angle) / (2.0 * math.pi))
            if turns != 0.0:
                angle += 2.0 * math.pi * turns
                w[0], w[1], w[2] = angle * x, angle * y, angle * z


@kernel
def twist(R: Array, u: Array) -> float:
    """The angle about `u` that comes nearest to the rotation `R`."""
    x, y, z = u[0], u[1], u[2]
    sine = x * (R[2, 1] - R[1, 2]) + y * (R[0, 2] - R[2, 0]) + z * (R[1, 0] - R[0, 1])
    stretch = 0.0
    for i in range(3):
        stretch += u[i] * (R[i, 0] * x + R[i, 1] * y + R[i, 2] * z)
    cosine = R[0, 0] + R[1, 1] + R[2, 2] - stretch
    return math.atan2(sine, cosine)


@kernel
def turn_matrix(u: Array, angle: float, out: Array) -> None:
    """Write H(u, angle) into `out` (3, 3)."""
    s, half = math.sin(angle), math.sin(0.5 * angle)
    v = 2.0 * half * half
    x, y, z = u[0], u[1], u[2]
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y
    out[1, 0], out[1, 1], out[1, 2] = v * x * y + s * z, 1.0 - v * (x * x + z * z), v * y * z - s * x
    out[2, 0], out[2, 1], out[2, 2] = v * x * z - s * y, v * y * z + s * x, 1.0 - v * (x * x + y * y)


@kernel
def _three(axes: Array, R: Array, branch: float, previous: Array, work: Array, out: Array) -> None:
    u, v, w = axes[0], axes[1], axes[2]
    uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
    uw = u[0] * w[0] + u[1] * w[1] + u[2] * w[2]
    volume = (
        u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
    )
    # u·H(v, b) w = constant + reach cos(b - phase)
    constant, reach, phase = uv * vw, math.hypot(uw - uv * vw, volume), math.atan2(volume, uw - uv * vw)
    x = R[0, 0] * w[0] + R[0, 1] * w[1] + R[0, 2] * w[2]
    y = R[1, 0] * w[0] + R[1, 1] * w[1] + R[1, 2] * w[2]
    z = R[2, 0] * w[0] + R[2, 1] * w[1] + R[2, 2] * w[2]
    along = u[0] * x + u[1] * y + u[2] * z
    across = (u[1] * z - u[2] * y) ** 2 + (u[2] * x - u[0] * z) ** 2 + (u[0] * y - u[1] * x) ** 2
    # reach² - (along - constant)², written so that nothing cancels for perpendicular neighbours
    rest = reach * reach - 1.0 - constant * constant + 2.0 * along * constant + across
    if abs(uv) < 1e-15 and abs(vw) < 1e-15:
        rest = across
    out[1] = phase + branch * math.atan2(math.sqrt(max(rest, 0.0)), along - constant)
    error = math.inf
    a, b, c = 0.0, out[1], 0.0
    for attempt in range(4):
        remaining = _finish_three(axes, R, previous, work, out)
        if not remaining < error:
            out[0], out[1], out[2] = a, b, c
            break
        error = remaining
        a, b, c = out[0], out[1], out[2]
        if error < _EXACT or attempt == 3:
            break
        # Near the lock the cosine hides b: correct it by the remainder across the last axis.
        out[1] = b + _middle_step(axes, out, work)


@kernel
def _finish_three(axes: Array, R: Array, previous: Array, work: Array, out: Array) -> float:
    """Angles a and c for the b in `out`; returns how far the product is from R (rad), its turn left in work[0]."""
    turn_matrix(axes[1], out[1], work[3])
    w = axes[2]
    middle = work[2, 0]
    for i in range(3):
        middle[i] = work[3, i, 0] * w[0] + work[3, i, 1] * w[1] + work[3, i, 2] * w[2]
    out[0] = _turn_between(axes[0], middle, R, w, previous[0])
    _remainder(axes, out, 2, R, work)
    out[2] = twist(work[0], w)
    turn_matrix(w, -out[2], work[1])
    multiply(work[1], work[0], work[3])
    E = work[3]
    x, y, z = 0.5 * (E[2, 1] - E[1, 2]), 0.5 * (E[0, 2] - E[2, 0]), 0.5 * (E[1, 0] - E[0, 1])
    work[0, 0, 0], work[0, 0, 1], work[0, 0, 2] = x, y, z
    # The sine alone would call half a turn exact.
    return math.sqrt(x * x + y * y + z * z) if E[0, 0] + E[1, 1] + E[2, 2] > 1.0 else math.pi


@kernel
def _middle_step(axes: Array, angles: Array, work: Array) -> float:
    w = axes[2]
    turn_matrix(w, -angles[2], work[1])
    v = work[2, 1]
    for i in range(3):
        v[i] = work[1, i, 0] * axes[1, 0] + work[1, i, 1] * axes[1, 1] + work[1, i, 2] * axes[1, 2]
    along = v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
    step, size = 0.0, 0.0
    for i in range(3):
        across = v[i] - along * w[i]
        step += across * work[0, 0, i]
        size += across * v[i]
    return step / size if size > 1e-12 else 0.0


@kernel
def _turn_between(u: Array, start: Array, R: Array, direction: Array, otherwise: float) -> float:
    """The turn about `u` that takes `start` to `R direction`, or `otherwise` where `start` lies along `u`."""
    x, y, z = start[0], start[1], start[2]
    gx = R[0, 0] * direction[0] + R[0, 1] * direction[1] + R[0, 2] * direction[2]
    gy = R[1, 0] * direction[0] + R[1, 1] * direction[1] + R[1, 2] * direction[2]
    gz = R[2, 0] * direction[0] + R[2, 1] * direction[1] + R[2, 2] * direction[2]
    along = u[0] * x + u[1] * y + u[2] * z
    reached = u[0] * gx + u[1] * gy + u[2] * gz
    x, y, z = x - along * u[0], y - along * u[1], z - along * u[2]
    gx, gy, gz = gx - reached * u[0], gy - reached * u[1], gz - reached * u[2]
    if x * x + y * y + z * z < _LOCKED * _LOCKED or gx * gx + gy * gy + gz * gz < _LOCKED * _LOCKED:
        return otherwise
    sine = u[0] * (y * gz - z * gy) + u[1] * (z * gx - x * gz) + u[2] * (x * gy - y * gx)
    return math.atan2(sine, x * gx + y * gy + z * gz)


@kernel
def _remainder(axes: Array, angles: Array, count: int, R: Array, work: Array) -> None:
    """Write what is left of R after undoing the first one or two hinges into work[0]."""
    turn_matrix(axes[0], -angles[0], work[1])
    if count == 1:
        multiply(work[1], R, work[0])
    else:
        multiply(work[1], R, work[3])
        turn_matrix(axes[1], -angles[1], work[1])
        multiply(work[1], work[3], work[0])


@kernel
def _nearest_turns(angles: Array, previous: Array) -> float:
    """Add the full turns that bring each angle nearest to `previous`; returns the squared distance left."""
    distance = 0.0
    for k in range(angles.shape[0]):
        angles[k] += 2.0 * math.pi * np.round((previous[k] - angles[k]) / (2.0 * math.pi))
        distance += (angles[k] - previous[k]) ** 2
    return distance
