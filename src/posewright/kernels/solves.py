"""Many solves of one problem in one call: what each is given, and room for its answer."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.tables import Array

N_INFO: Final = 4
"""Per solve: iterations, why it stopped, cost, restarts used."""


class Solves(NamedTuple):
    """A row per solve; starts and references may have one row for all."""

    starts: Array
    """(solves, coordinates)"""
    targets: Array
    """(solves, terms, TARGET_WIDTH)"""
    references: Array
    """(solves, dofs): what postures without a pose of their own refer to"""
    x: Array
    """(solves, coordinates), written"""
    errors: Array
    """(solves, terms), m or rad, written: those of the answer"""
    info: Array
    """(solves, N_INFO), written"""

    @classmethod
    def of(cls, starts: Array, targets: Array, references: Array) -> Solves:
        """With new arrays for the answers."""
        n, n_terms = targets.shape[:2]
        x, errors, info = np.empty((n, starts.shape[1])), np.empty((n, n_terms)), np.empty((n, N_INFO))
        return cls(starts, targets, references, x, errors, info)

    def start(self, k: int) -> Array:
        """(coordinates,)"""
        return np.asarray(self.starts[k if len(self.starts) > 1 else 0])

    def reference(self, k: int) -> Array:
        """(dofs,)"""
        return np.asarray(self.references[k if len(self.references) > 1 else 0])

    def part(self, rows: slice) -> Solves:
        """Some of the solves; their answers are written into these arrays."""
        starts, references = (given[rows] if len(given) > 1 else given for given in (self.starts, self.references))
        return Solves(starts, self.targets[rows], references, self.x[rows], self.errors[rows], self.info[rows])
