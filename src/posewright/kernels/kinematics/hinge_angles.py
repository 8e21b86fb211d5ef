"""Angles of one to three hinges that make a rotation, on the branch nearest to a reference.

Symbols: R = H(u, a) H(v, b) H(w, c), a turn about each of the unit axes u, v, w in order. With three hinges
u·R w = u·H(v, b) w fixes b up to two branches, R w = H(u, a) (H(v, b) w) then fixes a, and what remains is c
(Davenport's angles for any axes). In gimbal lock, where H(v, b) w is parallel to u, a stays what it was. Axes at right
angles, as of nearly all figures, have a closed form that takes a tenth of the time; it is used away from the lock.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import exp_matrix, multiply, nearest_angle, turn_matrix, twist
from posewright.kernels.tables import Array, Table

TRIPLE: Final = np.dtype(
    [
        ("ball", "i8"),  # first dof of the ball
        ("hinge", "i8"),  # first dof of its hinges
        ("axes", "f8", (3, 3)),  # row per hinge
    ],
    align=True,
)
"""A ball and the three hinges that it stands for."""

_LOCKED = 1e-13  # sine of the angle between the outer axes below which only a + c or a - c is known
_EXACT = 1e-14  # rad; larger remainders are polished
_NEAR_LOCK = 1e-2  # cosine of the middle angle of hinges at right angles, below which they take the general path


@kernel
def hinge_angles_all(axes: Array, rotations: Array, near: Array, out: Array) -> None:
    """Angles `out` (frames, n) of n = 1, 2 or 3 hinges about `axes` (n, 3) that make `rotations` (frames, 3, 3).

    Of all angles that mean a rotation, the first frames take those nearest to the rows of `near` (rows, n), and each
    frame after the last row those nearest to the frame before. Rotations out of reach get angles near them.
    """
    for frame in range(rotations.shape[0]):
        hinge_angles(axes, rotations[frame], near[frame] if frame < near.shape[0] else out[frame - 1], out[frame])


@kernel
def hinges_from_balls(triples: Table, q: Array, near: Array, out: Array) -> None:
    """Write the angles of hinges that balls stand for into `out` (frames, dofs of the figure with hinges).

    Args:
        triples: of TRIPLE.
        q: (frames, dofs of the figure with balls).
        near: (dofs of the figure with hinges): the first frame takes the angles nearest to these, others those nearest
            to the frame before.
        out: as above; other dofs are left alone.
    """
    R = np.empty((3, 3))
    for frame in range(q.shape[0]):
        before = out[frame - 1] if frame > 0 else near
        for k in range(triples.shape[0]):
            d, h = triples[k]["ball"], triples[k]["hinge"]
            exp_matrix(q[frame, d : d + 3], R)
            hinge_angles(triples[k]["axes"], R, before[h : h + 3], out[frame, h : h + 3])


@kernel
def hinge_angles(axes: Array, R: Array, near: Array, out: Array) -> None:
    """Angles (n,) of n = 1, 2 or 3 hinges about `axes` (n, 3) that make R, of all those nearest to `near` (n,)."""
    n = axes.shape[0]
    if n == 1:
        out[0] = nearest_angle(twist(R, axes[0]), near[0])
        return
    if n == 3 and _square_angles(axes, R, near, out):
        return
    found, work = np.empty((2, n)), np.empty((4, 3, 3))
    if n == 2:
        found[0, 0] = _turn_between(axes[0], axes[1], R, axes[1], near[0])
        _remainder(axes, found[0], 1, R, work)
        found[0, 1] = twist(work[0], axes[1])
        _nearest_turns(found[0], near)
    else:
        _three(axes, R, 1.0, near, work, found[0])
        _three(axes, R, -1.0, near, work, found[1])
    best = 1 if n == 3 and _nearest_turns(found[1], near) < _nearest_turns(found[0], near) else 0
    for k in range(n):  # a loop compiles in a tenth of the time of out[:] = found
        out[k] = found[best, k]


@kernel
def _square_angles(axes: Array, R: Array, near: Array, out: Array) -> bool:
    """Angles (3,) of three hinges at right angles; false if they are not, or near gimbal lock.

    In the basis of the axes the product is Rx(a) Ry(b) Rz(c), or with all angles negated if the basis is left-handed.
    """
    u, v, w = axes[0], axes[1], axes[2]
    uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
    uw = u[0] * w[0] + u[1] * w[1] + u[2] * w[2]
    if abs(uv) > 1e-12 or abs(vw) > 1e-12 or abs(uw) > 1e-12:
        return False
    hand = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
    across = math.hypot(_component(u, R, u), _component(u, R, v))
    if across < _NEAR_LOCK:
        return False
    sign = math.copysign(1.0, hand)
    a = nearest_angle(sign * math.atan2(-_component(v, R, w), _component(w, R, w)), near[0])
    b = nearest_angle(sign * math.atan2(_component(u, R, w), across), near[1])
    c = nearest_angle(sign * math.atan2(-_component(u, R, v), _component(u, R, u)), near[2])
    d, e = nearest_angle(a + math.pi, near[0]), nearest_angle(math.pi - b, near[1])
    f = nearest_angle(c + math.pi, near[2])
    first = (a - near[0]) ** 2 + (b - near[1]) ** 2 + (c - near[2]) ** 2
    if (d - near[0]) ** 2 + (e - near[1]) ** 2 + (f - near[2]) ** 2 < first:
        a, b, c = d, e, f
    out[0], out[1], out[2] = a, b, c
    return True


@kernel
def _component(a: Array, R: Array, b: Array) -> float:
    """A · R b"""
    return float(
        a[0] * (R[0, 0] * b[0] + R[0, 1] * b[1] + R[0, 2] * b[2])
        + a[1] * (R[1, 0] * b[0] + R[1, 1] * b[1] + R[1, 2] * b[2])
        + a[2] * (R[2, 0] * b[0] + R[2, 1] * b[1] + R[2, 2] * b[2])
    )


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
        angles[k] = nearest_angle(angles[k], previous[k])
        distance += (angles[k] - previous[k]) ** 2
    return distance
