"""The colour of what a ray meets: a cone, the ground with its grid, or the sky.

Light and sky reach a point past a list of cones. Arrays are used in one loop with one exit: only then does Numba leave
out the counting of references to them, which costs more than the arithmetic.
"""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import smoothstep
from posewright.kernels.kinematics.segments import Point
from posewright.kernels.raycast.cones import light_frame, light_past, sky_past
from posewright.kernels.raycast.tiles import Ints
from posewright.kernels.tables import Row, Table

GROUND_REACH, BODY_REACH = 5.0, 3.0
"""How many radii away a cone ceases to dim the sky, for the ground and for other cones."""

KEY_R, KEY_G, KEY_B = 0.48, 0.465, 0.44
"""Share of the ground's colour that the key light brings; the sky brings the rest."""
THIN, THICK = 0.011, 0.026
"""Widths of the grid's lines, and of every fourth line, as a share of the spacing."""

Colour = tuple[float, float, float]


@kernel
def key_light(cones: Table, lists: Ints, first: int, last: int, view: Row, p: Point, inward: float) -> float:
    """Share of the key light that reaches a point past the cones lists[first:last] (see `light_past`).

    Cones of one layer make no darker shadow together than the darkest of them: a body is not darker where its
    segments overlap. Layers do.
    """
    soft, spread = 0.03 * view["size"], view["spread"]
    p1, p2, pl = light_frame(view, p[0], p[1], p[2])
    light, layer, opacity, least = 1.0, -1, 0.0, 1.0
    for place in range(first, last):
        c = cones[lists[place]]
        if c["layer"] != layer:
            light *= 1.0 - opacity * (1.0 - least)
            layer, opacity, least = c["layer"], c["alpha"] * c["casts"], 1.0
        if least > 0.0:
            least = min(least, light_past(c, p[0], p[1], p[2], p1, p2, pl, spread, soft, inward))
    return light * (1.0 - opacity * (1.0 - least))


@kernel
def open_sky(cones: Table, lists: Ints, first: int, last: int, p: Point, n: Point, reach: float) -> float:
    """Share of the sky that a point with normal n sees past the cones lists[first:last], each as far as its reach."""
    sky = 1.0
    for place in range(first, last):
        c = cones[lists[place]]
        sky *= 1.0 - c["alpha"] * c["casts"] * (1.0 - sky_past(c, p[0], p[1], p[2], n[0], n[1], n[2], reach))
    return sky


@kernel
def lit(c: Row, view: Row, p: Point, n: Point, v: Point, light: float, sky: float) -> Colour:
    """Colour of a cone at a point with normal n, seen along v: warm key light, sky, light from the ground, rim, gloss.

    Args:
        c: the cone.
        view: camera and light.
        p: the point.
        n: its unit normal.
        v: unit vector from the eye.
        light: share of the key light that arrives.
        sky: share of the sky that is open.
    """
    lx, ly, lz = view["lx"], view["ly"], view["lz"]
    towards = n[0] * lx + n[1] * ly + n[2] * lz
    # Wrapped a little around the terminator, as on matt plastic.
    key = max(0.0, (towards + 0.12) / 1.12) * (light if towards > 0.0 else 1.0)
    above = 0.5 + 0.5 * n[1]
    bounce = 0.0
    if view["has_floor"] == 1:
        height = max(0.0, p[1] - view["floor"]) / (0.06 * view["size"])
        bounce = (1.0 - above) * height / (1.0 + height)
    gloss = 0.16 * light * _gloss(n, lx - v[0], ly - v[1], lz - v[2])
    edge = 1.0 - max(0.0, -(n[0] * v[0] + n[1] * v[1] + n[2] * v[2]))
    rim = 0.26 * edge * edge * edge * above * sky * sky
    open_above, shade = above * sky, 0.4 + 0.6 * sky
    red = 1.02 * key + 0.40 * open_above + (0.20 * bounce + 0.035) * shade
    green = 0.96 * key + 0.46 * open_above + (0.18 * bounce + 0.040) * shade
    blue = 0.86 * key + 0.55 * open_above + (0.16 * bounce + 0.055) * shade
    glow = c["glow"]
    shine = (1.0 - glow) * (gloss + rim)
    return (
        _shoulder(c["red"] * (glow + (1.0 - glow) * red) + shine),
        _shoulder(c["green"] * (glow + (1.0 - glow) * green) + shine),
        _shoulder(c["blue"] * (glow + (1.0 - glow) * blue) + shine),
    )


@kernel
def _gloss(n: Point, hx: float, hy: float, hz: float) -> float:
    """The 24th power of the cosine between the normal and h, half way between the light and the eye."""
    length = math.sqrt(max(1e-12, hx * hx + hy * hy + hz * hz))
    cosine = max(0.0, (n[0] * hx + n[1] * hy + n[2] * hz) / length)
    cube = cosine * cosine * cosine
    square = cube * cube
    fourth = square * square
    return fourth * fourth


@kernel
def _shoulder(value: float) -> float:
    """Bright light runs softly into white."""
    if value <= 0.6:
        return value
    over = (value - 0.6) / 0.4
    return 0.6 + 0.4 * over / (1.0 + over)


@kernel
def background(view: Row, vy: float) -> Colour:
    """Colour of the sky in the direction of a unit vector with the height vy."""
    s = smoothstep(1.6 * vy)
    return (
        view["horizon_r"] + s * (view["zenith_r"] - view["horizon_r"]),
        view["horizon_g"] + s * (view["zenith_g"] - view["horizon_g"]),
        view["horizon_b"] + s * (view["zenith_b"] - view["horizon_b"]),
    )


@kernel
def ground_distance(view: Row, vy: float) -> float:
    """Distance along a unit ray to the ground, or -1 where the ray does not come down on it."""
    height: float = view["oy"] - view["floor"]
    if view["has_floor"] == 0 or vy >= -1e-9 or height <= 0.0:
        return -1.0
    return -height / vy


@kernel
def ground(view: Row, t: float, vx: float, vy: float, vz: float, light: float, sky: float) -> Colour:
    """Colour of the ground where a unit ray meets it after t metres, given the shares of light and sky there."""
    x, z = view["ox"] + t * vx, view["oz"] + t * vz
    fx, fz = x - view["cx"], z - view["cz"]
    fade = smoothstep((math.sqrt(fx * fx + fz * fz) - view["near"]) / (view["far"] - view["near"]))
    hr, hg, hb = view["horizon_r"], view["horizon_g"], view["horizon_b"]
    if fade >= 1.0:
        return hr, hg, hb
    # How far a pixel's width and height reach on the ground, which is what the grid is averaged over.
    rise, fall = view["ry"] / vy, view["dy"] / vy
    wx = t * (abs(view["rx"] - rise * vx) + abs(view["dx"] - fall * vx))
    wz = t * (abs(view["rz"] - rise * vz) + abs(view["dz"] - fall * vz))
    spacing = view["spacing"]
    line = 0.55 * _lines(x / spacing, z / spacing, wx / spacing, wz / spacing, THIN)
    coarse = 4.0 * spacing
    line = max(line, _lines(x / coarse, z / coarse, wx / coarse, wz / coarse, THICK / 4.0))
    r = view["ground_r"] + line * (view["line_r"] - view["ground_r"])
    g = view["ground_g"] + line * (view["line_g"] - view["ground_g"])
    b = view["ground_b"] + line * (view["line_b"] - view["ground_b"])
    r *= KEY_R * light + (1.0 - KEY_R) * sky
    g *= KEY_G * light + (1.0 - KEY_G) * sky
    b *= KEY_B * light + (1.0 - KEY_B) * sky
    return r + fade * (hr - r), g + fade * (hg - g), b + fade * (hb - b)


@kernel
def _lines(x: float, z: float, wx: float, wz: float, thickness: float) -> float:
    """Share of a box of widths wx, wz around a point that lines of unit spacing cover."""
    a = _covered(x + 0.5 * thickness, wx, thickness)
    b = _covered(z + 0.5 * thickness, wz, thickness)
    return a + b - a * b


@kernel
def _covered(x: float, w: float, thickness: float) -> float:
    """Share of the interval of width w around x that lies in [n, n + thickness] for some whole n."""
    w = max(w, 1e-6)
    high, low = x + 0.5 * w, x - 0.5 * w
    n_high, n_low = math.floor(high), math.floor(low)
    return (thickness * (n_high - n_low) + min(high - n_high, thickness) - min(low - n_low, thickness)) / w
