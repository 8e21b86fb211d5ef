"""Where a search under linear constraints goes next: along the active ones, or away from one that it releases.

Also what a step teaches its metric. Symbols as in `bfgs`.

A rotation vector w of length t turns as (1 - 2π/t) w does; the chart is singular at t = 2π only. A ball joint may
change to the other vector where nothing but its rotation counts.
"""

from __future__ import annotations

import math

from posewright.kernels.active_set.constraints import (
    add_constraint,
    drop_constraint,
    first_hit,
    flatten,
    most_willing,
    reset_metric,
    write_multipliers,
)
from posewright.kernels.active_set.powell_search import begin_line
from posewright.kernels.active_set.search import BASE_Q, BY_S, HY, LISTED, WAS_SHORTENED, G, H, S, Search, X, Y
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import DenseProblem
from posewright.kernels.dense.search_control import STALLED, STATIONARY
from posewright.kernels.tables import Array

_EDGE = 1.9 * math.pi  # rad
_RESETS = 20


@kernel
def aim(problem: DenseProblem, search: Search) -> bool:
    """Find the direction of the next line search; return False if there is none, with the reason in the state."""
    variables, n, m = search.variables, search.variables.shape[0], search.constraints.shape[0]
    state, numbers = search.state[0], search.numbers
    g, s, flat = numbers[G, :n], numbers[S, :n], numbers[HY, :n]
    tolerance = state["tolerance"]
    state["changes"] = 0
    while True:
        _descend(search, g, s)
        write_multipliers(search, g)
        willing, place = most_willing(search)
        length = size(s)
        if length <= tolerance and willing <= tolerance:
            copy_into(g, flat)
            flatten(search, flat)
            if size(flat) <= tolerance:
                state["why"] = STATIONARY
                return False
            if state["fresh"] == 0 and state["resets"] < _RESETS:  # a metric that shrank is not a small gradient
                forget_metric(search)
                continue
            state["why"] = STALLED
            return False
        if place >= 0 and (length <= 0.5 * willing or (length <= tolerance and willing > tolerance)):
            drop_constraint(search, place)
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
            forget_metric(search)
            continue
        furthest, hit = first_hit(search, s)
        if furthest <= 1e-14:
            added = add_constraint(search, hit)
            state["changes"] += 1
            if added and state["changes"] <= 50 * (n + m) + 1000:
                continue
            state["why"] = STALLED
            return False
        edge = _distance_to_edge(problem, search)
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
        begin_line(state, slope, first, furthest)
        return True


@kernel
def _descend(search: Search, g: Array, s: Array) -> None:
    """Write s = -H g."""
    n, metric = g.shape[0], search.numbers[H:]
    for c in range(n):
        s[c] = 0.0
    for i in range(n):
        for c in range(n):
            s[c] -= metric[i, c] * g[i]
    keep_inside(search, s)


@kernel
def keep_inside(search: Search, s: Array) -> None:
    """Turn s exactly along the active constraints, whatever was rounded."""
    n, m, listed = s.shape[0], search.constraints.shape[0], search.active[LISTED]
    flatten(search, s)
    for i in range(search.state[0]["count"]):
        if listed[i] >= m:
            s[(listed[i] - m) % n] = 0.0


@kernel
def forget_metric(search: Search) -> None:
    """Begin the metric anew, flat along the active constraints."""
    reset_metric(search)
    search.state[0]["resets"] += 1
    search.state[0]["fresh"] = 1


@kernel
def size(v: Array) -> float:
    """Length of a vector."""
    total = 0.0
    for c in range(v.shape[0]):
        total += v[c] * v[c]
    return math.sqrt(total)


@kernel
def update_metric(search: Search) -> bool:
    """Update H after the step σ = γs that changed the gradient by y; return False if there is nothing to learn.

    BFGS where σᵀy >= yᵀHy, else DFP (Fletcher 1970): of the two, the one that keeps H away from singular. Both map y to
    σ and what no step has tried to itself.
    """
    n, numbers, gamma = search.variables.shape[0], search.numbers, search.state[0]["gamma"]
    metric, s, y, Hy = numbers[H:], numbers[S, :n], numbers[Y, :n], numbers[HY, :n]
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
            Hy[c] += metric[i, c] * y[i]
    yHy = 0.0
    for c in range(n):
        yHy += y[c] * Hy[c]
    if sy >= yHy:
        grown = (1.0 + yHy / sy) / sy
        for i in range(n):
            a, b = gamma * s[i], Hy[i]
            for c in range(n):
                metric[i, c] += grown * a * gamma * s[c] - (a * Hy[c] + b * gamma * s[c]) / sy
    else:
        for i in range(n):
            a, b = gamma * s[i] / sy, Hy[i] / yHy
            for c in range(n):
                metric[i, c] += a * gamma * s[c] - b * Hy[c]
    return True


@kernel
def rechart(search: Search) -> bool:
    """Bring rotation vectors longer than pi back where that is allowed; what the metric knew of them is void."""
    variables, n, x, metric = search.variables, search.variables.shape[0], search.numbers[X], search.numbers[H:]
    changed = False
    for first in range(n):
        if variables[first]["turns"] == 0:
            continue
        tt = 0.0
        for k in range(3):
            value = x[variables[first + k]["coordinate"]]
            tt += value * value
        if tt <= math.pi * math.pi:
            continue
        changed = True
        length = math.sqrt(tt)
        factor = 1.0 - 2.0 * math.pi * round(length / (2.0 * math.pi)) / length
        for k in range(3):
            x[variables[first + k]["coordinate"]] *= factor
            for c in range(n):
                metric[first + k, c], metric[c, first + k] = 0.0, 0.0
        for k in range(3):
            metric[first + k, first + k] = 1.0
    return changed


@kernel
def _distance_to_edge(problem: DenseProblem, search: Search) -> float:
    """How far one may go along s, in lengths of s, before a rotation vector gets too near a full turn."""
    joints, variables, n_dofs = problem.joints, search.variables, problem.dofs.shape[0]
    q, dq, s = search.numbers[BASE_Q], search.numbers[BY_S], search.numbers[S]
    n_balls = 0
    for j in range(joints.shape[0]):
        n_balls += joints[j]["ball"]
    if n_balls == 0:
        return math.inf
    for d in range(n_dofs):
        dq[d] = 0.0
    for c in range(variables.shape[0]):
        coordinate, change = variables[c]["coordinate"], variables[c]["scale"] * s[c]
        if problem.columns.shape[0] > 0:
            dq[problem.columns[coordinate]] = change
        else:
            for d in range(n_dofs):
                dq[d] += problem.space[d, coordinate] * change
    nearest = math.inf
    for j in range(joints.shape[0]):
        d = joints[j]["first"] + joints[j]["slides"]
        ww, wv, vv = 0.0, 0.0, 0.0
        for k in range(3 * joints[j]["ball"]):
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
