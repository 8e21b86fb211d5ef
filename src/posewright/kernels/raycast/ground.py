"""What lies behind the figures: a ground with a grid and shadows that fades into the sky."""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import smoothstep
from posewright.kernels.raycast.lighting import Colour
from posewright.kernels.tables import Row

KEY_R, KEY_G, KEY_B = 0.48, 0.465, 0.44
"""Share of the ground's colour that the key light brings; the sky brings the rest."""
THIN = 0.011
THICK = 0.026
"""Widths of the grid's lines, and of every fourth line, as a share of the spacing."""


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
