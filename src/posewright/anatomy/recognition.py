"""Recognises the parts of a body by topology, proportions, rest pose and names.

Every pair of similar limbs is scored as legs and as arms, together with the trunk between them. The best combination
wins.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from posewright.anatomy.bone_tree import BoneTree, points_below
from posewright.anatomy.lexicon import FINGERS, LEG, SIDES
from posewright.anatomy.limbs import LimbParts, TrunkParts, arm, fingers, leg, trunk
from posewright.anatomy.names import pair_sides, side_of
from posewright.conventions import UP
from posewright.figures import Figure

_TRUNK = 0.15
"""Minimum distance between hips and shoulders, as a share of the figure's size."""
_MOST_CUTS = 100_000
"""Maximum number of ways to divide limbs into parts that are scored; a body has a few hundred."""
_MOST_LIKELY = 100
"""Maximum number of pairs that are tried as legs, and as arms."""


Found = tuple[Mapping[str, tuple[str, ...]], Mapping[str, float]]
"""Joint names and confidence (0 to 1) by part."""


def recognise(figure: Figure) -> Found:
    """The joints of each part; empty if the figure is not a biped."""
    return _recognised(figure if figure.skin is None else replace(figure, skin=None))


@lru_cache(maxsize=64)
def _recognised(figure: Figure) -> Found:
    """Cached, because the clips of a library have equal figures."""
    tree = BoneTree(figure)
    best, best_score = None, -np.inf
    pairs = _weighed(tree)
    legs = _likely({pair: leg(tree, pair) for pair in pairs})
    arms = _likely({pair: arm(tree, pair) for pair in pairs})
    for legs_pair, arms_pair in itertools.product(legs, arms):
        if set(legs_pair) & set(arms_pair) or _inside(tree, legs_pair, arms_pair):
            continue
        limbs = legs[legs_pair], arms[arms_pair]
        if not _apart(tree, *limbs):
            continue
        middle = trunk(tree, legs_pair, arms_pair)
        if _overlap(*limbs, middle):
            continue
        score = sum(limb.score for limb in limbs) + middle.score + _posture(tree, legs_pair, arms_pair)
        if score > best_score + 1e-9:
            best, best_score = (*limbs, middle), score
    return ({}, {}) if best is None else _assembled(tree, *best)


def _weighed(tree: BoneTree) -> list[tuple[int, int]]:
    """Pairs that may be limbs, longest first, until there are more ways to divide them than any body has."""
    found, left = [], _MOST_CUTS
    for pair in tree.limb_pairs:
        left -= math.comb(len(tree.main_path(pair[0])) + 1 + len(LEG), len(LEG) + 1)
        if left < 0:
            break
        found.append(pair)
    return found


def _likely(limbs: dict[tuple[int, int], LimbParts]) -> dict[tuple[int, int], LimbParts]:
    """The limbs with a positive score; at most the best hundred."""
    found = {pair: limb for pair, limb in limbs.items() if limb.score > 0.0}
    if len(found) <= _MOST_LIKELY:
        return found
    return dict(sorted(found.items(), key=lambda item: -item[1].score)[:_MOST_LIKELY])


def _inside(tree: BoneTree, legs: tuple[int, int], arms: tuple[int, int]) -> bool:
    """Whether one pair is attached to the other, like fingers to an arm."""
    above_legs, above_arms = tree.figure.ancestors(legs[0]), tree.figure.ancestors(arms[0])
    return bool(set(legs) & set(above_arms) or set(arms) & set(above_legs))


def _apart(tree: BoneTree, legs: LimbParts, arms: LimbParts) -> bool:
    """Whether there is room for a trunk between them; fingers are pairs too, but begin next to each other."""
    hips, shoulders = (
        np.mean([tree.positions[limb.joints(part, of_other=other)[0]] for other in (False, True)], axis=0)
        for limb, part in ((legs, "hip"), (arms, "shoulder"))
    )
    return bool(np.linalg.norm(shoulders - hips) > _TRUNK * tree.size)


def _overlap(legs: LimbParts, arms: LimbParts, middle: TrunkParts) -> bool:
    """Whether trunk and limbs share a joint."""
    limbs = {*legs.path, *legs.other, *arms.path, *arms.other}
    return any(limbs.intersection(joints) for joints in middle.joints.values())


def _posture(tree: BoneTree, legs: tuple[int, int], arms: tuple[int, int]) -> float:
    """Score of the rest pose: legs point down, arms begin higher, and the root is near the legs."""
    figure, height = tree.figure, tree.positions @ np.array(UP)
    ends = [tree.main_path(top)[-1] for top in legs]
    hips, shoulders = (height[list(pair)].mean() for pair in (legs, arms))
    down = (hips - height[ends].mean()) / tree.size
    higher = (shoulders - hips) / tree.size
    nearer = len(figure.ancestors(arms[0])) - len(figure.ancestors(legs[0]))
    return float(np.clip(2.0 * down, -0.7, 0.7) + np.clip(4.0 * higher, -0.7, 0.7) + 0.3 * np.sign(nearer))


def _assembled(tree: BoneTree, legs: LimbParts, arms: LimbParts, middle: TrunkParts) -> Found:
    names = tree.figure.joint_names
    joints: dict[str, tuple[str, ...]] = {}
    confidence: dict[str, float] = {}
    for part, indices in middle.joints.items():
        joints[part] = tuple(names[k] for k in indices)
        confidence[part] = _confidence(middle.names[part], 0.8)
    path_is_left, certainty = _path_is_left(tree, legs, arms, middle)
    for limb in (legs, arms):
        for side in SIDES:
            mirrored = (side == "left") != path_is_left[limb is arms]
            for part in limb.parts:
                joints[f"{side}_{part}"] = tuple(names[k] for k in limb.joints(part, of_other=mirrored))
                confidence[f"{side}_{part}"] = certainty * _confidence(limb.names[part], limb.shape)
            if limb is arms:
                for finger, found in _fingers(tree, limb, mirrored):
                    joints[f"{side}_{finger}"] = tuple(names[k] for k in found)
                    confidence[f"{side}_{finger}"] = certainty * 0.9
    return joints, confidence


def _fingers(tree: BoneTree, limb: LimbParts, mirrored: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    found = fingers(tree, limb.joints("wrist", of_other=mirrored))
    yield from ((finger, found[finger]) for finger in FINGERS if finger in found)


def _confidence(names: float, shape: float) -> float:
    return round(0.35 + 0.4 * names + 0.25 * shape, 3)


def _path_is_left(
    tree: BoneTree, legs: LimbParts, arms: LimbParts, middle: TrunkParts
) -> tuple[tuple[bool, bool], float]:
    """Whether the first path of each pair is the left one, by names or else by the rest pose, and the confidence."""
    named = [_named_left(tree, limb) for limb in (legs, arms)]
    seen = _seen_left(tree, legs, arms, middle)
    if seen is None:
        seen_sides, certainty = (True, True), 0.7
    else:
        seen_sides, certainty = seen, 0.9
    answer = tuple(s if t is None else t for t, s in zip(named, seen_sides, strict=True))
    if None not in named:
        certainty = 1.0 if seen is None or answer == seen else 0.9
    return (answer[0], answer[1]), certainty


def _named_left(tree: BoneTree, limb: LimbParts) -> bool | None:
    ballots = [pair_sides(tree.names[a], tree.names[b])[0] for a, b in zip(limb.path, limb.other, strict=True)]
    if not any(ballots):  # names that differ by more than the side: `arm_R_2` and `arm_L_3`
        alone = [(side_of(tree.names[a]), side_of(tree.names[b])) for a, b in zip(limb.path, limb.other, strict=True)]
        ballots = [one for one, other in alone if {one, other} == set(SIDES)]
    lefts, rights = ballots.count("left"), ballots.count("right")
    return None if lefts == rights else lefts > rights


def _seen_left(tree: BoneTree, legs: LimbParts, arms: LimbParts, middle: TrunkParts) -> tuple[bool, bool] | None:
    """The same from the rest pose: toes point forward, and left is up x forward."""
    at = tree.positions
    up = at[middle.joints["spine"][-1] if middle.joints["spine"] else arms.path[0]] - at[legs.joints("ankle")[0]]
    forward = np.zeros(3)
    for mirrored in (False, True):
        ankle = legs.joints("ankle", of_other=mirrored)[-1]
        points = points_below(tree.figure, ankle, tree.positions, tree.rotations)
        forward += (points[1:].mean(axis=0) if len(points) > 1 else at[ankle]) - at[ankle]
    forward -= (forward @ up) / max(float(up @ up), 1e-12) * up
    if np.linalg.norm(forward) < 0.02 * tree.size:
        return None
    left = np.cross(up, forward)
    hips, elbows = (
        at[limb.joints(part)[0]] - at[limb.joints(part, of_other=True)[0]]
        for limb, part in ((legs, "hip"), (arms, "elbow"))
    )
    if min(np.linalg.norm(hips), np.linalg.norm(elbows)) < 1e-6:
        return None
    return bool(left @ hips > 0.0), bool(left @ elbows > 0.0)
