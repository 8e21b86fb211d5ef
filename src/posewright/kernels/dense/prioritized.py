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
from posewright.kernels.dense.priority_step import Levels, PriorityWork, clamped_step, gather_levels, move
from posewright.kernels.dense.problem import DenseTables, DenseWork, evaluate, freeze
from posewright.kernels.dense.search_control import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STATIONARY,
)
from posewright.kernels.dense.strict_levels import LevelWork
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
        ("bound", "f8"),  # b_max of the next step
        ("cost", "f8"),
    ],
    align=True,
)


@kernel
def begin(levels: Levels, state: Row, work: PriorityWork) -> None:
    """The state before the first evaluation."""
    state["iterations"], state["why"], state["done"], state["quiet"] = 0, 0, 0, 0
    state["bound"], state["cost"] = levels.b_max, math.inf
    work.errors[:] = math.inf
    work.marks[:] = math.inf
    work.anchors[:] = math.inf
    work.best_met[:] = 0
    work.locked[:] = 0


@kernel
def levels_met(terms: Table, chosen: npt.NDArray[np.int8], errors: Array, met: npt.NDArray[np.int8]) -> None:
    """Write which levels have every term within its tolerance."""
    met[:] = 1
    for k in range(terms.shape[0]):
        if chosen[k] != 0 and errors[k] > terms[k]["tolerance"]:
            met[terms[k]["level"] - 1] = 0


@kernel
def advance(
    tables: DenseTables,
    levels: Levels,
    state: Row,
    reference: Array,
    stop: npt.NDArray[np.int8],
    x: Array,
    point: DenseWork,
    work: PriorityWork,
    taken: LevelWork,
) -> int:
    """Judge what was evaluated at x (`point`, `work.met`) and step from it; return AGAIN or DONE."""
    last = work.errors[0]
    all_met = _measure(tables, levels, reference, state, x, point, work)
    if state["done"] != 0:
        return DONE
    if all_met and ((levels.pull == 0.0 and levels.stay == 0.0) or levels.settles == 0):
        state["why"] = REACHED
        return DONE
    _keep_best(work.errors, work.met, work.anchors, work.best_met, work.best, x)
    if stop[0] != 0 or state["iterations"] >= levels.max_iterations:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return _finish(state, work.best, x)
    state["quiet"] = 0 if _progress(work.errors, work.met, work.marks) else state["quiet"] + 1
    rose = work.met[0] == 0 and work.errors[0] > 1.1 * last
    state["bound"] = 0.5 * state["bound"] if rose else min(levels.b_max, 1.5 * state["bound"])
    gather_levels(tables, levels, point, work)
    pulled = clamped_step(tables, levels, state["bound"], x, work, taken)
    if (all_met and pulled < _PULL) or state["quiet"] >= _PATIENCE:
        state["why"] = REACHED if all_met else STATIONARY
        return _finish(state, work.best, x)
    move(tables, x, work)
    state["iterations"] += 1
    return AGAIN


@kernel
def _measure(
    tables: DenseTables, levels: Levels, reference: Array, state: Row, x: Array, point: DenseWork, work: PriorityWork
) -> bool:
    """Write the error of each level and the pulls' potential; return whether all levels are met."""
    n_levels = levels.units.shape[0]
    rho, all_met, cost = point.rho, True, 0.0
    for p in range(n_levels):
        total = 0.0
        for i in range(levels.ends[p], levels.ends[p + 1]):
            total += rho[levels.order[i]] ** 2
        cost += total
        work.errors[p] = math.sqrt(total) / levels.units[p]
        if levels.endless[p] != 0 and work.errors[p] > _PULL * 1e-2:
            work.met[p] = 0
        all_met = all_met and work.met[p] != 0
    for d in range(point.q.shape[0]):
        cost += tables.posture[d] * (point.q[d] - reference[d]) ** 2
    state["cost"] = cost
    work.errors[n_levels] = 0.0
    if levels.pull > 0.0:
        work.errors[n_levels] = attraction(tables.joints, levels.stiffness, point.q, reference, work.gradient)
    if levels.stay > 0.0:
        for c in range(x.shape[0]):
            work.errors[n_levels] += 0.5 * (x[c] - levels.home[c]) ** 2
    return all_met


@kernel
def _keep_best(
    errors: Array, met: npt.NDArray[np.int8], anchors: Array, best_met: npt.NDArray[np.int8], best: Array, x: Array
) -> None:
    """Keep x if it is better than the best so far at the first level where the two differ."""
    n_levels = met.shape[0]
    for p in range(n_levels + 1):
        met_now, met_before = p < n_levels and met[p] != 0, p < n_levels and best_met[p] != 0
        if met_now and met_before:
            continue
        if met_before:
            return
        if met_now or errors[p] < (1.0 - _GAIN) * anchors[p]:
            for k in range(p, n_levels + 1):  # whatever the levels below have become, they count from this point
                anchors[k] = errors[k]
                if k < n_levels:
                    best_met[k] = met[k]
            break
        if errors[p] > (1.0 + _GAIN) * anchors[p]:
            return
    for c in range(x.shape[0]):  # better, or as good and later: closer on every level
        best[c] = x[c]


@kernel
def _progress(errors: Array, met: npt.NDArray[np.int8], marks: Array) -> bool:
    """Whether a level that is not met has fallen."""
    n_levels = met.shape[0]
    for p in range(n_levels + 1):
        if p < n_levels and met[p] != 0:
            continue
        if errors[p] < (1.0 - _GAIN) * marks[p]:
            for k in range(p, n_levels + 1):  # levels below may have paid for it
                marks[k] = errors[k]
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
    tables: DenseTables,
    levels: Levels,
    starts: Array,
    targets: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    point: DenseWork,
    work: PriorityWork,
    taken: LevelWork,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems whose starts are feasible; arrays as of `least_squares.solve_tree`, over x."""
    x = np.empty(tables.matrix.shape[1])
    states = np.zeros(1, STATE)
    for solve in range(targets.shape[0]):
        reference = references[solve if references.shape[0] > 1 else 0]
        start = starts[solve if starts.shape[0] > 1 else 0]
        for c in range(x.shape[0]):
            x[c] = start[c]
        freeze(tables, x)
        state = states[0]
        begin(levels, state, work)
        action = AGAIN
        while action != DONE:
            evaluate(tables, targets[solve], x, point, errors_out[solve])
            levels_met(tables.terms, point.chosen, errors_out[solve], work.met)
            action = advance(tables, levels, state, reference, stop, x, point, work, taken)
        copy_into(x, x_out[solve])
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = state["cost"]
        info_out[solve, 3] = 0.0
