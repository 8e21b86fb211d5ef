"""Rounded cones and rays: where a ray meets one, its normal, how much light and sky it takes from a point.

Only + - * / and square roots, so that every machine computes the same bits.

Symbols (after I. Quilez, "rounded cone intersection"): a ray leaves the eye along the unit vector v; u is the cone's
axis from start to end, o the eye seen from the start, d = u·u - (ra - rb)²; d <= 0 says that the cone is a sphere.
"""

from __future__ import annotations

import math

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Row, Table

NEVER = 1e30
REACH = 5.0
"""How many radii away a cone stops to dim the sky (where it would cover 1/25 of it)."""


@kernel
def aim(cones: Table, ex: float, ey: float, ez: float) -> None:
    """Fill in what all rays from the eye (ex, ey, ez) share."""
    for i in range(cones.shape[0]):
        c = cones[i]
        c["ox"], c["oy"], c["oz"] = ex - c["ax"], ey - c["ay"], ez - c["az"]
        taper = c["ra"] - c["rb"]
        c["uu"] = c["ux"] * c["ux"] + c["uy"] * c["uy"] + c["uz"] * c["uz"]
        c["uo"] = c["ux"] * c["ox"] + c["uy"] * c["oy"] + c["uz"] * c["oz"]
        c["oo"] = c["ox"] * c["ox"] + c["oy"] * c["oy"] + c["oz"] * c["oz"]
        c["d"] = c["uu"] - taper * taper
        c["k0"] = c["d"] * c["oo"] - c["uo"] * c["uo"] + 2.0 * c["uo"] * taper * c["ra"] - c["uu"] * c["ra"] * c["ra"]


@kernel
def hit(c: Row, vx: float, vy: float, vz: float) -> float:
    """Distance from the eye to the cone along the unit vector v, or NEVER."""
    m3 = vx * c["ox"] + vy * c["oy"] + vz * c["oz"]
    ra, d = c["ra"], c["d"]
    best = NEVER
    m2 = 0.0
    if d > 0.0:
        m2 = vx * c["ux"] + vy * c["uy"] + vz * c["uz"]
        taper = ra - c["rb"]
        k2 = d - m2 * m2
        k1 = d * m3 - c["uo"] * m2 + m2 * taper * ra
        h = k1 * k1 - c["k0"] * k2
        if h < 0.0 and k2 > 0.0:
            return NEVER
        root = math.sqrt(max(h, 0.0))  # along the axis h is 0 but for rounding
        if k2 != 0.0:
            t: float = (-root - k1) / k2
            y = c["uo"] - ra * taper + t * m2
            if 0.0 < y < d and t > 0.0:
                best = t
                if k2 > 0.0:
                    return t
            if k2 < 0.0:  # looking along the cone, steeper than its side: the other root may be nearer
                t = (root - k1) / k2
                y = c["uo"] - ra * taper + t * m2
                if 0.0 < y < d and 0.0 < t < best:
                    best = t
    h = m3 * m3 - c["oo"] + ra * ra
    if h > 0.0:
        t = -m3 - math.sqrt(h)
        if 0.0 < t < best:
            best = t
    if d > 0.0:
        m6 = m3 - m2
        h = m6 * m6 - (c["oo"] - 2.0 * c["uo"] + c["uu"]) + c["rb"] * c["rb"]
        if h > 0.0:
            t = -m6 - math.sqrt(h)
            if 0.0 < t < best:
                best = t
    return best


@kernel
def normal(c: Row, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Outward unit normal at a point of the surface."""
    px, py, pz = x - c["ax"], y - c["ay"], z - c["az"]
    d = c["d"]
    nx, ny, nz = px, py, pz
    if d > 0.0:
        along = px * c["ux"] + py * c["uy"] + pz * c["uz"] - c["ra"] * (c["ra"] - c["rb"])
        if along >= d:
            nx, ny, nz = px - c["ux"], py - c["uy"], pz - c["uz"]
        elif along > 0.0:
            share = along / d
            nx, ny, nz = px - share * c["ux"], py - share * c["uy"], pz - share * c["uz"]
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length < 1e-12:
        return 0.0, 1.0, 0.0
    return nx / length, ny / length, nz / length


@kernel
def light_past(
    c: Row, x: float, y: float, z: float, lx: float, ly: float, lz: float, spread: float, soft: float, inward: float
) -> float:
    """Share, 0 to 1, of a round light that the cone leaves visible from a point.

    The light, in direction l, has the tangent `spread` as radius; seen past the cone's edge it is covered over the
    width 2 spread (t + soft), where t is how far away the edge is. `inward` 0 centres that width on the edge; 1 moves
    it inside the shadow, so that a smooth joint between two cones of one body shows no seam.
    """
    px, py, pz = x - c["ax"], y - c["ay"], z - c["az"]
    ul = c["ux"] * lx + c["uy"] * ly + c["uz"] * lz
    up = c["ux"] * px + c["uy"] * py + c["uz"] * pz
    lp = lx * px + ly * py + lz * pz
    uu = c["uu"]
    across = uu - ul * ul
    u = 0.0
    if across > 1e-9 * uu:
        u = min(1.0, max(0.0, (up - ul * lp) / across))
    t = ul * u - lp
    if t < 0.0:
        t = 0.0
    if uu > 0.0:
        u = min(1.0, max(0.0, (up + t * ul) / uu))
    qx, qy, qz = px + t * lx - u * c["ux"], py + t * ly - u * c["uy"], pz + t * lz - u * c["uz"]
    radius = c["ra"] + u * (c["rb"] - c["ra"])
    width = spread * (t + soft)
    clear = radius + (1.0 - inward) * width
    square = qx * qx + qy * qy + qz * qz
    if square >= clear * clear:
        return 1.0
    gap = math.sqrt(square) - radius + inward * width
    covered = 1.0
    if gap > -width:
        s = 0.5 - 0.5 * gap / width
        covered = s * s * (3.0 - 2.0 * s)
    if radius < width:  # too slim to cover the whole light
        covered *= radius / width
    return 1.0 - covered


@kernel
def sky_past(c: Row, x: float, y: float, z: float, nx: float, ny: float, nz: float) -> float:
    """Share, 0 to 1, of the sky above a surface with normal n that the cone leaves visible from a point of it.

    As of a sphere above the horizon, fading out at REACH radii; of a cone its sphere nearest to the point counts.
    """
    px, py, pz = x - c["ax"], y - c["ay"], z - c["az"]
    u = 0.0
    if c["uu"] > 0.0:
        u = min(1.0, max(0.0, (px * c["ux"] + py * c["uy"] + pz * c["uz"]) / c["uu"]))
    qx, qy, qz = u * c["ux"] - px, u * c["uy"] - py, u * c["uz"] - pz
    above = qx * nx + qy * ny + qz * nz
    radius = c["ra"] + u * (c["rb"] - c["ra"])
    if above <= -radius:
        return 1.0
    square = qx * qx + qy * qy + qz * qz
    if square <= 0.0:
        return 0.0
    fading = 1.0 - square / (REACH * REACH * radius * radius)
    if not fading > 0.0:
        return 1.0
    distance = math.sqrt(square)
    # A sphere that dips below the horizon counts with its part above, smoothly.
    above = 0.5 * (above + math.sqrt(above * above + 0.04 * radius * radius)) - 0.1 * radius * (radius / distance)
    if above <= 0.0:
        return 1.0
    open_share: float = max(0.0, 1.0 - fading * above / distance * min(1.0, radius * radius / square))
    return open_share
