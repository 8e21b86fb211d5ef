"""Residuals of goals on one site, and their derivative by the twist of the segment the site rides on.

Symbols: ρ residual (0 when met), r the site's point, x = r - o from the reference point o of twists, (ω, v) the
twist, so that ṙ = v + ω × x and a direction u turns by ω × u. A residual row whose derivative by r is `a` and by u
is `c` has the twist derivative (x × a + u × c, a). Formulas: Zhao & Badler 1994, section 5.2.
"""

from __future__ import annotations

import math
from typing import Final

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

# Kinds of terms; `kind` in the tables.
POSITION: Final = 0
ROTATION: Final = 1
"""Both directions of the site, by the logarithm of the rotation that is missing."""
DIRECTION: Final = 2
"""The site's x axis along a direction, by the chord between them."""
AIM: Final = 3
"""The site's x axis towards a point."""
LINE: Final = 4
PLANE: Final = 5
HALF_SPACE: Final = 6
"""The side of a plane into which its normal points."""
MASS_POINT: Final = 7
"""The centre of mass at a point."""
MASS_LINE: Final = 8
"""The centre of mass on a line."""
DISTANCE: Final = 9
"""At a distance, which stands in the place of `c`, from a point."""

NEARLY_NOWHERE: Final = 1e-9
"""Of the metres that a radian counts as: a point this near to a site is in no direction from it."""
VERY_NEAR: Final = 1e-3
"""Of the metres that a radian counts as: sites that aim keep about this far from what they aim at, if they can."""


@kernel
def rotation_gap(ux: Array, uy: Array, target: Array, out: Array) -> float:
    """Write the rotation vector from a site's axes to the wanted ones (target[3:9]); return its angle (rad)."""
    x0, x1, x2, y0, y1, y2 = ux[0], ux[1], ux[2], uy[0], uy[1], uy[2]
    z0, z1, z2 = x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0
    p0, p1, p2, q0, q1, q2 = target[3], target[4], target[5], target[6], target[7], target[8]
    s0, s1, s2 = p1 * q2 - p2 * q1, p2 * q0 - p0 * q2, p0 * q1 - p1 * q0
    v0 = x1 * p2 - x2 * p1 + y1 * q2 - y2 * q1 + z1 * s2 - z2 * s1
    v1 = x2 * p0 - x0 * p2 + y2 * q0 - y0 * q2 + z2 * s0 - z0 * s2
    v2 = x0 * p1 - x1 * p0 + y0 * q1 - y1 * q0 + z0 * s1 - z1 * s0
    trace = x0 * p0 + x1 * p1 + x2 * p2 + y0 * q0 + y1 * q1 + y2 * q2 + z0 * s0 + z1 * s1 + z2 * s2
    sine = 0.5 * math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
    angle = math.atan2(sine, 0.5 * (trace - 1.0))
    if sine > 1e-9:
        factor = 0.5 * angle / sine
    elif trace > 0.0:
        factor = 0.5
    else:
        # Half a turn: the axis is not in the antisymmetric part. The rotation is 2aaᵀ - I; take its longest column.
        m0, m1, m2 = p0 * x0 + q0 * y0 + s0 * z0, p1 * x1 + q1 * y1 + s1 * z1, p2 * x2 + q2 * y2 + s2 * z2
        if m0 >= m1 and m0 >= m2:
            a0, a1, a2 = m0 + 1.0, p1 * x0 + q1 * y0 + s1 * z0, p2 * x0 + q2 * y0 + s2 * z0
        elif m1 >= m2:
            a0, a1, a2 = p0 * x1 + q0 * y1 + s0 * z1, m1 + 1.0, p2 * x1 + q2 * y1 + s2 * z1
        else:
            a0, a1, a2 = p0 * x2 + q0 * y2 + s0 * z2, p1 * x2 + q1 * y2 + s1 * z2, m2 + 1.0
        factor = angle / math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
        out[0], out[1], out[2] = factor * a0, factor * a1, factor * a2
        return angle
    out[0], out[1], out[2] = factor * v0, factor * v1, factor * v2
    return angle


@kernel
def site_residual(
    kind: int, c: float, target: Array, r: Array, ux: Array, uy: Array, x: Array, rho: Array, G: Array
) -> int:
    """Write the residual (m,) and its twist derivative (m, 6) of one term; return m, at most 3.

    `x` is r minus the reference point of twists, `c` the metres that a radian counts as, or a wanted distance.
    """
    if kind == POSITION:
        for i in range(3):
            rho[i] = r[i] - target[i]
            for k in range(6):
                G[i, k] = 0.0
            G[i, 3 + i] = 1.0
        G[0, 1], G[0, 2] = x[2], -x[1]
        G[1, 0], G[1, 2] = -x[2], x[0]
        G[2, 0], G[2, 1] = x[1], -x[0]
        return 3
    if kind == ROTATION:
        t = rotation_gap(ux, uy, target, rho)
        e0, e1, e2 = rho[0], rho[1], rho[2]
        # The inverse right Jacobian of the gap e: I + [e]x/2 + h [e]x².
        tt = t * t
        h = 1.0 / 12.0 + tt / 720.0 if t < 1e-2 else (1.0 - 0.5 * t / math.tan(0.5 * t)) / tt
        G[0, 0], G[0, 1], G[0, 2] = (
            c - c * h * (e1 * e1 + e2 * e2),
            c * (h * e0 * e1 - 0.5 * e2),
            c * (h * e0 * e2 + 0.5 * e1),
        )
        G[1, 0], G[1, 1], G[1, 2] = (
            c * (h * e0 * e1 + 0.5 * e2),
            c - c * h * (e0 * e0 + e2 * e2),
            c * (h * e1 * e2 - 0.5 * e0),
        )
        G[2, 0], G[2, 1], G[2, 2] = (
            c * (h * e0 * e2 - 0.5 * e1),
            c * (h * e1 * e2 + 0.5 * e0),
            c - c * h * (e0 * e0 + e1 * e1),
        )
        for i in range(3):
            rho[i] = -c * rho[i]
            G[i, 3], G[i, 4], G[i, 5] = 0.0, 0.0, 0.0
        return 3
    if kind == DIRECTION:
        for i in range(3):
            rho[i] = c * (ux[i] - target[3 + i])
            for k in range(3, 6):
                G[i, k] = 0.0
        _cross_rows(ux, c, G)
        return 3
    if kind == AIM:
        d0, d1, d2 = target[0] - r[0], target[1] - r[1], target[2] - r[2]
        h, slope, _ = direction_scale(math.sqrt(d0 * d0 + d1 * d1 + d2 * d2), c)
        rho[0], rho[1], rho[2] = c * (h * d0 - ux[0]), c * (h * d1 - ux[1]), c * (h * d2 - ux[2])
        _cross_rows(ux, -c, G)
        for i in range(3):
            di = d0 if i == 0 else (d1 if i == 1 else d2)
            a0 = -c * ((h if i == 0 else 0.0) + slope * di * d0)
            a1 = -c * ((h if i == 1 else 0.0) + slope * di * d1)
            a2 = -c * ((h if i == 2 else 0.0) + slope * di * d2)
            G[i, 0] += x[1] * a2 - x[2] * a1
            G[i, 1] += x[2] * a0 - x[0] * a2
            G[i, 2] += x[0] * a1 - x[1] * a0
            G[i, 3], G[i, 4], G[i, 5] = a0, a1, a2
        return 3
    if kind == DISTANCE:
        d0, d1, d2 = r[0] - target[0], r[1] - target[1], r[2] - target[2]
        distance = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        if distance < NEARLY_NOWHERE * c:  # at the point itself: any direction leads away
            d0, d1, d2, distance = 1.0, 0.0, 0.0, 1.0
        _point_row(d0 / distance, d1 / distance, d2 / distance, r, target, x, rho, G, 0)
        rho[0] -= c
        return 1
    n0, n1, n2 = target[3], target[4], target[5]
    if kind == LINE:
        # Two directions across the line, from the coordinate axis least along it.
        if abs(n0) <= abs(n1) and abs(n0) <= abs(n2):
            a0, a1, a2 = 0.0, n2, -n1
        elif abs(n1) <= abs(n2):
            a0, a1, a2 = -n2, 0.0, n0
        else:
            a0, a1, a2 = n1, -n0, 0.0
        length = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
        a0, a1, a2 = a0 / length, a1 / length, a2 / length
        _point_row(a0, a1, a2, r, target, x, rho, G, 0)
        _point_row(n1 * a2 - n2 * a1, n2 * a0 - n0 * a2, n0 * a1 - n1 * a0, r, target, x, rho, G, 1)
        return 2
    if kind in (PLANE, HALF_SPACE):
        _point_row(n0, n1, n2, r, target, x, rho, G, 0)
        if kind == HALF_SPACE and rho[0] >= 0.0:
            return 0
        return 1
    return 0


@kernel
def direction_scale(distance: float, c: float) -> tuple[float, float, float]:
    """By what a vector to a point is multiplied to give its direction: h, h'/distance, and (h'/distance)'/distance.

    Nearer than VERY_NEAR the direction is made shorter, to nothing at the point itself, so that residuals stay smooth:
    a direction to a point that is as good as reached could turn to any side at no cost.
    """
    near = VERY_NEAR * c
    if distance < near:
        share = distance / near
        return (1.5 - 0.5 * share * share) / near, -1.0 / (near * near * near), 0.0
    h = 1.0 / distance
    return h, -h * h * h, 3.0 * h * h * h * h * h


@kernel
def _cross_rows(u: Array, c: float, G: Array) -> None:
    """Twist derivative (ω part) of c·u, row by row: rows of -c [u]x."""
    G[0, 0], G[0, 1], G[0, 2] = 0.0, c * u[2], -c * u[1]
    G[1, 0], G[1, 1], G[1, 2] = -c * u[2], 0.0, c * u[0]
    G[2, 0], G[2, 1], G[2, 2] = c * u[1], -c * u[0], 0.0


@kernel
def _point_row(
    a0: float, a1: float, a2: float, r: Array, target: Array, x: Array, rho: Array, G: Array, i: int
) -> None:
    """The residual a·(r - p) and its twist derivative."""
    rho[i] = a0 * (r[0] - target[0]) + a1 * (r[1] - target[1]) + a2 * (r[2] - target[2])
    G[i, 0], G[i, 1], G[i, 2] = x[1] * a2 - x[2] * a1, x[2] * a0 - x[0] * a2, x[0] * a1 - x[1] * a0
    G[i, 3], G[i, 4], G[i, 5] = a0, a1, a2


@kernel
def site_error(kind: int, c: float, target: Array, r: Array, ux: Array, uy: Array, scratch: Array) -> float:
    """How far a term is from met, in its own unit: metres, or geodesic radians; infinite where it is undefined."""
    if kind == ROTATION:
        return rotation_gap(ux, uy, target, scratch)
    d0, d1, d2 = r[0] - target[0], r[1] - target[1], r[2] - target[2]
    if kind == POSITION:
        return math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    if kind == DISTANCE:
        return abs(math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) - c)
    n0, n1, n2 = target[3], target[4], target[5]
    if kind in (DIRECTION, AIM):
        if kind == AIM:
            distance = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            if distance < NEARLY_NOWHERE * c:
                return math.inf
            n0, n1, n2 = -d0 / distance, -d1 / distance, -d2 / distance
        c0, c1, c2 = ux[1] * n2 - ux[2] * n1, ux[2] * n0 - ux[0] * n2, ux[0] * n1 - ux[1] * n0
        return math.atan2(math.sqrt(c0 * c0 + c1 * c1 + c2 * c2), ux[0] * n0 + ux[1] * n1 + ux[2] * n2)
    along = float(d0 * n0 + d1 * n1 + d2 * n2)
    if kind == LINE:
        e0, e1, e2 = d0 - along * n0, d1 - along * n1, d2 - along * n2
        return math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if kind == PLANE:
        return abs(along)
    return max(0.0, -along)
