"""Divides paths of joints into parts of the body, by names, proportions and order.

Limbs: every way to cut the path into parts is weighed, the best one is taken. What counts are the words in the joints'
names, the proportions of a human limb (upper and lower segment are about as long as each other, the foot or hand is
shorter), and order. Lengths are along the bones, so that the pose does not matter.

The trunk is the path from the root to the top of the head. Topology says most: the pelvis is where legs and spine part,
the arms hang on the last joint of the spine. Names may say otherwise (3ds Max hangs the thighs on the spine and the
collar bones on the neck). Fingers are recognised by their names; those without are left alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from posewright.anatomy.bone_tree import BoneTree
from posewright.anatomy.lexicon import (
    ARM,
    ARM_WORDS,
    LEG,
    LEG_WORDS,
    TRUNK,
    TRUNK_WORDS,
    Votes,
    agreement,
    finger_number,
    finger_of,
    votes,
)
from posewright.anatomy.names import base_name, pair_sides, tokens_of

_CONTRADICTED = 1.0
"""Cost of a joint whose name stands for another part."""
_HELPER = 0.8
_EXTENDED = 0.25
"""Cost of a further joint in a part, unless it has the same word as the one before (hip_pitch, hip_roll)."""
_TORN = 0.5
"""Cost of two neighbours of the same word in different parts."""
_MIDDLE = 1.5
"""Cost of a hip that coincides with the other side's: a leg begins beside the middle."""
_BEST_SHAPE = 1.2
"""Maximum effect of the proportions (`_shape`)."""
_FAR_ANKLE = 1.0
"""Cost of an ankle whose joints are far apart: the second one is the toe joint."""
_FORK = 1.0
"""Score of the joint at which legs and spine separate."""
_ARMS = 0.5
_LAST = 0.3
_MOST_OF_A_LIMB = 0.6
"""Share of a limb's length: if joints with the same word are further apart, the word only numbers them."""
_PALM = ("metacarpal", "carpal", "base")
"""Words of joints inside the palm, above the first knuckle."""


@dataclass(frozen=True)
class LimbParts:
    """A path of joints from the trunk outwards, divided into parts."""

    path: tuple[int, ...]
    other: tuple[int, ...]
    """The path on the other side, joint by joint; it may be shorter."""
    cuts: tuple[int, ...]
    """Index in the path at which each part begins, and the end of the last part."""
    parts: tuple[str, ...]
    score: float
    names: Mapping[str, float]
    """How far the names agree with each part, 0 to 1."""
    shape: float
    """How far the proportions agree, 0 to 1."""

    def joints(self, part: str, *, of_other: bool = False) -> tuple[int, ...]:
        """The joints of a part, on this side or the other."""
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
    """`required` parts, beginning with number `first`, must have a joint; the others may be missing."""
    path = tree.main_path(pair[0])
    other = tree.counterpart(path, pair[1])
    path = path[: len(other)]
    votes_at = [_votes(tree, words, a, b) for a, b in zip(path, other, strict=True)]
    places = [0.0, *itertools.accumulate(float(tree.lengths[joint]) for joint in path[1:])]
    end = places[-1] + float(tree.reaches[path[-1]])
    votes_at = _without_numbered(votes_at, places, end)
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
    return votes(words, base, tokens_of(tree.names[a]))


def _without_numbered(
    votes_at: Sequence[tuple[str, Votes]], places: Sequence[float], end: float
) -> list[tuple[str, Votes]]:
    """Votes without those of a word on most joints of the limb: `leg_1` to `leg_4` only tell that it is a leg."""
    where: dict[str, list[float]] = {}
    for (word, _), place in zip(votes_at, places, strict=True):
        where.setdefault(word, []).append(place)
    numbered = {word for word, at in where.items() if max(at) - min(at) > _MOST_OF_A_LIMB * end}
    return [("", {}) if word in numbered else (word, vote) for word, vote in votes_at]


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
    """1 for typical proportions of a limb, less (also negative) for others."""
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
    """The hand or foot without immovable joints at its end: a robot's palm is not another wrist."""
    joints = tree.figure.joints
    k = parts.index("ankle" if parts is LEG else "wrist")
    stop = cuts[k + 1]
    while k + 1 == len(parts) and stop > cuts[k] + 1 and joints[path[stop - 1]].n_dofs == 0:
        stop -= 1
    return (*cuts[: k + 1], stop, *cuts[k + 2 :])


@dataclass(frozen=True)
class TrunkParts:
    """The joints of pelvis, spine, neck and head."""

    joints: Mapping[str, tuple[int, ...]]
    names: Mapping[str, float]
    """How far the names agree with each part, 0 to 1."""
    score: float


def trunk(tree: BoneTree, leg_tops: tuple[int, int], arm_tops: tuple[int, int]) -> TrunkParts:
    """The trunk between two pairs of limbs."""
    figure = tree.figure
    legs_on, arms_on = figure.parents[leg_tops[0]], figure.parents[arm_tops[0]]
    fork = _lowest_common(tree, legs_on, arms_on)
    path = (*figure.ancestors(arms_on)[::-1], *_head_path(tree, arms_on, {*leg_tops, *arm_tops}))
    while path[-1] != arms_on and _is_equipment(tree, path[-1]):
        path = path[:-1]
    votes_at = [votes(TRUNK_WORDS, base_name(tree.names[joint])) for joint in path]
    votes_at = [("", {}) if tree.helper[joint] else vote for joint, vote in zip(path, votes_at, strict=True)]
    fork_at, arms_at = path.index(fork), path.index(arms_on)
    best, best_score = (fork_at, arms_at + 1, arms_at + 1), -math.inf
    n = len(path)
    worth: dict[str, list[float]] = {part: [0.0] for part in ("spine", "neck")}
    for part, sums in worth.items():
        for _, vote in votes_at:
            sums.append(sums[-1] + _value(vote, part))
    for pelvis in range(arms_at + 1):
        for spine_end in range(pelvis + 1, n + 1):
            for head in range(spine_end, n + 1):  # n: no head
                score = _value(votes_at[pelvis][1], "pelvis") + _FORK * (pelvis == fork_at)
                score += worth["spine"][spine_end] - worth["spine"][pelvis + 1]
                score += worth["neck"][head] - worth["neck"][spine_end] + _ARMS * (spine_end == arms_at + 1)
                if head < n:
                    score += _value(votes_at[head][1], "head") + _LAST * (_rest_of(tree, path, head) <= 1)
                else:
                    score -= _LAST * (n > spine_end)
                if score > best_score + 1e-9:
                    best, best_score = (pelvis, spine_end, head), score
    pelvis, spine_end, head = best
    cut = {"pelvis": (pelvis, pelvis + 1), "spine": (pelvis + 1, spine_end), "neck": (spine_end, head)}
    cut["head"] = (head, min(head + 1, n))
    joints = {part: path[slice(*cut[part])] for part in TRUNK}
    agreed = {part: agreement(part, votes_at[slice(*cut[part])]) for part in TRUNK}
    return TrunkParts(joints, agreed, best_score)


def _is_equipment(tree: BoneTree, joint: int) -> bool:
    """Whether a joint carries a camera or the like: by its name, or if it is fixed and not named as a body part."""
    fixed = tree.figure.joints[joint].n_dofs == 0
    return tree.helper[joint] or (fixed and not votes(TRUNK_WORDS, base_name(tree.names[joint]))[1])


def _value(vote: Votes, part: str) -> float:
    return vote.get(part, -_CONTRADICTED if vote else 0.0)


def _rest_of(tree: BoneTree, path: tuple[int, ...], place: int) -> int:
    """How many joints follow in the path, not counting ends."""
    return sum(1 for joint in path[place + 1 :] if tree.reaches[joint] > 1e-6) + 1


def _lowest_common(tree: BoneTree, one: int, other: int) -> int:
    above = set(tree.figure.ancestors(one))
    return next(joint for joint in tree.figure.ancestors(other) if joint in above)


def _head_path(tree: BoneTree, arms_on: int, limbs: set[int]) -> tuple[int, ...]:
    """The path from where the arms begin to the head: the branch with such names, or the longest."""
    branches = [c for c in tree.figure.children[arms_on] if c not in limbs and not tree.helper[c]]
    if not branches:
        return ()

    def worth(joint: int) -> tuple[float, float]:
        path = tree.main_path(joint)
        found = [votes(TRUNK_WORDS, base_name(tree.names[k]))[1] for k in path]
        return max((max(vote.get("neck", 0.0), vote.get("head", 0.0)) for vote in found), default=0.0), tree.span(joint)

    return tree.main_path(max(branches, key=worth))


def fingers(tree: BoneTree, hand: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Joints by finger, for the joints of a hand."""
    tops = [top for joint in hand for top in tree.figure.children[joint] if top not in hand]
    branches = [tree.main_path(top) for top in tops]
    numbers = [n for branch in branches for k in branch if (n := finger_number(_base(tree, k))) is not None]
    first = 0 if 0 in numbers else 1
    found: dict[str, tuple[int, ...]] = {}
    for branch in branches:
        finger = next((name for k in branch if (name := finger_of(_base(tree, k), first=first))), "")
        joints = tuple(k for k in branch if not tree.helper[k] and not _in_palm(tree, k, branch))
        if finger and joints and finger not in found:
            found[finger] = joints
    return found


def _base(tree: BoneTree, joint: int) -> str:
    return base_name(tree.names[joint])


def _in_palm(tree: BoneTree, joint: int, branch: Sequence[int]) -> bool:
    return joint != branch[-1] and any(word in _base(tree, joint) for word in _PALM)
