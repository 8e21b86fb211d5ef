"""Two dofs of a joint limited together: their angles keep within a polygon, as a shoulder's do.

The elimination knows limits of single dofs. Where a step would leave a polygon, its two dofs stand aside for two
others, along the edge in the way and across it, and the edge is the upper limit of the second. The second angle is
measured so that damping and posture pull at both alike: then they do in any two directions across each other. Where the
step leaves the polygon over another edge it is taken again along that one, and where it then would leave over the
first, to their corner. Limits of single dofs count as edges.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.points import AT_UPPER, FREE
from posewright.kernels.tree.sweep import Sweep

KEPT: Final = 12
"""Numbers per polygon that `turn` keeps."""
EDGE, END, LEFT = 0, 1, 2
"""The edge along which a pair goes, the one that ends it where the pair is at a corner, and the one along which it went
before in the same step."""
NONE: Final = -1
_ROUNDING = 1e-13  # rad or m
_PARALLEL = 1e-12


class Polygons(NamedTuple):
    """What pairs of dofs keep, and which edges they are at."""

    dofs: npt.NDArray[np.int64]
    """(polygons, 2), of one joint"""
    first: npt.NDArray[np.int64]
    """(polygons + 1,): where the edges of each begin in `edges`"""
    edges: Array
    """(edges, 3): a, b, c of a·x + b·y <= c"""
    at: npt.NDArray[np.int64]
    """(polygons, 3), written: EDGE, END and LEFT, each NONE or an edge"""


@kernel
def keep_within(polygons: Polygons, dofs: Table, weights: Array, q: Array) -> None:
    """Move a pose to the nearest that keeps its polygons; distances of dofs are weighed, alike if one has no weight."""
    for k in range(polygons.dofs.shape[0]):
        i, j = polygons.dofs[k, 0], polygons.dofs[k, 1]
        if _furthest(polygons, dofs, k, q[i], q[j]) == NONE:
            continue
        ratio = 1.0
        if weights[i] > 0.0 and weights[j] > 0.0:
            ratio = math.sqrt(weights[j] / weights[i])
        x, y, least = q[i], ratio * q[j], math.inf
        n = polygons.first[k + 1] - polygons.first[k] + 4
        for edge in range(n):  # the nearest point is on one of those that are overstepped
            a, b, c = _unit(polygons, dofs, k, edge, ratio)
            across = a * x + b * y - c
            if not across > 0.0:
                continue
            low, high = -math.inf, math.inf
            for other in range(n):
                e, f, g = _unit(polygons, dofs, k, other, ratio)
                slope, room = e * b - f * a, g - c * (e * a + f * b)
                if slope > _PARALLEL:
                    high = min(high, room / slope)
                elif slope < -_PARALLEL:
                    low = max(low, room / slope)
                elif room < -_ROUNDING:
                    high = -math.inf
            along = b * x - a * y
            end = min(max(along, low), high)
            far = across * across + (end - along) * (end - along)
            if low <= high + _ROUNDING and far < least:
                least = far
                q[i], q[j] = b * end + a * c, (b * c - a * end) / ratio


@kernel
def release(polygons: Polygons, sweep: Sweep) -> None:
    """Before a step: leave all corners, and edges that the step before led away from."""
    for k in range(polygons.dofs.shape[0]):
        at, x, y = polygons.at[k], polygons.dofs[k, 0], polygons.dofs[k, 1]
        if at[EDGE] != NONE and sweep.locks[y] == FREE:
            at[EDGE] = NONE
            sweep.locks[x] = FREE
        at[END], at[LEFT] = NONE, NONE


@kernel
def turn(polygons: Polygons, dofs: Table, sweep: Sweep, kept: Array) -> None:
    """Let pairs at an edge stand aside for the dofs along and across it; `kept` (polygons, KEPT) brings them back."""
    S, K, D, t, q = sweep.S, sweep.K, sweep.D, sweep.t, sweep.q
    for k in range(polygons.dofs.shape[0]):
        at, was = polygons.at[k], kept[k]
        if at[EDGE] == NONE:
            continue
        x, y = polygons.dofs[k, 0], polygons.dofs[k, 1]
        ratio = math.sqrt(D[y] / D[x])
        a, b, c = _unit(polygons, dofs, k, at[EDGE], ratio)
        was[0], was[1], was[2], was[3] = a, b, ratio, D[y]
        was[4], was[5], was[6], was[7] = t[x], t[y], q[x], q[y]
        was[8], was[9] = dofs[x]["lower"], dofs[x]["upper"]
        was[10], was[11] = dofs[y]["lower"], dofs[y]["upper"]
        D[y] = D[x]
        t[x], t[y] = b * was[4] - a * ratio * was[5], a * was[4] + b * ratio * was[5]
        q[x], q[y] = b * was[6] - a * ratio * was[7], a * was[6] + b * ratio * was[7]
        for i in range(6):
            one, two = S[x, i], S[y, i] / ratio
            S[x, i], S[y, i] = b * one - a * two, a * one + b * two
        for i in range(3):
            one, two = K[x, i], K[y, i] / ratio
            K[x, i], K[y, i] = b * one - a * two, a * one + b * two
        low, high, least = -math.inf, math.inf, -math.inf
        sweep.locks[x] = FREE
        if at[END] != NONE:
            e, f, g = _unit(polygons, dofs, k, at[END], ratio)
            slope = e * b - f * a
            if abs(slope) > _PARALLEL:
                low = (g - c * (e * a + f * b)) / slope
                high, least = low, c
                sweep.locks[x], sweep.locks[y] = AT_UPPER, AT_UPPER
        dofs[x]["lower"], dofs[x]["upper"] = low, high
        dofs[y]["lower"], dofs[y]["upper"] = least, c


@kernel
def turn_back(polygons: Polygons, dofs: Table, sweep: Sweep, kept: Array) -> int:
    """Bring the pairs and their step back; return how many go along another edge if the step is taken again."""
    S, K, D, d, t, q = sweep.S, sweep.K, sweep.D, sweep.d, sweep.t, sweep.q
    changed = 0
    for k in range(polygons.dofs.shape[0]):
        at, was, x, y = polygons.at[k], kept[k], polygons.dofs[k, 0], polygons.dofs[k, 1]
        if at[EDGE] != NONE:
            a, b, ratio = was[0], was[1], was[2]
            along, across = d[x], d[y]
            d[x], d[y] = b * along + a * across, (b * across - a * along) / ratio
            D[y], t[x], t[y], q[x], q[y] = was[3], was[4], was[5], was[6], was[7]
            dofs[x]["lower"], dofs[x]["upper"] = was[8], was[9]
            dofs[y]["lower"], dofs[y]["upper"] = was[10], was[11]
            for i in range(6):
                one, two = S[x, i], S[y, i]
                S[x, i], S[y, i] = b * one + a * two, ratio * (b * two - a * one)
            for i in range(3):
                one, two = K[x, i], K[y, i]
                K[x, i], K[y, i] = b * one + a * two, ratio * (b * two - a * one)
        beyond = _furthest(polygons, dofs, k, q[x] + d[x], q[y] + d[y])
        if beyond == NONE or beyond == at[EDGE] or at[END] != NONE:
            continue
        changed += 1
        if beyond == at[LEFT]:
            at[END] = beyond
        else:
            at[LEFT], at[EDGE] = at[EDGE], beyond
            sweep.locks[y] = AT_UPPER
    return changed


@kernel
def _edge(polygons: Polygons, dofs: Table, k: int, edge: int) -> tuple[float, float, float]:
    """An edge of a polygon; the last four are the limits of its dofs."""
    own = polygons.first[k + 1] - polygons.first[k]
    if edge < own:
        row = polygons.edges[polygons.first[k] + edge]
        return row[0], row[1], row[2]
    x, y = polygons.dofs[k, 0], polygons.dofs[k, 1]
    if edge == own:
        return 1.0, 0.0, dofs[x]["upper"]
    if edge == own + 1:
        return -1.0, 0.0, -dofs[x]["lower"]
    if edge == own + 2:
        return 0.0, 1.0, dofs[y]["upper"]
    return 0.0, -1.0, -dofs[y]["lower"]


@kernel
def _unit(polygons: Polygons, dofs: Table, k: int, edge: int, ratio: float) -> tuple[float, float, float]:
    """An edge where the second angle counts `ratio` times, with a and b of length one."""
    a, b, c = _edge(polygons, dofs, k, edge)
    b /= ratio
    length = math.sqrt(a * a + b * b)
    return a / length, b / length, c / length


@kernel
def _furthest(polygons: Polygons, dofs: Table, k: int, x: float, y: float) -> int:
    """The edge beyond which a point is furthest, or NONE."""
    worst, found = _ROUNDING, NONE
    for edge in range(polygons.first[k + 1] - polygons.first[k] + 4):
        a, b, c = _unit(polygons, dofs, k, edge, 1.0)
        gap = a * x + b * y - c
        if gap > worst:
            worst, found = gap, edge
    return found
