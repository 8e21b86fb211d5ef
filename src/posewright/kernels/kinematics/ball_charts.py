"""Rotation vectors on the way round: their chart ends at a full turn, where they are brought back or stopped.

A rotation vector w of length t turns as (1 - 2π/t) w does; the chart is singular at t = 2π only (spec of the paper's
joints, c.1). A ball joint may change to the other vector where nothing but its rotation counts.
"""

from __future__ import annotations

import math

from posewright.kernels.active_set.constraints import Region
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array, Table

_EDGE = 1.9 * math.pi  # rad


@kernel
def rechart(region: Region, x: Array, H: Array) -> bool:
    """Bring rotation vectors longer than pi back where that is allowed; what the metric knew of them is void."""
    changed = False
    for b in range(region.balls.shape[0]):
        first = region.balls[b, 1]
        if first < 0:
            continue
        tt = 0.0
        for k in range(3):
            tt += x[region.free[first + k]] ** 2
        if tt <= math.pi * math.pi:
            continue
        changed = True
        length = math.sqrt(tt)
        factor = 1.0 - 2.0 * math.pi * round(length / (2.0 * math.pi)) / length
        for k in range(3):
            x[region.free[first + k]] *= factor
            for c in range(H.shape[0]):
                H[first + k, c], H[c, first + k] = 0.0, 0.0
        for k in range(3):
            H[first + k, first + k] = 1.0
    return changed


@kernel
def way_to_the_edge(entries: Table, region: Region, s: Array, q: Array, dq: Array) -> float:
    """How far one may go along s, in lengths of s, before a rotation vector gets too near a full turn.

    `q` (dofs,) is the pose at the start of the way; `dq` (dofs,) is scratch.
    """
    if region.balls.shape[0] == 0:
        return math.inf
    dq[:] = 0.0
    for k in range(entries.shape[0]):
        c = region.place[entries[k]["coordinate"]]
        if c >= 0:
            dq[entries[k]["dof"]] += entries[k]["factor"] * region.scale[c] * s[c]
    nearest = math.inf
    for b in range(region.balls.shape[0]):
        d = region.balls[b, 0]
        ww, wv, vv = 0.0, 0.0, 0.0
        for k in range(3):
            ww += q[d + k] * q[d + k]
            wv += q[d + k] * dq[d + k]
            vv += dq[d + k] * dq[d + k]
        if vv == 0.0:
            continue
        room = _EDGE * _EDGE - ww
        if room <= 0.0:
            nearest = 0.0 if wv > 0.0 else nearest
            continue
        nearest = min(nearest, (math.sqrt(wv * wv + vv * room) - wv) / vv)
    return nearest
