"""The body of a figure: which of its joints are which part, by topology, proportions, rest pose and names."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from posewright.anatomy.fingers import fingers
from posewright.anatomy.limb import Limb, arm, leg
from posewright.anatomy.names import told_sides
from posewright.anatomy.parts import ESSENTIAL, FINGERS, PARTS, SIDES
from posewright.anatomy.skeleton import Skeleton
from posewright.anatomy.trunk import Trunk, trunk
from posewright.conventions import UP, Array
from posewright.errors import InvalidFigure, UnknownName
from posewright.figures import Figure

_TRUNK = 0.15
"""Least distance of hips and shoulders, as a share of the figure's size."""


@dataclass(frozen=True)
class Body:
    """Joints of a figure by part."""

    figure: Figure = field(repr=False)
    joints: Mapping[str, tuple[str, ...]]
    """Names by part, in the order of `PARTS`; each a chain from the trunk outwards. Missing parts are not there."""
    confidence: Mapping[str, float]
    """0 to 1 by part: 1 told by a person, above 0.8 names and shape agree, about 0.6 shape alone."""

    def __post_init__(self) -> None:
        ordered = {part: tuple(self.joints[part]) for part in PARTS if self.joints.get(part)}
        owner: dict[str, str] = {}
        for part in self.joints:
            if part not in PARTS:
                raise UnknownName("body part", part, PARTS)
        for part, names in ordered.items():
            for name in names:
                self.figure.joint_index(name)
                if name in owner:
                    raise InvalidFigure(
                        f"joint {name!r} of figure {self.figure.name!r} is both {owner[name]} and {part}; "
                        "it can be one part only"
                    )
                owner[name] = part
            for above, below in itertools.pairwise(names):
                if self.figure.joint_index(above) not in self.figure.ancestors(below):
                    raise InvalidFigure(
                        f"{part} of figure {self.figure.name!r}: joint {below!r} is not below {above!r}; "
                        "list the joints of a part from the trunk outwards"
                    )
        object.__setattr__(self, "joints", ordered)
        object.__setattr__(self, "confidence", {part: float(self.confidence.get(part, 1.0)) for part in ordered})

    @classmethod
    def find(cls, figure: Figure) -> Body:
        """Find the parts; what cannot be found is missing from the answer."""
        return _found(figure)

    @property
    def missing(self) -> tuple[str, ...]:
        """Essential parts that no joint was found for."""
        return tuple(part for part in ESSENTIAL if part not in self.joints)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Joints that are no part: they stay at rest."""
        taken = {name for names in self.joints.values() for name in names}
        return tuple(name for name in self.figure.joint_names if name not in taken)

    def require(self) -> Body:
        """The body itself, or an error that says which essential parts are missing and what to do."""
        if not self.missing:
            return self
        words = ", ".join(part.replace("_", " ") for part in self.missing)
        raise InvalidFigure(
            f"no joints of figure {self.figure.name!r} could be recognised as {words}; "
            "name them in a match file (`JointMatch.guess(...).save`, or --save-map, writes one to be filled in), "
            "or take a figure with two legs and two arms"
        )

    def first(self, part: str) -> int:
        """Index of the joint where a part begins."""
        return self.figure.joint_index(self.joints[part][0])

    def last(self, part: str) -> int:
        """Index of the joint that carries a part's segment."""
        return self.figure.joint_index(self.joints[part][-1])


def _found(figure: Figure) -> Body:
    skeleton = Skeleton(figure)
    best, best_score = None, -np.inf
    legs = {pair: leg(skeleton, pair) for pair in skeleton.limb_pairs}
    arms = {pair: arm(skeleton, pair) for pair in skeleton.limb_pairs}
    for legs_pair, arms_pair in itertools.permutations(skeleton.limb_pairs, 2):
        if set(legs_pair) & set(arms_pair) or _inside(skeleton, legs_pair, arms_pair):
            continue
        limbs = legs[legs_pair], arms[arms_pair]
        if min(limb.score for limb in limbs) <= 0.0 or not _apart(skeleton, *limbs):
            continue
        middle = trunk(skeleton, legs_pair, arms_pair)
        score = sum(limb.score for limb in limbs) + middle.score + _posture(skeleton, legs_pair, arms_pair)
        if score > best_score + 1e-9:
            best, best_score = (*limbs, middle), score
    return Body(figure, {}, {}) if best is None else _assembled(skeleton, *best)


def _inside(skeleton: Skeleton, legs: tuple[int, int], arms: tuple[int, int]) -> bool:
    """Whether one pair hangs on the other: fingers are no limbs of a leg."""
    above_legs, above_arms = skeleton.figure.ancestors(legs[0]), skeleton.figure.ancestors(arms[0])
    return bool(set(legs) & set(above_arms) or set(arms) & set(above_legs))


def _apart(skeleton: Skeleton, legs: Limb, arms: Limb) -> bool:
    """Whether there is room for a trunk: the fingers of a hand are pairs, too, but begin beside each other."""
    hips, shoulders = (
        np.mean([skeleton.positions[limb.joints(part, of_other=other)[0]] for other in (False, True)], axis=0)
        for limb, part in ((legs, "hip"), (arms, "shoulder"))
    )
    return bool(np.linalg.norm(shoulders - hips) > _TRUNK * skeleton.size)


def _posture(skeleton: Skeleton, legs: tuple[int, int], arms: tuple[int, int]) -> float:
    """What the rest pose says for these legs and arms: legs go down, arms hang higher, the root is near the legs."""
    figure, height = skeleton.figure, skeleton.positions @ np.array(UP)
    ends = [skeleton.main_path(top)[-1] for top in legs]
    hips, shoulders = (height[list(pair)].mean() for pair in (legs, arms))
    down = (hips - height[ends].mean()) / skeleton.size
    higher = (shoulders - hips) / skeleton.size
    nearer = len(figure.ancestors(arms[0])) - len(figure.ancestors(legs[0]))
    return float(np.clip(2.0 * down, -0.7, 0.7) + np.clip(4.0 * higher, -0.7, 0.7) + 0.3 * np.sign(nearer))


def _assembled(skeleton: Skeleton, legs: Limb, arms: Limb, middle: Trunk) -> Body:
    names = skeleton.figure.joint_names
    joints: dict[str, tuple[str, ...]] = {}
    confidence: dict[str, float] = {}
    for part, indices in middle.joints.items():
        joints[part] = tuple(names[k] for k in indices)
        confidence[part] = _confidence(middle.names[part], 0.8)
    path_is_left, certainty = _path_is_left(skeleton, legs, arms, middle)
    for limb in (legs, arms):
        for side in SIDES:
            mirrored = (side == "left") != path_is_left[limb is arms]
            for part in limb.parts:
                joints[f"{side}_{part}"] = tuple(names[k] for k in limb.joints(part, of_other=mirrored))
                confidence[f"{side}_{part}"] = certainty * _confidence(limb.names[part], limb.shape)
            if limb is arms:
                for finger, found in _fingers(skeleton, limb, mirrored):
                    joints[f"{side}_{finger}"] = tuple(names[k] for k in found)
                    confidence[f"{side}_{finger}"] = certainty * 0.9
    return Body(skeleton.figure, joints, confidence)


def _fingers(skeleton: Skeleton, limb: Limb, mirrored: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    found = fingers(skeleton, limb.joints("wrist", of_other=mirrored))
    yield from ((finger, found[finger]) for finger in FINGERS if finger in found)


def _confidence(names: float, shape: float) -> float:
    return round(0.35 + 0.4 * names + 0.25 * shape, 3)


def _path_is_left(skeleton: Skeleton, legs: Limb, arms: Limb, middle: Trunk) -> tuple[tuple[bool, bool], float]:
    """Whether the first path of each pair is the left one, and how sure that is: names first, else the rest pose."""
    told = [_told_left(skeleton, limb) for limb in (legs, arms)]
    seen = _seen_left(skeleton, legs, arms, middle)
    if seen is None:
        seen_sides, certainty = (True, True), 0.7
    else:
        seen_sides, certainty = seen, 0.9
    answer = tuple(s if t is None else t for t, s in zip(told, seen_sides, strict=True))
    if None not in told:
        certainty = 1.0 if seen is None or answer == seen else 0.9
    return (answer[0], answer[1]), certainty


def _told_left(skeleton: Skeleton, limb: Limb) -> bool | None:
    ballots = [told_sides(skeleton.names[a], skeleton.names[b])[0] for a, b in zip(limb.path, limb.other, strict=True)]
    lefts, rights = ballots.count("left"), ballots.count("right")
    return None if lefts == rights else lefts > rights


def _seen_left(skeleton: Skeleton, legs: Limb, arms: Limb, middle: Trunk) -> tuple[bool, bool] | None:
    """From the rest pose: the toes point forward, and left is up times forward."""
    at = skeleton.positions
    up = at[middle.joints["spine"][-1] if middle.joints["spine"] else arms.path[0]] - at[legs.joints("ankle")[0]]
    forward = np.zeros(3)
    for mirrored in (False, True):
        ankle = legs.joints("ankle", of_other=mirrored)[-1]
        forward += _foot_end(skeleton, ankle) - at[ankle]
    forward -= (forward @ up) / max(float(up @ up), 1e-12) * up
    if np.linalg.norm(forward) < 0.02 * skeleton.size:
        return None
    left = np.cross(up, forward)
    hips, elbows = (
        at[limb.joints(part)[0]] - at[limb.joints(part, of_other=True)[0]]
        for limb, part in ((legs, "hip"), (arms, "elbow"))
    )
    if min(np.linalg.norm(hips), np.linalg.norm(elbows)) < 1e-6:
        return None
    return bool(left @ hips > 0.0), bool(left @ elbows > 0.0)


def _foot_end(skeleton: Skeleton, ankle: int) -> Array:
    """Mean of the foot's joints and tips below the ankle, in the world at rest."""
    figure = skeleton.figure
    below = figure.subtree(ankle)
    points = [skeleton.positions[k] for k in below[1:]]
    for site in figure.sites:
        index = figure.joint_index(site.joint)
        if site.tip and index in below:
            points.append(skeleton.positions[index] + skeleton.rotations[index] @ np.array(site.point))
    return np.asarray(np.mean(points, axis=0) if points else skeleton.positions[ankle])
