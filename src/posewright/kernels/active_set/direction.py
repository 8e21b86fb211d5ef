"""Where a search under linear constraints goes next: along the active ones, or away from one that it releases.

Symbols as in `active_set_bfgs`.
"""

from __future__ import annotations

import math

from posewright.kernels.active_set.constraints import (
    ActiveSet,
    Region,
    add_constraint,
    drop_constraint,
    first_hit,
    flatten,
    most_willing,
    multipliers,
    reset_metric,
)
from posewright.kernels.active_set.powell_search import begin_line
from posewright.kernels.active_set.search import WAS_SHORTENED, SearchWork
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.search_control import STALLED, STATIONARY
from posewright.kernels.kinematics.ball_charts import way_to_the_edge
from posewright.kernels.tables import Array, Row, Table

_RESETS = 20


@kernel
def aim(entries: Table, region: Region, state: Row, line: Row, x: Array, active: ActiveSet, work: SearchWork) -> bool:
    """Find the direction of the next line search; return False if there is none, with the reason in the state."""
    n, m = work.g.shape[0], region.normals.shape[0]
    tolerance = state["tolerance"]
    g, s = work.g, work.s
    state["changes"] = 0
    while True:
        count = state["count"]
        _descend(region, active, count, g, s)
        multipliers(active, count, g)
        willing, place = most_willing(active, region.n_equal, count)
        length = size(s)
        if length <= tolerance and willing <= tolerance:
            copy_into(g, work.Hy)
            flatten(active, count, work.Hy)
            if size(work.Hy) <= tolerance:
                state["why"] = STATIONARY
                return False
            if state["fresh"] == 0 and state["resets"] < _RESETS:  # a metric that shrank is not a small gradient
                forget_metric(state, active)
                continue
            state["why"] = STALLED
            return False
        if place >= 0 and (length <= 0.5 * willing or (length <= tolerance and willing > tolerance)):
            state["count"] = drop_constraint(active, place, count)
            state["changes"] += 1
            if state["changes"] <= 50 * (n + m) + 1000:
                continue
            state["why"] = STALLED
            return False
        slope = 0.0
        for c in range(n):
            slope += g[c] * s[c]
        if slope >= -1e-16 * max(1.0, abs(state["cost"])):
            if state["fresh"] != 0 or state["resets"] >= _RESETS:
                state["why"] = STALLED
                return False
            forget_metric(state, active)
            continue
        furthest, hit = first_hit(region, active, x, s)
        if furthest <= 1e-14:
            state["count"] = add_constraint(region, active, hit, count)
            state["changes"] += 1
            if state["count"] > count and state["changes"] <= 50 * (n + m) + 1000:
                continue
            state["why"] = STALLED
            return False
        edge = way_to_the_edge(entries, region, s, work.q, work.dq)
        if edge < furthest:
            furthest, hit = edge, -2
            state["notes"] |= WAS_SHORTENED
            if edge <= 1e-14:
                state["why"] = STALLED
                return False
        first = min(1.0, furthest)
        for c in range(n):
            if first * region.scale[c] * abs(s[c]) > region.longest[c]:
                first = region.longest[c] / (region.scale[c] * abs(s[c]))
        state["hit"] = hit
        begin_line(line, state["cost"], slope, first, furthest)
        return True


@kernel
def _descend(region: Region, active: ActiveSet, count: int, g: Array, s: Array) -> None:
    """Write s = -H g."""
    n = g.shape[0]
    for c in range(n):
        s[c] = 0.0
    for i in range(n):
        for c in range(n):
            s[c] -= active.H[i, c] * g[i]
    keep_inside(region, active, count, s)


@kernel
def keep_inside(region: Region, active: ActiveSet, count: int, s: Array) -> None:
    """Turn s exactly along the active constraints, whatever was rounded."""
    n, m = s.shape[0], region.normals.shape[0]
    flatten(active, count, s)
    for i in range(count):
        if active.listed[i] >= m:
            s[(active.listed[i] - m) % n] = 0.0


@kernel
def forget_metric(state: Row, active: ActiveSet) -> None:
    """Begin the metric anew, flat along the active constraints."""
    reset_metric(active, state["count"])
    state["resets"] += 1
    state["fresh"] = 1


@kernel
def size(v: Array) -> float:
    """Length of a vector."""
    total = 0.0
    for c in range(v.shape[0]):
        total += v[c] * v[c]
    return math.sqrt(total)
