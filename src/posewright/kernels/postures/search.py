"""The rows nearest to wanted values: every one is looked at, a block of rows and a column at a time.

Rows that follow each other are mostly alike: as soon as all rows of a block are further than the k-th nearest found so
far, its other columns are not read.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

Indices = npt.NDArray[np.int64]

_BLOCK: Final = 256
_STRIDE: Final = 3  # columns between two looks at whether a block is too far


@kernel
def _add(column: Array, wanted: float, scale: float, squares: Array) -> None:
    for i in range(column.shape[0]):
        away = scale * (column[i] - wanted)
        squares[i] += away * away


@kernel
def _count(squares: Array, limit: float) -> int:
    """How many are below the limit."""
    near = 0
    for i in range(squares.shape[0]):
        near += int(squares[i] < limit)
    return near


@kernel
def nearest_rows(
    kept: Array, which: Indices, own: Array, wanted: Array, scales: Array, rows: Indices, distances: Array,
    differences: Array,
) -> None:  # fmt: skip
    """Find the len(rows) nearest rows, the nearest first and of equal ones the earlier.

    Args:
        kept: (columns, rows).
        which: (m,) the columns that are compared; from len(kept) on, those of `own`.
        own: (columns, rows), more columns.
        wanted: (m,) values.
        scales: (m,) factors of differences.
        rows: (k,) gets the rows, of at least k.
        distances: (k,) gets their distances.
        differences: (k, m) gets their scaled differences.
    """
    n, m, k = kept.shape[1], which.shape[0], rows.shape[0]
    squares = np.empty(_BLOCK)
    for j in range(k):
        distances[j] = math.inf
    for first in range(0, n, _BLOCK):
        size = min(_BLOCK, n - first)
        block, limit, near = squares[:size], distances[k - 1], 1
        for i in range(size):
            block[i] = 0.0
        for c in range(m):
            _add(_column(kept, own, which[c])[first : first + size], wanted[c], scales[c], block)
            if c % _STRIDE == _STRIDE - 1 or c == m - 1:
                near = _count(block, limit)
                if near == 0:
                    break
        if near == 0:
            continue
        for i in range(size):
            if block[i] < limit:
                place = k - 1
                while place > 0 and distances[place - 1] > block[i]:
                    distances[place], rows[place] = distances[place - 1], rows[place - 1]
                    place -= 1
                distances[place], rows[place] = block[i], first + i
                limit = distances[k - 1]
    for j in range(k):
        distances[j] = math.sqrt(distances[j])
        for c in range(m):
            differences[j, c] = scales[c] * (_column(kept, own, which[c])[rows[j]] - wanted[c])


@kernel
def _column(kept: Array, own: Array, number: int) -> Array:
    column: Array = kept[number] if number < kept.shape[0] else own[number - kept.shape[0]]
    return column
