"""The inexact line search of Powell, with steps by cubic Hermite interpolation (Zhao & Badler 1994, appendix).

A step γ along s is good if the cost falls by at least δ₁ of what the slope promises, and the slope there is at most δ₂
of what it was (so that the metric learns something):

    G(x + γs) <= G + δ₁ γ gᵀs        g(x + γs)ᵀs >= δ₂ gᵀs

At the end of the range, where a constraint is met, the first test is enough.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Row

ACCEPTED: Final = 0
TRY: Final = 1
"""Evaluate at the γ in the state."""
FAILED: Final = 2

_TRIALS = 30

LINE: Final = np.dtype(
    [
        ("gamma", "f8"),  # the step being tried
        ("furthest", "f8"),  # λ, the end of the range
        ("cost", "f8"),  # at γ = 0, as the slope
        ("slope", "f8"),
        ("low", "f8"),  # the last γ that was too short, its cost and slope
        ("low_cost", "f8"),
        ("low_slope", "f8"),
        ("high", "f8"),  # the last γ that was too long; infinite while there is none
        ("high_cost", "f8"),
        ("high_slope", "f8"),
        ("best", "f8"),  # the γ of least cost that passed the first test, or 0
        ("best_cost", "f8"),
        ("trials", "i8"),
        ("forced", "i8"),  # 1 if no trials are left and γ is the best there was
    ],
    align=True,
)


@kernel
def begin_line(line: Row, cost: float, slope: float, first: float, furthest: float) -> None:
    """Prepare a search whose first trial is `first`."""
    line["gamma"], line["furthest"] = first, furthest
    line["cost"], line["slope"] = cost, slope
    line["low"], line["low_cost"], line["low_slope"] = 0.0, cost, slope
    line["high"], line["high_cost"], line["high_slope"] = math.inf, 0.0, 0.0
    line["best"], line["best_cost"] = 0.0, math.inf
    line["trials"], line["forced"] = 0, 0


@kernel
def judge_trial(line: Row, cost: float, slope: float, delta_1: float, delta_2: float) -> int:
    """What to do after evaluating cost and slope at γ."""
    gamma = line["gamma"]
    if line["forced"] != 0:
        return ACCEPTED
    line["trials"] += 1
    falls = cost <= line["cost"] + delta_1 * gamma * line["slope"]
    if falls and (slope >= delta_2 * line["slope"] or gamma >= line["furthest"]):
        return ACCEPTED
    if falls:
        if cost < line["best_cost"]:
            line["best"], line["best_cost"] = gamma, cost
        line["low"], line["low_cost"], line["low_slope"] = gamma, cost, slope
    else:
        line["high"], line["high_cost"], line["high_slope"] = gamma, cost, slope
    if line["trials"] >= _TRIALS:
        if line["best"] == 0.0:
            return FAILED
        line["gamma"], line["forced"] = line["best"], 1
        return TRY
    if line["high"] == math.inf:
        line["gamma"] = min(3.0 * gamma, line["furthest"])
    else:
        line["gamma"] = _between(line)
    return TRY


@kernel
def _between(line: Row) -> float:
    """The minimiser of the cubic through both ends, kept away from them."""
    low, h = float(line["low"]), line["high"] - line["low"]
    ends = line["low_slope"], line["high_slope"]
    z = 3.0 * (line["low_cost"] - line["high_cost"]) / h + ends[0] + ends[1]
    square = z * z - ends[0] * ends[1]
    share = 0.5
    if square > 0.0:
        w = math.sqrt(square)
        below = ends[1] - ends[0] + 2.0 * w
        if below != 0.0:
            share = 1.0 - (ends[1] + w - z) / below
    gamma: float = low + min(max(share, 0.1), 0.9) * h
    return gamma
