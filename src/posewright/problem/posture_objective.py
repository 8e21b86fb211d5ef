"""What posture goals pull towards together.

Each costs Σ w (q - r)² over the dofs. Their sum is, but for a constant, that of one goal with the weights W = Σ w and
the reference Σ w r / W; where some refer to the start of a solve, the reference is an affine function of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array


@dataclass(frozen=True, eq=False)
class Pull:
    """Weights, and a reference `fixed + from_start · start`."""

    weights: Array
    """(dofs,)"""
    fixed: Array
    """(dofs,), of the plain figure"""
    from_start: Array
    """(dofs,): the share of the start in the reference, 0 to 1."""

    def reference(self, start: Array) -> Array:
        """(..., dofs), for a start (..., dofs) of the plain figure."""
        found: Array = self.fixed + self.from_start * start
        return found


def pull_of(goals: Sequence[tuple[Array, Array | None]], n_dofs: int) -> Pull:
    """The pull of goals, each with weights (dofs,) and a reference (dofs,), None if it is the start."""
    weights, fixed, from_start = np.zeros(n_dofs), np.zeros(n_dofs), np.zeros(n_dofs)
    for own, reference in goals:
        weights += own
        share = np.divide(own, weights, out=np.zeros(n_dofs), where=weights > 0.0)  # of a running mean: exact for one
        from_start *= 1.0 - share
        fixed *= 1.0 - share
        if reference is None:
            from_start += share
        else:
            fixed += share * reference
    from_start[weights == 0.0] = 1.0
    return Pull(weights, fixed, from_start)
