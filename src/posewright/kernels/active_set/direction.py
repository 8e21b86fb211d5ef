"""Where a search under linear constraints goes next: along the active ones, or away from one that it releases.

Also what it knows between two evaluations, and what a step teaches its metric. Symbols as in `bfgs`.

A rotation vector w of length t turns as (1 - 2π/t) w does; the chart is singular at t = 2π only. A ball joint may
change to the other vector where nothing but its rotation counts.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

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
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import DenseProblem
from posewright.kernels.dense.search_control import STALLED, STATIONARY
from posewright.kernels.tables import Array, Row, Table

_EDGE = 1.9 * math.pi  # rad
_RESETS = 20

# What the point being evaluated is.
ARRIVED: Final = 0
"""Where the search stands: alternatives are chosen anew."""
TRIAL: Final = 1
NUDGED: Final = 2
LAST: Final = 3
"""The answer."""

# What is reported, as bits.
WAS_NUDGED: Final = 1
WAS_SHORTENED: Final = 2

SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("gradient_tolerance", "f8"),
        ("sufficient_decrease", "f8"),
        ("curvature", "f8"),
        ("minimising", "i8"),  # 1: minimise to the end, tolerances do not stop it
        ("choices", "i8"),  # 1: there are disjunctions
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("phase", "i8"),
        ("held", "i8"),  # 1: the alternatives of a line search stay as they are
        ("iterations", "i8"),  # line searches
        ("evaluations", "i8"),
        ("why", "i8"),
        ("count", "i8"),  # active constraints
        ("changes", "i8"),  # of the active set since the last step
        ("resets", "i8"),
        ("fresh", "i8"),  # 1: the metric has learned nothing yet
        ("nudges", "i8"),
        ("notes", "i8"),
        ("hit", "i8"),  # the constraint at the end of the line, -1 none, -2 the edge of a chart
        ("tolerance", "f8"),
        ("cost", "f8"),
    ],
    align=True,
)


# Rows of `SearchWork.vectors`.
G: Final = 0
S: Final = 1
G_TRIAL: Final = 2
Y: Final = 3
HY: Final = 4

# Rows of `SearchWork.places`.
BASE: Final = 0
"""Where the line search began."""
BY_X: Final = 1
"""The gradient."""


class SearchWork(NamedTuple):
    """Arrays that a search reuses from step to step."""

    state: Table
    """(1,), of STATE"""
    line: Table
    """(1,), of `powell_search.LINE`"""
    vectors: Array
    """(5, variables): g, s, g of a trial, y, Hy"""
    places: Array
    """(2, coordinates)"""
    per_dof: Array
    """(2, dofs): the pose at the base, and how it changes along s"""
    wrenches: Array
    """(joints, 6), scratch"""


@kernel
def aim(problem: DenseProblem, region: Region, x: Array, active: ActiveSet, work: SearchWork) -> bool:
    """Find the direction of the next line search; return False if there is none, with the reason in the state."""
    variables, n, m = region.variables, region.variables.shape[0], region.rows.shape[0]
    state, g, s, flat = work.state[0], work.vectors[G], work.vectors[S], work.vectors[HY]
    tolerance = state["tolerance"]
    state["changes"] = 0
    while True:
        count = state["count"]
        _descend(region, active, count, g, s)
        multipliers(active, count, g)
        willing, place = most_willing(active, region.n_equal, count)
        length = size(s)
        if length <= tolerance and willing <= tolerance:
            copy_into(g, flat)
            flatten(active, count, flat)
            if size(flat) <= tolerance:
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
        edge = _distance_to_edge(problem, region, s, work.per_dof)
        if edge < furthest:
            furthest, hit = edge, -2
            state["notes"] |= WAS_SHORTENED
            if edge <= 1e-14:
                state["why"] = STALLED
                return False
        first = min(1.0, furthest)
        for c in range(n):
            change = variables[c]["scale"] * abs(s[c])
            if first * change > variables[c]["longest"]:
                first = variables[c]["longest"] / change
        state["hit"] = hit
        begin_line(work.line[0], state["cost"], slope, first, furthest)
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
    n, m = s.shape[0], region.rows.shape[0]
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


@kernel
def update_metric(H: Array, gamma: float, s: Array, y: Array, Hy: Array) -> bool:
    """Update H after the step σ = γs that changed the gradient by y; return False if there is nothing to learn.

    BFGS where σᵀy >= yᵀHy, else DFP (Fletcher 1970): of the two, the one that keeps H away from singular. Both map y to
    σ and what no step has tried to itself. `Hy` is scratch.
    """
    n = s.shape[0]
    sy, ss, yy = 0.0, 0.0, 0.0
    for c in range(n):
        sy += gamma * s[c] * y[c]
        ss += gamma * s[c] * gamma * s[c]
        yy += y[c] * y[c]
        Hy[c] = 0.0
    if not sy > 1e-12 * math.sqrt(ss * yy):  # keep H positive definite
        return False
    for i in range(n):
        for c in range(n):
            Hy[c] += H[i, c] * y[i]
    yHy = 0.0
    for c in range(n):
        yHy += y[c] * Hy[c]
    if sy >= yHy:
        grown = (1.0 + yHy / sy) / sy
        for i in range(n):
            a, b = gamma * s[i], Hy[i]
            for c in range(n):
                H[i, c] += grown * a * gamma * s[c] - (a * Hy[c] + b * gamma * s[c]) / sy
    else:
        for i in range(n):
            a, b = gamma * s[i] / sy, Hy[i] / yHy
            for c in range(n):
                H[i, c] += a * gamma * s[c] - b * Hy[c]
    return True


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
            value = x[region.variables[first + k]["coordinate"]]
            tt += value * value
        if tt <= math.pi * math.pi:
            continue
        changed = True
        length = math.sqrt(tt)
        factor = 1.0 - 2.0 * math.pi * round(length / (2.0 * math.pi)) / length
        for k in range(3):
            x[region.variables[first + k]["coordinate"]] *= factor
            for c in range(H.shape[0]):
                H[first + k, c], H[c, first + k] = 0.0, 0.0
        for k in range(3):
            H[first + k, first + k] = 1.0
    return changed


@kernel
def _distance_to_edge(problem: DenseProblem, region: Region, s: Array, per_dof: Array) -> float:
    """How far one may go along s, in lengths of s, before a rotation vector gets too near a full turn."""
    if region.balls.shape[0] == 0:
        return math.inf
    q, dq = per_dof[0], per_dof[1]
    dq[:] = 0.0
    for c in range(s.shape[0]):
        coordinate, change = region.variables[c]["coordinate"], region.variables[c]["scale"] * s[c]
        if problem.columns.shape[0] > 0:
            dq[problem.columns[coordinate]] = change
        else:
            for d in range(dq.shape[0]):
                dq[d] += problem.space[d, coordinate] * change
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
