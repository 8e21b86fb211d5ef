"""What is kept of a problem that is followed, and what a point of it costs (`follow`)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.attraction import attraction
from posewright.kernels.dense.newton_step import Model
from posewright.kernels.dense.problem import GRADIENT, STIFFNESS, DenseProblem, Point, Q
from posewright.kernels.dense.second_order import Drives
from posewright.kernels.goals.terms import CHOSEN, RESULT, term_cost
from posewright.kernels.tables import ROWS_PER_TERM, Array, Table

_WITHIN = 1e3  # price of a level within its tolerance, in units of the next

FOLLOWING: Final = np.dtype(
    [
        ("steps", "i8"),  # at most, per call
        ("still", "i8"),  # 1: targets are those of the last call; steps that promise little are taken too, to arrive
        ("turn", "f8"),  # rad: furthest that a dof goes in a call
        ("move", "f8"),  # m: furthest that a joint, or a slide, goes in a call
        ("minimising", "i8"),  # 1: tolerances do not end a call
        ("by_rotation", "i8"),  # 1: the posture of a ball is compared by rotation, not by components
        ("posture", "f8"),  # price of the posture
        ("lightness", "f8"),  # curvature of the posture in units of the last level's; 1 without posture
        ("restorable", "i8"),  # levels that can be brought back after a step that costs more: all but what comes last
        ("restored", "i8"),  # those that are: of several the last one only if it was met
        # The course of a call:
        ("iterations", "i8"),
        ("why", "i8"),
        ("fresh", "i8"),  # 1 until the start was judged
        ("last", "i8"),  # 1 if the step taken promised little
        ("done", "i8"),  # 1 if only the evaluation of the answer is missing
        ("lost", "i8"),
        ("n_far", "i8"),  # joints that went as far as they may, and that rows hold back
        ("corrections", "i8"),  # of the step taken
        ("factorised", "i8"),  # how many times the model was
        ("boosted", "i8"),  # 1 if the last step had to be damped more than was thought
        ("boxed", "i8"),  # 1 if the box holds the step back
        ("failures", "i8"),
        ("cost", "f8"),  # with prices
        ("plain", "f8"),  # without, of the answer
        ("best_cost", "f8"),
        ("promised", "f8"),
        ("escaped", "i8"),  # 1 after a step along which the model curves down
        ("slow", "i8"),  # steps in a row that saved little
        ("first_cost", "f8"),  # where the call began
        ("last_cost", "f8"),  # of the last level and the posture
        ("led", "f8"),  # what was promised by the last step that does not restore
        ("led_boxed", "i8"),  # whether the box held that step back
        ("led_guard", "f8"),  # the damping of that step; 0 if there is none to go back from
        ("lead", "f8"),  # price of the level that damping is relative to
        # Kept from call to call:
        ("known", "i8"),  # 1 if `missed` is known
        ("guard", "f8"),
        ("gained", "i8"),  # 1 if a step of the last call was better than its start
        ("idle", "i8"),  # calls in a row, with the same targets, in which no step was
    ],
    align=True,
)


class Followed(NamedTuple):
    """What is kept of a problem that is followed."""

    table: Table
    """(1,) of FOLLOWING"""
    prices: Array
    """(levels,)"""
    floors: Array
    """(2, levels): the cost at which each level counts as met; what it costs"""
    drives: Drives
    model: Model
    sums: Array
    """(joints, N_PER_JOINT)"""
    far: Array
    """(rows, 5): a joint, the direction it went and how far it may; or -1 - dof, the sign and how far"""
    missed: Array
    """(terms, 3): residuals that are expected at the end"""
    anchored: Array
    """(joints, 3): where joints were in the last answer"""
    anchored_q: Array
    """(dofs,)"""


@kernel
def followed_cost(problem: DenseProblem, followed: Followed, reference: Array, point: Point) -> float:
    """The cost by which points are compared; residuals of linear rows are written.

    Within its tolerance a level counts little more than the next: valleys as narrow as its price makes them could only
    be followed in tiny steps.
    """
    terms, linear, q, rho = problem.terms, problem.linear, point.per_dof[Q], point.rho
    state, prices, n_dofs = followed.table[0], followed.prices, problem.dofs.shape[0]
    floors, n_levels = followed.floors, prices.shape[0]
    for p in range(n_levels):
        floors[1, p] = 0.0
    for k in range(terms.shape[0]):
        if point.found[k, RESULT, CHOSEN] != 0.0:
            floors[1, terms[k]["level"] - 1] += term_cost(terms, point.found, k)
    first = ROWS_PER_TERM * terms.shape[0]
    for i in range(linear.shape[0]):
        row = linear[i]
        total = -row[n_dofs]
        for d in range(n_dofs):
            total += row[d] * q[d]
        rho[first + i] = total
    for i in range(first, rho.shape[0]):
        floors[1, problem.levels[i] - 1] += rho[i] * rho[i]
    last: float = prices[n_levels - 1] * floors[1, n_levels - 1]
    cost = last
    for p in range(n_levels - 1):
        within = min(floors[0, p], floors[1, p])
        cost += min(prices[p], _WITHIN * prices[p + 1]) * within + prices[p] * (floors[1, p] - within)
    stiffness, slope, posture = point.per_dof[STIFFNESS], point.per_dof[GRADIENT], 0.0
    if state["by_rotation"] != 0:
        posture = 2.0 * attraction(problem.joints, stiffness, q, reference, slope)
    for d in range(n_dofs if state["by_rotation"] == 0 else 0):
        gap = q[d] - reference[d]
        slope[d] = stiffness[d] * gap
        posture += stiffness[d] * gap * gap
    posture *= float(state["posture"])
    state["last_cost"] = last + posture
    return cost + posture


@kernel
def plain_cost(problem: DenseProblem, reference: Array, point: Point) -> float:
    """What results call the cost."""
    cost, q = 0.0, point.per_dof[Q]
    for k in range(problem.terms.shape[0]):
        if point.found[k, RESULT, CHOSEN] != 0.0:
            cost += term_cost(problem.terms, point.found, k)
    for i in range(ROWS_PER_TERM * problem.terms.shape[0], point.rho.shape[0]):
        cost += point.rho[i] * point.rho[i]
    for d in range(q.shape[0]):
        gap = q[d] - reference[d]
        cost += problem.posture[d] * gap * gap
    return cost
