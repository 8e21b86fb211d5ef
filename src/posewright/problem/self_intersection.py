"""The predicate that no two parts of a body run into each other (see `posewright.figures.self_contact`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import JointFrames
from posewright.figures.self_contact import CapsulePairs, capsule_pairs
from posewright.problem.predicates import PosePredicate, Verdicts


@dataclass(frozen=True)
class NoSelfIntersection(PosePredicate):
    """No capsule of a body (see `figure.capsules`) inside another of a part further away in the tree."""

    figure: Figure = field(repr=False)
    margin: float = 0.0
    """m that must stay between them"""

    def __post_init__(self) -> None:
        require(self.figure, Figure, "the figure of NoSelfIntersection", "a Figure, such as build('human40')")
        require_number(self.margin, "the margin of NoSelfIntersection", "a number of metres")
        if not len(capsule_table(self.figure)):
            raise InvalidSetting(f"figure {self.figure.name!r} has no body; its joints need a shape, children or tips")

    @property
    def name(self) -> str:
        """What results call it."""
        return "no self-intersection"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """By the least gap of the pairs that count."""
        return np.asarray(self._pairs.least_gaps(frames)[0] >= self.margin)

    @cached_property
    def _pairs(self) -> CapsulePairs:
        return capsule_pairs(self.figure, margin=self.margin)
