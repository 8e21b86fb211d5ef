"""What may matter where: thick line segments sorted into the cells of a grid, and neighbours among cones.

Lists of indices are one array: that of cell k is `lists[lists[k] : lists[k + 1]]`, ascending.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.segments import nearest_points
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@kernel
def cell_of(grid: Row, x: float, y: float) -> int:
    """The cell of a grid that holds a point, or -1 outside."""
    column = (x - grid["x"]) * grid["per_unit"]
    row = (y - grid["y"]) * grid["per_unit"]
    if not (0.0 <= column < grid["columns"] and 0.0 <= row < grid["rows"]):
        return -1
    return int(row) * int(grid["columns"]) + int(column)


@kernel
def sort_segments(grid: Row, ends: Array, radii: Array) -> Ints:
    """Of each cell, the segments that touch it.

    Args:
        grid: a record GRID.
        ends: (segments, 4), x and y of both ends.
        radii: (segments,) of the discs swept along them; negative means nowhere, infinite everywhere.
    """
    columns, rows = int(grid["columns"]), int(grid["rows"])
    scale = grid["per_unit"]
    n_cells = columns * rows
    starts = np.zeros(n_cells + 1, dtype=np.int64)
    starts[0] = n_cells + 1
    lists = np.empty(0, dtype=np.int64)
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
                        lists[starts[cell]] = k
                        starts[cell] += 1
                    else:
                        starts[cell + 1] += 1
        if filling == 0:
            for cell in range(n_cells):
                starts[cell + 1] += starts[cell]
            lists = np.empty(starts[n_cells], dtype=np.int64)
            for cell in range(n_cells + 1):
                lists[cell] = starts[cell]
    return lists


@kernel
def find_neighbours(cones: Table, reach: float, shades: Flags, near: Flags) -> None:
    """For each cone, which of its layer may shade it from the light, and which may dim its sky.

    Layers are different moments, which do not light each other. Within a body shadows begin at the edge (`inward` 1 of
    `light_past`).

    Args:
        cones: rows CONE, aimed.
        reach: how many of its radii away a cone dims the sky.
        shades: (cones, cones), filled: whether the second shades the first.
        near: (cones, cones), filled: whether the second may dim the first's sky.
    """
    for i in range(cones.shape[0]):
        c = cones[i]
        thick = max(c["ra"], c["rb"])
        for j in range(cones.shape[0]):
            o = cones[j]
            if i == j or o["casts"] <= 0.0 or o["layer"] != c["layer"]:
                continue
            other = max(o["ra"], o["rb"])
            wide = thick + reach * other
            a = (c["ax"] - o["ax"], c["ay"] - o["ay"], c["az"] - o["az"])
            _, _, gap = nearest_points(a, (c["ux"], c["uy"], c["uz"]), (o["ux"], o["uy"], o["uz"]))
            near[i, j] = gap < wide * wide
            # Towards the light: how far the other reaches at most, and how near it passes in the plane across.
            if max(o["wl"], 0.0) - (c["sl"] - o["sl"]) - min(c["wl"], 0.0) + thick + other > 0.0:
                a = (c["s1"] - o["s1"], c["s2"] - o["s2"], 0.0)
                _, _, gap = nearest_points(a, (c["w1"], c["w2"], 0.0), (o["w1"], o["w2"], 0.0))
                shades[i, j] = gap < (thick + other) * (thick + other)
