"""The particle filter that poses: propagate, weigh, estimate, resample (Courty & Arnaud 2008, sections 3 and 4).

Symbols: d distance √(Σ weight‖ρ‖²) of the better of estimate and best particle, D its unit, σ_z spread of the
likelihood exp(-Σ weight‖ρ‖²/σ_z²), w weights. Annealing: both spreads follow d. A second factor, the gain, shrinks
while d does not fall, so that a crowd also settles where goals cannot be met and d does not go to zero.

`solve_sampling` is the whole search; its parts are called one by one where predicates or goals are written in Python.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.problem import DenseProblem, Point, measure
from posewright.kernels.dense.search_control import AGAIN, DONE, INTERRUPTED, OUT_OF_ITERATIONS, REACHED, STATIONARY
from posewright.kernels.sampling.particles import Freedom, blend, draw, inside
from posewright.kernels.sampling.random_numbers import key_of, uniform
from posewright.kernels.tables import Array, Row

_FLOOR = 1e-6  # of both spreads, over their start
_RISE, _FALL = 1.1, 0.85  # of the gain: a crowd that is nearer than before only every other time has settled
_LEAST_GAIN = 1e-4
_PROGRESS, _PATIENCE = 1e-3, 50  # relative fall of d that counts, and iterations without it before a kick
_KICKS, _KICK = 3, 3.0
HALVINGS: Final = 5
"""Of the gain, when a blend breaks something; then the particle itself is the estimate."""


SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("seed", "u8"),
        ("gain", "f8"),  # of the estimate, towards the best particle
        ("ess", "f8"),  # resample below this effective share of particles
        ("max_tries", "i8"),
        ("c_z", "f8"),  # σ_z over d
        ("decay", "f8"),  # 0: spreads follow d; else they fall by this factor per iteration
        ("drift", "f8"),  # share of the distance to the example per iteration
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


# Rows of `Crowd.judged`, as `measure` writes them.
_COST: Final = 0
_MET: Final = 1

# Rows of `Crowd.points`.
_MODE: Final = 0
_ESTIMATE: Final = 1
_CANDIDATE: Final = 2
_BEST: Final = 3
_GOAL: Final = 4


class Crowd(NamedTuple):
    """The particles and what the search remembers."""

    x: Array
    """(particles, coordinates)"""
    trial: Array
    """(particles, coordinates): where they are drawn to"""
    log_weights: Array
    """(particles,), normalised: Σ exp = 1"""
    judged: Array
    """(2, particles): cost, and 1 if all goals are met"""
    points: Array
    """(5, coordinates): scratch, the smoothed estimate, its candidate, the estimate of least cost, and the particle
    that meets all goals once there is one"""
    candidate_judged: Array
    """(2, 1)"""

    @property
    def costs(self) -> Array:
        """(particles,)"""
        return np.asarray(self.judged[_COST])

    @property
    def estimate(self) -> Array:
        """(1, coordinates)"""
        return np.asarray(self.points[_ESTIMATE : _ESTIMATE + 1])

    @property
    def candidate(self) -> Array:
        """(1, coordinates)"""
        return np.asarray(self.points[_CANDIDATE : _CANDIDATE + 1])

    @property
    def best(self) -> Array:
        """(coordinates,)"""
        return np.asarray(self.points[_BEST])


def new_crowd(particles: int, n: int) -> Crowd:
    """So many particles over n coordinates."""
    x = np.zeros((2, particles, n))
    return Crowd(x[0], x[1], np.zeros(particles), np.zeros((2, particles)), np.zeros((5, n)), np.zeros((2, 1)))


@kernel
def begin(settings: Row, state: Row, start: Array, crowd: Crowd) -> None:
    """Everybody at the start, whose cost is that of the candidate."""
    n, cost, met = crowd.x.shape[0], crowd.candidate_judged[_COST, 0], crowd.candidate_judged[_MET, 0]
    for i in range(n):
        copy_into(start, crowd.x[i])
        copy_into(start, crowd.trial[i])
        crowd.judged[_COST, i], crowd.log_weights[i] = cost, -math.log(n)
    copy_into(start, crowd.points[_ESTIMATE])
    copy_into(start, crowd.points[_BEST])
    d = math.sqrt(cost)
    state["iterations"], state["why"], state["kicks"], state["kicked"], state["quiet"] = 0, 0, 0, 0, 0
    state["gain"], state["unit"], state["first"], state["distance"] = 1.0, max(d, settings["unit"]), d, d
    state["mark"], state["best_cost"], state["met"] = d, cost, met
    state["draws"], state["n_eff"], state["degenerate"] = 0.0, float(n), 0
    state["likeliest"], state["cheapest"], state["arrived"] = 0, 0, 0


@kernel
def retarget(state: Row, crowd: Crowd) -> None:
    """The goals have moved and the estimate's new cost is that of the candidate: what the weights knew is void."""
    n, cost, met = crowd.x.shape[0], crowd.candidate_judged[_COST, 0], crowd.candidate_judged[_MET, 0]
    for i in range(n):
        crowd.log_weights[i] = -math.log(n)
    copy_into(crowd.points[_ESTIMATE], crowd.points[_BEST])
    state["distance"] = math.sqrt(cost)
    state["mark"], state["best_cost"], state["met"] = state["distance"], cost, met
    state["gain"], state["quiet"], state["kicks"], state["arrived"] = 1.0, 0, 0, 0


@kernel
def cooling(settings: Row, state: Row) -> tuple[float, float]:
    """Factor of the particles' spread, and σ_z."""
    if settings["decay"] > 0.0:
        fall = max(settings["decay"] ** state["iterations"], _FLOOR)
        return fall, settings["c_z"] * max(fall * state["first"], 1e-300)
    share = min(state["distance"] / state["unit"], 1.0)
    spread = state["gain"] * share
    if state["kicked"] != 0:
        spread *= _KICK
    floor = _FLOOR * max(state["first"], 1e-300)
    sigma_z = settings["c_z"] * max(state["distance"] * math.sqrt(state["gain"]), floor)
    return max(spread, _FLOOR), sigma_z


@kernel
def propose(
    freedom: Freedom,
    settings: Row,
    state: Row,
    base: Array,
    examples: Array,
    pending: npt.NDArray[np.int8],
    rounds: int,
    crowd: Crowd,
) -> None:
    """Draw a new place for every pending particle.

    Args:
        freedom: how particles move.
        settings: of the search.
        state: of the search.
        base: the start.
        examples: (frames, coordinates) to drift towards, one per iteration, the last one stays; may be empty.
        pending: (particles,): 0 for those that keep what was drawn before.
        rounds: how often a predicate has refused the pending ones in this iteration.
        crowd: the particles.
    """
    spread, _ = cooling(settings, state)
    spread *= 0.5 ** (rounds // 10)
    if rounds == 0:
        state["draws"] = 0.0
    k = state["iterations"]
    now = key_of(settings["seed"], k)
    for i in range(crowd.x.shape[0]):
        if pending[i] == 0:
            continue
        mode = crowd.x[i]
        if examples.shape[0] > 0:
            # The pull fades with the spread: with a constant one, goals and example would hold each other off.
            share = settings["drift"] * min(state["distance"] / state["unit"], 1.0)
            blend(freedom, base, mode, examples[min(k, examples.shape[0] - 1)], share, crowd.points[_MODE])
            mode = crowd.points[_MODE]
        key = key_of(key_of(now, i), rounds)
        draws = draw(freedom, base, crowd.x[i], mode, spread, key, settings["max_tries"], crowd.trial[i])
        state["draws"] += draws


@kernel
def weigh(settings: Row, state: Row, crowd: Crowd) -> None:
    """Update and normalise the weights by the costs; find the likeliest and the cheapest particle."""
    _, sigma_z = cooling(settings, state)
    costs, logs = crowd.judged[_COST], crowd.log_weights
    n = costs.shape[0]
    top, cheapest = -math.inf, 0
    for i in range(n):
        cost = costs[i]
        logs[i] = logs[i] - cost / (sigma_z * sigma_z) if cost < math.inf else -math.inf  # not a number: impossible
        top = max(top, logs[i])
        if cost < costs[cheapest] or not costs[cheapest] < math.inf:
            cheapest = i
    if not top > -math.inf:
        for i in range(n):
            logs[i] = -math.log(n)
        top = -math.log(n)
        state["degenerate"] += 1
    total = 0.0
    for i in range(n):
        total += math.exp(logs[i] - top)
    norm = math.log(total)
    squares, likeliest = 0.0, 0
    for i in range(n):
        logs[i] = (logs[i] - top) - norm
        squares += math.exp(2.0 * logs[i])
        if logs[i] > logs[likeliest]:
            likeliest = i
    state["n_eff"], state["likeliest"], state["cheapest"] = 1.0 / squares, likeliest, cheapest


@kernel
def estimate(freedom: Freedom, settings: Row, state: Row, base: Array, halvings: int, crowd: Crowd) -> bool:
    """Write the next smoothed estimate, the candidate; return whether limits and constraints hold there."""
    towards = crowd.points[_GOAL] if state["arrived"] != 0 else crowd.trial[state["likeliest"]]
    candidate = crowd.points[_CANDIDATE]
    if halvings > HALVINGS or settings["gain"] == 1.0:
        copy_into(towards, candidate)
        return True
    share = settings["gain"] * 0.5**halvings
    blend(freedom, base, crowd.points[_ESTIMATE], towards, share, candidate)
    return inside(freedom, candidate)


@kernel
def conclude(settings: Row, state: Row, stop: npt.NDArray[np.int8], crowd: Crowd) -> int:
    """End an iteration whose candidate has been measured: take it over, anneal, resample; return AGAIN or DONE."""
    points, judged, cost = crowd.points, crowd.judged, crowd.candidate_judged[_COST, 0]
    copy_into(points[_CANDIDATE], points[_ESTIMATE])
    state["met"] = crowd.candidate_judged[_MET, 0]
    state["iterations"] += 1
    if state["arrived"] == 0:
        cheapest = state["cheapest"]
        if cost < state["best_cost"] or (state["met"] != 0 and settings["ends"] != LEANS):
            state["best_cost"] = cost
            copy_into(points[_CANDIDATE], points[_BEST])
        if state["met"] == 0 and judged[_MET, cheapest] != 0.0 and settings["ends"] != LEANS:
            state["arrived"], state["best_cost"] = 1, judged[_COST, cheapest]
            copy_into(crowd.trial[cheapest], points[_GOAL])
            copy_into(crowd.trial[cheapest], points[_BEST])
        least = judged[_COST, cheapest] if judged[_COST, cheapest] < cost else cost
        d = math.sqrt(least)
        nearer = d < state["distance"]
        state["gain"] = min(1.0, _RISE * state["gain"]) if nearer else max(_LEAST_GAIN, _FALL * state["gain"])
        state["distance"] = d
        resample(settings, state, crowd)
    if state["met"] != 0 and settings["ends"] == ENDS:
        state["why"] = REACHED
        return DONE
    return _course(settings, state, stop)


@kernel
def hold(settings: Row, state: Row, stop: npt.NDArray[np.int8]) -> int:
    """An iteration in which nothing moves: the goals are met and may move on."""
    state["iterations"] += 1
    return _course(settings, state, stop)


@kernel
def _course(settings: Row, state: Row, stop: npt.NDArray[np.int8]) -> int:
    """Whether to go on, and whether to kick."""
    state["kicked"] = 0
    if state["distance"] < (1.0 - _PROGRESS) * state["mark"] or state["met"] != 0 or state["arrived"] != 0:
        state["mark"], state["quiet"] = state["distance"], 0
    else:
        state["quiet"] += 1
    if stop[0] != 0:
        state["why"] = INTERRUPTED
        return DONE
    if state["iterations"] >= settings["max_iterations"]:
        state["why"] = OUT_OF_ITERATIONS
        return DONE
    if state["quiet"] >= _PATIENCE and settings["ends"] != HOLDS:  # goals that move will stir the crowd themselves
        if state["kicks"] >= _KICKS:
            state["why"] = STATIONARY
            return DONE
        state["kicks"] += 1
        state["kicked"], state["gain"], state["quiet"] = 1, 1.0, 0
    return AGAIN


@kernel
def resample(settings: Row, state: Row, crowd: Crowd) -> None:
    """Move to what was drawn; below the effective size, systematically: heavy particles multiply, light ones go."""
    n = crowd.x.shape[0]
    if state["n_eff"] >= settings["ess"] * n:
        copy_rows_into(crowd.trial, crowd.x)
        return
    u = uniform(key_of(settings["seed"], state["iterations"]), n)  # of no particle's stream
    total, i = math.exp(crowd.log_weights[0]), 0
    for k in range(n):
        while total < (u + k) / n and i < n - 1:
            i += 1
            total += math.exp(crowd.log_weights[i])
        copy_into(crowd.trial[i], crowd.x[k])
    for k in range(n):
        crowd.log_weights[k] = -math.log(n)


@kernel
def record(state: Row, crowd: Crowd, path: Array, history: Array) -> None:
    """Keep the estimate as a frame, with distance, effective size and draws; arrays without room keep nothing."""
    k = state["iterations"]
    if k < path.shape[0]:
        copy_into(crowd.points[_ESTIMATE], path[k])
        distance = math.sqrt(crowd.candidate_judged[_COST, 0])
        history[k, 0], history[k, 1], history[k, 2] = distance, state["n_eff"], state["draws"]


@kernel
def solve_sampling(
    problem: DenseProblem,
    freedom: Freedom,
    settings: Row,
    state: Row,
    start: Array,
    targets: Array,
    reference: Array,
    examples: Array,
    stop: npt.NDArray[np.int8],
    point: Point,
    crowd: Crowd,
    path: Array,
    history: Array,
) -> None:
    """One search from a feasible start; the answer is the best of the crowd's points, measured as the candidate."""
    everybody = np.ones(crowd.x.shape[0], np.int8)
    candidate = crowd.points[_CANDIDATE : _CANDIDATE + 1]
    copy_into(start, candidate[0])
    measure(problem, targets, reference, candidate, point, crowd.candidate_judged)
    begin(settings, state, start, crowd)
    record(state, crowd, path, history)
    action = AGAIN
    if state["met"] != 0 and settings["ends"] == ENDS:
        state["why"], action = REACHED, DONE
    elif settings["max_iterations"] == 0:
        state["why"], action = OUT_OF_ITERATIONS, DONE
    while action != DONE:
        if state["arrived"] == 0:
            propose(freedom, settings, state, start, examples, everybody, 0, crowd)
            measure(problem, targets, reference, crowd.trial, point, crowd.judged)
            weigh(settings, state, crowd)
        halvings = 0
        while not estimate(freedom, settings, state, start, halvings, crowd):
            halvings += 1
        measure(problem, targets, reference, candidate, point, crowd.candidate_judged)
        action = conclude(settings, state, stop, crowd)
        record(state, crowd, path, history)
    copy_into(crowd.points[_BEST], candidate[0])
    measure(problem, targets, reference, candidate, point, crowd.candidate_judged)
