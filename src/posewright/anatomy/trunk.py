"""Which joints are pelvis, spine, neck and head: the path from the root to the top of the head, cut into parts.

Topology says most: the pelvis is where legs and spine part, the arms hang on the last joint of the spine. Names may
say otherwise (3ds Max hangs the thighs on the spine and the collar bones on the neck).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from posewright.anatomy.bone_tree import BoneTree
from posewright.anatomy.lexicon import TRUNK_WORDS, Votes, agreement, votes
from posewright.anatomy.names import base_name
from posewright.anatomy.parts import TRUNK

_CONTRADICTED = 1.0
_FORK = 1.0
"""What topology says for the joint where legs and spine part."""
_ARMS = 0.5
_LAST = 0.3


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


def _value(vote: Votes, part: str) -> float:
    return vote.get(part, -_CONTRADICTED if vote else 0.0)


def _rest_of(tree: BoneTree, path: tuple[int, ...], place: int) -> int:
    """How many joints that are no mere ends follow in the path."""
    return sum(1 for joint in path[place + 1 :] if tree.reaches[joint] > 1e-6) + 1


def _lowest_common(tree: BoneTree, one: int, other: int) -> int:
    above = set(tree.figure.ancestors(one))
    return next(joint for joint in tree.figure.ancestors(other) if joint in above)


def _head_path(tree: BoneTree, arms_on: int, limbs: set[int]) -> tuple[int, ...]:
    """The way from where the arms hang to the head: the branch that names call so, else the longest."""
    branches = [c for c in tree.figure.children[arms_on] if c not in limbs and not tree.helper[c]]
    if not branches:
        return ()

    def worth(joint: int) -> tuple[float, float]:
        path = tree.main_path(joint)
        found = [votes(TRUNK_WORDS, base_name(tree.names[k]))[1] for k in path]
        return max((max(vote.get("neck", 0.0), vote.get("head", 0.0)) for vote in found), default=0.0), tree.span(joint)

    return tree.main_path(max(branches, key=worth))
