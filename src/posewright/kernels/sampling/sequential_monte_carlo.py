"""The particle filter that poses: propagate, weigh, estimate, resample (Courty & Arnaud 2008, sections 3 and 4).

Symbols: d distance √(Σ weight‖ρ‖²) of the better of estimate and best particle, D its unit, σ_z spread of the
likelihood exp(-Σ weight‖ρ‖²/σ_z²), w weights. Annealing: both spreads follow d. A second factor, the gain, shrinks
while d does not fall, so that a crowd also settles where goals cannot be met and d does not go to zero.

`solve_sampling` is the whole search; its parts are called one by one where predicates or goals are written in Python.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.search_control import AGAIN, DONE, INTERRUPTED, OUT_OF_ITERATIONS, REACHED, STATIONARY
from posewright.kernels.goals.batch_cost import CrowdTables, CrowdWork, measure
from posewright.kernels.sampling.particles import Freedom, blend, draw, inside
from posewright.kernels.sampling.random_numbers import key_of, uniform
from posewright.kernels.sampling.state import ENDS, HOLDS, LEANS, Crowd
from posewright.kernels.tables import Array, Row

_FLOOR = 1e-6  # of both spreads, over their start
_RISE, _FALL = 1.1, 0.85  # of the gain: a crowd that is nearer than before only every other time has settled
_LEAST_GAIN = 1e-4
_PROGRESS, _PATIENCE = 1e-3, 50  # relative fall of d that counts, and iterations without it before a kick
_KICKS, _KICK = 3, 3.0
HALVINGS: Final = 5
"""Of alpha, when a blend breaks something; then the particle itself is the estimate."""


@kernel
def begin(settings: Row, state: Row, start: Array, crowd: Crowd) -> None:
    """Everybody at the start, whose cost is in `crowd.cost`."""
    n = crowd.x.shape[0]
    for i in range(n):
        copy_into(start, crowd.x[i])
        copy_into(start, crowd.trial[i])
        crowd.costs[i], crowd.log_weights[i] = crowd.cost[0], -math.log(n)
    copy_into(start, crowd.estimate[0])
    copy_into(start, crowd.best)
    d = math.sqrt(crowd.cost[0])
    state["iterations"], state["why"], state["kicks"], state["kicked"], state["quiet"] = 0, 0, 0, 0, 0
    state["gain"], state["unit"], state["first"], state["distance"] = 1.0, max(d, settings["unit"]), d, d
    state["mark"], state["best_cost"], state["met"] = d, crowd.cost[0], crowd.cost_met[0]
    state["draws"], state["n_eff"], state["degenerate"] = 0.0, float(n), 0
    state["likeliest"], state["cheapest"], state["arrived"] = 0, 0, 0


@kernel
def retarget(state: Row, crowd: Crowd) -> None:
    """The goals have moved and the estimate's new cost is in `crowd.cost`: what the weights knew is void."""
    n = crowd.x.shape[0]
    for i in range(n):
        crowd.log_weights[i] = -math.log(n)
    copy_into(crowd.estimate[0], crowd.best)
    state["distance"] = math.sqrt(crowd.cost[0])
    state["mark"], state["best_cost"], state["met"] = state["distance"], crowd.cost[0], crowd.cost_met[0]
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
            blend(freedom, base, mode, examples[min(k, examples.shape[0] - 1)], share, crowd.mode)
            mode = crowd.mode
        key = key_of(key_of(now, i), rounds)
        draws = draw(freedom, base, crowd.x[i], mode, spread, key, settings["max_tries"], crowd.trial[i])
        state["draws"] += draws


@kernel
def weigh(settings: Row, state: Row, crowd: Crowd) -> None:
    """Update and normalise the weights by the costs; find the likeliest and the cheapest particle."""
    _, sigma_z = cooling(settings, state)
    n = crowd.costs.shape[0]
    logs = crowd.log_weights
    top, cheapest = -math.inf, 0
    for i in range(n):
        cost = crowd.costs[i]
        logs[i] = logs[i] - cost / (sigma_z * sigma_z) if cost < math.inf else -math.inf  # not a number: impossible
        top = max(top, logs[i])
        if cost < crowd.costs[cheapest] or not crowd.costs[cheapest] < math.inf:
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
    """Write the next smoothed estimate to `crowd.candidate`; return whether limits and constraints hold there."""
    towards = crowd.goal if state["arrived"] != 0 else crowd.trial[state["likeliest"]]
    if halvings > HALVINGS or settings["alpha"] == 1.0:
        copy_into(towards, crowd.candidate[0])
        return True
    share = settings["alpha"] * 0.5**halvings
    blend(freedom, base, crowd.estimate[0], towards, share, crowd.candidate[0])
    return inside(freedom, crowd.candidate[0])


@kernel
def conclude(settings: Row, state: Row, stop: npt.NDArray[np.int8], crowd: Crowd) -> int:
    """End an iteration whose candidate has been measured: take it over, anneal, resample; return AGAIN or DONE."""
    copy_into(crowd.candidate[0], crowd.estimate[0])
    state["met"] = crowd.cost_met[0]
    state["iterations"] += 1
    if state["arrived"] == 0:
        cheapest = state["cheapest"]
        if crowd.cost[0] < state["best_cost"] or (state["met"] != 0 and settings["ends"] != LEANS):
            state["best_cost"] = crowd.cost[0]
            copy_into(crowd.candidate[0], crowd.best)
        if state["met"] == 0 and crowd.met[cheapest] != 0 and settings["ends"] != LEANS:
            state["arrived"], state["best_cost"] = 1, crowd.costs[cheapest]
            copy_into(crowd.trial[cheapest], crowd.goal)
            copy_into(crowd.trial[cheapest], crowd.best)
        least = crowd.costs[cheapest] if crowd.costs[cheapest] < crowd.cost[0] else crowd.cost[0]
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
        copy_into(crowd.estimate[0], path[k])
        history[k, 0], history[k, 1], history[k, 2] = math.sqrt(crowd.cost[0]), state["n_eff"], state["draws"]


@kernel
def solve_sampling(
    tables: CrowdTables,
    freedom: Freedom,
    settings: Row,
    state: Row,
    starts: Array,
    targets: Array,
    references: Array,
    examples: Array,
    stop: npt.NDArray[np.int8],
    work: CrowdWork,
    crowd: Crowd,
    path: Array,
    history: Array,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems whose starts are feasible; arrays as of `least_squares.solve_tree`, over x."""
    everybody = np.ones(crowd.x.shape[0], np.int8)
    for solve in range(targets.shape[0]):
        reference = references[solve if references.shape[0] > 1 else 0]
        start = starts[solve if starts.shape[0] > 1 else 0]
        errors = errors_out[solve]
        copy_into(start, crowd.candidate[0])
        measure(tables, targets[solve], reference, crowd.candidate, work, crowd.cost, crowd.cost_met, errors)
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
                measure(tables, targets[solve], reference, crowd.trial, work, crowd.costs, crowd.met, errors)
                weigh(settings, state, crowd)
            halvings = 0
            while not estimate(freedom, settings, state, start, halvings, crowd):
                halvings += 1
            measure(tables, targets[solve], reference, crowd.candidate, work, crowd.cost, crowd.cost_met, errors)
            action = conclude(settings, state, stop, crowd)
            record(state, crowd, path, history)
        copy_into(crowd.best, crowd.candidate[0])
        measure(tables, targets[solve], reference, crowd.candidate, work, crowd.cost, crowd.cost_met, errors)
        copy_into(crowd.best, x_out[solve])
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = crowd.cost[0]
        info_out[solve, 3] = state["kicks"]
