"""Nonlinear programming under linear constraints: BFGS/DFP with projected gradients (Zhao & Badler 1994, appendix).

Goldfarb's scheme (1969) with Fletcher's switch between the two updates (1970) and Powell's line search (1976): from a
feasible point slide along the active constraints, release one when that promises more, stop at a Kuhn-Tucker point. The
cost never rises.

`advance` takes one evaluation at a time, so that goals written in Python can be added to it between two calls;
`solve_active_set` is the same loop without Python.

Symbols: G cost, g gradient over the variables of `active_set.Region`, s search direction, λ the way to the first
constraint, σ and y the last change of the point and of g.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.active_set.constraints import ActiveSet, Region, add_constraint, first_hit, reset_metric
from posewright.kernels.active_set.direction import aim, forget_metric, keep_inside, size
from posewright.kernels.active_set.powell_search import ACCEPTED, TRY, judge_trial
from posewright.kernels.active_set.search import ARRIVED, LAST, NUDGED, TRIAL, WAS_NUDGED, SearchWork
from posewright.kernels.active_set.variable_metric import update_metric
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STALLED,
    STATIONARY,
)
from posewright.kernels.goals.gradient import WrenchWork, cost_and_gradient
from posewright.kernels.goals.rows import within_tolerance
from posewright.kernels.kinematics.ball_charts import rechart
from posewright.kernels.tables import AIM, DIRECTION, Array, Row, Table

_NUDGE = 1e-3  # rad, m
_NUDGES = 8
_OPPOSITE = math.pi - 1e-4  # rad: a direction this far off has no slope


@kernel
def begin(region: Region, metric: Array, x: Array, active: ActiveSet, work: SearchWork) -> None:
    """The state before the first evaluation, at x; `metric` (variables, variables) or empty for the identity."""
    state = work.state[0]
    state["phase"], state["held"], state["iterations"], state["evaluations"], state["why"] = ARRIVED, 0, 0, 0, 0
    state["changes"], state["resets"], state["nudges"], state["notes"], state["hit"] = 0, 0, 0, 0, -1
    state["tolerance"], state["cost"] = -1.0, math.inf
    active.marks[:] = 0
    reset_metric(active, 0)
    if metric.shape[0] > 0:
        copy_rows_into(metric, active.H)
    state["fresh"] = 1 if metric.shape[0] == 0 else 0
    count = 0
    for k in range(region.n_equal):
        count = add_constraint(region, active, k, count)
    state["count"] = count
    rechart(region, x, active.H)


@kernel
def advance(
    tables: DenseTables,
    entries: Table,
    region: Region,
    settings: Row,
    cost: float,
    by_x: Array,
    reached: bool,
    errors: Array,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: DenseWork,
    active: ActiveSet,
    work: SearchWork,
) -> int:
    """Take cost and gradient at x; move x to the next point to evaluate (AGAIN), or leave it as the answer (DONE)."""
    state, line = work.state[0], work.line[0]
    state["evaluations"] += 1
    phase = state["phase"]
    if phase == LAST:
        state["cost"] = cost
        return DONE
    if phase != ARRIVED and stop[0] != 0:
        return _end_at_base(state, INTERRUPTED, x, work.base)
    for c in range(work.g.shape[0]):
        work.g_trial[c] = region.scale[c] * by_x[region.free[c]]
    if phase == TRIAL:
        slope = 0.0
        for c in range(work.s.shape[0]):
            slope += work.g_trial[c] * work.s[c]
        verdict = judge_trial(line, cost, slope, settings["delta_1"], settings["delta_2"])
        if verdict == TRY:
            _place_trial(region, state["hit"], line, x, work)
            return AGAIN
        if verdict != ACCEPTED:
            if state["fresh"] != 0:
                return _end_at_base(state, STALLED, x, work.base)
            copy_into(work.base, x)
            forget_metric(state, active)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
        _learn(region, state, line, active, work)
        state["iterations"] += 1
        recharted = rechart(region, x, active.H)
        if recharted or settings["choices"] != 0:
            copy_into(work.g_trial, work.g)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
    elif phase == NUDGED:
        if not cost < state["cost"]:
            return _nudge(region, state, active, x, work)
        forget_metric(state, active)
        state["notes"] |= WAS_NUDGED
        state["nudges"] = _NUDGES
    copy_into(work.g_trial, work.g)
    state["cost"] = cost
    if state["tolerance"] < 0.0:
        state["tolerance"] = settings["gradient_tolerance"] * max(1.0, size(work.g))
    copy_into(x, work.base)
    copy_into(point.q, work.q)
    if reached and settings["leaning"] == 0:
        state["why"] = REACHED
        return DONE
    if stop[0] != 0 or state["iterations"] >= settings["max_iterations"]:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return DONE
    if aim(entries, region, state, line, x, active, work):
        _place_trial(region, state["hit"], line, x, work)
        state["phase"], state["held"] = TRIAL, 1
        return AGAIN
    if state["nudges"] < _NUDGES and _points_backwards(tables.terms, point.chosen, errors):
        return _nudge(region, state, active, x, work)
    return DONE


@kernel
def _place_trial(region: Region, hit: int, line: Row, x: Array, work: SearchWork) -> None:
    """Move x to γ along s; where a bound ends the line, exactly onto it."""
    n, m = work.s.shape[0], region.normals.shape[0]
    gamma = line["gamma"]
    for c in range(n):
        k = region.free[c]
        x[k] = min(max(work.base[k] + gamma * region.scale[c] * work.s[c], region.lower[c]), region.upper[c])
    if hit >= m and gamma >= line["furthest"]:
        c = (hit - m) % n
        x[region.free[c]] = region.lower[c] if hit < m + n else region.upper[c]


@kernel
def _learn(region: Region, state: Row, line: Row, active: ActiveSet, work: SearchWork) -> None:
    """After a step: take in the constraint that it met, or update the metric by BFGS or DFP."""
    if state["hit"] >= 0 and line["gamma"] >= line["furthest"]:
        state["count"] = add_constraint(region, active, state["hit"], state["count"])
        return
    for c in range(work.s.shape[0]):
        work.y[c] = work.g_trial[c] - work.g[c]
    if update_metric(active.H, line["gamma"], work.s, work.y, work.Hy):
        state["fresh"] = 0


@kernel
def _end_at_base(state: Row, why: int, x: Array, base: Array) -> int:
    copy_into(base, x)
    state["phase"], state["held"], state["why"] = LAST, 0, why
    return AGAIN


@kernel
def _nudge(region: Region, state: Row, active: ActiveSet, x: Array, work: SearchWork) -> int:
    """Try a small step in another direction from a point that may be a maximum: some goal points the other way."""
    if state["nudges"] >= _NUDGES:
        return _end_at_base(state, STATIONARY, x, work.base)
    state["nudges"] += 1
    n = work.s.shape[0]
    for c in range(n):
        work.s[c] = math.cos(2.399963 * (c + 1) * state["nudges"])  # any directions, always the same
    keep_inside(region, active, state["count"], work.s)
    furthest, _ = first_hit(region, active, work.base, work.s)
    line = work.line[0]
    line["gamma"], line["furthest"] = min(_NUDGE, furthest), math.inf
    _place_trial(region, -1, line, x, work)
    state["phase"], state["held"] = NUDGED, 0
    return AGAIN


@kernel
def _points_backwards(terms: Table, chosen: npt.NDArray[np.int8], errors: Array) -> bool:
    """Whether some direction is exactly opposite to what it should be: the chord has no slope there."""
    found = False
    for k in range(terms.shape[0]):
        chord = terms[k]["kind"] in (AIM, DIRECTION)
        found = found or (chord and chosen[k] != 0 and terms[k]["weight"] > 0.0 and errors[k] > _OPPOSITE)
    return found


@kernel
def solve_active_set(
    tables: DenseTables,
    entries: Table,
    region: Region,
    settings: Table,
    metric: Array,
    starts: Array,
    targets: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    point: DenseWork,
    forces: WrenchWork,
    active: ActiveSet,
    work: SearchWork,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems whose starts are feasible; arrays as of `least_squares.solve_tree`, over x."""
    x = np.empty(tables.matrix.shape[1])
    for solve in range(targets.shape[0]):
        reference = references[solve if references.shape[0] > 1 else 0]
        errors = errors_out[solve]
        copy_into(starts[solve if starts.shape[0] > 1 else 0], x)
        begin(region, metric, x, active, work)
        action = AGAIN
        while action != DONE:
            held = work.state[0]["held"]
            cost = cost_and_gradient(tables, entries, targets[solve], reference, held, x, point, forces, errors)
            reached = within_tolerance(tables.terms, point.chosen, errors)
            action = advance(
                tables, entries, region, settings[0], cost, forces.by_x, reached, errors, stop, x, point, active, work
            )
        copy_into(x, x_out[solve])
        state = work.state[0]
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = state["cost"]
        info_out[solve, 3] = 0.0
