"""When to step, undo, start again or stop: the course of a damped least-squares search, one decision per iteration.

Reaching: every step is taken, with damping in proportion to the cost. A stall (four iterations in a row that do not
get below 0.7 of the last mark) starts again from a seeded random point while restarts are left. Settling: when goals
cannot be met, the best point seen is followed by guarded steps (one that raises the cost is undone) to a stationary
point.
A search that also minimises the distance to a reference posture settles from the beginning.

The loop around it evaluates, asks `judge`, and steps; it is the same for the tree, the dense form and goals in Python.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.tables import Array, Row

# What to do next.
STEP: Final = 0
"""Take a step with the damping in the state."""
AGAIN: Final = 1
"""The point was replaced: evaluate it."""
DONE: Final = 2

# Why a search ended.
REACHED: Final = 1
STATIONARY: Final = 2
OUT_OF_ITERATIONS: Final = 3
INTERRUPTED: Final = 4
STALLED: Final = 5
"""No step falls any more, and yet the point is not stationary."""
ON_THE_WAY: Final = 7
"""Of targets that are followed: what is left to do is left to the next call."""
IN_TIME: Final = 8
"""The same, because the time allowed is over."""
HANDED_OVER: Final = 9
"""Settling is left to somebody who does it in fewer steps."""

# Rows of what a search remembers of its coordinates.
START: Final = 0
"""Where it began."""
BEST: Final = 1
SAVED: Final = 2
"""The point before the last step, written by the loop around `judge` when settling."""
LOW: Final = 3
"""The range of random restarts, to HIGH; a coordinate without a finite one goes back to its start."""
HIGH: Final = 4

SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("restarts", "i8"),  # at most so many random starts after the given one
        ("seed", "u8"),
        ("damping", "f8"),  # λ = damping · cost + floor
        ("floor", "f8"),
        ("settled", "f8"),  # relative gain below which a guarded step counts as none
        ("minimising", "i8"),  # 1: minimise to the end, tolerances do not stop it
        ("hand_over", "i8"),  # guarded steps after which the search is handed over; 0: never
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("iterations", "i8"),
        ("restarts", "i8"),
        ("why", "i8"),
        ("settling", "i8"),
        ("trial", "i8"),  # 1 if the point came from a step that may be undone
        ("done", "i8"),  # 1 if only the evaluation of the answer is missing
        ("slow", "i8"),
        ("quiet", "i8"),
        ("guarded", "i8"),  # guarded steps so far, undone ones too
        ("restores", "i8"),  # of two levels: steps of the first alone that are left before the point is judged
        ("held", "f8"),  # of two levels: cost of the first to come back to
        ("mark", "f8"),
        ("cost", "f8"),
        ("best_cost", "f8"),
        ("guard", "f8"),
        ("damping", "f8"),  # λ of the next step
        ("random", "u8"),
    ],
    align=True,
)


@kernel
def begin(settings: Row, state: Row) -> None:
    """The state before the first evaluation."""
    state["iterations"], state["restarts"], state["why"] = 0, 0, 0
    state["settling"], state["trial"], state["done"] = settings["minimising"], 0, 0
    state["slow"], state["quiet"], state["restores"], state["guarded"] = 0, 0, 0, 0
    state["held"] = 0.0
    state["mark"], state["cost"], state["best_cost"] = math.inf, math.inf, math.inf
    state["guard"], state["damping"], state["random"] = 1e-2, 0.0, settings["seed"]


@kernel
def judge(
    settings: Row,
    state: Row,
    cost: float,
    reached: bool,
    stop: npt.NDArray[np.int8],
    x: Array,
    places: Array,
) -> int:
    """What to do after evaluating x; may replace x by an earlier or a random point.

    Args:
        settings: of the search.
        state: carried from call to call.
        cost: at x.
        reached: whether every goal is within its tolerance at x.
        stop: one element; not 0 ends the search at its best point so far.
        x: (coordinates,).
        places: (5 or more, coordinates): rows START, BEST, SAVED, LOW and HIGH; BEST is kept here.
    """
    last = state["cost"]
    state["cost"] = cost
    if state["done"] != 0:
        return DONE
    if reached and settings["minimising"] == 0:
        state["why"] = REACHED
        return DONE
    out_of_time = state["iterations"] >= settings["max_iterations"]
    if state["settling"] != 0 and state["trial"] != 0:
        if cost < last:
            state["guard"] = max(0.3 * state["guard"], 1e-8)
            state["quiet"] = state["quiet"] + 1 if last - cost <= settings["settled"] * last else 0
            if state["quiet"] >= 2:
                state["why"] = STATIONARY
                return DONE
        else:  # undo, and try a shorter step from where we were
            copy_into(places[SAVED], x)
            state["guard"] *= 8.0
            state["trial"], state["cost"] = 0, math.inf
            if state["guard"] > 1e10 or out_of_time:
                state["why"] = OUT_OF_ITERATIONS if out_of_time else STATIONARY
                state["done"] = 1
            state["iterations"] += 1
            state["guarded"] += 1
            return AGAIN
    if cost < state["best_cost"]:
        state["best_cost"] = cost
        copy_into(x, places[BEST])
    if stop[0] != 0 or out_of_time:
        state["why"] = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
        if not state["best_cost"] < cost:
            return DONE
        copy_into(places[BEST], x)
        state["done"] = 1
        return AGAIN
    if state["settling"] == 0:
        if cost < 0.7 * state["mark"]:
            state["mark"] = cost
            state["slow"] = 0
        else:
            state["slow"] += 1
        if state["slow"] > 3:
            state["slow"], state["mark"] = 0, math.inf
            state["trial"], state["cost"] = 0, math.inf
            if state["restarts"] < settings["restarts"]:
                state["restarts"] += 1
                state["random"] = _scatter(state["random"], x, places)
            else:
                state["settling"] = 1
                copy_into(places[BEST], x)
            return AGAIN
        state["damping"] = settings["damping"] * cost + settings["floor"]
    else:
        state["damping"] = state["guard"] * min(cost, 1.0) + settings["floor"]
        state["guarded"] += 1
        if settings["hand_over"] > 0 and state["guarded"] > settings["hand_over"]:
            state["why"] = HANDED_OVER
            return DONE
    state["iterations"] += 1
    state["trial"] = 1
    return STEP


@kernel
def _scatter(random: np.uint64, x: Array, places: Array) -> np.uint64:
    """Half-way from the start to a uniformly random point of the range (splitmix64)."""
    for c in range(x.shape[0]):
        x[c] = places[START, c]
        low, high = places[LOW, c], places[HIGH, c]
        if low > -math.inf and high < math.inf:
            random += np.uint64(0x9E3779B97F4A7C15)
            z = (random ^ (random >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            u = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 1.1102230246251565e-16
            x[c] += 0.5 * (low + (high - low) * u - x[c])
    return random
