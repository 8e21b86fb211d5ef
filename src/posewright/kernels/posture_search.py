"""The rows nearest to wanted values, by a scan of columns in single precision; the caller measures candidates properly.

Blocks of rows are given up as soon as all of them are too far by the columns looked at so far, so that most are looked
at by one site alone. A first pass over every sixteenth block finds out early what "too far" is.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import fused_kernel, kernel

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

WIDTH: Final = 256
"""Rows in a block."""
_PASSES = 16
_STRIDE = 3  # columns between two looks at whether a block is out of reach: a site has three


@fused_kernel
def squared_distances(
    columns: Singles,
    chosen: Indices,
    wanted: Singles,
    scale: Singles,
    first: int,
    last: int,
    limit: float,
    out: Singles,
) -> bool:
    """Scaled squared distances (last - first,) of rows; False as soon as all are above `limit`."""
    width = last - first
    for i in range(width):
        out[i] = np.float32(0.0)
    n = chosen.shape[0]
    for start in range(0, n, _STRIDE):
        for c in range(start, min(start + _STRIDE, n)):
            column, w, s = chosen[c], wanted[c], scale[c]
            for i in range(width):
                away = s * (columns[column, first + i] - w)
                out[i] += away * away
        least = out[0]
        for i in range(1, width):
            least = min(least, out[i])
        if least > limit:
            return False
    return True


@kernel
def keep_near(found: Indices, distances: Singles, n: int, limit: float) -> int:
    """Drop candidates beyond `limit`; how many are left."""
    kept = 0
    for i in range(n):
        if distances[i] <= limit:
            found[kept], distances[kept] = found[i], distances[i]
            kept += 1
    return kept


@kernel
def scan(
    columns: Singles,
    chosen: Indices,
    wanted: Singles,
    scale: Singles,
    slack: float,
    best: Singles,
    found: Indices,
    distances: Singles,
) -> int:
    """Find every row that may be among the nearest.

    Args:
        columns: (columns, rows).
        chosen: (m,) columns to compare.
        wanted: (m,) values.
        scale: (m,) factors of the differences.
        slack: how far rounding may put a distance off.
        best: (k,) gets the least squared distances, in order.
        found: (room,) gets the rows.
        distances: (room,) gets their squared distances.

    Returns:
        how many were found, or -1 if there is not room enough for all that are equally near.
    """
    n_rows, k, room = columns.shape[1], best.shape[0], found.shape[0]
    for i in range(k):
        best[i] = np.inf
    out = np.empty(WIDTH, np.float32)
    limit = math.inf
    n_blocks = (n_rows + WIDTH - 1) // WIDTH
    n = 0
    for begin in range(_PASSES):
        for block in range(begin, n_blocks, _PASSES):
            first = block * WIDTH
            last = min(first + WIDTH, n_rows)
            if not squared_distances(columns, chosen, wanted, scale, first, last, limit, out):
                continue
            for i in range(last - first):
                if out[i] > limit:
                    continue
                if n == room:
                    n = keep_near(found, distances, n, limit)
                    if 2 * n > room:
                        return -1
                found[n], distances[n] = first + i, out[i]
                n += 1
                if out[i] < best[k - 1]:
                    place = k - 1
                    while place > 0 and best[place - 1] > out[i]:
                        best[place] = best[place - 1]
                        place -= 1
                    best[place] = out[i]
                    limit = (math.sqrt(best[k - 1]) + slack) ** 2
    return keep_near(found, distances, n, limit)
