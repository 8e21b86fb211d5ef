"""What the particle filter reads, and what it remembers from iteration to iteration (`sequential_monte_carlo`)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.tables import Array

SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("seed", "u8"),
        ("alpha", "f8"),  # share of the way from the last estimate to the best particle
        ("ess", "f8"),  # resample below this effective share of particles
        ("max_tries", "i8"),
        ("c_z", "f8"),  # σ_z over d
        ("decay", "f8"),  # 0: spreads follow d; else they fall by this factor per iteration
        ("drift", "f8"),  # share of the way to the example per iteration
        ("unit", "f8"),  # smallest D
        ("ends", "i8"),  # what met goals mean: LEANS, ENDS or HOLDS
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("iterations", "i8"),
        ("why", "i8"),
        ("kicks", "i8"),
        ("kicked", "i8"),  # 1 if the next iteration spreads three times as far
        ("quiet", "i8"),  # iterations without progress
        ("gain", "f8"),
        ("unit", "f8"),  # D
        ("first", "f8"),  # d of the start
        ("distance", "f8"),  # d
        ("mark", "f8"),  # d that the next progress is measured from
        ("best_cost", "f8"),  # of all estimates
        ("draws", "f8"),  # of blocks, in this iteration
        ("n_eff", "f8"),
        ("likeliest", "i8"),
        ("cheapest", "i8"),
        ("degenerate", "i8"),  # iterations without any finite weight
        ("arrived", "i8"),  # 1 if a particle meets all goals: the estimate glides to it
        ("met", "i8"),  # whether the estimate itself meets them
    ],
    align=True,
)

LEANS: Final = 0
"""Nothing: something else is to be made as small as possible."""
ENDS: Final = 1
"""The end of the search."""
HOLDS: Final = 2
"""To stay until they move on."""


class Crowd(NamedTuple):
    """The particles and what the search remembers."""

    x: Array
    """(particles, coordinates)"""
    trial: Array
    """(particles, coordinates): where they are drawn to"""
    log_weights: Array
    """(particles,), normalised: Σ exp = 1"""
    costs: Array
    """(particles,)"""
    met: npt.NDArray[np.int8]
    mode: Array
    """(coordinates,)"""
    estimate: Array
    """(1, coordinates): smoothed"""
    candidate: Array
    """(1, coordinates)"""
    best: Array
    """(coordinates,): the estimate of least cost"""
    goal: Array
    """(coordinates,): the particle that meets all goals, once there is one"""
    cost: Array
    """(1,): of the candidate"""
    cost_met: npt.NDArray[np.int8]
