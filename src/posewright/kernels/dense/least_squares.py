"""Least squares in any affine space, with linear constraints and two levels: the loop around the steps of `dense`.

`evaluate` and `advance` are also called one by one from Python, where goals written in Python fill rows in between.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import DenseTables, DenseWork, evaluate, freeze
from posewright.kernels.dense.search_control import AGAIN, DONE, STATE, begin, judge
from posewright.kernels.dense.step import dual_step, program_step, project
from posewright.kernels.goals.rows import within_tolerance
from posewright.kernels.tables import Array, Row, Table
from posewright.kernels.tree.least_squares import rechart

_LEVEL_PRICE = 1e6  # what a unit of the first level's cost, beyond its tolerance, is worth in the second's
_REACHING = 200  # iterations, restarts and all, after which two levels settle: a far second level slows the first down
_RESTORES = 3  # steps of the first level alone after a step that left it
_RESTORING = 1e-6  # their damping


@kernel
def cost_of(tables: DenseTables, rho: Array, q: Array, reference: Array) -> float:
    """The cost, the first level counting far more than the second where it is beyond its tolerance."""
    first, second = 0.0, 0.0
    for i in range(rho.shape[0]):
        if tables.levels[i] == 1:
            first += rho[i] * rho[i]
        else:
            second += rho[i] * rho[i]
    lean = 0.0
    for d in range(q.shape[0]):
        lean += tables.posture[d] * (q[d] - reference[d]) ** 2
    if tables.floor < 0.0:  # one level
        return first + lean
    return _LEVEL_PRICE * max(0.0, first - tables.floor) + second + lean


@kernel
def advance(
    tables: DenseTables,
    settings: Row,
    state: Row,
    reference: Array,
    cost: float,
    reached: bool,
    stop: npt.NDArray[np.int8],
    x: Array,
    work: DenseWork,
) -> int:
    """Judge what was evaluated at x and, where that is right, step from it; return the action taken."""
    n = x.shape[0]
    first, total = 0.0, 0.0
    for i in range(work.rho.shape[0]):
        total += work.rho[i] * work.rho[i]
        if tables.levels[i] == 1:
            first += work.rho[i] * work.rho[i]
    if state["restores"] > 0 and first > state["held"] and stop[0] == 0:
        state["restores"] -= 1
        _restore(tables, x, work)
        return AGAIN
    state["restores"] = 0
    if tables.floor >= 0.0 and state["settling"] == 0 and state["iterations"] > _REACHING:
        state["settling"], state["trial"], state["cost"] = 1, 0, math.inf
        copy_into(work.best, x)
        return AGAIN
    action = judge(
        settings, state, cost, reached, stop, x, work.start, work.best, work.saved, tables.ranges[0], tables.ranges[1]
    )
    if action == AGAIN:
        project(tables.A, tables.b, tables.n_equal, tables.lower, tables.upper, x, np.empty(n + 1, np.int64))
    if action in (AGAIN, DONE):
        return action
    if state["settling"] != 0:
        copy_into(x, work.saved)
        if tables.floor >= 0.0:
            state["restores"], state["held"] = _RESTORES, max(first, tables.floor)
    elif tables.floor >= 0.0:  # the price of the first level would damp its own step to nothing
        state["damping"] = settings["damping"] * total + settings["floor"]
    for c in range(n):
        s = tables.scale[c]
        work.D[c] = state["damping"] / (s * s) if s > 0.0 else 1.0
    m = work.rho.shape[0]
    plain = tables.A.shape[0] == 0 and tables.floor < 0.0 and settings["leaning"] == 0 and state["settling"] == 0
    if plain and 2 * m <= n:
        dual_step(work.J, work.rho, work.D, x, tables.lower, tables.upper, work.d)
    else:
        lean_H, lean_g = np.empty((0, 0)), np.empty(0)
        if settings["leaning"] != 0:
            lean_H, lean_g = _lean(tables, work.q, reference)
        program_step(
            work.J, work.rho, tables.levels, tables.floor >= 0.0, work.D, lean_H, lean_g, tables.A, tables.b,
            tables.n_equal, x, tables.lower, tables.upper, work.held, work.d,
        )  # fmt: skip
    for c in range(n):
        x[c] = min(max(x[c] + work.d[c], tables.lower[c]), tables.upper[c])
    if tables.columns.shape[0] == tables.matrix.shape[0] == n and tables.A.shape[0] == 0:
        rechart(tables.joints, tables.dofs, tables.posture, x)
    return action


@kernel
def _restore(tables: DenseTables, x: Array, work: DenseWork) -> None:
    """Bring the first level back to what it was before a long step of the second, which is then judged without it.

    The way back is at most as long as the step before it: from far away it would lead anywhere.
    """
    longest = _length(work.d)
    for c in range(x.shape[0]):
        s = tables.scale[c]
        work.D[c] = _RESTORING / (s * s) if s > 0.0 else 1.0
    program_step(
        work.J, work.rho, tables.levels, False, work.D, np.empty((0, 0)), np.empty(0), tables.A, tables.b,
        tables.n_equal, x, tables.lower, tables.upper, work.held, work.d,
    )  # fmt: skip
    length = _length(work.d)
    share = longest / length if length > longest else 1.0
    for c in range(x.shape[0]):
        work.d[c] *= share
        x[c] = min(max(x[c] + work.d[c], tables.lower[c]), tables.upper[c])


@kernel
def _length(d: Array) -> float:
    total = 0.0
    for c in range(d.shape[0]):
        total += d[c] * d[c]
    return math.sqrt(total)


@kernel
def _lean(tables: DenseTables, q: Array, reference: Array) -> tuple[Array, Array]:
    """The pull towards the reference as a quadratic form of the step."""
    n_dofs, n = tables.matrix.shape
    H, g = np.zeros((n, n)), np.zeros(n)
    for d in range(n_dofs):
        w = tables.posture[d]
        if w == 0.0:
            continue
        for a in range(n):
            v = w * tables.matrix[d, a]
            if v != 0.0:
                g[a] += v * (reference[d] - q[d])
                for c in range(n):
                    H[a, c] += v * tables.matrix[d, c]
    return H, g


@kernel
def solve_dense(
    tables: DenseTables,
    settings: Table,
    starts: Array,
    targets: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    work: DenseWork,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems whose starts are feasible; arrays as of `least_squares.solve_tree`, over x."""
    x = np.empty(tables.matrix.shape[1])
    states = np.zeros(1, STATE)
    for solve in range(targets.shape[0]):
        reference = references[solve if references.shape[0] > 1 else 0]
        copy_into(starts[solve if starts.shape[0] > 1 else 0], work.start)
        copy_into(work.start, x)
        freeze(tables, x)
        state = states[0]
        begin(settings[0], state)
        work.held[:] = 0
        action = AGAIN
        while action != DONE:
            evaluate(tables, targets[solve], x, work, errors_out[solve])
            cost = cost_of(tables, work.rho, work.q, reference)
            reached = within_tolerance(tables.terms, work.chosen, errors_out[solve])
            action = advance(tables, settings[0], state, reference, cost, reached, stop, x, work)
        copy_into(x, x_out[solve])
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = state["cost"]
        info_out[solve, 3] = state["restarts"]
