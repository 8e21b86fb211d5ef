"""Facts of a figure's tree that need no names: lengths, reaches, main paths and pairs of similar limbs.

Lengths do not depend on the pose, so they serve figures whose rest pose means nothing (all bones along one axis).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from posewright.anatomy.names import is_helper, pair_sides, plain_names
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_frames

_ALIKE = 0.15
"""Maximum difference between the lengths of a left and a right limb, as a share of the longer."""
_NAMED_ALIKE = 0.6
"""The same if their names say that they are a pair: one hand may hold a club."""
_LIMB = 0.25
"""Minimum length of a limb, as a share of the longest path in the figure."""
_MOST_SIBLINGS = 40
"""Maximum number of siblings that may be limbs; of more, the longest are used."""


class BoneTree:
    """A figure as a tree of lengths."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.names = plain_names(figure.joint_names)
        self.helper = tuple(is_helper(name) for name in self.names)
        frames = joint_frames(figure, figure.rest)
        self.positions: Array = frames.positions
        self.rotations: Array = frames.rotations

    @cached_property
    def lengths(self) -> Array:
        """(joints,), m: from a joint's parent to the joint; 0 for a root."""
        parents = np.array(self.figure.parents)
        found = np.linalg.norm(self.positions - self.positions[parents], axis=1)
        return np.where(parents >= 0, found, 0.0)

    @cached_property
    def reaches(self) -> Array:
        """(joints,), m: from a joint along the bones to its farthest descendant or tip."""
        reach = np.zeros(len(self.figure.joints))
        for site in self.figure.sites:
            if site.tip:
                index = self.figure.joint_index(site.joint)
                reach[index] = max(reach[index], float(np.linalg.norm(site.point)))
        for index in range(len(reach) - 1, 0, -1):
            parent = self.figure.parents[index]
            if parent >= 0:
                reach[parent] = max(reach[parent], self.lengths[index] + reach[index])
        return reach

    @cached_property
    def size(self) -> float:
        """m: the longest path down from the first branching joint; a root far from its only child is ignored."""
        branching = [self.reaches[k] for k, children in enumerate(self.figure.children) if len(children) > 1]
        return max(float(max(branching, default=self.reaches.max())), 1e-9)

    def span(self, joint: int) -> float:
        """m: length of a joint's own bone and all bones below it."""
        return float(self.lengths[joint] + self.reaches[joint])

    def main_path(self, top: int) -> tuple[int, ...]:
        """The path from a joint down the longest branches, up to a hand or foot with three or more similar branches."""
        path = [top]
        while True:
            every = self.figure.children[path[-1]]
            below = [c for c in every if not self.helper[c]] or every
            if not below:
                return tuple(path)
            longest = max(below, key=self.span)
            alike = [c for c in below if self.span(c) > 0.5 * self.span(longest) and self.span(c) > 1e-6]
            if len(alike) >= 3:
                return tuple(path)
            path.append(longest)

    @cached_property
    def limb_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of siblings that may be a left and a right limb: of similar and sufficient length, longest first."""
        found = []
        for siblings in self.figure.children:
            limbs = [c for c in siblings if self.span(c) > _LIMB * self.size]
            limbs = sorted(sorted(limbs, key=lambda c: -self.span(c))[:_MOST_SIBLINGS])
            for k, one in enumerate(limbs):
                found += [(one, other) for other in limbs[k + 1 :] if self._alike(one, other)]
        return tuple(sorted(found, key=lambda pair: -self.span(pair[0])))

    def _alike(self, one: int, other: int) -> bool:
        a, b = self.span(one), self.span(other)
        if pair_sides(self.names[one], self.names[other])[0]:
            return abs(a - b) < _NAMED_ALIKE * max(a, b)
        counts = len(self.figure.subtree(one)), len(self.figure.subtree(other))
        return abs(a - b) < _ALIKE * max(a, b) and min(counts) >= 0.7 * max(counts)

    def counterpart(self, path: tuple[int, ...], top: int) -> tuple[int, ...]:
        """The path below `top` that corresponds to `path` below its partner, by names or else by the nearest length."""
        found = [top]
        for joint in path[1:]:
            below = self.figure.children[found[-1]]
            if not below:
                break
            named = [c for c in below if pair_sides(self.names[joint], self.names[c])[0]]
            found.append(min(named or below, key=lambda c: (abs(self.span(c) - self.span(joint)), c)))
        return tuple(found)


def points_below(figure: Figure, joint: int, positions: Array, rotations: Array) -> Array:
    """World points (n, 3) of a joint, all joints below it and their tips, from the frames of all joints."""
    below = figure.subtree(joint)
    points = [positions[k] for k in below]
    for site in figure.sites:
        index = figure.joint_index(site.joint)
        if index in below and (site.tip or site.name.endswith("_sole")):
            points.append(positions[index] + rotations[index] @ np.array(site.point))
    return np.array(points)
