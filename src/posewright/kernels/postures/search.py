"""The rows nearest to wanted values, by a scan of columns of 16-bit codes; the caller measures the candidates properly.

Blocks of rows are looked at in the order of how near they can be at best, until no further one can hold anything; one
is given up as soon as all its rows are too far by the columns looked at so far.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel, kernel

Codes = npt.NDArray[np.uint16]
Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

WIDTH: Final = 128
"""Rows in a block."""
_STRIDE = 3  # columns between two looks at whether a block is out of reach: a site has three

_UP = 1.0 + 1e-6  # a bound in single precision must not be rounded down


@fused_kernel
def squared_distances(
    codes: Codes, chosen: Indices, wanted: Singles, scale: Singles, block: int, limit: float, out: Singles
) -> bool:
    """Scaled squared distances (WIDTH,) of a block; False as soon as all are above `limit`."""
    bound = np.float32(limit)
    for i in range(WIDTH):
        out[i] = np.float32(0.0)
    n = chosen.shape[0]
    for start in range(0, n, _STRIDE):
        for c in range(start, min(start + _STRIDE, n)):
            column, w, s = chosen[c], wanted[c], scale[c]
            for i in range(WIDTH):
                away = s * (np.float32(codes[block, column, i]) - w)
                out[i] += away * away
        near = np.int32(0)  # counted: that is done by vector instructions, the least of floats is not
        for i in range(WIDTH):
            near += np.int32(out[i] <= bound)
        if near == 0:
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
    codes: Codes,
    n_rows: int,
    chosen: Indices,
    wanted: Singles,
    scale: Singles,
    slack: float,
    order: Indices,
    nearness: Singles,
    best: Singles,
    found: Indices,
    distances: Singles,
) -> int:
    """Find every row that may be among the nearest.

    Args:
        codes: (blocks, columns, WIDTH); what fills up the last block is never found.
        n_rows: how many rows there are.
        chosen: (m,) columns to compare.
        wanted: (m,) values, in codes.
        scale: (m,) factors of the differences of codes.
        slack: by how much two distances may be in the wrong order.
        order: (blocks,): which to look at first.
        nearness: (blocks,): no squared distance in a block is less.
        best: (k,) gets the least squared distances, in order.
        found: (room,) gets the rows.
        distances: (room,) gets their squared distances.

    Returns:
        how many were found, or -1 if there is not room enough for all that are equally near.
    """
    k, room = best.shape[0], found.shape[0]
    for i in range(k):
        best[i] = np.inf
    out = np.empty(WIDTH, np.float32)
    limit = math.inf
    n = 0
    for step in range(order.shape[0]):
        block = order[step]
        if nearness[block] > limit:
            break
        first = block * WIDTH
        if not squared_distances(codes, chosen, wanted, scale, block, limit, out):
            continue
        for i in range(min(WIDTH, n_rows - first)):
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
                limit = (math.sqrt(best[k - 1]) + slack) ** 2 * _UP
    return keep_near(found, distances, n, limit)
