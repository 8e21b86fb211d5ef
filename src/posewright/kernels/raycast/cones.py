"""Rounded cones and rays: where a ray meets one, its normal, how much light and sky it takes from a point.

Only + - * / and square roots, whose results IEEE 754 fixes to the bit.

Symbols (after I. Quilez, "rounded cone intersection"): a ray leaves the eye along the unit vector v; u is the cone's
axis from start to end, o the eye seen from the start, d = u·u - (ra - rb)²; d <= 0 says that the cone is a sphere.
"""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import smoothstep
from posewright.kernels.tables import Row, Table

NEVER = 1e30


@kernel
def aim(cones: Table, view: Row) -> None:
    """Fill in what all rays from the eye share, and how the cone looks along the light."""
    for i in range(cones.shape[0]):
        c = cones[i]
        ax, ay, az, ux, uy, uz = c["ax"], c["ay"], c["az"], c["ux"], c["uy"], c["uz"]
        ox, oy, oz = view["ox"] - ax, view["oy"] - ay, view["oz"] - az
        c["ox"], c["oy"], c["oz"] = ox, oy, oz
        taper = c["ra"] - c["rb"]
        uu, uo, oo = ux * ux + uy * uy + uz * uz, ux * ox + uy * oy + uz * oz, ox * ox + oy * oy + oz * oz
        d = uu - taper * taper
        c["uu"], c["uo"], c["oo"], c["d"] = uu, uo, oo, d
        c["k0"] = d * oo - uo * uo + 2.0 * uo * taper * c["ra"] - uu * c["ra"] * c["ra"]
        c["per_uu"] = 1.0 / uu if uu > 0.0 else 0.0
        c["s1"], c["s2"], c["sl"] = light_frame(view, ax, ay, az)
        c["w1"], c["w2"], c["wl"] = light_frame(view, ux, uy, uz)
        ww = c["w1"] * c["w1"] + c["w2"] * c["w2"]
        c["per_ww"] = 1.0 / ww if ww > 1e-9 * uu else 0.0


@kernel
def light_frame(view: Row, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector's two parts across the light, and the one towards it."""
    return (
        x * view["px"] + y * view["py"] + z * view["pz"],
        x * view["qx"] + y * view["qy"] + z * view["qz"],
        x * view["lx"] + y * view["ly"] + z * view["lz"],
    )


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
    c: Row, x: float, y: float, z: float, p1: float, p2: float, pl: float, spread: float, soft: float, inward: float
) -> float:
    """Share, 0 to 1, of a round light that the cone leaves visible from a point.

    The point is given in the world and in the light's frame. The light has the tangent `spread` as radius; seen past
    the cone's edge it is covered over the width 2 spread (t + soft), where t is how far away the edge is. `inward` 0
    centres that width on the edge; 1 moves it inside the shadow, so that a smooth joint between two cones of one body
    shows no seam.
    """
    q1, q2 = p1 - c["s1"], p2 - c["s2"]
    u = min(1.0, max(0.0, (q1 * c["w1"] + q2 * c["w2"]) * c["per_ww"]))
    t = c["sl"] + u * c["wl"] - pl
    if t > 0.0:
        q1, q2 = q1 - u * c["w1"], q2 - u * c["w2"]
        square = q1 * q1 + q2 * q2
    else:  # it passes behind: what counts is how near the point itself is
        t = 0.0
        px, py, pz = x - c["ax"], y - c["ay"], z - c["az"]
        u = min(1.0, max(0.0, (px * c["ux"] + py * c["uy"] + pz * c["uz"]) * c["per_uu"]))
        px, py, pz = px - u * c["ux"], py - u * c["uy"], pz - u * c["uz"]
        square = px * px + py * py + pz * pz
    radius = c["ra"] + u * (c["rb"] - c["ra"])
    width = spread * (t + soft)
    clear = radius + (1.0 - inward) * width
    if square >= clear * clear:
        return 1.0
    gap = math.sqrt(square) - radius + inward * width
    covered = 1.0
    if gap > -width:
        covered = smoothstep(0.5 - 0.5 * gap / width)
    if radius < width:  # too slim to cover the whole light
        covered *= radius / width
    return 1.0 - covered


@kernel
def sky_past(c: Row, x: float, y: float, z: float, nx: float, ny: float, nz: float, reach: float) -> float:
    """Share, 0 to 1, of the sky above a surface with normal n that the cone leaves visible from a point of it.

    As of a sphere above the horizon, fading out at `reach` radii; of a cone its sphere nearest to the point counts.
    """
    px, py, pz = x - c["ax"], y - c["ay"], z - c["az"]
    u = min(1.0, max(0.0, (px * c["ux"] + py * c["uy"] + pz * c["uz"]) * c["per_uu"]))
    qx, qy, qz = u * c["ux"] - px, u * c["uy"] - py, u * c["uz"] - pz
    above = qx * nx + qy * ny + qz * nz
    radius = c["ra"] + u * (c["rb"] - c["ra"])
    if above <= -radius:
        return 1.0
    square = qx * qx + qy * qy + qz * qz
    if square <= 0.0:
        return 0.0
    fading = 1.0 - square / (reach * reach * radius * radius)
    if not fading > 0.0:
        return 1.0
    distance = math.sqrt(square)
    # A sphere that dips below the horizon counts with its part above, smoothly.
    above = 0.5 * (above + math.sqrt(above * above + 0.04 * radius * radius)) - 0.1 * radius * (radius / distance)
    if above <= 0.0:
        return 1.0
    open_share: float = max(0.0, 1.0 - fading * above / distance * min(1.0, radius * radius / square))
    return open_share
