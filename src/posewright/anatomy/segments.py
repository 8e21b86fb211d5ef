"""Positions of the parts of a body at rest, and the long axis and front of each in the frame of its joint.

An anatomical frame has the columns axis, front and axis x front. Two figures have the same posture if the anatomical
frames of their parts agree in the world. The axes of their joints and the pose in which their files were made (T, A,
arms down) then make no difference.

- Limbs: the axis is the direction of the bone. The front is where the elbow bends to and the knee does not. It follows
  from a bent rest pose, or from a T-pose, in which it is forward.
- Hands: the axis points to the knuckles, the front to the thumb's side.
- Feet: the axis points forward along the sole, the front up from it, as the slope of the bone differs between rigs.
- Trunk, clavicles and head: up and forward when the figure stands, because the curves of spines differ too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from posewright.anatomy.bone_tree import points_below
from posewright.anatomy.lexicon import FINGERS, SIDES
from posewright.conventions import UP, Array
from posewright.errors import InvalidFigure
from posewright.figures.kinematics import joint_frames

if TYPE_CHECKING:
    from posewright.anatomy.anatomy import Anatomy

_UP = np.array(UP)
_SAME = np.eye(3)
_BENT = (0.12, 0.35)
"""Sines of the bend angle: below the first the bend is ignored, above the second it determines the front."""
_SHORTEST = 1e-4
"""m; a shorter limb has no direction."""
_LEVELS = ("shoulder", "hip", "ankle")
_SHOE = 0.9
"""Maximum length of a shoe in shins; vertices further from the ankle belong to a coat, or the mesh has another unit."""
_SPLAYED = 0.2
"""rad; if the legs are further apart, the feet were spread with them and are not flat."""


class Segments:
    """The segments of a recognised body in its rest pose."""

    def __init__(self, anatomy: Anatomy) -> None:
        self.anatomy, self.figure = anatomy, anatomy.figure
        frames = joint_frames(self.figure, self.figure.rest)
        self.positions, self.rotations = frames.positions, frames.rotations
        self._places: dict[str, Array] = {}
        self._check()
        left = self._across("hip") + self._across("shoulder")
        self.forward = unit(cross(left, _UP), np.array([0.0, 0.0, 1.0]))
        self.left = cross(_UP, self.forward)

    def _check(self) -> None:
        for side in SIDES:
            for above, below in (*_LEG_BONES, ("shoulder", "elbow")):
                if self._segment(side, above, below) < _SHORTEST:
                    ends = [self.anatomy.parts[f"{side}_{part}"][0] for part in (above, below)]
                    raise InvalidFigure(
                        f"figure {self.figure.name!r} has no length between {side} {above} and {side} {below} "
                        f"({ends[0]!r} and {ends[1]!r}); correct the match, or use a figure with limbs"
                    )
        middle = {part: 0.5 * (self.place(f"left_{part}") + self.place(f"right_{part}")) for part in _LEVELS}
        trunk, legs = middle["shoulder"] - middle["hip"], middle["hip"] - middle["ankle"]
        tall = float(np.linalg.norm(trunk)) + 0.5 * sum(self._segment(side, "hip", "ankle") for side in SIDES)
        straight = float(np.linalg.norm(trunk + legs)) > 0.9 * tall
        if straight and float((trunk + legs) @ _UP) < 0.5 * tall:
            raise InvalidFigure(
                f"figure {self.figure.name!r} does not stand upright; it lies along an axis other than y; "
                "read its file with the right up axis (`ReadOptions(up=...)`, --up, of a target --to-up)"
            )

    @cached_property
    def frames(self) -> Mapping[str, Array]:
        """World anatomical frame (3, 3) of each part's segment in the rest pose; for the spine, of the top segment."""
        found = {"pelvis": self._trunk(self._across("hip")), "spine": self._trunk(self._across("shoulder"))}
        found |= dict.fromkeys(("neck", "head", "left_clavicle", "right_clavicle"), found["spine"])
        for side in SIDES:
            found |= self._arm(side) | self._leg(side)
        return {part: frame for part, frame in found.items() if part in self.anatomy.parts}

    def joint_frame(self, part: str, joint: int) -> Array:
        """Anatomical frame (3, 3) of one joint of a part, in the frame of that joint."""
        world = self.frames[part]
        chain = self.anatomy.parts[part]
        if part == "spine":
            share = (chain.index(self.figure.joint_names[joint]) + 1) / len(chain)
            world = self._trunk((1.0 - share) * self._across("hip") + share * self._across("shoulder"))
        elif part.endswith(FINGERS):
            world = _frame(self._bone(joint, world[:, 0]), world[:, 1])
        local: Array = self.rotations[joint].T @ world
        return local

    @cached_property
    def middle_of_hips(self) -> Array:
        """(3,), m: midpoint of the hips, in the frame of the pelvis."""
        middle = 0.5 * (self.place("left_hip") + self.place("right_hip"))
        pelvis = self.anatomy.last("pelvis")
        local: Array = self.rotations[pelvis].T @ (middle - self.positions[pelvis])
        return local

    @cached_property
    def leg_length(self) -> float:
        """m: thigh, shin and height of the ankle above the sole, mean of both sides."""
        return 0.5 * sum(self.leg_bones(side) for side in SIDES) + self.ankle_height

    def leg_bones(self, side: str) -> float:
        """m: length of thigh and shin."""
        return sum(self._segment(side, above, below) for above, below in _LEG_BONES)

    @cached_property
    def ankle_height(self) -> float:
        """m: height of the ankles above the soles, mean of both sides."""
        return float(np.mean([((self.place(f"{side}_ankle") - self.foot_points(side)) @ _UP).max() for side in SIDES]))

    def place(self, part: str) -> Array:
        """World position (3,), m, of the beginning of a part in the rest pose."""
        if part not in self._places:
            self._places[part] = self.positions[self.centre(part)]
        return self._places[part]

    def centre(self, part: str) -> int:
        """Index of the joint at which a part begins: the first, or for a robot's hinges the one nearest to all axes."""
        chain = [self.figure.joint_index(name) for name in self.anatomy.parts[part]]
        hinges = [self.figure.joints[k].hinges for k in chain]
        if len(chain) == 1 or any(len(own) != 1 for own in hinges):
            return chain[0]
        axes = [self.rotations[k] @ np.array(own[0].axis) for k, own in zip(chain, hinges, strict=True)]
        misses = [
            sum(
                float(np.linalg.norm(cross(self.positions[k] - self.positions[j], axis)))
                for j, axis in zip(chain, axes, strict=True)
            )
            for k in chain
        ]
        return chain[int(np.argmin(misses))]

    def sole_frame(self, side: str) -> Array:
        """World frame (3, 3) of a sole in the rest pose: forward, up, across; tilted if the legs are spread."""
        hip, ankle = self.place(f"{side}_hip"), self.place(f"{side}_ankle")
        leg = hip - ankle
        splay = float(np.arctan2(leg @ self.left, leg @ _UP))
        up = _UP if abs(splay) < _SPLAYED else np.cos(splay) * _UP + np.sin(splay) * self.left
        ahead = self._toes(side) - ankle
        ahead = ahead - (ahead @ up) * up
        if np.linalg.norm(ahead) < 0.02 * np.linalg.norm(leg) or ahead @ self.forward < 0.0:
            ahead = self.forward
        return _frame(ahead, up)

    def _toes(self, side: str) -> Array:
        """World position (3,) of the toe joint, or of the foremost point of the foot."""
        if f"{side}_toes" in self.anatomy.parts:
            return self.place(f"{side}_toes")
        points = self.foot_points(side)
        farthest: Array = points[int(np.argmax(points @ self.forward))]
        return farthest

    def foot_points(self, side: str) -> Array:
        """World positions (n, 3) in the rest pose: the ankle, all joints and tips below it, and the shoe."""
        bones = points_below(self.figure, self.anatomy.last(f"{side}_ankle"), self.positions, self.rotations)
        return np.concatenate([bones, self.shoe_points(side)])

    def shoe_points(self, side: str) -> Array:
        """World positions (n, 3) of the outermost points of a foot's mesh in the rest pose; empty without a mesh."""
        skin, ankle = self.figure.skin, self.anatomy.last(f"{side}_ankle")
        if skin is None or skin.outline is None or len(skin.nodes) != len(self.figure.joints):
            return np.empty((0, 3))
        own = np.isin(skin.outline.joints, self.figure.subtree(ankle))
        joints, points = skin.outline.joints[own], skin.outline.points[own]
        placed = np.einsum("nij,nj->ni", self.rotations[joints], points) + self.positions[joints]
        near = np.linalg.norm(placed - self.positions[ankle], axis=1) < _SHOE * self._segment(side, "knee", "ankle")
        return np.asarray(placed[near])

    def _across(self, part: str) -> Array:
        across: Array = self.place(f"left_{part}") - self.place(f"right_{part}")
        return across

    def _segment(self, side: str, above: str, below: str) -> float:
        return float(np.linalg.norm(self.place(f"{side}_{below}") - self.place(f"{side}_{above}")))

    def _trunk(self, left: Array) -> Array:
        return _frame(_UP, unit(cross(left, _UP), self.forward))

    def _leg(self, side: str) -> dict[str, Array]:
        hip, knee, ankle = (self.place(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
        thigh, shin = _two_bones(knee - hip, ankle - knee, -_UP, self.forward, bends_to=-1.0)
        sole = self.sole_frame(side)
        return {f"{side}_hip": thigh, f"{side}_knee": shin, f"{side}_ankle": sole, f"{side}_toes": sole}

    def _arm(self, side: str) -> dict[str, Array]:
        shoulder, elbow = self.place(f"{side}_shoulder"), self.place(f"{side}_elbow")
        outwards = self.left if side == "left" else -self.left
        wrist = self.place(f"{side}_wrist") if f"{side}_wrist" in self.anatomy.parts else None
        fore = self._bone(self.anatomy.last(f"{side}_elbow"), elbow - shoulder) if wrist is None else wrist - elbow
        upper, lower = _two_bones(elbow - shoulder, fore, outwards, self.forward, bends_to=1.0)
        found = {f"{side}_shoulder": upper, f"{side}_elbow": lower}
        if wrist is not None:
            found[f"{side}_wrist"] = hand = self._hand(side, lower)
            found |= {f"{side}_{finger}": hand for finger in FINGERS}
        return found

    def _hand(self, side: str, forearm: Array) -> Array:
        wrist = self.anatomy.last(f"{side}_wrist")
        knuckles = {f: self.place(f"{side}_{f}") for f in FINGERS[1:] if f"{side}_{f}" in self.anatomy.parts}
        origin = self.positions[wrist]
        middle = np.mean(list(knuckles.values()), axis=0) - origin if len(knuckles) > 1 else np.zeros(3)
        axis = unit(middle, self._bone(wrist, forearm[:, 0]))
        front = turned(forearm[:, 0], axis) @ forearm[:, 1]
        if "index" in knuckles and len(knuckles) > 2:
            front = knuckles["index"] - list(knuckles.values())[-1]
        return _frame(axis, front)

    def _bone(self, joint: int, otherwise: Array) -> Array:
        """World direction (3,) at rest from a joint to the next joint or tip; bones without length are skipped."""
        away = np.linalg.norm(self.positions - self.positions[joint], axis=1) > 1e-4
        ends = [self.positions[k] for k in self.figure.subtree(joint)[1:] if away[k]][:1]
        for site in self.figure.sites:
            if not ends and site.joint == self.figure.joint_names[joint] and np.linalg.norm(site.point) > 1e-4:
                ends.append(self.positions[joint] + self.rotations[joint] @ np.array(site.point))
        return unit(ends[0] - self.positions[joint], otherwise) if ends else unit(otherwise, _UP)


_LEG_BONES = (("hip", "knee"), ("knee", "ankle"))


def unit(vector: Array, otherwise: Array) -> Array:
    """The unit vector (3,) in the same direction, or `otherwise` if the vector is zero."""
    size = math.hypot(*vector.tolist())
    direction: Array = vector / size if size > 1e-9 else np.asarray(otherwise, dtype=np.float64)
    return direction


def cross(a: Array, b: Array) -> Array:
    """The cross product of two vectors (3,), ten times as fast as `numpy.cross`, which is made for arrays."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def turned(start: Array, end: Array) -> Array:
    """The smallest rotation (3, 3) that takes one unit vector to another."""
    axis, cosine = cross(start, end), float(start @ end)
    if cosine < -1.0 + 1e-9:
        across = unit(cross(start, _SAME[0]), unit(cross(start, _SAME[1]), start))
        return np.asarray(2.0 * np.outer(across, across) - _SAME)
    spin = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(_SAME + spin + spin @ spin / (1.0 + cosine))


def _frame(axis: Array, front: Array) -> Array:
    """The frame with the columns axis, front (made perpendicular to the axis) and axis x front."""
    axis = unit(axis, _UP)
    front = front - (front @ axis) * axis
    front = unit(front, turned(_UP, axis) @ np.array([0.0, 0.0, 1.0]))
    return np.array([axis, front, cross(axis, front)]).T.copy()


def _two_bones(upper: Array, lower: Array, straight: Array, forward: Array, *, bends_to: float) -> tuple[Array, Array]:
    """Frames of the upper and lower segment; the front is forward in a T-pose and follows the bend of a bent limb."""
    above, below = unit(upper, straight), unit(lower, straight)
    front = turned(straight, above) @ forward
    across = below - (below @ above) * above
    sine = float(np.linalg.norm(across))
    if below @ above > 0.0 and bends_to * (across @ front) > 0.0:
        trust = float(np.clip((sine - _BENT[0]) / (_BENT[1] - _BENT[0]), 0.0, 1.0))
        front = (1.0 - trust) * front + trust * bends_to * unit(across, front)
    first = _frame(above, front)
    return first, _frame(below, turned(above, below) @ first[:, 1])
