"""Frames to be solved, and what solves them one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Protocol

from posewright.conventions import Array, IntArray
from posewright.problem.motion_lowering import Flags

Progress = Callable[[int], None]
"""Called with the number of frames that are done."""


@dataclass(frozen=True, eq=False)
class FrameBatch:
    """Consecutive frames: their targets, and arrays for the answers."""

    references: Array
    """(frames, dofs): the example"""
    targets: Array
    """(frames, terms, TARGET_WIDTH)"""
    weights: Array
    """(frames, columns), as in `LoweredProblem.columns`"""
    held: Flags
    """(frames, columns): 1 where a term has strict priority"""
    begins: Flags
    """(frames,): 1 where a frame does not continue the one before"""
    q: Array
    """(frames, dofs), written"""
    info: IntArray
    """(frames, 2), written: iterations, and why the search ended"""

    def __len__(self) -> int:
        return len(self.references)

    def __getitem__(self, part: slice) -> FrameBatch:
        return FrameBatch(*(getattr(self, field.name)[part] for field in fields(self)))


class Tracker(Protocol):
    """Solves frame after frame and keeps what it needs from the frames before."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Requests that could not be met."""

    def advance(self, frames: FrameBatch) -> int:
        """Solve some of the next frames; return how many, at least one."""
