"""Nonlinear programming under linear constraints: BFGS/DFP with projected gradients (Zhao & Badler 1994, appendix).

Goldfarb's scheme (1969) with Fletcher's switch between the two updates (1970) and Powell's line search (1976): from a
feasible point slide along the active constraints, release one when that promises more, stop at a Kuhn-Tucker point. The
cost never rises.

`advance` takes one evaluation at a time, so that goals written in Python can be added to it between two calls;
`solve_active_set` is the same loop without Python.

Symbols: G cost, g gradient over the variables of `constraints.Region`, s search direction, λ the distance to the first
constraint, σ and y the last change of the point and of g.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.active_set.constraints import ActiveSet, Region, add_constraint, first_hit, reset_metric
from posewright.kernels.active_set.direction import (
    ARRIVED,
    BASE,
    BY_X,
    G_TRIAL,
    HY,
    LAST,
    NUDGED,
    TRIAL,
    WAS_NUDGED,
    G,
    S,
    SearchWork,
    Y,
    aim,
    forget_metric,
    keep_inside,
    rechart,
    size,
    update_metric,
)
from posewright.kernels.active_set.powell_search import ACCEPTED, TRY, judge_trial
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.problem import DenseProblem, Point, Q, copy_errors, cost_and_gradient
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STALLED,
    STATIONARY,
)
from posewright.kernels.goals.residuals import AIM, DIRECTION
from posewright.kernels.goals.terms import CHOSEN, ERROR, RESULT, within_tolerance
from posewright.kernels.tables import Array, Row, Table

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
    problem: DenseProblem,
    region: Region,
    settings: Row,
    cost: float,
    reached: bool,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: Point,
    active: ActiveSet,
    work: SearchWork,
) -> int:
    """Take cost and gradient at x; move x to the next point to evaluate (AGAIN) or leave it as the answer (DONE)."""
    state, line, base, by_x = work.state[0], work.line[0], work.places[BASE], work.places[BY_X]
    g, g_trial, variables = work.vectors[G], work.vectors[G_TRIAL], region.variables
    state["evaluations"] += 1
    phase = state["phase"]
    if phase == LAST:
        state["cost"] = cost
        return DONE
    if phase != ARRIVED and stop[0] != 0:
        return _end_at_base(state, INTERRUPTED, x, base)
    for c in range(g.shape[0]):
        g_trial[c] = variables[c]["scale"] * by_x[variables[c]["coordinate"]]
    if phase == TRIAL:
        slope = 0.0
        for c in range(g.shape[0]):
            slope += g_trial[c] * work.vectors[S, c]
        verdict = judge_trial(line, cost, slope, settings["sufficient_decrease"], settings["curvature"])
        if verdict == TRY:
            _place_trial(region, state["hit"], line, x, work)
            return AGAIN
        if verdict != ACCEPTED:
            if state["fresh"] != 0:
                return _end_at_base(state, STALLED, x, base)
            copy_into(base, x)
            forget_metric(state, active)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
        _learn(region, state, line, active, work)
        state["iterations"] += 1
        recharted = rechart(region, x, active.H)
        if recharted or settings["choices"] != 0:
            copy_into(g_trial, g)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
    elif phase == NUDGED:
        if not cost < state["cost"]:
            return _nudge(region, state, active, x, work)
        forget_metric(state, active)
        state["notes"] |= WAS_NUDGED
        state["nudges"] = _NUDGES
    copy_into(g_trial, g)
    state["cost"] = cost
    if state["tolerance"] < 0.0:
        state["tolerance"] = settings["gradient_tolerance"] * max(1.0, size(g))
    copy_into(x, base)
    copy_into(point.per_dof[Q], work.per_dof[0])
    if reached and settings["minimising"] == 0:
        state["why"] = REACHED
        return DONE
    if stop[0] != 0 or state["iterations"] >= settings["max_iterations"]:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return DONE
    if aim(problem, region, x, active, work):
        _place_trial(region, state["hit"], line, x, work)
        state["phase"], state["held"] = TRIAL, 1
        return AGAIN
    if state["nudges"] < _NUDGES and _points_backwards(problem.terms, point.found):
        return _nudge(region, state, active, x, work)
    return DONE


@kernel
def _place_trial(region: Region, hit: int, line: Row, x: Array, work: SearchWork) -> None:
    """Move x to γ along s; where a bound ends the line, exactly onto it."""
    n, m, s = region.variables.shape[0], region.rows.shape[0], work.vectors[S]
    gamma = line["gamma"]
    for c in range(n):
        variable = region.variables[c]
        k = variable["coordinate"]
        x[k] = min(max(work.places[BASE, k] + gamma * variable["scale"] * s[c], variable["lower"]), variable["upper"])
    if hit >= m and gamma >= line["furthest"]:
        variable = region.variables[(hit - m) % n]
        x[variable["coordinate"]] = variable["lower"] if hit < m + n else variable["upper"]


@kernel
def _learn(region: Region, state: Row, line: Row, active: ActiveSet, work: SearchWork) -> None:
    """After a step: take in the constraint that it met, or update the metric by BFGS or DFP."""
    if state["hit"] >= 0 and line["gamma"] >= line["furthest"]:
        state["count"] = add_constraint(region, active, state["hit"], state["count"])
        return
    vectors = work.vectors
    for c in range(vectors.shape[1]):
        vectors[Y, c] = vectors[G_TRIAL, c] - vectors[G, c]
    if update_metric(active.H, line["gamma"], vectors[S], vectors[Y], vectors[HY]):
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
        return _end_at_base(state, STATIONARY, x, work.places[BASE])
    state["nudges"] += 1
    s = work.vectors[S]
    for c in range(s.shape[0]):
        s[c] = math.cos(2.399963 * (c + 1) * state["nudges"])  # any directions, always the same
    keep_inside(region, active, state["count"], s)
    furthest, _ = first_hit(region, active, work.places[BASE], s)
    line = work.line[0]
    line["gamma"], line["furthest"] = min(_NUDGE, furthest), math.inf
    _place_trial(region, -1, line, x, work)
    state["phase"], state["held"] = NUDGED, 0
    return AGAIN


@kernel
def _points_backwards(terms: Table, found: Array) -> bool:
    """Whether some direction is exactly opposite to what it should be: the chord has no slope there."""
    backwards = False
    for k in range(terms.shape[0]):
        counts = terms[k]["kind"] in (AIM, DIRECTION) and found[k, RESULT, CHOSEN] != 0.0 and terms[k]["weight"] > 0.0
        backwards = backwards or (counts and found[k, RESULT, ERROR] > _OPPOSITE)
    return backwards


@kernel
def solve_active_set(
    problem: DenseProblem,
    region: Region,
    settings: Table,
    metric: Array,
    start: Array,
    targets: Array,
    reference: Array,
    stop: npt.NDArray[np.int8],
    point: Point,
    active: ActiveSet,
    work: SearchWork,
    x: Array,
    errors: Array,
) -> None:
    """One search from a feasible start; the answer is x (coordinates,) and what the state in `work` says."""
    copy_into(start, x)
    begin(region, metric, x, active, work)
    action = AGAIN
    while action != DONE:
        held = work.state[0]["held"]
        cost = cost_and_gradient(problem, targets, reference, held, x, point, work.wrenches, work.places[BY_X])
        reached = within_tolerance(problem.terms, point.found)
        action = advance(problem, region, settings[0], cost, reached, stop, x, point, active, work)
    copy_errors(point.found, errors)
