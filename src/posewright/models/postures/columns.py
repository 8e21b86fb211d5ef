"""Values of postures as columns of 16-bit codes, and what blocks of them span: what a search for the nearest reads.

Codes take a quarter of the memory that has to pass by, and are exact to a hundred-thousandth of a column's range; rows
that are near by codes are measured again in full. Postures stand in the order of the motions they come from, so that
neighbours are alike and few blocks come near what is wanted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.kernels.postures.search import WIDTH, scan

Block = tuple[Array, Array, float]
"""Values (postures, m), those wanted (m,), and the factor of their differences."""

_COLUMNS = 16
"""To begin with: five points."""
_ROOM = 16384
"""Candidates; more only where so many are equally near."""
_STEPS = 65535
_ROUNDING = 4.0 * 2.0**-24
"""Of a scaled value in single precision, with room for the sum."""


class PostureColumns:
    """Columns of arrays (rows, m): some kept, others for one search."""

    def __init__(self, n_rows: int) -> None:
        """No columns yet."""
        self._n_rows = n_rows
        n_blocks = -(-n_rows // WIDTH)
        self._codes: npt.NDArray[np.uint16] = np.empty((n_blocks, _COLUMNS, WIDTH), dtype=np.uint16)
        self._spans: npt.NDArray[np.float32] = np.empty((2, _COLUMNS, n_blocks), dtype=np.float32)
        self._units = np.zeros((2, _COLUMNS))  # what code 0 means, and a step of one
        self._kept: dict[int, tuple[int, Array]] = {}  # by identity; the array itself is held, so that it stays unique
        self._n_kept = 0
        self._n = 0

    def keep(self, values: Array) -> None:
        """Make the columns of an array stay."""
        if id(values) not in self._kept:
            self._n = self._n_kept
            self._kept[id(values)] = self._put(values), values
            self._n_kept = self._n

    def candidates(self, blocks: Sequence[Block], k: int) -> IntArray:
        """Rows that are certain to hold the k nearest."""
        self._n = self._n_kept
        chosen: list[int] = []
        for values, _, _ in blocks:
            known = self._kept.get(id(values))
            first = self._put(values) if known is None else known[0]
            chosen += range(first, first + values.shape[1])
        low, step = self._units[:, chosen]
        scale = np.concatenate([np.full(len(wanted), factor) for _, wanted, factor in blocks]) * step
        wanted = (np.concatenate([wanted for _, wanted, _ in blocks]) - low) / step
        # A code is off by half a step at most: distances in the wrong order are two halves apart, and rounding.
        slack = float(np.linalg.norm(scale)) + _ROUNDING * float(np.linalg.norm(scale * (_STEPS + np.abs(wanted))))
        wanted_codes, factors = wanted.astype(np.float32), scale.astype(np.float32)
        nearness = self._nearness(chosen, wanted_codes, factors)
        found, distances = np.empty(_ROOM, dtype=np.int64), np.empty(_ROOM, dtype=np.float32)
        count = scan(
            self._codes,
            self._n_rows,
            np.array(chosen, dtype=np.int64),
            wanted_codes,
            factors,
            slack,
            np.argsort(nearness, kind="stable"),
            nearness,
            np.empty(k, dtype=np.float32),
            found,
            distances,
        )
        return found[:count] if count >= 0 else np.arange(self._n_rows)

    def _nearness(
        self, chosen: list[int], wanted: npt.NDArray[np.float32], scale: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """(blocks,): the squared distance from what is wanted to the box that holds a block, a little rounded down."""
        lowest, highest = self._spans[0, chosen], self._spans[1, chosen]
        away = np.maximum(lowest - wanted[:, None], wanted[:, None] - highest)
        np.maximum(away, 0.0, out=away)
        away *= scale[:, None]
        squares: npt.NDArray[np.float32] = np.einsum("cb,cb->b", away, away)
        return squares * np.float32(1.0 - 1e-5)

    def _put(self, values: Array) -> int:
        first, self._n = self._n, self._n + values.shape[1]
        self._make_room()
        low, high = values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)
        step = np.maximum((high - low) / _STEPS, 1e-12)
        self._units[:, first : self._n] = low, step
        for c in range(values.shape[1]):
            column = np.empty(self._codes.shape[0] * WIDTH, dtype=np.uint16)
            column[: self._n_rows] = np.rint((values[:, c] - low[c]) / step[c])
            column[self._n_rows :] = column[self._n_rows - 1]
            by_blocks = column.reshape(-1, WIDTH)
            self._codes[:, first + c] = by_blocks
            self._spans[0, first + c] = by_blocks.min(axis=1)
            self._spans[1, first + c] = by_blocks.max(axis=1)
        return first

    def _make_room(self) -> None:
        n_blocks, room = self._codes.shape[:2]
        if self._n <= room:
            return
        more = max(self._n, 2 * room) - room
        codes = np.empty((n_blocks, more, WIDTH), dtype=np.uint16)
        self._codes = np.concatenate([self._codes, codes], axis=1)
        spans = np.empty((2, more, n_blocks), dtype=np.float32)
        self._spans = np.concatenate([self._spans, spans], axis=1)
        self._units = np.concatenate([self._units, np.zeros((2, more))], axis=1)
