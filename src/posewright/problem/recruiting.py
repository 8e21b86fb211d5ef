"""Which joints serve a goal: the limb of its site, limb and spine, or the whole figure (Li et al., section 4.2).

What limb and spine are is the figure's anatomy (`Anatomy.limb_of`).
"""

from __future__ import annotations

from collections.abc import Sequence

from posewright.figures import Figure
from posewright.goals.goal import Goal
from posewright.goals.term import LinearTerm, PostureTerm, SiteTerm, Term


def recruited_joints(figure: Figure, goal: Goal, terms: Sequence[Term]) -> frozenset[int]:
    """Indices of the joints that may serve a goal, which is made of these terms."""
    if not isinstance(goal.joints, str):
        return frozenset(figure.joint_index(name) for name in goal.joints)
    sites = [term.site for term in terms if isinstance(term, SiteTerm) and term.site is not None]
    if goal.joints == "whole" or not sites:
        return frozenset(range(len(figure.joints)))
    with_spine = goal.joints == "limb+spine"
    return frozenset[int]().union(*(figure.anatomy.limb_of(site, with_spine=with_spine) for site in sites))


def pooled_joints(figure: Figure, goals: Sequence[Goal], goal_terms: Sequence[tuple[Term, ...]]) -> frozenset[int]:
    """Indices of the joints that may serve any of the goals: all goals share them.

    Goals that are about no site and only approached (posture, smoothness) bring in the joints they name and no others,
    unless there is nothing else: to stay at ease is no reason to move more of the body.
    """
    found = [
        recruited_joints(figure, goal, terms)
        for goal, terms in zip(goals, goal_terms, strict=True)
        if not (isinstance(goal.joints, str) and any(isinstance(term, PostureTerm | LinearTerm) for term in terms))
    ]
    return frozenset[int]().union(*found) if found else frozenset(range(len(figure.joints)))
