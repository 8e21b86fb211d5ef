"""Which things may matter where: fat line segments sorted into the cells of a grid, and neighbours among cones.

Lists of indices are two arrays: those of cell k are `items[starts[k] : starts[k + 1]]`, ascending.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]
Vector = tuple[float, float, float]


@kernel
def cell_of(grid: Row, x: float, y: float) -> int:
    """The cell of a grid that holds a point, or -1 outside."""
    column = (x - grid["x"]) * grid["per_unit"]
    row = (y - grid["y"]) * grid["per_unit"]
    if not (0.0 <= column < grid["columns"] and 0.0 <= row < grid["rows"]):
        return -1
    return int(row) * int(grid["columns"]) + int(column)


@kernel
def sort_segments(grid: Row, ends: Array, radii: Array) -> tuple[Ints, Ints]:
    """Starts and items of the cells that segments touch.

    Args:
        grid: a record GRID.
        ends: (segments, 4), x and y of both ends.
        radii: (segments,) of the discs swept along them; negative means nowhere, infinite everywhere.
    """
    columns, rows = int(grid["columns"]), int(grid["rows"])
    scale = grid["per_unit"]
    starts = np.zeros(columns * rows + 1, dtype=np.int64)
    items = np.empty(0, dtype=np.int64)
    for filling in range(2):
        for k in range(ends.shape[0]):
            radius = radii[k]
            if radius < 0.0:
                continue
            left, right, top, bottom = 0, columns - 1, 0, rows - 1
            x, y, ux, uy, uu = 0.0, 0.0, 0.0, 0.0, 0.0
            reach = math.inf
            if radius < math.inf:
                x, y = (ends[k, 0] - grid["x"]) * scale, (ends[k, 1] - grid["y"]) * scale
                ux, uy = (ends[k, 2] - ends[k, 0]) * scale, (ends[k, 3] - ends[k, 1]) * scale
                uu = ux * ux + uy * uy
                r = radius * scale
                # Clipped as floats: a far-away segment has coordinates that no integer holds.
                left = int(min(max(math.floor(min(x, x + ux) - r), 0.0), float(columns)))
                right = int(min(max(math.floor(max(x, x + ux) + r), -1.0), columns - 1.0))
                top = int(min(max(math.floor(min(y, y + uy) - r), 0.0), float(rows)))
                bottom = int(min(max(math.floor(max(y, y + uy) + r), -1.0), rows - 1.0))
                reach = (r + 0.7072) * (r + 0.7072)  # half a cell's diagonal
            for row in range(top, bottom + 1):
                for column in range(left, right + 1):
                    if reach < math.inf:
                        px, py = column + 0.5 - x, row + 0.5 - y
                        s = 0.0
                        if uu > 0.0:
                            s = min(1.0, max(0.0, (px * ux + py * uy) / uu))
                        qx, qy = px - s * ux, py - s * uy
                        if qx * qx + qy * qy > reach:
                            continue
                    cell = row * columns + column
                    if filling == 1:
                        items[starts[cell]] = k
                        starts[cell] += 1
                    else:
                        starts[cell + 1] += 1
        if filling == 0:
            for cell in range(columns * rows):
                starts[cell + 1] += starts[cell]
            items = np.empty(starts[columns * rows], dtype=np.int64)
    # Filling moved each start to the next one's place.
    for cell in range(columns * rows, 0, -1):
        starts[cell] = starts[cell - 1]
    starts[0] = 0
    return starts, items


@kernel
def sort_neighbours(cones: Table, lx: float, ly: float, lz: float, reach: float) -> tuple[Ints, Ints, Ints, Ints]:
    """For each cone, which of its layer may shade it from a light in direction l, and which may dim its sky.

    Layers are different moments, which do not light each other. Within a body shadows begin at the edge (`inward` 1 of
    `light_past`). A cone dims the sky within `reach` of its radii.

    Returns:
        Starts and items of the first, starts and items of the second.
    """
    n = cones.shape[0]
    shade_starts = np.zeros(n + 1, dtype=np.int64)
    near_starts = np.zeros(n + 1, dtype=np.int64)
    shade = np.empty(n * n if n < 64 else 64 * n, dtype=np.int64)
    near = np.empty(shade.size, dtype=np.int64)
    n_shade, n_near = 0, 0
    for i in range(n):
        c = cones[i]
        thick = max(c["ra"], c["rb"])
        if max(n_shade, n_near) + n > shade.size:
            shade = np.concatenate((shade, np.empty(shade.size + n, dtype=np.int64)))
            near = np.concatenate((near, np.empty(near.size + n, dtype=np.int64)))
        for j in range(n):
            o = cones[j]
            if i == j or o["casts"] <= 0.0 or o["layer"] != c["layer"]:
                continue
            other = max(o["ra"], o["rb"])
            a, u = (c["ax"] - o["ax"], c["ay"] - o["ay"], c["az"] - o["az"]), (c["ux"], c["uy"], c["uz"])
            v = (o["ux"], o["uy"], o["uz"])
            wide = thick + reach * other
            if _gap_squared(a, u, v) < wide * wide:
                near[n_near] = j
                n_near += 1
            # Towards the light: how far the other reaches at most, and how near it passes in the plane across.
            ul, vl, al = _dot(u, (lx, ly, lz)), _dot(v, (lx, ly, lz)), _dot(a, (lx, ly, lz))
            ahead = max(vl, 0.0) - al - min(ul, 0.0) + thick + other
            if ahead > 0.0:
                wide = thick + other
                flat = _across(a, al, lx, ly, lz), _across(u, ul, lx, ly, lz), _across(v, vl, lx, ly, lz)
                if _gap_squared(flat[0], flat[1], flat[2]) < wide * wide:
                    shade[n_shade] = j
                    n_shade += 1
        shade_starts[i + 1], near_starts[i + 1] = n_shade, n_near
    return shade_starts, shade[:n_shade].copy(), near_starts, near[:n_near].copy()


@kernel
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _across(a: Vector, al: float, lx: float, ly: float, lz: float) -> Vector:
    """The part of a vector across the direction l, along which it has the length al."""
    return a[0] - al * lx, a[1] - al * ly, a[2] - al * lz


@kernel
def _gap_squared(a: Vector, u: Vector, v: Vector) -> float:
    """Squared distance between the segments a + s u and t v, with s and t from 0 to 1 (Ericson 2005, 5.1.9)."""
    uu, vv, uv, ua, va = _dot(u, u), _dot(v, v), _dot(u, v), _dot(u, a), _dot(v, a)
    across = uu * vv - uv * uv
    s = 0.0
    if across > 1e-12 * uu * vv:
        s = min(1.0, max(0.0, (uv * va - ua * vv) / across))
    t = (uv * s + va) / vv if vv > 0.0 else 0.0
    if not 0.0 < t < 1.0:
        t = min(1.0, max(0.0, t))
        s = min(1.0, max(0.0, (t * uv - ua) / uu)) if uu > 0.0 else 0.0
    x, y, z = a[0] + s * u[0] - t * v[0], a[1] + s * u[1] - t * v[1], a[2] + s * u[2] - t * v[2]
    return x * x + y * y + z * z
