"""Which joints serve a goal: the limb of its site, limb and spine, or the whole figure (Li et al., section 4.2).

What limb and spine are is the figure's anatomy (`Anatomy.limb_of`).
"""

from __future__ import annotations

from collections.abc import Sequence

from posewright.figures import Figure
from posewright.goals import Posture, Smoothness
from posewright.goals.goal import Goal
from posewright.goals.term import SiteTerm


def recruited_joints(figure: Figure, goal: Goal) -> frozenset[int]:
    """Indices of the joints that may serve a goal."""
    if not isinstance(goal.joints, str):
        return frozenset(figure.joint_index(name) for name in goal.joints)
    sites = [term.site for term in goal.terms(figure) if isinstance(term, SiteTerm) and term.site is not None]
    if goal.joints == "whole" or not sites:
        return frozenset(range(len(figure.joints)))
    found: set[int] = set()
    for site in sites:
        found |= figure.anatomy.limb_of(site, with_spine=goal.joints == "limb+spine")
    return frozenset(found)


def pooled_joints(figure: Figure, goals: Sequence[Goal]) -> frozenset[int]:
    """Indices of the joints that may serve any of the goals: all goals share them.

    Goals that are about no site and only approached (posture, smoothness) bring in the joints they name and no others,
    unless there is nothing else: to stay at ease is no reason to move more of the body.
    """
    found = [
        recruited_joints(figure, goal)
        for goal in goals
        if not (isinstance(goal, Posture | Smoothness) and isinstance(goal.joints, str))
    ]
    return frozenset[int]().union(*found) if found else frozenset(range(len(figure.joints)))
