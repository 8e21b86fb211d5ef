"""The result of splicing: a posture, and the parts and samples that it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.models.postures.body_split import Level

Found = Literal["solved", "damped", "exact hit", "by distance"]
FOUND: tuple[Found, ...] = ("solved", "damped", "exact hit", "by distance")
"""How weights were found, by the code of the kernel."""


@dataclass(frozen=True, eq=False)
class SplicedPart:
    """A part of the body and what it was combined from."""

    joints: tuple[str, ...]
    """In figure order; those that move."""
    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much of the body each goal recruits."""
    samples: IntArray
    """(samples,) of the database, the nearest first; empty: the part is as its goals ask"""
    weights: Array
    """(samples,), which sum to 1"""
    found: Found | None
    """How the weights were found."""
    differences: Array
    """(samples, values): sample minus what is wanted; lengths over the reach of the figure"""
    point_values: tuple[tuple[str, slice], ...] = ()
    """Goals about points, with their values."""

    @property
    def purpose(self) -> str:
        """The goals, with how much of the body each recruits."""
        pairs = zip(self.goals, self.levels, strict=True)
        return ", ".join(goal if level == "root" else f"{goal} ({level})" for goal, level in pairs)

    @property
    def misses(self) -> dict[str, float]:
        """Per goal about a point: its distance in the sample that comes nearest to it, over the figure's reach."""
        return {
            goal: float(np.linalg.norm(self.differences[:, where], axis=1).min()) for goal, where in self.point_values
        }


@dataclass(frozen=True, eq=False)
class Splice:
    """A posture put together from samples."""

    q: Array
    """(dofs,)"""
    root: SplicedPart | None = None
    """Goals that place the root; what they leave open is taken from the samples nearest to all goals."""
    parts: tuple[SplicedPart, ...] = ()
    """What the other goals split the body into."""
    rest: int | None = None
    """The sample of joints that no goal recruits; None: they are as in the start."""
    fallback: Literal["start"] | None = None
    """`start`: there was no sample, or nothing to compare samples by."""
