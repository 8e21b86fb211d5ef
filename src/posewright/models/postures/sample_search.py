"""The samples of a database nearest to what is wanted: among few by looking at all, among many by the database's index.

The index of `PosturesOn` is made for a million postures; among some thousand one pass over all of them is quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.kernels.postures.few import nearest_rows
from posewright.models.postures.figure_postures import PosturesOn
from posewright.models.postures.site_query import Block

FEW = 20_000
"""Postures; above, the index is quicker."""
_Singles = npt.NDArray[np.float32]


class SampleSearch:
    """Postures on a figure, ready to be searched again and again for the same kinds of values."""

    def __init__(self, postures: PosturesOn, *, few: int = FEW) -> None:
        """Nothing is copied until it is asked for."""
        self._postures = postures
        self.looks_at_all = len(postures) <= few
        """Whether there are so few."""
        self._columns: _Singles = np.empty((0, len(postures)), np.float32)
        self._known: dict[int, tuple[int, Array]] = {}  # the array itself is held, so that its identity stays unique
        self._squares = np.empty(len(postures), np.float32)
        self._arrays: dict[tuple[str, ...], list[Array]] = {}
        self._plans: dict[tuple[int, ...], tuple[IntArray, _Singles]] = {}

    def keep(self, values: Array) -> None:
        """Make the columns of an array (postures, m) ready to be searched."""
        if self.looks_at_all and id(values) not in self._known:
            self._known[id(values)] = len(self._columns), values
            self._columns = np.concatenate([self._columns, values.T.astype(np.float32, order="C")])

    def points(
        self, kind: Literal["values", "places"], sites: Sequence[str], wanted: Array, scale: float
    ) -> list[Block]:
        """Blocks for sites that are wanted at points (sites, 3), as few as it takes."""
        key = (kind, *sites)
        arrays = self._arrays.get(key)
        if arrays is None:
            own = self._postures.values if kind == "values" else self._postures.places
            arrays = [own(site) for site in sites]
            if self.looks_at_all and arrays:
                arrays = [np.concatenate(arrays, axis=1)]
                self.keep(arrays[0])
            self._arrays[key] = arrays
        if len(arrays) == 1:
            return [(arrays[0], wanted.reshape(-1), scale)]
        return [(values, point, scale) for values, point in zip(arrays, wanted, strict=True)]

    def nearest(self, blocks: Sequence[Block], k: int) -> tuple[IntArray, Array, Array]:
        """Indices (k,) and distances (k,) of the nearest, the nearest first, and their scaled differences (k, m)."""
        k = min(k, len(self._postures))
        plan = self._plan(blocks) if self.looks_at_all else None
        if plan is None:
            samples, distances = self._postures.nearest(blocks, k)
            parts = [scale * (values[samples] - wanted) for values, wanted, scale in blocks]
            return samples, distances, np.concatenate(parts, axis=1)
        chosen, scales = plan
        samples, distances, away = np.empty(k, np.int64), np.empty(k), np.empty((k, len(chosen)))
        wanted = np.concatenate([block[1] for block in blocks], dtype=np.float32)
        nearest_rows(self._columns, chosen, wanted, scales, self._squares, samples, distances, away)
        return samples, distances, away

    def _plan(self, blocks: Sequence[Block]) -> tuple[IntArray, _Singles] | None:
        """Which columns are compared and how they are scaled; None: some are new with every search."""
        key = tuple(id(block[0]) for block in blocks)
        found = self._plans.get(key)
        if found is None and all(one in self._known for one in key):
            widths = [block[0].shape[1] for block in blocks]
            firsts = [self._known[one][0] for one in key]
            chosen = [first + c for first, width in zip(firsts, widths, strict=True) for c in range(width)]
            scales = np.repeat([block[2] for block in blocks], widths)
            found = self._plans[key] = np.array(chosen, np.int64), scales.astype(np.float32)
        return found
