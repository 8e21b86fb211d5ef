"""The rows nearest to wanted values, by a scan in single precision; the caller measures the candidates.

Rows that follow each other are mostly alike, so they are scanned in blocks: as soon as all rows of a block are further
than the k-th nearest found so far, its other columns are not read.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel
from posewright.kernels.tables import Array

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

_BLOCK: Final = 512
_STRIDE: Final = 3  # columns between two looks at whether a block is too far


@fused_kernel
def _add(column: Singles, wanted: float, scale: float, squares: Singles) -> None:
    w, s = np.float32(wanted), np.float32(scale)
    for i in range(squares.shape[0]):
        away = s * (column[i] - w)
        squares[i] += away * away


@fused_kernel
def _count(squares: Singles, limit: float) -> int:
    """How many are not above the limit."""
    bound, near = np.float32(limit), np.int32(0)
    for i in range(squares.shape[0]):
        near += np.int32(squares[i] <= bound)
    return int(near)


@fused_kernel
def scan(
    kept: Singles, which: Indices, own: Singles, wanted: Singles, scales: Singles, margin: float, squares: Singles,
    best: Array,
) -> None:  # fmt: skip
    """Write scaled squared distances to `squares` (rows,); of rows that are too far, only something too large.

    Args:
        kept: (columns, rows).
        which: columns of it.
        own: (columns, rows), more columns.
        wanted: (all columns,)
        scales: (all columns,), factors of differences.
        margin: how far a distance may be off by rounding.
        squares: as above.
        best: (k,) gets the least of them, in ascending order.
    """
    n, n_columns, k = squares.shape[0], wanted.shape[0], best.shape[0]
    for j in range(k):
        best[j] = np.inf
    for first in range(0, n, _BLOCK):
        last = min(first + _BLOCK, n)
        reach = math.sqrt(best[k - 1]) + margin
        limit = np.float32(reach * reach * (1.0 + 1e-6))
        near = 1
        block = squares[first:last]
        for i in range(block.shape[0]):
            block[i] = np.float32(0.0)
        for c in range(n_columns):
            if c < which.shape[0]:
                _add(kept[which[c], first:last], wanted[c], scales[c], block)
            else:
                _add(own[c - which.shape[0], first:last], wanted[c], scales[c], block)
            if c % _STRIDE == _STRIDE - 1:
                near = _count(block, float(limit))
                if near == 0:
                    break
        if near == 0:
            continue
        for i in range(first, last):
            square = float(squares[i])
            if square < best[k - 1]:
                place = k - 1
                while place > 0 and best[place - 1] > square:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = square
