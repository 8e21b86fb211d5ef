"""The prioritized search: any number of strict levels, limits by clamping, a pull to a reference below all levels.

One iteration: the levels' steps (`strict_levels`) with every limit and linear row that the step would break held at its
bound, one more at a time until none is broken (clamping loop), and the pull (`attraction`) in what freedom is left.
Rigidity: the step is S φ with S = 1 - rigidity and levels see J S.

The answer is the best point met, compared level by level from the first; `advance` is also called from Python, where
goals written in Python fill rows in between.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.attraction import attraction
from posewright.kernels.dense import project
from posewright.kernels.dense_problem import DenseTables, DenseWork, evaluate, freeze
from posewright.kernels.descent import (
    AGAIN,
    DONE,
    INTERRUPTED,
    OUT_OF_ITERATIONS,
    REACHED,
    STATIONARY,
)
from posewright.kernels.jit import kernel
from posewright.kernels.least_squares import rechart
from posewright.kernels.strict_levels import LevelWork, add_equality, add_level, project_out
from posewright.kernels.tables import Array, Row, Table

_GAIN = 1e-4  # a level that falls by less, relatively, makes no progress
_PATIENCE = 10  # iterations without progress
_PULL = 1e-4  # rad or m: a pull shorter than this has arrived
_BROKEN = 1e-12  # rad or m: a limit is broken beyond this

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


class Levels(NamedTuple):
    """How the rows of a problem make up levels, and the settings of the search."""

    order: npt.NDArray[np.int64]
    """(rows,): rows by level"""
    ends: npt.NDArray[np.int64]
    """(levels + 1,): level p owns order[ends[p]:ends[p + 1]]"""
    units: Array
    """(levels,): root of the largest weight; only relative weights count within a level"""
    endless: npt.NDArray[np.int8]
    """(levels,): 1 if it has rows without a tolerance, which are minimised to the end"""
    stiffness: Array
    """(dofs,): K of the pull, at most 1"""
    pull: float
    """Share of the way to the reference per iteration; 0: no pull"""
    b_max: float
    dx_max: float
    max_iterations: int


class PriorityWork(NamedTuple):
    """Arrays that a search reuses from iteration to iteration."""

    J: Array
    """(rows, coordinates): J S over the unit, level by level, without empty rows"""
    dx: Array
    """(rows,)"""
    used: npt.NDArray[np.int64]
    """(levels + 1,): where the rows of each level begin in J and dx"""
    errors: Array
    """(levels + 1,): norm of each level, then the pull's potential"""
    met: npt.NDArray[np.int8]
    """(levels,)"""
    marks: Array
    """(levels + 1,): the last value that counted as progress"""
    anchors: Array
    """(levels + 1,): of the best point"""
    best_met: npt.NDArray[np.int8]
    best: Array
    locked: npt.NDArray[np.int8]
    held: npt.NDArray[np.int8]
    """(constraints,)"""
    step: Array
    """(coordinates,), φ"""
    gradient: Array
    """(dofs,)"""
    downhill: Array
    """(coordinates,)"""
    fixed: Array
    """(coordinates,): steps of locked coordinates"""
    row: Array
    """(coordinates,): of a constraint"""
    before: Array
    """(coordinates,)"""
    active: npt.NDArray[np.int64]


@kernel
def begin(levels: Levels, state: Row, work: PriorityWork) -> None:
    """The state before the first evaluation."""
    state["iterations"], state["why"], state["done"], state["quiet"] = 0, 0, 0, 0
    state["bound"], state["cost"] = levels.b_max, math.inf
    work.errors[:] = math.inf
    work.marks[:] = math.inf
    work.anchors[:] = math.inf
    work.best_met[:] = 0


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
    all_met = _measure(tables, levels, reference, state, point, work)
    if state["done"] != 0:
        return DONE
    if all_met and levels.pull == 0.0:
        state["why"] = REACHED
        return DONE
    _keep_best(work.errors, work.met, work.anchors, work.best_met, work.best, x)
    if stop[0] != 0 or state["iterations"] >= levels.max_iterations:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        return _finish(state, work.best, x)
    state["quiet"] = 0 if _progress(work.errors, work.met, work.marks) else state["quiet"] + 1
    rose = work.met[0] == 0 and work.errors[0] > 1.1 * last
    state["bound"] = 0.5 * state["bound"] if rose else min(levels.b_max, 1.5 * state["bound"])
    _gather(tables, levels, point, work)
    pulled = _clamped_step(tables, levels, state["bound"], x, work, taken)
    if (all_met and pulled < _PULL) or state["quiet"] >= _PATIENCE:
        state["why"] = REACHED if all_met else STATIONARY
        return _finish(state, work.best, x)
    _move(tables, x, work)
    state["iterations"] += 1
    return AGAIN


@kernel
def _measure(
    tables: DenseTables, levels: Levels, reference: Array, state: Row, point: DenseWork, work: PriorityWork
) -> bool:
    """Write the error of each level and the pull's potential; return whether all levels are met."""
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
def _gather(tables: DenseTables, levels: Levels, point: DenseWork, work: PriorityWork) -> None:
    """Collect the rows that can be changed, level by level, with Δx limited in length."""
    n = tables.scale.shape[0]
    used = 0
    for p in range(levels.units.shape[0]):
        work.used[p] = used
        unit = 1.0 / levels.units[p]
        total = 0.0
        for k in range(levels.ends[p], levels.ends[p + 1]):
            i = levels.order[k]
            size = 0.0
            for c in range(n):
                v = unit * point.J[i, c] * tables.scale[c]
                work.J[used, c] = v
                size += v * v
            if size == 0.0:
                continue
            work.dx[used] = -unit * point.rho[i]
            total += work.dx[used] ** 2
            used += 1
        if total > levels.dx_max * levels.dx_max:
            for k in range(work.used[p], used):
                work.dx[k] *= levels.dx_max / math.sqrt(total)
    work.used[levels.units.shape[0]] = used


@kernel
def _clamped_step(
    tables: DenseTables, levels: Levels, bound: float, x: Array, work: PriorityWork, taken: LevelWork
) -> float:
    """Write the step φ that keeps every limit and row; return the length of the pull in it."""
    n = x.shape[0]
    step, locked, held, scale = work.step, work.locked, work.held, tables.scale
    for c in range(n):
        locked[c] = 1 if scale[c] == 0.0 else 0
        work.fixed[c] = 0.0
    for i in range(tables.A.shape[0]):
        held[i] = 1 if i < tables.n_equal else 0
    pulled = 0.0
    for _ in range(n + tables.A.shape[0]):
        for c in range(n):
            step[c] = work.fixed[c]
        count = int(np.int64(0))  # not the literal, for which Numba would compile the levels a second time
        for i in range(tables.A.shape[0]):
            if held[i] != 0:
                gap = tables.b[i]
                for c in range(n):
                    gap -= tables.A[i, c] * x[c]
                    work.row[c] = tables.A[i, c] * scale[c]
                count = add_equality(work.row, gap, locked, taken, count, step)
        for p in range(levels.units.shape[0]):
            low, high = work.used[p], work.used[p + 1]
            if high > low:
                count = add_level(work.J[low:high], work.dx[low:high], bound, locked, taken, count, step)
        pulled = _pull(tables, levels, bound, work, taken, count)
        if not _hold_one_more(tables, x, work):
            break
    return pulled


@kernel
def _pull(tables: DenseTables, levels: Levels, bound: float, work: PriorityWork, taken: LevelWork, count: int) -> float:
    """Add -pull · P S ∇g, at most `bound` long, to the step; return its length."""
    if levels.pull == 0.0:
        return 0.0
    v, n = work.downhill, tables.scale.shape[0]
    selects = tables.columns.shape[0] == n
    for c in range(n):
        v[c] = 0.0
        if work.locked[c] != 0:
            continue
        if selects:
            v[c] = -levels.pull * tables.scale[c] * work.gradient[tables.columns[c]]
        else:
            for d in range(tables.matrix.shape[0]):
                v[c] -= levels.pull * tables.scale[c] * tables.matrix[d, c] * work.gradient[d]
    project_out(taken, count, v)
    total = 0.0
    for c in range(n):
        total += v[c] * v[c]
    length = math.sqrt(total)
    factor = 1.0 if length <= bound else bound / length
    for c in range(n):
        work.step[c] += factor * v[c]
    return factor * length


@kernel
def _hold_one_more(tables: DenseTables, x: Array, work: PriorityWork) -> bool:
    """Of the limits and rows that the step would break, hold the one broken by the largest share of its motion."""
    n = x.shape[0]
    worst, which = 0.0, -1
    for c in range(n):
        if work.locked[c] != 0:
            continue
        move = tables.scale[c] * work.step[c]
        beyond = max(tables.lower[c] - (x[c] + move), x[c] + move - tables.upper[c])
        if beyond > _BROKEN and beyond / abs(move) > worst:
            worst, which = beyond / abs(move), c
    for i in range(tables.n_equal, tables.A.shape[0]):
        if work.held[i] != 0:
            continue
        value, move = -tables.b[i], 0.0
        for c in range(n):
            value += tables.A[i, c] * x[c]
            move += tables.A[i, c] * tables.scale[c] * work.step[c]
        if value + move > _BROKEN and (value + move) / abs(move) > worst:
            worst, which = (value + move) / abs(move), n + i
    if which < 0:
        return False
    if which >= n:
        work.held[which - n] = 1
        return True
    side = tables.lower[which] if work.step[which] < 0.0 else tables.upper[which]
    work.locked[which] = 1
    work.fixed[which] = (side - x[which]) / tables.scale[which]
    return True


@kernel
def _move(tables: DenseTables, x: Array, work: PriorityWork) -> None:
    """X ← x + S φ, never out of the feasible region."""
    n = x.shape[0]
    for c in range(n):
        work.before[c] = x[c]
        x[c] = min(max(x[c] + tables.scale[c] * work.step[c], tables.lower[c]), tables.upper[c])
    if tables.A.shape[0] > 0:
        project(tables.A, tables.b, tables.n_equal, tables.lower, tables.upper, x, work.active)
        for i in range(tables.A.shape[0]):
            gap = -tables.b[i]
            for c in range(n):
                gap += tables.A[i, c] * x[c]
            if gap > 1e-10 or (i < tables.n_equal and gap < -1e-10):  # rounding got in the way: stay
                for k in range(n):
                    x[k] = work.before[k]
                return
    elif tables.columns.shape[0] == tables.matrix.shape[0] == n:
        rechart(tables.joints, tables.dofs, tables.posture, x)


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
        x_out[solve] = x
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = state["cost"]
        info_out[solve, 3] = 0.0
