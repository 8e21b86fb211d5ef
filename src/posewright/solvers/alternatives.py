"""Alternatives other than the nearest: tried where a search that let the nearest count came to rest short of a goal.

The nearest alternative of `AnyOf` or `Outside` may be out of reach, or stand in the way of another goal. A search that
follows it comes to rest beside it, although another alternative could be met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice, product

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.problem.evaluation import term_errors
from posewright.problem.linearisation import linearise
from posewright.problem.lowered_problem import LoweredProblem

TRIES = 20
"""At most; boxes have six faces each, and several boxes many combinations."""
_LONG = 100  # iterations: whoever allows fewer wants an early answer, not another search
_NEARER = 1.0 - 1e-4  # of the cost of a level, to count as better


def came_to_rest(why: int, iterations: int) -> bool:
    """Whether a search ended beside what counted there; on the border of two alternatives it may go on for ever."""
    return why in (descent.STATIONARY, descent.STALLED) or (why == descent.OUT_OF_ITERATIONS and iterations >= _LONG)


def with_branches(lowered: LoweredProblem, branches: IntArray) -> LoweredProblem:
    """The same problem with the terms' branches (terms,) numbered otherwise; those numbered -1 never count."""
    terms = lowered.terms.copy()
    terms["branch"] = branches
    return replace(lowered, terms=terms)


def others(lowered: LoweredProblem, targets: Array, start: Array, end: Array) -> Iterator[LoweredProblem]:
    """The problem with other alternatives for good: first of one choice at a time, the nearest and the missed first.

    Args:
        lowered: the problem, with choices.
        targets: (terms, TARGET_WIDTH).
        start: (dofs,) of the plain figure, where "nearest" is measured.
        end: (dofs,), where the search came to rest beside what counts there.
    """
    terms, figure = lowered.terms, lowered.problem.figure
    at_start, _ = term_errors(lowered, targets, Pose(figure, start))
    at_end, counted = term_errors(lowered, targets, Pose(figure, end))
    metres = np.where(np.array(lowered.units) == "rad", terms["radius"], 1.0)
    costs = terms["weight"] * (metres * at_start) ** 2
    choices = np.unique(terms["choice"][terms["choice"] >= 0])
    missed = {c: bool((at_end > terms["tolerance"])[counted & (terms["choice"] == c)].any()) for c in choices}
    ranked = {}
    for c in choices:
        own = terms["choice"] == c
        near = {b: float(costs[own & (terms["branch"] == b)].sum()) for b in np.unique(terms["branch"][own])}
        tried = terms["branch"][own & counted][0]
        ranked[c] = [b for b in sorted(near, key=lambda b: near[b]) if b != tried]
    first = sorted(choices, key=lambda c: not missed[c])
    changes = (
        dict(zip(changed, branches, strict=True))
        for count in range(1, len(choices) + 1)
        for changed in combinations(first, count)
        for branches in product(*(ranked[c] for c in changed))
    )
    for change in islice(changes, TRIES):
        branches = np.array(terms["branch"])
        for c, b in change.items():
            own = terms["choice"] == c
            branches[own] = np.where(terms["branch"][own] == b, 0, -1)
        yield with_branches(lowered, branches)


def is_nearer(lowered: LoweredProblem, targets: Array, start: Array, x: Array, than: Array) -> bool:
    """Whether coordinates x are better than others at the first priority where they differ."""
    levels = sorted({goal.priority for goal in lowered.goals})
    ours, theirs = (dict.fromkeys(levels, 0.0) for _ in range(2))
    for costs, point in ((ours, x), (theirs, than)):
        for rows in linearise(lowered, targets, point, start):
            costs[rows.goal.priority] += float(rows.rho @ rows.rho)
    for level in levels:
        if ours[level] < _NEARER * theirs[level]:
            return True
        if theirs[level] < _NEARER * ours[level]:
            return False
    return False
