"""The particle filter that poses: propagate, weigh, estimate, resample (Courty & Arnaud 2008, sections 3 and 4).

Symbols: d distance √(Σ weight‖ρ‖²) of the better of estimate and best particle, D its unit, σ_z spread of the
likelihood exp(-Σ weight‖ρ‖²/σ_z²), w weights. Annealing: both spreads follow d. A second factor, the heat, shrinks
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
from posewright.kernels.dense.problem import DenseProblem, Point, cost_at
from posewright.kernels.dense.search_control import AGAIN, DONE, INTERRUPTED, OUT_OF_ITERATIONS, REACHED, STATIONARY
from posewright.kernels.goals.terms import CHOSEN, RESULT, ROWS, within_tolerance
from posewright.kernels.sampling.leaning import N_PLACES, Regression, lean, learn
from posewright.kernels.sampling.particles import Freedom, blend, draw, inside
from posewright.kernels.sampling.random_numbers import key_of, uniform
from posewright.kernels.tables import ROWS_PER_TERM, Array, Row, Table

_FLOOR = 1e-6  # of both spreads, over their start
_RISE, _FALL = 1.1, 0.85  # of the heat: a crowd that is nearer than before only every other time has settled
_LEAST_HEAT = 1e-4
_PROGRESS, _PATIENCE = 1e-3, 20  # relative fall of d that counts, and iterations without it before a kick
_KICKS, _KICK = 4, 1.5
_SCALES = 8  # spreads, each half the one before, about where particles lean to: the widest search, the narrowest settle
HALVINGS: Final = 5
"""Of the gain, when a blend breaks something; then the particle itself is the estimate."""


STATE: Final = np.dtype(
    [
        # Settings.
        ("max_iterations", "i8"),
        ("seed", "u8"),
        ("gain", "f8"),  # of the estimate, towards the best particle
        ("ess", "f8"),  # resample below this effective share of particles
        ("max_tries", "i8"),
        ("c_z", "f8"),  # σ_z over d
        ("decay", "f8"),  # 0: spreads follow d; else they fall by this factor per iteration
        ("drift", "f8"),  # share of the distance to the example per iteration
        ("lean", "f8"),  # share of the way to where the crowd says that goals are met
        ("least_unit", "f8"),  # smallest D
        ("ends", "i8"),  # what met goals mean: LEANS, ENDS or HOLDS
        # The search.
        ("iterations", "i8"),
        ("why", "i8"),
        ("kicks", "i8"),
        ("kicked", "i8"),  # 1 if the next iteration spreads three times as far
        ("quiet", "i8"),  # iterations without progress
        ("heat", "f8"),
        ("unit", "f8"),  # D
        ("first", "f8"),  # d of the start
        ("distance", "f8"),  # d
        ("mark", "f8"),  # d that the next progress is measured from
        ("best_cost", "f8"),  # of all estimates
        ("draws", "f8"),  # of blocks, in this iteration
        ("n_eff", "f8"),
        ("likeliest", "i8"),
        ("cheapest", "i8"),
        ("learned", "i8"),  # 1 if the last crowd's residuals are those of the goals
        ("degenerate", "i8"),  # iterations without any finite weight
        ("arrived", "i8"),  # 1 if a particle meets all goals: the estimate glides to it
        ("cost", "f8"),  # of the candidate
        ("met", "i8"),  # whether the candidate, and then the estimate, meets all goals
    ],
    align=True,
)

LEANS: Final = 0
"""Nothing: something else is to be made as small as possible."""
ENDS: Final = 1
"""The end of the search."""
HOLDS: Final = 2
"""To stay until they move on."""


# Rows of `Crowd.judged`.
COST: Final = 0
MET: Final = 1
"""1 if all goals are met."""
LOG_WEIGHT: Final = 2
"""Normalised: Σ exp = 1."""

# Rows of `Crowd.places`, from the end of the particles.
_MODE: Final = 0
_BASE: Final = 1
_ESTIMATE: Final = 2
_CANDIDATE: Final = 3
_BEST: Final = 4
_GOAL: Final = 5
_LEANT: Final = 6
_EXAMPLES: Final = 7


class Crowd(NamedTuple):
    """The particles and what the search remembers."""

    places: Array
    """(2 particles + 7 + examples, coordinates): where the particles are; where they are drawn to; scratch, the start,
    the smoothed estimate, its candidate, the estimate of least cost, the particle that meets all goals once there is
    one, scratch; then examples to drift towards, one per iteration, of which the last one stays"""
    judged: Array
    """(3, particles): rows COST, MET, LOG_WEIGHT"""
    rho: Array
    """(2 particles, rows): residuals where the particles are, and where they were drawn to"""
    known: Regression
    """What the last crowd says about the way to the goals"""
    state: Table
    """(1,) of STATE"""

    @property
    def x(self) -> Array:
        """(particles, coordinates)"""
        return np.asarray(self.places[: self.judged.shape[1]])

    @property
    def trial(self) -> Array:
        """(particles, coordinates)"""
        n = self.judged.shape[1]
        return np.asarray(self.places[n : 2 * n])

    @property
    def trial_rho(self) -> Array:
        """(particles, rows)"""
        return np.asarray(self.rho[self.judged.shape[1] :])

    @property
    def base(self) -> Array:
        """(coordinates,)"""
        return self._point(_BASE)

    @property
    def estimate(self) -> Array:
        """(coordinates,)"""
        return self._point(_ESTIMATE)

    @property
    def candidate(self) -> Array:
        """(coordinates,)"""
        return self._point(_CANDIDATE)

    @property
    def best(self) -> Array:
        """(coordinates,)"""
        return self._point(_BEST)

    def _point(self, row: int) -> Array:
        return np.asarray(self.places[2 * self.judged.shape[1] + row])


def new_crowd(particles: int, examples: Array, rows: int) -> Crowd:
    """So many particles, which drift towards examples (frames, coordinates); may be none. The residual has `rows`."""
    n = examples.shape[1]
    places, rho = np.zeros((2 * particles + _EXAMPLES + len(examples), n)), np.zeros((2 * particles, rows))
    places[2 * particles + _EXAMPLES :] = examples
    known = Regression(np.zeros((n + rows + 3, rows)), np.zeros((N_PLACES, n)))
    return Crowd(places, np.zeros((3, particles)), rho, known, np.zeros(1, STATE))


@kernel
def begin(crowd: Crowd) -> None:
    """Everybody at the base, which is also the candidate and has its cost."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    points, cost = crowd.places[2 * n :], state["cost"]
    for i in range(n):
        copy_into(points[_BASE], crowd.places[i])
        copy_into(points[_BASE], crowd.places[n + i])
        crowd.judged[COST, i], crowd.judged[LOG_WEIGHT, i] = cost, -math.log(n)
    copy_into(points[_BASE], points[_ESTIMATE])
    copy_into(points[_BASE], points[_BEST])
    d = math.sqrt(cost)
    state["iterations"], state["why"], state["kicks"], state["kicked"], state["quiet"] = 0, 0, 0, 0, 0
    state["heat"], state["unit"], state["first"], state["distance"] = 1.0, max(d, state["least_unit"]), d, d
    state["mark"], state["best_cost"] = d, cost
    state["draws"], state["n_eff"], state["degenerate"], state["learned"] = 0.0, float(n), 0, 0
    state["likeliest"], state["cheapest"], state["arrived"] = 0, 0, 0


@kernel
def retarget(crowd: Crowd) -> None:
    """The goals have moved and the estimate's new cost is that of the candidate: what the weights knew is void."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    points = crowd.places[2 * n :]
    for i in range(n):
        crowd.judged[LOG_WEIGHT, i] = -math.log(n)
    copy_into(points[_ESTIMATE], points[_BEST])
    state["distance"] = math.sqrt(state["cost"])
    state["mark"], state["best_cost"] = state["distance"], state["cost"]
    state["heat"], state["quiet"], state["kicks"], state["arrived"], state["learned"] = 1.0, 0, 0, 0, 0


@kernel
def cooling(state: Row) -> tuple[float, float]:
    """Factor of the particles' spread, and σ_z."""
    if state["decay"] > 0.0:
        fall = max(state["decay"] ** state["iterations"], _FLOOR)
        return fall, state["c_z"] * max(fall * state["first"], 1e-300)
    share = min(state["distance"] / state["unit"], 1.0)
    spread = state["heat"] * share
    if state["kicked"] != 0:
        spread = _KICK
    floor = _FLOOR * max(state["first"], 1e-300)
    sigma_z = state["c_z"] * max(state["distance"] * math.sqrt(state["heat"]), floor)
    return max(spread, _FLOOR), sigma_z


@kernel
def propose(freedom: Freedom, pending: npt.NDArray[np.int8], rounds: int, crowd: Crowd) -> None:
    """Draw a new place for every pending particle.

    Args:
        freedom: how particles move.
        pending: (particles,): 0 for those that keep what was drawn before.
        rounds: how often a predicate has refused the pending ones in this iteration.
        crowd: the particles.
    """
    n, state = crowd.judged.shape[1], crowd.state[0]
    points = crowd.places[2 * n :]
    spread, _ = cooling(state)
    spread *= 0.5 ** (rounds // 10)
    if rounds == 0:
        state["draws"] = 0.0
    k = state["iterations"]
    now = key_of(state["seed"], k)
    leans = state["learned"] != 0 and state["lean"] > 0.0 and state["met"] == 0  # met goals leave the rest to the draws
    for i in range(n):
        if pending[i] == 0:
            continue
        old = crowd.places[i]
        mode = old
        if points.shape[0] > _EXAMPLES:
            # The pull fades with the spread: with a constant one, goals and example would hold each other off.
            share = state["drift"] * min(state["distance"] / state["unit"], 1.0)
            example = points[min(_EXAMPLES + k, points.shape[0] - 1)]
            blend(freedom, points[_BASE], old, example, share, points[_MODE])
            mode = points[_MODE]
        sigma = spread
        if state["kicked"] != 0:
            mode = points[_BASE]
        elif leans:
            lean_share = state["lean"] * state["heat"] * 0.5**rounds  # what a predicate refuses may lie beyond it
            lean(freedom, points[_BASE], crowd.known, crowd.rho[i], lean_share, mode, points[_LEANT])
            mode = points[_LEANT]
            sigma = spread if i % 2 == 0 else spread * 0.5 ** ((i // 2) % _SCALES)
        key = key_of(key_of(now, i), rounds)
        state["draws"] += draw(freedom, points[_BASE], old, mode, sigma, key, state["max_tries"], crowd.places[n + i])


@kernel
def judge(
    problem: DenseProblem, targets: Array, reference: Array, x: Array, point: Point, judged: Array, rho: Array
) -> None:
    """Write what points x (points, coordinates) cost and whether they meet all goals: rows COST and MET.

    The residuals of the terms go into rho (points, rows), unless that is empty.
    """
    terms, found = problem.terms, point.found
    for i in range(x.shape[0]):
        judged[COST, i] = cost_at(problem, targets, reference, x[i], point)
        judged[MET, i] = 1.0 if within_tolerance(terms, found) else 0.0
        for k in range(terms.shape[0] if rho.shape[0] > 0 else 0):
            rows, scale = int(found[k, RESULT, ROWS] * found[k, RESULT, CHOSEN]), math.sqrt(terms[k]["weight"])
            for m in range(ROWS_PER_TERM):
                rho[i, ROWS_PER_TERM * k + m] = scale * found[k, RESULT, m] if m < rows else 0.0


@kernel
def judge_candidate(problem: DenseProblem, targets: Array, reference: Array, point: Point, crowd: Crowd) -> None:
    """The same for the candidate, into the state."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    state["cost"] = cost_at(problem, targets, reference, crowd.places[2 * n + _CANDIDATE], point)
    state["met"] = 1 if within_tolerance(problem.terms, point.found) else 0


@kernel
def weigh(crowd: Crowd) -> None:
    """Update and normalise the weights by the costs; find the likeliest and the cheapest particle."""
    state = crowd.state[0]
    _, sigma_z = cooling(state)
    costs, logs = crowd.judged[COST], crowd.judged[LOG_WEIGHT]
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
def look_around(freedom: Freedom, crowd: Crowd) -> None:
    """Learn from what was drawn and judged where the goals are met."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    if state["lean"] > 0.0 and n > 1:
        learn(freedom, crowd.places[n : 2 * n], crowd.rho[n : 2 * n], state["cheapest"], crowd.known)
        state["learned"] = 1


@kernel
def estimate(freedom: Freedom, halvings: int, crowd: Crowd) -> bool:
    """Write the next smoothed estimate, the candidate; return whether limits and constraints hold there."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    points = crowd.places[2 * n :]
    towards = points[_GOAL] if state["arrived"] != 0 else crowd.places[n + state["likeliest"]]
    candidate = points[_CANDIDATE]
    if halvings > HALVINGS or state["gain"] == 1.0:
        copy_into(towards, candidate)
        return True
    share = state["gain"] * 0.5**halvings
    blend(freedom, points[_BASE], points[_ESTIMATE], towards, share, candidate)
    return inside(freedom, candidate)


@kernel
def conclude(stop: npt.NDArray[np.int8], crowd: Crowd) -> int:
    """End an iteration whose candidate has been judged: take it over, anneal, resample; return AGAIN or DONE."""
    n, state, judged = crowd.judged.shape[1], crowd.state[0], crowd.judged
    points, cost = crowd.places[2 * n :], state["cost"]
    copy_into(points[_CANDIDATE], points[_ESTIMATE])
    state["iterations"] += 1
    if state["arrived"] == 0:
        cheapest = state["cheapest"]
        if cost < state["best_cost"] or (state["met"] != 0 and state["ends"] != LEANS):
            state["best_cost"] = cost
            copy_into(points[_CANDIDATE], points[_BEST])
        if state["met"] == 0 and judged[MET, cheapest] != 0.0 and state["ends"] != LEANS:
            state["arrived"], state["best_cost"] = 1, judged[COST, cheapest]
            copy_into(crowd.places[n + cheapest], points[_GOAL])
            copy_into(crowd.places[n + cheapest], points[_BEST])
        least = judged[COST, cheapest] if judged[COST, cheapest] < cost or state["kicked"] != 0 else cost
        d = math.sqrt(least)
        if state["kicked"] != 0:
            state["mark"] = d
        nearer = d < state["distance"]
        state["heat"] = min(1.0, _RISE * state["heat"]) if nearer else max(_LEAST_HEAT, _FALL * state["heat"])
        state["distance"] = d
        resample(crowd)
    if state["met"] != 0 and state["ends"] == ENDS:
        state["why"] = REACHED
        return DONE
    return _course(state, stop)


@kernel
def hold(stop: npt.NDArray[np.int8], crowd: Crowd) -> int:
    """An iteration in which nothing moves: the goals are met and may move on."""
    crowd.state[0]["iterations"] += 1
    return _course(crowd.state[0], stop)


@kernel
def _course(state: Row, stop: npt.NDArray[np.int8]) -> int:
    """Whether to go on, and whether to kick."""
    state["kicked"] = 0
    if state["distance"] < (1.0 - _PROGRESS) * state["mark"] or state["met"] != 0 or state["arrived"] != 0:
        state["mark"], state["quiet"] = state["distance"], 0
    else:
        state["quiet"] += 1
    if stop[0] != 0:
        state["why"] = INTERRUPTED
        return DONE
    if state["iterations"] >= state["max_iterations"]:
        state["why"] = OUT_OF_ITERATIONS
        return DONE
    if state["quiet"] >= _PATIENCE and state["ends"] != HOLDS:  # goals that move will stir the crowd themselves
        if state["kicks"] >= _KICKS:
            state["why"] = STATIONARY
            return DONE
        state["kicks"] += 1
        state["kicked"], state["heat"], state["quiet"] = 1, 1.0, 0
    return AGAIN


@kernel
def resample(crowd: Crowd) -> None:
    """Move to what was drawn; below the effective size, systematically: heavy particles multiply, light ones go."""
    n, state, logs = crowd.judged.shape[1], crowd.state[0], crowd.judged[LOG_WEIGHT]
    trial, rho = crowd.places[n : 2 * n], crowd.rho[n : 2 * n]
    if state["n_eff"] >= state["ess"] * n:
        copy_rows_into(trial, crowd.places)
        copy_rows_into(rho, crowd.rho)
        return
    u = uniform(key_of(state["seed"], state["iterations"]), n)  # of no particle's stream
    total, i = math.exp(logs[0]), 0
    for k in range(n):
        while total < (u + k) / n and i < n - 1:
            i += 1
            total += math.exp(logs[i])
        copy_into(trial[i], crowd.places[k])
        copy_into(rho[i], crowd.rho[k])
    for k in range(n):
        logs[k] = -math.log(n)


@kernel
def record(crowd: Crowd, path: Array) -> None:
    """Keep the estimate as a frame, if the path has room for it: behind it distance, effective size and draws.

    Wider rows also get what was drawn, one particle after the other.
    """
    n, state = crowd.judged.shape[1], crowd.state[0]
    k = state["iterations"]
    if k < path.shape[0]:
        row, estimated = path[k], crowd.places[2 * n + _ESTIMATE]
        m = estimated.shape[0]
        copy_into(estimated, row)
        row[m], row[m + 1], row[m + 2] = math.sqrt(state["cost"]), state["n_eff"], state["draws"]
        for i in range((row.shape[0] - m - 3) // m if m > 0 else 0):
            copy_into(crowd.places[n + i], row[m + 3 + m * i : m + 3 + m * (i + 1)])


@kernel
def solve_sampling(
    problem: DenseProblem,
    freedom: Freedom,
    targets: Array,
    reference: Array,
    stop: npt.NDArray[np.int8],
    point: Point,
    crowd: Crowd,
    path: Array,
) -> None:
    """One search from the feasible base; the answer is the best of the crowd's points, judged as the candidate."""
    n, state = crowd.judged.shape[1], crowd.state[0]
    everybody, points = np.ones(n, np.int8), crowd.places[2 * n :]
    copy_into(points[_BASE], points[_CANDIDATE])
    judge_candidate(problem, targets, reference, point, crowd)
    begin(crowd)
    record(crowd, path)
    action = AGAIN
    if state["met"] != 0 and state["ends"] == ENDS:
        state["why"], action = REACHED, DONE
    elif state["max_iterations"] == 0:
        state["why"], action = OUT_OF_ITERATIONS, DONE
    while action != DONE:
        if state["arrived"] == 0:
            propose(freedom, everybody, 0, crowd)
            judge(problem, targets, reference, crowd.places[n : 2 * n], point, crowd.judged, crowd.rho[n : 2 * n])
            weigh(crowd)
            look_around(freedom, crowd)
        halvings = 0
        while not estimate(freedom, halvings, crowd):
            halvings += 1
        judge_candidate(problem, targets, reference, point, crowd)
        action = conclude(stop, crowd)
        record(crowd, path)
    copy_into(points[_BEST], points[_CANDIDATE])
    judge_candidate(problem, targets, reference, point, crowd)
