"""Nonlinear programming under linear constraints: BFGS/DFP with projected gradients (Zhao & Badler 1994, appendix).

Goldfarb's scheme (1969) with Fletcher's switch between the two updates (1970) and Powell's line search (1976): from a
feasible point slide along the active constraints, release one when that promises more, stop at a Kuhn-Tucker point. The
cost never rises.

`evaluate` and `advance` take one point at a time, so that goals written in Python can be added between two calls;
`solve_active_set` is the same loop without Python.

Symbols: G cost, g gradient over the variables of the search, s search direction, λ the distance to the first
constraint, σ and y the last change of the point and of g.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.active_set.constraints import add_constraint, first_hit, reset_metric
from posewright.kernels.active_set.direction import aim, forget_metric, keep_inside, rechart, size, update_metric
from posewright.kernels.active_set.powell_search import ACCEPTED, TRY, judge_trial
from posewright.kernels.active_set.search import (
    ARRIVED,
    BASE,
    BASE_Q,
    BY_X,
    G_TRIAL,
    LAST,
    MARKS,
    NUDGED,
    TRIAL,
    WAS_NUDGED,
    G,
    H,
    S,
    Search,
    X,
    Y,
)
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import DenseProblem, Point, Q, cost_and_gradient
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STALLED,
    STATIONARY,
)
from posewright.kernels.dense.step import rows_kept
from posewright.kernels.goals.residuals import AIM, DIRECTION
from posewright.kernels.goals.terms import CHOSEN, ERROR, RESULT, within_tolerance
from posewright.kernels.tables import Array, Table

_NUDGE = 1e-3  # of the unit of a variable
_NUDGES = 8
_KEPT = 1e-10  # a point that rounding has brought this far over a row, as of `rows_kept`, is not taken
_OPPOSITE = math.pi - 1e-4  # rad: a direction this far off has no slope


@kernel
def begin(search: Search, learned: bool) -> None:
    """The state before the first evaluation, at row X; the metric is what is there if `learned`, or the identity."""
    state = search.state[0]
    state["phase"], state["held"], state["iterations"], state["evaluations"], state["why"] = ARRIVED, 0, 0, 0, 0
    state["changes"], state["resets"], state["nudges"], state["notes"], state["hit"] = 0, 0, 0, 0, -1
    state["tolerance"], state["cost"], state["count"] = -1.0, math.inf, 0
    state["fresh"] = 0 if learned else 1
    for k in range(search.active.shape[1]):
        search.active[MARKS, k] = 0
    if not learned:
        reset_metric(search)
    for k in range(state["equalities"]):
        add_constraint(search, k)
    rechart(search)


@kernel
def evaluate(problem: DenseProblem, targets: Array, reference: Array, search: Search, point: Point) -> float:
    """Write the gradient at row X into row BY_X; return the cost."""
    n_x, n, numbers = problem.coordinates.shape[1], search.variables.shape[0], search.numbers
    x, by_x, wrenches = numbers[X, :n_x], numbers[BY_X, :n_x], numbers[H + 3 * n + 2 :]
    return cost_and_gradient(problem, targets, reference, search.state[0]["held"], x, point, wrenches, by_x)


@kernel
def advance(
    problem: DenseProblem, cost: float, reached: bool, stop: npt.NDArray[np.int8], point: Point, search: Search
) -> int:
    """Take cost and gradient at x; move x to the next point to evaluate (AGAIN) or leave it as the answer (DONE)."""
    state, numbers, variables = search.state[0], search.numbers, search.variables
    n = variables.shape[0]
    g, g_trial, by_x = numbers[G, :n], numbers[G_TRIAL, :n], numbers[BY_X]
    x = numbers[X, : problem.coordinates.shape[1]]
    state["evaluations"] += 1
    phase = state["phase"]
    if phase == LAST:
        state["cost"] = cost
        return DONE
    if phase != ARRIVED and stop[0] != 0:
        return _end_at_base(search, INTERRUPTED)
    for c in range(n):
        g_trial[c] = variables[c]["scale"] * by_x[variables[c]["coordinate"]]
    if phase == TRIAL:
        slope = 0.0
        for c in range(n):
            slope += g_trial[c] * numbers[S, c]
        verdict = judge_trial(state, cost, slope)
        if verdict == TRY:
            _place_trial(search)
            return AGAIN
        if verdict != ACCEPTED or not rows_kept(problem.constraints, problem.n_equal, x, _KEPT):
            if state["fresh"] != 0:
                return _end_at_base(search, STALLED)
            copy_into(numbers[BASE], numbers[X])
            forget_metric(search)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
        _learn(search)
        state["iterations"] += 1
        recharted = rechart(search)
        if recharted or state["choices"] != 0:
            copy_into(g_trial, g)
            state["phase"], state["held"] = ARRIVED, 0
            return AGAIN
    elif phase == NUDGED:
        if not cost < state["cost"] or not rows_kept(problem.constraints, problem.n_equal, x, _KEPT):
            return _nudge(search)
        forget_metric(search)
        state["notes"] |= WAS_NUDGED
        state["nudges"] = _NUDGES
    copy_into(g_trial, g)
    state["cost"] = cost
    if state["tolerance"] < 0.0:
        state["tolerance"] = state["gradient_tolerance"] * max(1.0, size(g))
    copy_into(numbers[X], numbers[BASE])
    copy_into(point.per_dof[Q], numbers[BASE_Q])
    if reached and state["minimising"] == 0:
        state["why"] = REACHED
        return DONE
    if stop[0] != 0 or state["iterations"] >= state["max_iterations"]:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return DONE
    if aim(problem, search):
        _place_trial(search)
        state["phase"], state["held"] = TRIAL, 1
        return AGAIN
    if state["nudges"] < _NUDGES and _points_backwards(problem.terms, point.found):
        return _nudge(search)
    return DONE


@kernel
def _place_trial(search: Search) -> None:
    """Move x to γ along s; where a bound ends the line, exactly onto it."""
    variables, numbers, state = search.variables, search.numbers, search.state[0]
    n, m = variables.shape[0], search.constraints.shape[0]
    gamma, hit, x = state["gamma"], state["hit"], numbers[X]
    for c in range(n):
        variable = variables[c]
        k = variable["coordinate"]
        moved = numbers[BASE, k] + gamma * variable["scale"] * numbers[S, c]
        x[k] = min(max(moved, variable["lower"]), variable["upper"])
    if hit >= m and gamma >= state["furthest"]:
        variable = variables[(hit - m) % n]
        x[variable["coordinate"]] = variable["lower"] if hit < m + n else variable["upper"]


@kernel
def _learn(search: Search) -> None:
    """After a step: take in the constraint that it met, or update the metric by BFGS or DFP."""
    state, numbers = search.state[0], search.numbers
    if state["hit"] >= 0 and state["gamma"] >= state["furthest"]:
        add_constraint(search, state["hit"])
        return
    for c in range(search.variables.shape[0]):
        numbers[Y, c] = numbers[G_TRIAL, c] - numbers[G, c]
    if update_metric(search):
        state["fresh"] = 0


@kernel
def _end_at_base(search: Search, why: int) -> int:
    copy_into(search.numbers[BASE], search.numbers[X])
    state = search.state[0]
    state["phase"], state["held"], state["why"] = LAST, 0, why
    return AGAIN


@kernel
def _nudge(search: Search) -> int:
    """Try a small step in another direction from a point that may be a maximum: some goal points the other way."""
    state = search.state[0]
    if state["nudges"] >= _NUDGES:
        return _end_at_base(search, STATIONARY)
    state["nudges"] += 1
    n = search.variables.shape[0]
    s = search.numbers[S, :n]
    for c in range(n):
        s[c] = math.cos(2.399963 * (c + 1) * state["nudges"])  # any directions, always the same
    keep_inside(search, s)
    furthest, _ = first_hit(search, s)
    state["gamma"], state["furthest"], state["hit"] = min(_NUDGE, furthest), math.inf, -1
    _place_trial(search)
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
    targets: Array,
    reference: Array,
    learned: bool,
    stop: npt.NDArray[np.int8],
    point: Point,
    search: Search,
) -> None:
    """One search from the feasible point in row X, which becomes the answer; the state says what came of it."""
    begin(search, learned)
    action = AGAIN
    while action != DONE:
        cost = evaluate(problem, targets, reference, search, point)
        reached = within_tolerance(problem.terms, point.found)
        action = advance(problem, cost, reached, stop, point, search)
