"""What splicing hands back: a posture, and of which parts and samples it was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.models.postures.body_division import Level

Found = Literal["solved", "damped", "exact hit", "by distance"]
FOUND: tuple[Found, ...] = ("solved", "damped", "exact hit", "by distance")
"""How weights were found, by the code of the kernel."""
Columns = tuple[tuple[str, int, int], ...]
"""Goals about points, with the first of their values and the one after the last."""


@dataclass(frozen=True, eq=False)
class SplicedPart:
    """A part of the body and what it was combined from."""

    joints: tuple[str, ...]
    """In figure order; those that move."""
    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much each goal recruits."""
    samples: IntArray
    """(samples,) of the database, the nearest first; none: the part is as in the start, or as its goals say"""
    weights: Array
    """(samples,), which sum to 1"""
    found: Found | None
    away: Array
    """(samples, values): how far each is from what is wanted; lengths over the reach of the figure"""
    columns: Columns = ()

    @property
    def purpose(self) -> str:
        """The goals, with how much of the body each recruits."""
        pairs = zip(self.goals, self.levels, strict=True)
        return ", ".join(goal if level == "root" else f"{goal} ({level})" for goal, level in pairs)

    @property
    def misses(self) -> dict[str, float]:
        """Per goal about a point: how far the sample that comes nearest to it has it away, over the figure's reach."""
        return {
            goal: float(np.linalg.norm(self.away[:, first:last], axis=1).min()) for goal, first, last in self.columns
        }


Made = tuple[SplicedPart | None, tuple[SplicedPart, ...]]
"""What the root was made of, and what the parts were."""


def _nothing() -> Made:
    return None, ()


@dataclass(frozen=True, eq=False)
class Splice:
    """A posture put together from samples."""

    q: Array
    """(dofs,)"""
    rest: int | None = None
    """The sample of joints that no goal recruits; None: they are as in the start."""
    fallback: Literal["start"] | None = None
    """Why it is no splice: there was no sample, or nothing to compare samples by."""
    make: Callable[[], Made] = _nothing
    """Called when it is asked what it was made of: most splices of a drag are not."""

    @property
    def root(self) -> SplicedPart | None:
        """Goals that say where the root is; what they leave open is taken from the samples nearest to all goals."""
        return self._made[0]

    @property
    def parts(self) -> tuple[SplicedPart, ...]:
        """What the other goals divide the body into."""
        return self._made[1]

    @cached_property
    def _made(self) -> Made:
        return self.make()
