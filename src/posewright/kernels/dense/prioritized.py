"""The prioritized search: any number of strict levels, limits by clamping, pulls to references below all levels.

One iteration is one `clamped_step`: the levels in order (`strict_levels`), then the pulls in the rest: of the pose to a
reference (`attraction`), of the coordinates home.

The answer is the best point met, compared level by level from the first; `advance` is also called from Python, where
goals written in Python fill rows in between.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.attraction import attraction
from posewright.kernels.dense.priority_step import BEST, HOME, LOCKED, Levels, clamped_step, gather_levels, move
from posewright.kernels.dense.problem import (
    GRADIENT,
    STIFFNESS,
    UNIT,
    DenseProblem,
    Point,
    Q,
    copy_errors,
    evaluate,
    freeze,
)
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STATIONARY,
)
from posewright.kernels.dense.strict_levels import LevelWork
from posewright.kernels.goals.terms import CHOSEN, ERROR, RESULT
from posewright.kernels.solves import Solves
from posewright.kernels.tables import Array, Row, Table

_GAIN = 1e-4  # a level that falls by less, relatively, makes no progress
_PATIENCE = 10  # iterations without progress
_PULL = 1e-4  # rad or m: a pull shorter than this has arrived

STATE: Final = np.dtype(
    [
        ("iterations", "i8"),
        ("why", "i8"),
        ("done", "i8"),  # 1 if only the evaluation of the answer is missing
        ("quiet", "i8"),  # iterations without progress
        ("bound", "f8"),  # longest increment of a level in the next step
        ("cost", "f8"),
    ],
    align=True,
)


@kernel
def begin(levels: Levels, state: Row) -> None:
    """The state before the first evaluation."""
    state["iterations"], state["why"], state["done"], state["quiet"] = 0, 0, 0, 0
    state["bound"], state["cost"] = levels.max_step, math.inf
    for p in range(levels.table.shape[0]):
        level = levels.table[p]
        level["error"], level["mark"], level["anchor"], level["best_met"] = math.inf, math.inf, math.inf, 0
    for c in range(levels.places.shape[1]):
        levels.places[LOCKED, c] = 0.0


@kernel
def levels_met(terms: Table, found: Array, table: Table) -> None:
    """Write which levels have every term within its tolerance; of the pull, that it is never met."""
    for p in range(table.shape[0]):
        table[p]["met"] = 1 if p < table.shape[0] - 1 else 0
    for k in range(terms.shape[0]):
        if found[k, RESULT, CHOSEN] != 0.0 and found[k, RESULT, ERROR] > terms[k]["tolerance"]:
            table[terms[k]["level"] - 1]["met"] = 0


@kernel
def advance(
    problem: DenseProblem,
    levels: Levels,
    state: Row,
    reference: Array,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: Point,
    taken: LevelWork,
) -> int:
    """Judge what was evaluated at x (`point`, `met` of the levels) and step from it; return AGAIN or DONE."""
    table, best = levels.table, levels.places[BEST]
    last = table[0]["error"]
    all_met = _measure(problem, levels, reference, state, x, point)
    if state["done"] != 0:
        return DONE
    if all_met and ((levels.pull == 0.0 and levels.stay == 0.0) or levels.settles == 0):
        state["why"] = REACHED
        return DONE
    if _is_better(table):
        copy_into(x, best)
    if stop[0] != 0 or state["iterations"] >= levels.max_iterations:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return _finish(state, best, x)
    state["quiet"] = 0 if _progress(table) else state["quiet"] + 1
    rose = table[0]["met"] == 0 and table[0]["error"] > 1.1 * last
    state["bound"] = 0.5 * state["bound"] if rose else min(levels.max_step, 1.5 * state["bound"])
    gather_levels(problem, levels, point)
    pulled = clamped_step(problem, levels, state["bound"], x, point, taken)
    if (all_met and pulled < _PULL) or state["quiet"] >= _PATIENCE:
        state["why"] = REACHED if all_met else STATIONARY
        return _finish(state, best, x)
    move(problem, x, levels.places)
    state["iterations"] += 1
    return AGAIN


@kernel
def _measure(problem: DenseProblem, levels: Levels, reference: Array, state: Row, x: Array, point: Point) -> bool:
    """Write the error of each level and the pulls' potential; return whether all levels are met."""
    table, rho, q = levels.table, point.rho, point.per_dof[Q]
    n_levels, all_met, cost, potential = table.shape[0] - 1, True, 0.0, 0.0
    for p in range(n_levels):
        total = 0.0
        for i in range(table[p]["first"], table[p]["end"]):
            residual = rho[levels.order[i]]
            total += residual * residual
        cost += total
        table[p]["error"] = math.sqrt(total) / table[p]["unit"]
        if table[p]["endless"] != 0 and table[p]["error"] > _PULL * 1e-2:
            table[p]["met"] = 0
        all_met = all_met and table[p]["met"] != 0
    for d in range(q.shape[0]):
        gap = q[d] - reference[d]
        cost += problem.posture[d] * gap * gap
    state["cost"] = cost
    if levels.pull > 0.0:
        potential = attraction(problem.joints, point.per_dof[STIFFNESS], q, reference, point.per_dof[GRADIENT])
    if levels.stay > 0.0:
        for c in range(x.shape[0]):
            gap = (x[c] - levels.places[HOME, c]) / problem.coordinates[UNIT, c]
            potential += 0.5 * gap * gap
    table[n_levels]["error"] = potential
    return all_met


@kernel
def _is_better(table: Table) -> bool:
    """Whether a point is better than the best so far at the first level where the two differ, or as good and later."""
    n = table.shape[0]
    for p in range(n):
        met_now, met_before = table[p]["met"] != 0, table[p]["best_met"] != 0
        if met_now and met_before:
            continue
        if met_before:
            return False
        if met_now or table[p]["error"] < (1.0 - _GAIN) * table[p]["anchor"]:
            for k in range(p, n):  # whatever the levels below have become, they count from this point
                table[k]["anchor"], table[k]["best_met"] = table[k]["error"], table[k]["met"]
            break
        if table[p]["error"] > (1.0 + _GAIN) * table[p]["anchor"]:
            return False
    return True


@kernel
def _progress(table: Table) -> bool:
    """Whether a level that is not met has fallen."""
    n = table.shape[0]
    for p in range(n):
        if table[p]["met"] == 0 and table[p]["error"] < (1.0 - _GAIN) * table[p]["mark"]:
            for k in range(p, n):  # levels below may have paid for it
                table[k]["mark"] = table[k]["error"]
            return True
    return False


@kernel
def _finish(state: Row, best: Array, x: Array) -> int:
    """End the search at its best point."""
    same = True
    for c in range(x.shape[0]):
        same = same and x[c] == best[c]
        x[c] = best[c]
    state["done"] = 1
    return DONE if same else AGAIN


@kernel
def solve_prioritized(
    problem: DenseProblem, levels: Levels, point: Point, taken: LevelWork, solves: Solves, stop: npt.NDArray[np.int8]
) -> None:
    """Solve many problems whose starts are feasible."""
    states = np.zeros(1, STATE)
    for solve in range(solves.targets.shape[0]):
        solve_one(problem, levels, point, taken, solves, solve, states, stop)


@kernel
def solve_one(
    problem: DenseProblem,
    levels: Levels,
    point: Point,
    taken: LevelWork,
    solves: Solves,
    solve: int,
    states: Table,
    stop: npt.NDArray[np.int8],
) -> None:
    """One of many solves; `states` (1,) is to work in."""
    starts, targets, references = solves.starts, solves.targets[solve], solves.references
    reference = references[solve if references.shape[0] > 1 else 0]
    x, info, state = solves.x[solve], solves.info[solve], states[0]
    copy_into(starts[solve if starts.shape[0] > 1 else 0], x)
    freeze(problem, x)
    begin(levels, state)
    action = AGAIN
    while action != DONE:
        evaluate(problem, targets, x, point)
        levels_met(problem.terms, point.found, levels.table)
        action = advance(problem, levels, state, reference, stop, x, point, taken)
    copy_errors(point.found, solves.errors[solve])
    info[0], info[1], info[2], info[3] = state["iterations"], state["why"], state["cost"], 0.0
