"""What a solver says of a search: how long it was, and why it ended."""

from __future__ import annotations

from typing import Literal

from posewright.kernels.dense import search_control as descent

Stopped = Literal["reached", "stationary", "stalled", "out of iterations", "interrupted", "nothing to do", "infeasible"]

NOTHING_TO_DO = 0
"""Beside the reasons of `descent`: there was no search."""
INFEASIBLE = 6  # they are indices too
"""The start breaks a predicate, and the solver searches only among poses that keep them."""
STOPPED: dict[int, Stopped] = {
    NOTHING_TO_DO: "nothing to do",
    descent.REACHED: "reached",
    descent.STATIONARY: "stationary",
    descent.OUT_OF_ITERATIONS: "out of iterations",
    descent.INTERRUPTED: "interrupted",
    descent.STALLED: "stalled",
    INFEASIBLE: "infeasible",
}

N_INFO = 4
"""Numbers per search: iterations, why it stopped, cost, restarts used."""
