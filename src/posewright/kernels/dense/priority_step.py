"""One prioritized step within limits: the levels served again and again, until no limit is broken.

Symbols: φ the step over S = 1 - rigidity, so that x changes by S φ and levels see J S. A coordinate that the step would
push over its limit is locked at it, a linear row that it would break is held as an equality above all levels.

A coordinate that lies at its limit already is locked on suspicion: if it was locked in the iteration before, or if a
step pushes it outwards, many of them at once. It is set free again if it then wishes to come in. Where suspicions go on
being wrong there are none, and limits are held one by one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.dense.step import project
from posewright.kernels.dense.strict_levels import LevelWork, add_equality, add_level, begin_step, project_out
from posewright.kernels.tables import Array
from posewright.kernels.tree.least_squares import rechart

_BROKEN = 1e-12  # rad or m: a limit is broken beyond this
_WRONG = 6  # times that coordinates are set free


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
    home: Array
    """(coordinates,): what the coordinates themselves are pulled to"""
    stay: float
    """Share of the way home per iteration; 0: no such pull"""
    settles: int
    """1: goals that are met do not end the search before the pull has arrived"""
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
    """(coordinates,): 2 or -2 at the upper or lower limit on suspicion, 1 for good, else 0; kept for the next step"""
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
def gather_levels(tables: DenseTables, levels: Levels, point: DenseWork, work: PriorityWork) -> None:
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
def clamped_step(
    tables: DenseTables, levels: Levels, bound: float, x: Array, work: PriorityWork, taken: LevelWork
) -> float:
    """Write the step φ that keeps every limit and row; return the length of the pull in it."""
    n = x.shape[0]
    step, locked, held, scale = work.step, work.locked, work.held, tables.scale
    for c in range(n):
        at = _limit_at(tables, x, c) if locked[c] != 0 else 0
        locked[c] = 1 if scale[c] == 0.0 else 2 * at
        work.fixed[c] = 0.0
    for i in range(tables.A.shape[0]):
        held[i] = 1 if i < tables.n_equal else 0
    pulled, wrong = 0.0, 0
    for _ in range(10 * (n + tables.A.shape[0])):
        begin_step(locked, taken)
        for c in range(n):
            step[c] = work.fixed[c]
        count = 0
        for i in range(tables.A.shape[0]):
            if held[i] != 0:
                gap = tables.b[i]
                for c in range(n):
                    gap -= tables.A[i, c] * x[c]
                    work.row[c] = tables.A[i, c] * scale[c]
                count = add_equality(work.row, gap, taken, count, step)
        for p in range(levels.units.shape[0]):
            low, high = work.used[p], work.used[p + 1]
            if high > low:
                count = add_level(work.J[low:high], work.dx[low:high], bound, taken, count, step)
        pulled = _pull(tables, levels, bound, x, work, taken, count)
        if wrong <= _WRONG and _set_free(locked, taken.wish):
            wrong += 1
            for c in range(n):
                if wrong > _WRONG and abs(locked[c]) == 2:
                    locked[c] = 0
            continue
        if wrong <= _WRONG and _suspect(tables, x, work):
            continue
        if not _hold_one_more(tables, x, work):
            break
    return pulled


@kernel
def _limit_at(tables: DenseTables, x: Array, c: int) -> int:
    """1 or -1 if a coordinate lies at its upper or lower limit, else 0."""
    if x[c] >= tables.upper[c]:
        return 1
    return -1 if x[c] <= tables.lower[c] else 0


@kernel
def _set_free(locked: npt.NDArray[np.int8], wish: Array) -> bool:
    """Set free what was locked on suspicion and wishes to come in; whether there was any."""
    any_free = False
    for c in range(locked.shape[0]):
        if abs(locked[c]) == 2 and wish[c] * locked[c] < -_BROKEN:
            locked[c] = 0
            any_free = True
    return any_free


@kernel
def _suspect(tables: DenseTables, x: Array, work: PriorityWork) -> bool:
    """Lock all that lie at a limit and would be pushed over it; whether there was any."""
    any_new = False
    for c in range(x.shape[0]):
        if work.locked[c] == 0:
            at = _limit_at(tables, x, c)
            if at * tables.scale[c] * work.step[c] > _BROKEN:
                work.locked[c] = 2 * at
                any_new = True
    return any_new


@kernel
def _pull(
    tables: DenseTables, levels: Levels, bound: float, x: Array, work: PriorityWork, taken: LevelWork, count: int
) -> float:
    """Add -P S (pull · ∇g + stay · (x - home)), at most `bound` long, to the step; return its length."""
    if levels.pull == 0.0 and levels.stay == 0.0:
        return 0.0
    v, n = work.downhill, tables.scale.shape[0]
    selects = tables.columns.shape[0] == n
    for c in range(n):
        v[c] = -levels.stay * tables.scale[c] * (x[c] - levels.home[c])
        if levels.pull == 0.0:
            continue
        if selects:
            v[c] -= levels.pull * tables.scale[c] * work.gradient[tables.columns[c]]
        else:
            for d in range(tables.matrix.shape[0]):
                v[c] -= levels.pull * tables.scale[c] * tables.matrix[d, c] * work.gradient[d]
    project_out(taken, count, v)
    total = 0.0
    for c in range(n):
        total += taken.free[c] * v[c] * v[c]
    length = math.sqrt(total)
    factor = 1.0 if length <= bound else bound / length
    for c in range(n):
        taken.wish[c] += factor * v[c]
        work.step[c] += taken.free[c] * factor * v[c]
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
def move(tables: DenseTables, x: Array, work: PriorityWork) -> None:
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
