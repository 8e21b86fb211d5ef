"""Least squares in any affine space, with linear constraints and two levels: the loop around the steps of `step`.

`evaluate` and `advance` are also called one by one from Python, where goals written in Python fill rows in between.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import LOWER, SCALE, UPPER, DenseProblem, Point, Q, copy_errors, evaluate, freeze
from posewright.kernels.dense.search_control import AGAIN, BEST, DONE, LOW, SAVED, START, STATE, begin, judge
from posewright.kernels.dense.step import DAMPING, HELD, STEP, dual_step, program_step, project, stay_inside
from posewright.kernels.goals.terms import within_tolerance
from posewright.kernels.solves import Solves
from posewright.kernels.tables import Array, Row, Table
from posewright.kernels.tree.least_squares import rechart

_LEVEL_PRICE = 1e6  # what a unit of the first level's cost, beyond its tolerance, is worth in the second's
_REACHING = 200  # iterations, restarts and all, after which two levels settle: a far second level slows the first down
_RESTORES = 3  # steps of the first level alone after a step that left it
_RESTORING = 1e-6  # their damping


@kernel
def begin_at(problem: DenseProblem, settings: Row, state: Row, start: Array, x: Array, places: Array) -> None:
    """The state before the first evaluation, which is at `start`."""
    copy_into(start, places[START])
    copy_into(start, x)
    freeze(problem, x)
    begin(settings, state)
    for c in range(x.shape[0]):
        places[HELD, c], places[HELD + 1, c] = 0.0, 0.0
        if problem.coordinates[SCALE, c] == 0.0:
            places[LOW, c] = -math.inf


@kernel
def cost_of(problem: DenseProblem, point: Point, reference: Array) -> float:
    """The cost, the first level counting far more than the second where it is beyond its tolerance."""
    rho, q, first, second, pull = point.rho, point.per_dof[Q], 0.0, 0.0, 0.0
    for i in range(rho.shape[0]):
        if problem.levels[i] == 1:
            first += rho[i] * rho[i]
        else:
            second += rho[i] * rho[i]
    for d in range(q.shape[0]):
        gap = q[d] - reference[d]
        pull += problem.posture[d] * gap * gap
    if problem.floor < 0.0:  # one level
        return first + pull
    return _LEVEL_PRICE * max(0.0, first - problem.floor) + second + pull


@kernel
def advance(
    problem: DenseProblem,
    settings: Row,
    state: Row,
    reference: Array,
    reached: bool,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: Point,
    places: Array,
) -> int:
    """Judge what was evaluated at x and, where that is right, step from it; return the action taken."""
    n, m, rho = x.shape[0], point.rho.shape[0], point.rho
    two, n_rows = problem.floor >= 0.0, problem.constraints.shape[0]
    first, total = 0.0, 0.0
    for i in range(m):
        total += rho[i] * rho[i]
        if problem.levels[i] == 1:
            first += rho[i] * rho[i]
    if state["restores"] > 0 and first > state["held"] and stop[0] == 0:
        state["restores"] -= 1
        _step(problem, point, reference, False, True, 0, _RESTORING, x, places)
        return AGAIN
    state["restores"] = 0
    if two and state["settling"] == 0 and state["iterations"] > _REACHING:
        state["settling"], state["trial"], state["cost"] = 1, 0, math.inf
        copy_into(places[BEST], x)
        return AGAIN
    action = judge(settings, state, cost_of(problem, point, reference), reached, stop, x, places)
    if action == AGAIN:  # a random start may be anywhere
        status = project(problem.constraints, problem.n_equal, problem.coordinates, x, np.empty(n + 1, np.int64))
        if status != 0:
            copy_into(places[START], x)
    if action in (AGAIN, DONE):
        return action
    if state["settling"] != 0:
        copy_into(x, places[SAVED])
        if two:
            state["restores"], state["held"] = _RESTORES, max(first, problem.floor)
    elif two:  # the price of the first level would damp its own step to nothing
        state["damping"] = settings["damping"] * total + settings["floor"]
    few = 2 * m <= n and n_rows == 0 and not two and settings["minimising"] == 0 and state["settling"] == 0
    _step(problem, point, reference, few, False, settings["minimising"], state["damping"], x, places)
    if problem.columns.shape[0] == problem.dofs.shape[0] == n and n_rows == 0:
        rechart(problem.joints, problem.dofs, problem.posture, x)
    return action


@kernel
def _step(
    problem: DenseProblem,
    point: Point,
    reference: Array,
    few: bool,
    restores: bool,
    minimising: int,
    damping: float,
    x: Array,
    places: Array,
) -> None:
    """Move x by a step, from the dual system if there are `few` rows; it stays where it is if there is none.

    One that `restores` the first level alone is no longer than the step before: from far away it could lead anywhere.
    """
    n, d, coordinates = x.shape[0], places[STEP], problem.coordinates
    longest = _length(d)
    for c in range(n):
        s = coordinates[SCALE, c]
        places[DAMPING, c] = damping / (s * s) if s > 0.0 else 1.0
    if few:
        dual_step(problem, point, x, places)
    else:
        pull = np.zeros((n if minimising != 0 else 0, n + 1))
        if minimising != 0:
            _add_posture(problem, point.per_dof[Q], reference, pull)
        program_step(problem, point, problem.floor >= 0.0 and not restores, pull, x, places)
    length = _length(d)
    share = longest / length if restores and length > longest else 1.0
    before = x.copy()
    for c in range(n):
        d[c] *= share
        x[c] = min(max(x[c] + d[c], coordinates[LOWER, c]), coordinates[UPPER, c])
    stay_inside(problem, before, x)


@kernel
def _length(d: Array) -> float:
    total = 0.0
    for c in range(d.shape[0]):
        total += d[c] * d[c]
    return math.sqrt(total)


@kernel
def _add_posture(problem: DenseProblem, q: Array, reference: Array, pull: Array) -> None:
    """Add the pull towards the reference as a quadratic form of the step (n, n) and its slope, in the last column."""
    n = pull.shape[0]
    for d in range(q.shape[0]):
        w, row = problem.posture[d], problem.space[d]
        for a in range(n if w != 0.0 else 0):
            v = w * row[a]
            if v != 0.0:
                pull[a, n] += v * (reference[d] - q[d])
                for c in range(n):
                    pull[a, c] += v * row[c]


@kernel
def solve_dense(
    problem: DenseProblem, settings: Table, point: Point, places: Array, solves: Solves, stop: npt.NDArray[np.int8]
) -> None:
    """Solve many problems whose starts are feasible."""
    states = np.zeros(1, STATE)
    starts, targets, references = solves.starts, solves.targets, solves.references
    for solve in range(targets.shape[0]):
        reference = references[solve if references.shape[0] > 1 else 0]
        x, info, state = solves.x[solve], solves.info[solve], states[0]  # here: a row does not keep its table
        begin_at(problem, settings[0], state, starts[solve if starts.shape[0] > 1 else 0], x, places)
        action = AGAIN
        while action != DONE:
            evaluate(problem, targets[solve], x, point)
            reached = within_tolerance(problem.terms, point.found)
            action = advance(problem, settings[0], state, reference, reached, stop, x, point, places)
        copy_errors(point.found, solves.errors[solve])
        info[0], info[1], info[2] = state["iterations"], state["why"], state["cost"]
        info[3] = state["restarts"]
