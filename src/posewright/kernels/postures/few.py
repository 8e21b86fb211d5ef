"""The rows nearest to wanted values among some thousand: every one is looked at, a column at a time."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel
from posewright.kernels.tables import Array

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


@fused_kernel
def nearest_rows(
    columns: Singles,
    chosen: Indices,
    wanted: Singles,
    scale: Singles,
    squares: Singles,
    samples: Indices,
    distances: Array,
    away: Array,
) -> None:
    """Find the len(samples) nearest rows, the nearest first and of equal ones the earlier.

    Args:
        columns: (columns, rows).
        chosen: (m,) columns to compare.
        wanted: (m,) values.
        scale: (m,) factors of the differences.
        squares: (rows,) is scratch.
        samples: (k,) gets the rows.
        distances: (k,) gets their distances.
        away: (k, m) gets the scaled differences.
    """
    n, k, found, limit = squares.shape[0], samples.shape[0], 0, np.float32(math.inf)
    for i in range(n):
        squares[i] = np.float32(0.0)
    for c in range(chosen.shape[0]):
        column, w, s = chosen[c], wanted[c], scale[c]
        for i in range(n):
            apart = s * (columns[column, i] - w)
            squares[i] += apart * apart
    for i in range(n):
        square = squares[i]
        if square >= limit:
            continue
        place = found if found < k else k - 1
        while place > 0 and square < squares[samples[place - 1]]:
            samples[place] = samples[place - 1]
            place -= 1
        samples[place] = i
        found = min(found + 1, k)
        if found == k:
            limit = squares[samples[k - 1]]
    for j in range(k):
        total = 0.0
        for c in range(chosen.shape[0]):
            away[j, c] = scale[c] * (columns[chosen[c], samples[j]] - wanted[c])
            total += away[j, c] * away[j, c]
        distances[j] = math.sqrt(total)
