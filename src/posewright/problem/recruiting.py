"""Which joints serve a goal: the limb of its site, limb and spine, or the whole figure (Li et al., section 4.2).

The trunk is every joint from which two or more long chains branch (at least a fifth of the figure's largest chain), and
the joints above such a joint. A limb is what hangs between a site and the trunk: an arm with its clavicle, a leg, the
neck and head. Fingers are too short to make a trunk of the hand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.figures import Figure
from posewright.goals import Posture, Smoothness
from posewright.goals.goal import Goal
from posewright.goals.term import SiteTerm

_LONG = 0.2


def recruited_joints(figure: Figure, goal: Goal) -> frozenset[int]:
    """Indices of the joints that may serve a goal."""
    if not isinstance(goal.joints, str):
        return frozenset(figure.joint_index(name) for name in goal.joints)
    sites = [term.site for term in goal.terms(figure) if isinstance(term, SiteTerm) and term.site is not None]
    if goal.joints == "whole" or not sites:
        return frozenset(range(len(figure.joints)))
    found: set[int] = set()
    for site in sites:
        found |= _of_site(figure, figure.joint_index(figure.site(site).joint), with_spine=goal.joints == "limb+spine")
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


def trunk(figure: Figure) -> frozenset[int]:
    """Indices of the joints from which long chains branch, and of those above them."""
    lengths = np.zeros(len(figure.joints))
    for index in range(len(figure.joints) - 1, -1, -1):
        joint = figure.joints[index]
        tips = [np.linalg.norm(site.point) for site in figure.sites if site.joint == joint.name]
        lengths[index] = max([lengths[index], *map(float, tips)])
        parent = figure.parents[index]
        if parent >= 0:
            lengths[parent] = max(lengths[parent], lengths[index] + float(np.linalg.norm(joint.offset)))
    found: set[int] = set()
    for index, children in enumerate(figure.children):
        reach = [lengths[child] + float(np.linalg.norm(figure.joints[child].offset)) for child in children]
        if sum(length >= _LONG * lengths.max() for length in reach) >= 2:
            found.update(figure.ancestors(index))
    return frozenset(found)


def _of_site(figure: Figure, joint: int, *, with_spine: bool) -> set[int]:
    middle = trunk(figure)
    chain = figure.ancestors(joint)
    limb = {index for index in chain if index not in middle}
    roots = {index for index in range(len(figure.joints)) if figure.parents[index] < 0}
    if joint in roots:
        return {joint}
    if not with_spine:
        return limb or set(chain) - roots
    above = [index for index in chain if index in middle]
    if above and above[0] in roots:  # a leg: both legs, without the spine
        return {i for child in figure.children[above[0]] if child not in middle for i in figure.subtree(child)}
    return limb | {index for index in middle if index not in roots}
