"""Which things may matter where: fat line segments sorted into the cells of a grid, and neighbours among cones.

Lists of indices are two arrays: those of cell k are `items[starts[k] : starts[k + 1]]`, ascending.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]


@kernel
def cell_of(grid: Row, x: float, y: float) -> int:
    """The cell of a grid that holds a point, or -1 outside."""
    column = (x - grid["x"]) / grid["size"]
    row = (y - grid["y"]) / grid["size"]
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
    size = grid["size"]
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
                x, y = (ends[k, 0] - grid["x"]) / size, (ends[k, 1] - grid["y"]) / size
                ux, uy = (ends[k, 2] - ends[k, 0]) / size, (ends[k, 3] - ends[k, 1]) / size
                uu = ux * ux + uy * uy
                r = radius / size
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
def sort_neighbours(
    cones: Table, lx: float, ly: float, lz: float, spread: float, reach: float
) -> tuple[Ints, Ints, Ints, Ints]:
    """For each cone, which others may shade it from a light in direction l, and which are near enough to dim its sky.

    Returns:
        Starts and items of the first, starts and items of the second. Near means within `reach` radii.
    """
    n = cones.shape[0]
    shade_starts = np.zeros(n + 1, dtype=np.int64)
    near_starts = np.zeros(n + 1, dtype=np.int64)
    shade = np.empty(0, dtype=np.int64)
    near = np.empty(0, dtype=np.int64)
    for filling in range(2):
        n_shade, n_near = 0, 0
        for i in range(n):
            c = cones[i]
            x, y, z = c["ax"] + 0.5 * c["ux"], c["ay"] + 0.5 * c["uy"], c["az"] + 0.5 * c["uz"]
            ball = 0.5 * math.sqrt(c["uu"]) + max(c["ra"], c["rb"])
            for j in range(n):
                o = cones[j]
                if i == j or o["casts"] <= 0.0:
                    continue
                thick = max(o["ra"], o["rb"])
                both = ball + 0.5 * math.sqrt(o["uu"]) + thick
                px = o["ax"] + 0.5 * o["ux"] - x
                py = o["ay"] + 0.5 * o["uy"] - y
                pz = o["az"] + 0.5 * o["uz"] - z
                square = px * px + py * py + pz * pz
                ahead = px * lx + py * ly + pz * lz
                if ahead > -both:
                    wide = both + spread * (max(ahead, 0.0) + both)
                    if square - ahead * ahead < wide * wide:
                        if filling == 1:
                            shade[n_shade] = j
                        n_shade += 1
                wide = both + reach * thick
                if square < wide * wide:
                    if filling == 1:
                        near[n_near] = j
                    n_near += 1
            shade_starts[i + 1], near_starts[i + 1] = n_shade, n_near
        if filling == 0:
            shade = np.empty(n_shade, dtype=np.int64)
            near = np.empty(n_near, dtype=np.int64)
    return shade_starts, shade, near_starts, near
