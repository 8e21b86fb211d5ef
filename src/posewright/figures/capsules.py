"""The body of a figure as rounded cones, for pictures and exported meshes.

A joint's own `shape` is taken as it is. A joint without one gets a rounded cone to each of its children and tips.
Radii then follow from the tree alone: stature is a share of the longest path between two ends of the tree, a limb is
as thick as what hangs on it is long, the trunk (what carries several long limbs) is thick, and a joint called head
gets a head. A bone without length draws nothing.

Where a body runs into itself is found by the same capsules: those of one segment, of neighbours in the tree, and those
that touch at rest belong together and do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array, IntArray
from posewright.figures.figure import Figure, kept_with_figure
from posewright.figures.joint import Joint
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.kernels.kinematics import capsule_gaps

# Shares of the stature.
_STATURE = 0.75  # of the longest path between two ends of the tree: from a hand to a foot
_NO_LENGTH = 1e-3
_LONG = 0.2  # a branch at least this long is a limb
_WAIST, _CHEST = 0.052, 0.062  # radii of the trunk: between its branchings, and at them
_LIMB, _LIMB_POWER = 0.056, 0.5  # radius of a limb whose remaining length is the stature, and how it thins
_THINNEST, _THICKEST_SHORT = 0.0062, 0.020
_LENGTH_SHARE = 0.17  # a radius stays below this share of its bone's length, unless the bone is short
_TIP = 0.80  # radius at a tip, as a share of that at the bone's start
_HEAD_FROM, _HEAD_TO, _JAW, _SKULL = 0.036, 0.064, 0.037, 0.046
_NECK = 0.030
_PLACE = 0.3  # a root at least this far below what carries the limbs is a place, not a body part
_FLANK = 0.37  # where the flanks of the trunk run, as a share of the distance from its middle to hip or shoulder

Segment = tuple[Array, Array, float, float]
"""Start and end in the joint's frame, and the radii there."""


@dataclass(frozen=True, eq=False)
class CapsuleTable:
    """Rounded cones, each fixed to a joint; arrays are read-only."""

    joint: IntArray
    """(capsules,) index of the joint whose frame the points are in"""
    start: Array
    """(capsules, 3), m"""
    end: Array
    """(capsules, 3), m"""
    radii: Array
    """(capsules, 2), m, at start and end"""

    def __len__(self) -> int:
        """How many capsules."""
        return len(self.joint)


@kept_with_figure
def capsule_table(figure: Figure) -> CapsuleTable:
    """The capsules of every joint, in the order of the joints."""
    tree = _Tree(figure)
    owners: list[int] = []
    segments: list[Segment] = []
    for index, joint in enumerate(figure.joints):
        for segment in _explicit(joint) if joint.shape else tree.derived(index):
            owners.append(index)
            segments.append(segment)
    owner = np.array(owners, dtype=np.int64)
    owner.flags.writeable = False
    return CapsuleTable(
        owner,
        read_only(np.array([s[0] for s in segments]).reshape(-1, 3)),
        read_only(np.array([s[1] for s in segments]).reshape(-1, 3)),
        read_only(np.array([s[2:] for s in segments]).reshape(-1, 2)),
    )


class NearestPair(NamedTuple):
    """Of each pose the two capsules that come nearest to each other, or overlap most."""

    gap: Array
    """(...,), m: negative where they overlap; infinite without any pairs"""
    away: Array
    """(..., 3), m: from the second's axis to the first's, where they are nearest"""
    pair: IntArray
    """(...,): which pair; -1 without any"""


@dataclass(frozen=True, eq=False)
class CapsulePairs:
    """Pairs of capsules that should not meet."""

    figure: Figure
    joint: IntArray
    """(capsules,): index of the joint whose frame a capsule is in"""
    ends: Array
    """(capsules, 2, 3), m"""
    radii: Array
    """(capsules, 2), m"""
    pairs: IntArray
    """(pairs, 2): capsules"""

    def between(self, ones: Iterable[int], others: Iterable[int]) -> CapsulePairs:
        """Those of a capsule on one of some joints, which comes first, and one on one of others, by index."""
        first, second = np.zeros((2, len(self.figure.joints)), dtype=np.bool_)
        first[list(ones)], second[list(others)] = True, True
        one, other = self.joint[self.pairs].T
        back = self.pairs[second[one] & first[other], ::-1]
        return replace(self, pairs=np.concatenate([self.pairs[first[one] & second[other]], back]))

    def nearest(self, frames: JointFrames) -> NearestPair:
        """The pair of each pose with the least gap."""
        lead, n_joints = frames.positions.shape[:-2], len(self.figure.joints)
        n_poses = math.prod(lead)
        found, worst = np.empty((n_poses, 4)), np.empty(n_poses, dtype=np.int64)
        rotations = np.require(frames.rotations, np.float64, ["C", "W"]).reshape(n_poses, n_joints, 3, 3)
        positions = np.require(frames.positions, np.float64, ["C", "W"]).reshape(n_poses, n_joints, 3)
        capsule_gaps.least_gaps(rotations, positions, self.joint, self.ends, self.radii, self.pairs, found, worst)
        return NearestPair(found[:, 0].reshape(lead), found[:, 1:].reshape(*lead, 3), worst.reshape(lead))

    def joints(self, pair: int) -> tuple[str, str]:
        """Names of the joints whose segments a pair belongs to."""
        one, two = self.joint[self.pairs[pair]].tolist()
        return self.figure.joint_names[one], self.figure.joint_names[two]


def capsule_pairs(figure: Figure, *, margin: float = 0.0) -> CapsulePairs:
    """The pairs that count: further apart in the tree than neighbours, and at least `margin` (m) apart at rest."""
    table = capsule_table(figure)
    joint, ends, radii = table.joint.copy(), np.stack([table.start, table.end], axis=1), table.radii.copy()
    first, second = np.triu_indices(len(table), 1)
    parent = np.array(figure.parents)[joint]
    apart = (joint[first] != joint[second]) & (parent[first] != joint[second]) & (parent[second] != joint[first])
    pairs = np.stack([first[apart], second[apart]], axis=1).astype(np.int64)
    rest, gaps = joint_frames(figure, figure.rest[np.newaxis]), np.empty(len(pairs))
    capsule_gaps.pair_gaps(rest.rotations, rest.positions, joint, ends, radii, pairs, gaps)
    return CapsulePairs(figure, joint, ends, radii, np.ascontiguousarray(pairs[gaps >= margin]))


def _explicit(joint: Joint) -> Iterator[Segment]:
    for capsule in joint.shape:
        yield np.array(capsule.start), np.array(capsule.end), capsule.start_radius, capsule.end_radius


class _Tree:
    """Lengths below each joint, from which radii follow."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        n = len(figure.joints)
        self.bone = np.array([_bone(joint) for joint in figure.joints])
        self.tips: list[list[Array]] = [[] for _ in range(n)]
        for site in figure.sites:
            if site.tip:
                self.tips[figure.joint_index(site.joint)].append(np.array(site.point))
        length = np.linalg.norm(self.bone, axis=1)
        self.below = np.zeros(n)  # the longest path from a joint down to an end
        self.stature = np.zeros(n)
        n_limbs, branches = np.zeros(n, dtype=int), np.zeros(n, dtype=bool)
        for j in reversed(range(n)):
            paths = [
                *(np.linalg.norm(tip) for tip in self.tips[j]),
                *(length[c] + self.below[c] for c in figure.children[j]),
            ]
            paths = sorted(map(float, paths), reverse=True)
            self.below[j] = paths[0] if paths else 0.0
            self.stature[j] = max([sum(paths[:2]), *(self.stature[c] for c in figure.children[j])])
        for j, parent in enumerate(figure.parents):  # the whole tree's value, at each of its joints
            self.stature[j] = self.stature[parent] if parent >= 0 else max(_STATURE * self.stature[j], 1e-9)
        for j in reversed(range(n)):
            limbs = [c for c in figure.children[j] if length[c] + self.below[c] > _LONG * self.stature[j]]
            n_limbs[j] = len(limbs)
            branches[j] = n_limbs[j] > 1 or any(branches[c] for c in limbs)
        self.carries = branches
        self.forks = n_limbs > 1
        self.length = length
        self.on_trunk = branches.copy()
        self.in_head = np.zeros(n, dtype=bool)
        for j, parent in enumerate(figure.parents):
            if parent >= 0:
                self.on_trunk[j] |= bool(self.on_trunk[parent]) and length[j] < _NO_LENGTH * self.stature[j]
                self.in_head[j] = self.in_head[parent] or _is_head(figure.joints[parent].name)

    def derived(self, j: int) -> Iterator[Segment]:
        """Rounded cones from joint j to its children and tips."""
        if self.in_head[j]:
            return
        if _is_head(self.figure.joints[j].name) and not self.carries[j]:
            yield self._head(j)
            return
        origin, stature = np.zeros(3), float(self.stature[j])
        for c in self.figure.children[j]:
            if self.length[c] > _NO_LENGTH * stature and not self._is_place(j, c):
                start, end = self._bone_radii(j, c)
                yield origin, self.bone[c], start, end
                if self.carries[c]:
                    for side in (_FLANK, -_FLANK):
                        from_here, to_there = side * self._half_width(j), self.bone[c] + side * self._half_width(c)
                        yield from_here, to_there, 0.92 * start, 0.92 * end
        for tip in self.tips[j]:
            reach = float(np.linalg.norm(tip))
            if reach > _NO_LENGTH * stature:
                radius = self._limb_radius(reach, reach, stature)
                yield origin, tip, radius, max(_TIP * radius, _THINNEST * stature)

    def _is_place(self, j: int, c: int) -> bool:
        """Whether root j only says where the figure is, such as a point on the floor below the hips."""
        alone = self.figure.parents[j] < 0 and not self.forks[j] and not self.tips[j]
        return alone and bool(self.carries[c]) and self.length[c] > _PLACE * self.stature[j]

    def _bone_radii(self, j: int, c: int) -> tuple[float, float]:
        stature, length = float(self.stature[j]), float(self.length[c])
        if self.carries[c]:
            return self._trunk_radius(j), self._trunk_radius(c)
        end = self._limb_radius(float(self.below[c]), self._next_length(c), stature)
        if _is_head(self.figure.joints[c].name):
            end = max(end, _NECK * stature)
        if self.on_trunk[j]:  # hips, collar bones, neck: from the trunk's thickness to the limb's
            return max(0.85 * self._trunk_radius(j), end), end
        start = self._limb_radius(length + float(self.below[c]), length, stature)
        return start, min(start, end)

    def _trunk_radius(self, j: int) -> float:
        return float(self.stature[j]) * (_CHEST if self.forks[j] else _WAIST)

    def _half_width(self, j: int) -> Array:
        """Half the distance between the limbs on both sides of trunk joint j; less where there are none.

        Frames of neighbours in a trunk are taken to be parallel, as they are at rest in nearly every file.
        """
        ends = self._limb_starts(j)
        if len(ends) > 1:
            pairs = [0.5 * (a - b) for k, a in enumerate(ends) for b in ends[:k]]
            return max(pairs, key=lambda half: float(np.linalg.norm(half)))
        parent = self.figure.parents[j]
        below = self._half_width(parent) if parent >= 0 and self.carries[parent] else np.zeros(3)
        return 0.8 * below

    def _limb_starts(self, j: int) -> list[Array]:
        """Where the limbs that hang on joint j begin, in its frame, across bones without length."""
        starts: list[Array] = []
        for c in self.figure.children[j]:
            if self.length[c] <= _NO_LENGTH * self.stature[j]:
                starts += self._limb_starts(c)
            elif not self.carries[c] and self.length[c] + self.below[c] > _LONG * self.stature[j]:
                starts.append(self.bone[c])
        return starts

    def _next_length(self, j: int) -> float:
        """Length of the longest bone that continues at joint j, across bones without length."""
        onward = [float(np.linalg.norm(tip)) for tip in self.tips[j]]
        for c in self.figure.children[j]:
            bone = float(self.length[c])
            onward.append(bone if bone > _NO_LENGTH * self.stature[j] else self._next_length(c))
        return max(onward, default=0.0)

    @staticmethod
    def _limb_radius(below: float, length: float, stature: float) -> float:
        radius = _LIMB * stature * math.pow(below / stature, _LIMB_POWER)
        return max(min(radius, max(_LENGTH_SHARE * length, _THICKEST_SHORT * stature)), _THINNEST * stature)

    def _head(self, j: int) -> Segment:
        """A skull along the head's one end; along the neck where there are several, which are jaws and eyes."""
        stature = float(self.stature[j])
        ends = self.tips[j] or [self.bone[c] for c in self.figure.children[j]]
        bones = [*(ends if len(ends) == 1 else []), self.bone[j], *ends]
        up = next((bone for bone in bones if np.linalg.norm(bone) > _NO_LENGTH * stature), np.array([0.0, 1.0, 0.0]))
        up = up / np.linalg.norm(up)
        return up * _HEAD_FROM * stature, up * _HEAD_TO * stature, _JAW * stature, _SKULL * stature


def _bone(joint: Joint) -> Array:
    """From the parent's origin to the joint's, in the parent's frame (m), where the slides are at rest."""
    place = np.array(joint.offset)
    if not joint.slides_replace_offset:
        for slide in joint.slides:
            place = place + slide.rest * np.array(slide.axis)
    return place


def _is_head(name: str) -> bool:
    return name.casefold().rpartition(":")[2].endswith("head")
