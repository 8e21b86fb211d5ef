"""One prioritized step within limits: the levels served again and again, until no limit is broken.

Symbols: φ the step over S = 1 - rigidity, so that x changes by S φ and levels see J S. A coordinate that the step would
push over its limit is locked at it, a linear row that it would break is held as an equality above all levels.

A coordinate that lies at its limit already is locked on suspicion: if it was locked in the iteration before, or if a
step pushes it outwards, many of them at once. It is set free again if it then wishes to come in. Where suspicions go on
being wrong there are none, and limits are held one by one.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.problem import GRADIENT, LOWER, SCALE, UNIT, UPPER, DenseProblem, Point, by_coordinates
from posewright.kernels.dense.step import stay_inside
from posewright.kernels.dense.strict_levels import (
    FREE,
    WISH,
    LevelWork,
    add_equality,
    add_level,
    begin_step,
    project_out,
)
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.least_squares import rechart

_BROKEN = 1e-12  # a limit is broken beyond this, over the unit of its coordinate
_WRONG = 6  # times that coordinates are set free


# Rows of `Levels.places`.
BEST: Final = 0
STEP: Final = 1
"""φ"""
FIXED: Final = 2
"""Steps of locked coordinates."""
LOCKED: Final = 3
"""2 or -2 at the upper or lower limit on suspicion, 1 for good, else 0; kept for the next step."""
HOME: Final = 4
"""What the coordinates themselves are pulled to."""
_DOWNHILL: Final = 5
_ROW: Final = 6
_BEFORE: Final = 7
N_PLACES: Final = 8

LEVEL: Final = np.dtype(
    [
        ("first", "i8"),  # its rows are order[first:end]
        ("end", "i8"),
        ("unit", "f8"),  # root of the largest weight; only relative weights count within a level
        ("endless", "i8"),  # 1 if it has rows without a tolerance, which are minimised to the end
        ("used", "i8"),  # where its rows begin in J and dx
        ("error", "f8"),  # norm of the residual
        ("met", "i8"),
        ("mark", "f8"),  # the last error that counted as progress
        ("anchor", "f8"),  # error and `met` of the best point
        ("best_met", "i8"),
    ],
    align=True,
)


class Levels(NamedTuple):
    """How the rows of a problem make up levels, the settings of the search, and what it remembers."""

    table: Table
    """(levels + 1,) of LEVEL; the last is the pull, whose error is its potential"""
    order: npt.NDArray[np.int64]
    """(rows,): rows by level"""
    J: Array
    """(rows, coordinates): J S over the unit, level by level, without empty rows"""
    dx: Array
    """(rows,)"""
    places: Array
    """(N_PLACES, coordinates)"""
    held: Array
    """(constraints,): 1 for a row that is held as an equality"""
    pull: float
    """Share of the distance to the reference per iteration; 0: no pull"""
    stay: float
    """Share of the distance home per iteration; 0: no such pull"""
    settles: int
    """1: goals that are met do not end the search before the pull has arrived"""
    max_step: float
    damping: float
    """λ, at least"""
    max_residual: float
    max_iterations: int


@kernel
def gather_levels(problem: DenseProblem, levels: Levels, point: Point) -> None:
    """Collect the rows that can be changed, level by level, with Δx limited in length."""
    table, J, dx, scale = levels.table, levels.J, levels.dx, problem.coordinates[SCALE]
    used, n_levels = 0, table.shape[0] - 1
    for p in range(n_levels):
        table[p]["used"] = used
        unit, total = 1.0 / table[p]["unit"], 0.0
        for k in range(table[p]["first"], table[p]["end"]):
            i = levels.order[k]
            size = 0.0
            for c in range(scale.shape[0]):
                v = unit * point.J[i, c] * scale[c]
                J[used, c] = v
                size += v * v
            if size == 0.0:
                continue
            dx[used] = -unit * point.rho[i]
            total += dx[used] * dx[used]
            used += 1
        if total > levels.max_residual * levels.max_residual:
            for k in range(table[p]["used"], used):
                dx[k] *= levels.max_residual / math.sqrt(total)
    table[n_levels]["used"] = used


@kernel
def clamped_step(
    problem: DenseProblem, levels: Levels, bound: float, x: Array, point: Point, taken: LevelWork
) -> float:
    """Write the step φ that keeps every limit and row; return the length of the pull in it."""
    table, places, held, rows = levels.table, levels.places, levels.held, problem.constraints
    scale, step, locked, row = problem.coordinates[SCALE], places[STEP], places[LOCKED], places[_ROW]
    n, n_rows = x.shape[0], rows.shape[0]
    for c in range(n):
        at = _limit_at(problem.coordinates, x, c) if locked[c] != 0.0 else 0
        locked[c] = 1.0 if scale[c] == 0.0 else 2.0 * at
        places[FIXED, c] = 0.0
    for i in range(n_rows):
        held[i] = 1.0 if i < problem.n_equal else 0.0
    pulled, wrong = 0.0, 0
    for _ in range(10 * (n + n_rows)):
        begin_step(locked, taken)
        for c in range(n):
            step[c] = places[FIXED, c]
        count = 0
        for i in range(n_rows):
            if held[i] != 0.0:
                gap = rows[i, n]
                for c in range(n):
                    gap -= rows[i, c] * x[c]
                    row[c] = rows[i, c] * scale[c]
                count = add_equality(row, gap, taken, count, step)
        for p in range(table.shape[0] - 1):
            low, high = table[p]["used"], table[p + 1]["used"]
            if high > low:
                count = add_level(levels.J[low:high], levels.dx[low:high], bound, levels.damping, taken, count, step)
        pulled = _pull(problem, levels, bound, x, point.per_dof[GRADIENT], taken, count)
        if wrong <= _WRONG and _set_free(locked, taken.per_coordinate[WISH]):
            wrong += 1
            for c in range(n):
                if wrong > _WRONG and abs(locked[c]) == 2.0:
                    locked[c] = 0.0
            continue
        if wrong <= _WRONG and _suspect(problem.coordinates, x, places):
            continue
        if not _hold_one_more(problem, x, places, held):
            break
    return pulled


@kernel
def _limit_at(coordinates: Array, x: Array, c: int) -> int:
    """1 or -1 if a coordinate lies at its upper or lower limit, else 0."""
    if x[c] >= coordinates[UPPER, c]:
        return 1
    return -1 if x[c] <= coordinates[LOWER, c] else 0


@kernel
def _set_free(locked: Array, wish: Array) -> bool:
    """Set free what was locked on suspicion and wishes to come in; whether there was any."""
    any_free = False
    for c in range(locked.shape[0]):
        if abs(locked[c]) == 2.0 and wish[c] * locked[c] < -_BROKEN:
            locked[c] = 0.0
            any_free = True
    return any_free


@kernel
def _suspect(coordinates: Array, x: Array, places: Array) -> bool:
    """Lock all that lie at a limit and would be pushed over it; whether there was any."""
    any_new = False
    for c in range(x.shape[0]):
        if places[LOCKED, c] == 0.0:
            at = _limit_at(coordinates, x, c)
            if at * coordinates[SCALE, c] * places[STEP, c] > _BROKEN * coordinates[UNIT, c]:
                places[LOCKED, c] = 2.0 * at
                any_new = True
    return any_new


@kernel
def _pull(
    problem: DenseProblem, levels: Levels, bound: float, x: Array, by_q: Array, taken: LevelWork, count: int
) -> float:
    """Add -P S (pull · ∇g + stay · (x - home)), at most `bound` long, to the step; return its length."""
    if levels.pull == 0.0 and levels.stay == 0.0:
        return 0.0
    v, scale, n, per_coordinate = levels.places[_DOWNHILL], problem.coordinates[SCALE], x.shape[0], taken.per_coordinate
    v[:] = 0.0
    if levels.pull > 0.0:
        by_coordinates(problem, 0, -levels.pull, by_q, v)
    for c in range(n):
        unit = problem.coordinates[UNIT, c]
        v[c] = scale[c] * (v[c] - levels.stay * (x[c] - levels.places[HOME, c]) / (unit * unit))
    project_out(taken, count, v)
    total = 0.0
    for c in range(n):
        total += per_coordinate[FREE, c] * v[c] * v[c]
    length = math.sqrt(total)
    factor = 1.0 if length <= bound else bound / length
    for c in range(n):
        per_coordinate[WISH, c] += factor * v[c]
        levels.places[STEP, c] += per_coordinate[FREE, c] * factor * v[c]
    return factor * length


@kernel
def _hold_one_more(problem: DenseProblem, x: Array, places: Array, held: Array) -> bool:
    """Of the limits and rows that the step would break, hold the one broken by the largest share of its motion."""
    coordinates, rows, n = problem.coordinates, problem.constraints, x.shape[0]
    worst, which = 0.0, -1
    for c in range(n):
        if places[LOCKED, c] != 0.0:
            continue
        move = coordinates[SCALE, c] * places[STEP, c]
        beyond = max(coordinates[LOWER, c] - (x[c] + move), x[c] + move - coordinates[UPPER, c])
        if beyond > _BROKEN * coordinates[UNIT, c] and beyond / abs(move) > worst:
            worst, which = beyond / abs(move), c
    for i in range(problem.n_equal, rows.shape[0]):
        if held[i] != 0.0:
            continue
        value, move = -rows[i, n], 0.0
        for c in range(n):
            value += rows[i, c] * x[c]
            move += rows[i, c] * coordinates[SCALE, c] * places[STEP, c]
        if value + move > _BROKEN and (value + move) / abs(move) > worst:
            worst, which = (value + move) / abs(move), n + i
    if which >= n:
        held[which - n] = 1.0
    elif which >= 0:
        side = coordinates[LOWER, which] if places[STEP, which] < 0.0 else coordinates[UPPER, which]
        places[LOCKED, which] = 1.0
        places[FIXED, which] = (side - x[which]) / coordinates[SCALE, which]
    return which >= 0


@kernel
def move(problem: DenseProblem, x: Array, places: Array) -> None:
    """X ← x + S φ, never out of the feasible region."""
    coordinates, rows, n = problem.coordinates, problem.constraints, x.shape[0]
    for c in range(n):
        places[_BEFORE, c] = x[c]
        x[c] = min(max(x[c] + coordinates[SCALE, c] * places[STEP, c], coordinates[LOWER, c]), coordinates[UPPER, c])
    if rows.shape[0] > 0:
        stay_inside(problem, places[_BEFORE], x)
    elif problem.columns.shape[0] == problem.dofs.shape[0] == n:
        rechart(problem.joints, problem.dofs, problem.posture, x)
