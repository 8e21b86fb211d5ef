"""What many solves of one problem found."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.conventions import Array, BoolArray, IntArray
from posewright.goals.term import Part
from posewright.problem.result import STOPPED, Stopped


@dataclass(frozen=True, eq=False, repr=False)
class ManyResults:
    """The answers of many solves, as arrays with a row for each."""

    q: Array
    """(solves, dofs), of the plain figure"""
    errors: dict[str | tuple[str, Part], Array]
    """(solves,), m or rad, by goal label, or by label and part (`errors["hand", "orientation"]`) where a goal has
    several; infinite for solves that Ctrl-C kept from beginning. Goals written in Python are left out."""
    reached: BoolArray
    iterations: IntArray
    stop_codes: IntArray
    """(solves,), as of `descent`; `stopped` in words"""

    def __repr__(self) -> str:
        return f"<ManyResults: {int(self.reached.sum())} of {len(self.reached)} reached>"

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        """Why each search ended."""
        return tuple(STOPPED[code] for code in self.stop_codes.tolist())
