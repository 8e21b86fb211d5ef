"""The rows nearest to wanted values, by a scan of all of them in single precision; the caller measures candidates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel

Singles = npt.NDArray[np.float32]


@kernel
def add_squares(values: Singles, wanted: Singles, scale: float, squares: Singles) -> None:
    """Add to `squares` (rows,) the scaled squared differences of `values` (m, rows) and `wanted` (m,)."""
    factor = np.float32(scale)
    for c in range(wanted.shape[0]):
        w = wanted[c]
        for i in range(squares.shape[0]):
            away = factor * (values[c, i] - w)
            squares[i] += away * away


@kernel
def least(squares: Singles, best: Singles) -> None:
    """Write the least of `squares` (rows,) into `best` (k,), in ascending order."""
    k = best.shape[0]
    for j in range(k):
        best[j] = np.inf
    for i in range(squares.shape[0]):
        square = squares[i]
        if square < best[k - 1]:
            place = k - 1
            while place > 0 and best[place - 1] > square:
                best[place] = best[place - 1]
                place -= 1
            best[place] = square
