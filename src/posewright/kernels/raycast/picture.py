"""Pictures of rounded cones: rays from an eye, soft light, see-through layers, edges smoothed where there are any.

A picture is cast twice: first one ray per pixel, which notes what each pixel shows, then eight rays where neighbours
show visibly different things. Bands of rows are independent, so threads share a picture and the bits do not depend on
how many there are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.segments import Point
from posewright.kernels.raycast.cones import NEVER, hit, normal
from posewright.kernels.raycast.surfaces import (
    BODY_REACH,
    GROUND_REACH,
    background,
    ground,
    ground_distance,
    key_light,
    lit,
    open_sky,
)
from posewright.kernels.raycast.tiles import Ints, cell_of
from posewright.kernels.tables import Array, Row, Table

Bytes = npt.NDArray[np.uint8]

MAX_LAYERS = 12
"""Nearest see-through layers that a ray tells apart."""
N_RAYS = 8
CONTRAST = 15.0
"""Levels, summed over red, green and blue, below which an edge needs no smoothing."""
BEHIND = -1
"""In place of a cone: the ground or the sky."""


class Nearby(NamedTuple):
    """Which cones may matter where; lists as described in `tiles`."""

    tiles: Row
    """A record GRID over the pixels."""
    tile_cones: Ints
    """Of each tile, the cones that may show there."""
    cells: Row
    """A record GRID over the ground (x, z)."""
    cell_shadows: Ints
    """Of each cell, the cones between it and the light."""
    cell_contacts: Ints
    """Of each cell, the cones that may dim its sky."""
    shades: Ints
    """Of each cone, the cones between it and the light."""
    neighbours: Ints
    """Of each cone, the cones that may dim its sky."""


@kernel
def cast(
    cones: Table,
    view: Row,
    nearby: Nearby,
    smoothing: int,
    first_row: int,
    last_row: int,
    shown: Ints,
    draft: Bytes,
    picture: Bytes,
) -> None:
    """Cast a band of rows of a picture.

    Args:
        cones: rows CONE, sorted by layer, aimed.
        view: a record VIEW.
        nearby: which of the cones to look at.
        smoothing: 0 for the first cast, which fills `shown`; 1 for the second, which reads it and the `draft`.
        first_row: of the band.
        last_row: the one after the band.
        shown: (height, width), a number that tells surfaces apart.
        draft: (height, width, 3), the result of the first cast, read by the second.
        picture: (height, width, 3), what is filled.
    """
    width = shown.shape[1]
    tiles, tile_cones, cells, cell_shadows, cell_contacts, shades, neighbours = nearby
    n_rays = N_RAYS if smoothing == 1 else 1
    depths, seen = np.empty(MAX_LAYERS + 1), np.empty(MAX_LAYERS + 1, dtype=np.int64)
    # In one pixel each surface is lit once, however many rays meet it.
    n_slots = N_RAYS * (MAX_LAYERS + 1)
    colours, surfaces = np.empty((n_slots, 4)), np.empty(n_slots, dtype=np.int64)
    for row in range(first_row, last_row):
        for column in range(width):
            if smoothing == 1 and not _is_edge(shown, draft, row, column):
                continue
            r, g, b, n_lit = 0.0, 0.0, 0.0, 0
            for ray in range(n_rays):
                # Eight rooks: no two rays share a row or a column of the pixel's 8 x 8 raster.
                x = column + (ray + 0.5) / n_rays
                y = row + ((5 * ray + 2) % n_rays + 0.5) / n_rays
                v = _direction(view, x, y)
                t_ground = ground_distance(view, v[1])
                tile = cell_of(tiles, x, y)
                first, last = tile_cones[tile], tile_cones[tile + 1]
                n = 0
                if first < last:
                    n = _trace(cones, tile_cones, first, last, v, t_ground, depths, seen)
                depths[n], seen[n] = t_ground, BEHIND
                if smoothing == 0:
                    shown[row, column] = _signature(seen, n)
                left = 1.0
                for k in range(n + 1):
                    what, t = seen[k], depths[k]
                    slot = 0
                    while slot < n_lit and surfaces[slot] != what:
                        slot += 1
                    if slot == n_lit:
                        n_lit += 1
                        surfaces[slot] = what
                        colour, alpha = (0.0, 0.0, 0.0), 1.0
                        light, sky = 1.0, 1.0
                        p = _at(view, t, v)
                        if what >= 0:
                            c = cones[what]
                            alpha = c["alpha"]
                            u = normal(c, p[0], p[1], p[2])
                            if u[0] * view["lx"] + u[1] * view["ly"] + u[2] * view["lz"] > 0.0:
                                a, z = shades[what], shades[what + 1]
                                light = key_light(cones, shades, a, z, view, p, 1.0)
                            a, z = neighbours[what], neighbours[what + 1]
                            sky = open_sky(cones, neighbours, a, z, p, u, BODY_REACH)
                            colour = lit(c, view, p, u, v, light, sky)
                        elif t > 0.0:
                            cell = cell_of(cells, p[0], p[2])
                            if cell >= 0:
                                a, z = cell_shadows[cell], cell_shadows[cell + 1]
                                if a < z:
                                    light = key_light(cones, cell_shadows, a, z, view, p, 0.0)
                                a, z = cell_contacts[cell], cell_contacts[cell + 1]
                                if a < z:
                                    sky = open_sky(cones, cell_contacts, a, z, p, (0.0, 1.0, 0.0), GROUND_REACH)
                            colour = ground(view, t, v[0], v[1], v[2], light, sky)
                        else:
                            colour = background(view, v[1])
                        colours[slot, 0], colours[slot, 1], colours[slot, 2] = colour
                        colours[slot, 3] = alpha
                    share = left * colours[slot, 3]
                    r += share * colours[slot, 0]
                    g += share * colours[slot, 1]
                    b += share * colours[slot, 2]
                    left -= share
                    if left <= 0.0:
                        break
            _store(picture, row, column, r / n_rays, g / n_rays, b / n_rays)


@kernel
def _signature(seen: Ints, n: int) -> int:
    """A number for the first n surfaces seen."""
    signature = 0
    for k in range(n):
        signature = signature * 1009 + seen[k] + 1
    return signature


@kernel
def _is_edge(shown: Ints, draft: Bytes, row: int, column: int) -> bool:
    """Whether a neighbour shows another surface, and one can see that."""
    height, width = shown.shape
    found = False
    for k in range(4):
        y = min(height - 1, max(0, row + (k == 0) - (k == 1)))
        x = min(width - 1, max(0, column + (k == 2) - (k == 3)))
        if shown[y, x] != shown[row, column]:
            contrast = 0.0
            for channel in range(3):  # as floats: Numba subtracts bytes without a sign
                contrast += abs(float(draft[y, x, channel]) - float(draft[row, column, channel]))
            found = found or contrast > CONTRAST
    return found


@kernel
def _direction(view: Row, x: float, y: float) -> Point:
    """The unit ray through the point x, y (pixels from the picture's upper left corner)."""
    vx = view["fx"] + x * view["rx"] + y * view["dx"]
    vy = view["fy"] + x * view["ry"] + y * view["dy"]
    vz = view["fz"] + x * view["rz"] + y * view["dz"]
    scale = 1.0 / math.sqrt(vx * vx + vy * vy + vz * vz)
    return vx * scale, vy * scale, vz * scale


@kernel
def _trace(
    cones: Table, lists: Ints, first: int, last: int, v: Point, t_ground: float, depths: Array, seen: Ints
) -> int:
    """Write what a unit ray meets, nearest first, up to the first opaque thing; each see-through layer counts once.

    Returns:
        How many of the cones lists[first:last] are seen before the ground.
    """
    end = t_ground if t_ground > 0.0 else NEVER
    n, layer, best, who = 0, -1, NEVER, -1
    for place in range(first, last + 1):
        i = lists[place] if place < last else -1
        next_layer = cones[max(i, 0)]["layer"] if i >= 0 else -1
        if next_layer != layer:
            if best < end:
                if layer == 0:  # the opaque layer comes first: nothing behind it matters
                    end = best
                n = _insert(depths, seen, n, best, who)
            layer, best, who = next_layer, NEVER, -1
        if i >= 0:
            t = hit(cones[i], v[0], v[1], v[2])
            if t < best:
                best, who = t, i
    return n


@kernel
def _insert(depths: Array, seen: Ints, n: int, depth: float, who: int) -> int:
    """Keep the nearest hits sorted; when full, the farthest is dropped, but not the opaque one."""
    if n == MAX_LAYERS:
        if depth >= depths[n - 2]:
            return n
        depths[n - 2], seen[n - 2] = depths[n - 1], seen[n - 1]
        n -= 1
    k = n
    while k > 0 and depths[k - 1] > depth:
        depths[k], seen[k] = depths[k - 1], seen[k - 1]
        k -= 1
    depths[k], seen[k] = depth, who
    return n + 1


@kernel
def _at(view: Row, t: float, v: Point) -> Point:
    """The point t metres along a ray."""
    return view["ox"] + t * v[0], view["oy"] + t * v[1], view["oz"] + t * v[2]


@kernel
def _store(picture: Bytes, row: int, column: int, r: float, g: float, b: float) -> None:
    """Linear light to bytes (gamma 2), with a fixed noise below one level so that gradients show no bands."""
    noise = 0.06711056 * column + 0.00583715 * row
    noise = 52.9829189 * (noise - math.floor(noise))
    noise = noise - math.floor(noise)
    picture[row, column, 0] = int(min(255.0, 255.0 * math.sqrt(max(0.0, r)) + noise))
    picture[row, column, 1] = int(min(255.0, 255.0 * math.sqrt(max(0.0, g)) + noise))
    picture[row, column, 2] = int(min(255.0, 255.0 * math.sqrt(max(0.0, b)) + noise))
