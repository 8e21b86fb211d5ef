"""Where random restarts may begin: each coordinate within its limits, turns without limits within half a turn.

Slides without limits and the turn of a free root stay at the start: they say where a figure is, not how it is bent.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.kernels.tables import BALL, SLIDE
from posewright.problem.lowering import LoweredProblem


def dof_ranges(lowered: LoweredProblem) -> Array:
    """Lowest and highest value of each dof (2, dofs); infinite where it stays at the start."""
    dofs, joints = lowered.dofs, lowered.joints[lowered.dofs["joint"]]
    low, high = dofs["lower"].copy(), dofs["upper"].copy()
    floats = (joints["parent"] < 0) & (joints["slides"] == 3)
    turns = (dofs["kind"] != SLIDE) & ~floats
    half = np.where(dofs["kind"] == BALL, 0.5 * math.pi, math.pi)  # three numbers of a ball turn further than one
    high = np.where(turns & np.isinf(high), np.where(np.isinf(low), half, low + 2.0 * half), high)
    low = np.where(turns & np.isinf(low), np.minimum(-half, high - 2.0 * half), low)
    frozen = dofs["scale"] == 0.0
    return np.stack([np.where(frozen, -np.inf, low), np.where(frozen, np.inf, high)])


def coordinate_ranges(lowered: LoweredProblem) -> Array:
    """The same (2, coordinates): what the dofs that a coordinate drives allow when it moves alone."""
    region, space = lowered.region, lowered.problem.space
    dof_low, dof_high = dof_ranges(lowered)
    low, high = region.lower.copy(), region.upper.copy()
    for c in range(len(low)):
        if math.isfinite(low[c]) and math.isfinite(high[c]):
            continue
        used = np.flatnonzero(space.matrix[:, c])
        if not len(used):
            continue
        ends = np.stack([dof_low[used], dof_high[used]]) - space.offset[used]
        ends = np.sort(ends / space.matrix[used, c], axis=0)
        low[c], high[c] = max(low[c], ends[0].max()), min(high[c], ends[1].min())
    frozen = (lowered.scale == 0.0) | (low > high)
    return np.stack([np.where(frozen, -np.inf, low), np.where(frozen, np.inf, high)])
