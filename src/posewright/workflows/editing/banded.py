"""Symmetric matrices of blocks, of which only those near the diagonal are not zero."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from posewright.conventions import Array

_FIRMER = (0.0, 1e-9, 1e-6, 1e-3)
"""Of the largest number on the diagonal: what is added there where the matrix is singular."""


class Banded:
    """A matrix of `count` x `count` blocks, each `size` x `size`."""

    def __init__(self, count: int, size: int, width: int) -> None:
        """Begin with zeros; blocks further than `width` from the diagonal stay so."""
        self._shape = count, size
        self._padded = np.zeros(((width + 2) * size, count * size))  # above the diagonal for what is written in vain
        self._rows = self._padded[size:]

    def set(self, k: int, blocks: Array) -> None:
        """Write the blocks (count - k, size, size) that are k below the diagonal."""
        n, (row, number) = self._shape[1], self._padded.strides
        # (i, j) of a block is i - j rows further down, which is one stride less per j.
        places = as_strided(self._padded[(k + 1) * n :], (len(blocks), n, n), (n * number, row, number - row))
        places[:] = blocks

    def solved(self, right: Array) -> Array:
        """What the matrix turns into `right` (count, size)."""
        from scipy.linalg import solveh_banded  # slow to import, needed here only

        for more in _FIRMER:
            self._rows[0] += more * self._rows[0].max()
            try:
                return np.asarray(solveh_banded(self._rows, right.ravel(), lower=True)).reshape(self._shape)
            except np.linalg.LinAlgError:
                continue
        return np.zeros(self._shape)
