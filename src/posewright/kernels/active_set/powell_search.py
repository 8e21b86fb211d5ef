"""The inexact line search of Powell, with steps by cubic Hermite interpolation (Zhao & Badler 1994, appendix).

A step γ along s is good if the cost falls by at least δ₁ of what the slope promises, and the slope there is at most δ₂
of what it was (so that the metric learns something):

    G(x + γs) <= G + δ₁ γ gᵀs        g(x + γs)ᵀs >= δ₂ gᵀs

At the end of the range, where a constraint is met, the first test is enough.
"""

from __future__ import annotations

import math
from typing import Final

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Row

ACCEPTED: Final = 0
TRY: Final = 1
"""Evaluate at the γ in the state."""
FAILED: Final = 2

_TRIALS = 30


@kernel
def begin_line(state: Row, slope: float, first: float, furthest: float) -> None:
    """Prepare a search whose first trial is `first`."""
    state["slope"], state["gamma"], state["furthest"] = slope, first, furthest
    state["low"], state["low_cost"], state["low_slope"] = 0.0, state["cost"], slope
    state["high"], state["high_cost"], state["high_slope"] = math.inf, 0.0, 0.0
    state["best"], state["best_cost"] = 0.0, math.inf
    state["trials"], state["forced"] = 0, 0


@kernel
def judge_trial(state: Row, cost: float, slope: float) -> int:
    """What to do after evaluating cost and slope at γ."""
    gamma = state["gamma"]
    if state["forced"] != 0:
        return ACCEPTED
    state["trials"] += 1
    falls = cost <= state["cost"] + state["sufficient_decrease"] * gamma * state["slope"]
    if falls and (slope >= state["curvature"] * state["slope"] or gamma >= state["furthest"]):
        return ACCEPTED
    if falls:
        if cost < state["best_cost"]:
            state["best"], state["best_cost"] = gamma, cost
        state["low"], state["low_cost"], state["low_slope"] = gamma, cost, slope
    else:
        state["high"], state["high_cost"], state["high_slope"] = gamma, cost, slope
    if state["trials"] >= _TRIALS:
        if state["best"] == 0.0:
            return FAILED
        state["gamma"], state["forced"] = state["best"], 1
        return TRY
    if state["high"] == math.inf:
        state["gamma"] = min(3.0 * gamma, state["furthest"])
    else:
        state["gamma"] = _between(state)
    return TRY


@kernel
def _between(state: Row) -> float:
    """The minimiser of the cubic through both ends, kept away from them."""
    low, h = float(state["low"]), state["high"] - state["low"]
    ends = state["low_slope"], state["high_slope"]
    z = 3.0 * (state["low_cost"] - state["high_cost"]) / h + ends[0] + ends[1]
    square = z * z - ends[0] * ends[1]
    share = 0.5
    if square > 0.0:
        w = math.sqrt(square)
        below = ends[1] - ends[0] + 2.0 * w
        if below != 0.0:
            share = 1.0 - (ends[1] + w - z) / below
    gamma: float = low + min(max(share, 0.1), 0.9) * h
    return gamma
