"""Which goals a problem can do anything about: those with a coordinate on their chain that may move."""

from __future__ import annotations

import numpy as np

from posewright.conventions import BoolArray
from posewright.goals.term import LinearTerm, PostureTerm, PythonTerm, SiteTerm
from posewright.problem.lowering import LoweredProblem


def moving_coordinates(lowered: LoweredProblem) -> BoolArray:
    """Which coordinates (coordinates,) nothing freezes: neither rigidity nor equal limits nor recruiting."""
    moving: BoolArray = (lowered.scale > 0.0) & (lowered.region.lower < lowered.region.upper)
    return moving


def movable_goals(lowered: LoweredProblem) -> BoolArray:
    """Which of the enabled goals some moving coordinate can change (goals,)."""
    figure = lowered.problem.figure
    driven = np.asarray(lowered.problem.space.matrix[:, moving_coordinates(lowered)].any(axis=1))
    found = np.zeros(len(lowered.goals), np.bool_)
    for k, terms in enumerate(lowered.goal_terms):
        rows = lowered.terms[lowered.goal_sites[k]]
        for i, term in enumerate(terms):
            match term:
                case SiteTerm():
                    ends = {int(rows[i]["joint"]), int(rows[i]["partner"])} - {-1}
                    chain = {index for end in ends for index in figure.ancestors(end)}
                    whole = term.site is None  # the centre of mass depends on every joint
                    found[k] |= bool(driven[whole | np.isin(lowered.dofs["joint"], list(chain))].any())
                case LinearTerm():
                    found[k] |= bool(driven[term.matrix.any(axis=0)].any())
                case PostureTerm():
                    found[k] |= bool(driven[term.weights > 0.0].any())
                case PythonTerm():
                    found[k] |= bool(driven.any())
    return found


def nothing_to_do(lowered: LoweredProblem) -> bool:
    """Whether no goal with a weight can be changed: the start is then the answer."""
    weighted = np.array([goal.weight > 0.0 for goal in lowered.goals], np.bool_)
    return not (weighted & movable_goals(lowered)).any()
