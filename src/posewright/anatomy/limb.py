"""Which joints of a limb are its parts: every way to cut the path into parts is weighed, the best one is taken.

What counts: the words in the joints' names, the proportions of a human limb (upper and lower segment are about as
long as each other, the foot or hand is shorter), and order. Lengths are along the bones, so that the pose does not
matter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from posewright.anatomy.bone_tree import BoneTree
from posewright.anatomy.lexicon import ARM_WORDS, LEG_WORDS, Votes, agreement, votes
from posewright.anatomy.parts import ARM, LEG
from posewright.anatomy.sides import pair_sides

_CONTRADICTED = 1.0
"""Cost of a joint whose name speaks for another part."""
_HELPER = 0.8
_EXTENDED = 0.25
"""Cost of a further joint in a part, unless it has the same word as the one before (hip_pitch, hip_roll)."""
_TORN = 0.5
"""Cost of two neighbours of the same word in different parts."""
_MIDDLE = 1.5
"""Cost of a hip that coincides with the other side's: a leg begins beside the middle."""
_BEST_SHAPE = 1.2
"""No proportions count for more (`_shape`)."""
_FAR_ANKLE = 1.0
"""Cost of an ankle whose joints are far from each other: the second one is the toes."""


@dataclass(frozen=True)
class LimbParts:
    """A path of joints from the trunk outwards, cut into parts."""

    path: tuple[int, ...]
    other: tuple[int, ...]
    """The path on the other side, joint by joint; it may be shorter."""
    cuts: tuple[int, ...]
    """Where in the path each part begins, and where the last one ends."""
    parts: tuple[str, ...]
    score: float
    names: Mapping[str, float]
    """How far the names agree with each part, 0 to 1."""
    shape: float
    """How far the proportions agree, 0 to 1."""

    def joints(self, part: str, *, of_other: bool = False) -> tuple[int, ...]:
        """The joints of a part, on this or on the other side."""
        k = self.parts.index(part)
        return (self.other if of_other else self.path)[self.cuts[k] : self.cuts[k + 1]]


def leg(tree: BoneTree, pair: tuple[int, int]) -> LimbParts:
    """The pair of limbs as legs."""
    return _best(tree, pair, LEG, LEG_WORDS, required=3, first=0)


def arm(tree: BoneTree, pair: tuple[int, int]) -> LimbParts:
    """The pair of limbs as arms."""
    return _best(tree, pair, ARM, ARM_WORDS, required=2, first=1)


def _best(
    tree: BoneTree,
    pair: tuple[int, int],
    parts: tuple[str, ...],
    words: Mapping[str, Votes],
    *,
    required: int,
    first: int,
) -> LimbParts:
    """`required` parts from the one numbered `first` on must have a joint; the others may be missing."""
    path = tree.main_path(pair[0])
    other = tree.counterpart(path, pair[1])
    path = path[: len(other)]
    votes_at = [_votes(tree, words, a, b) for a, b in zip(path, other, strict=True)]
    places = [0.0, *itertools.accumulate(float(tree.lengths[joint]) for joint in path[1:])]
    end = places[-1] + float(tree.reaches[path[-1]])
    before_top = float(tree.lengths[path[0]])
    best, best_score, best_shape = (0,) * (len(parts) + 1), -math.inf, 0.0
    needed = slice(first, first + required + 1)
    for cuts in itertools.combinations_with_replacement(range(len(path) + 1), len(parts) + 1):
        if len(set(cuts[needed])) <= required:  # they ascend, so two alike leave a part without a joint
            continue
        score = _by_names(parts, cuts, votes_at, tree, path)
        if score + _BEST_SHAPE <= best_score:
            continue
        shape = _shape(parts, cuts, places, end, before_top)
        score += shape
        if parts is LEG:
            score -= _leg_costs(cuts, places, tree, path, other)
        if score > best_score + 1e-9:
            best, best_score, best_shape = cuts, score, shape
    agreed = {part: agreement(part, votes_at[best[k] : best[k + 1]]) for k, part in enumerate(parts)}
    best = _without_rigid_ends(tree, path, best, parts)
    return LimbParts(path, other, best, parts, best_score, agreed, min(1.0, max(0.0, best_shape)))


def _votes(tree: BoneTree, words: Mapping[str, Votes], a: int, b: int) -> tuple[str, Votes]:
    if tree.helper[a]:
        return "", {}
    _, base = pair_sides(tree.names[a], tree.names[b])
    return votes(words, base)


def _by_names(
    parts: tuple[str, ...],
    cuts: tuple[int, ...],
    votes_at: Sequence[tuple[str, Votes]],
    tree: BoneTree,
    path: Sequence[int],
) -> float:
    score = 0.0
    for k, part in enumerate(parts):
        for place in range(cuts[k], cuts[k + 1]):
            word, vote = votes_at[place]
            score += vote.get(part, 0.0) if vote.get(part) or not vote else -_CONTRADICTED
            score -= _HELPER if tree.helper[path[place]] else 0.0
            if place > cuts[k] and not (word and word == votes_at[place - 1][0]):
                score -= _EXTENDED
        if cuts[0] < cuts[k] < len(votes_at):
            before, after = votes_at[cuts[k] - 1][0], votes_at[cuts[k]][0]
            score -= _TORN if after and after == before else 0.0
    return score


def _shape(
    parts: tuple[str, ...], cuts: tuple[int, ...], places: Sequence[float], end: float, before_top: float
) -> float:
    """1 for the proportions of a limb, less and below zero for others."""
    upper_part, lower_part = (0, 1) if parts is LEG else (1, 2)
    start, bend, far = cuts[upper_part], cuts[lower_part], cuts[lower_part + 1]
    upper = places[bend] - places[start]
    tip = places[far] if far < len(places) else end
    lower, hand = tip - places[bend], end - tip
    if upper <= 1e-9 or lower <= 1e-9:
        return -2.0
    inner = before_top + places[start]
    score = 1.0 - 1.5 * max(0.0, abs(math.log(upper / lower)) - 0.1)
    score -= 2.0 * max(0.0, hand / lower - (0.9 if parts is LEG else 1.2))
    score -= 0.5 * max(0.0, 0.15 - hand / lower) / 0.15
    score -= 1.5 * max(0.0, inner / (upper + lower) - (0.4 if parts is LEG else 0.6))
    if parts is LEG and cuts[3] < cuts[4] and places[cuts[3]] - places[cuts[2]] > 0.15 * lower:
        score += 0.2  # a joint ahead of the ankle is likely that of the toes
    if parts is ARM and cuts[3] < cuts[4]:
        score += 0.2  # a joint where the wrist would be is the wrist
    return max(score, -2.0)


def _leg_costs(
    cuts: tuple[int, ...], places: Sequence[float], tree: BoneTree, path: Sequence[int], other: Sequence[int]
) -> float:
    hip, knee, ankle, toes = cuts[:4]
    cost = 0.0
    apart = tree.positions[path[hip]] - tree.positions[other[hip]]
    if math.hypot(*apart) < 0.02 * tree.size:
        cost += _MIDDLE
    shin = max(places[ankle] - places[knee], 1e-9)
    if toes > ankle + 1 and places[toes - 1] - places[ankle] > 0.2 * shin:
        cost += _FAR_ANKLE
    return cost


def _without_rigid_ends(
    tree: BoneTree, path: Sequence[int], cuts: tuple[int, ...], parts: tuple[str, ...]
) -> tuple[int, ...]:
    """The hand or foot without joints at its end that cannot move: a robot's palm is no further wrist."""
    joints = tree.figure.joints
    k = parts.index("ankle" if parts is LEG else "wrist")
    stop = cuts[k + 1]
    while k + 1 == len(parts) and stop > cuts[k] + 1 and joints[path[stop - 1]].n_dofs == 0:
        stop -= 1
    return (*cuts[: k + 1], stop, *cuts[k + 2 :])
