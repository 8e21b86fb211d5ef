"""Values of postures as columns in single precision: what a search for the nearest reads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array

_ROOM = 24
"""Columns to begin with: eight points. Memory is taken only by those that are filled."""


class PostureColumns:
    """Columns of arrays (rows, m): some kept, others for one search."""

    def __init__(self, n_rows: int) -> None:
        """No columns yet."""
        self.singles: npt.NDArray[np.float32] = np.empty((_ROOM, n_rows), dtype=np.float32)
        self._largest = np.zeros(_ROOM)
        self._kept: dict[int, tuple[int, Array]] = {}  # by identity; the array itself is held, so that it stays unique
        self._n_kept = 0
        self._n = 0

    def keep(self, values: Array) -> None:
        """Make the columns of an array stay."""
        if id(values) not in self._kept:
            self._n = self._n_kept
            self._kept[id(values)] = self._put(values), values
            self._n_kept = self._n

    def of(self, arrays: list[Array]) -> list[int]:
        """Columns that hold some arrays, until this is asked for others."""
        self._n = self._n_kept
        chosen: list[int] = []
        for values in arrays:
            known = self._kept.get(id(values))
            first = self._put(values) if known is None else known[0]
            chosen += range(first, first + values.shape[1])
        return chosen

    def largest(self, chosen: list[int]) -> Array:
        """(columns,): the largest magnitude in each."""
        return self._largest[chosen]

    def _put(self, values: Array) -> int:
        first, self._n = self._n, self._n + values.shape[1]
        if self._n > len(self.singles):
            more = max(self._n, 2 * len(self.singles)) - len(self.singles)
            self.singles = np.concatenate([self.singles, np.empty((more, self.singles.shape[1]), dtype=np.float32)])
            self._largest = np.concatenate([self._largest, np.zeros(more)])
        self.singles[first : self._n] = values.T
        self._largest[first : self._n] = np.abs(values).max(axis=0, initial=0.0)
        return first
