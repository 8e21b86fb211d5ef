"""What an experiment is and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from posewright.report.picture import Picture

Progress = Callable[[float], None]
"""Told the share done, 0 to 1, now and then."""


@dataclass(frozen=True)
class Outcome:
    """A table, what in it is not as it must be, and a picture."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    failures: tuple[str, ...] = ()
    """A sentence each; none: the experiment is accepted."""
    notes: tuple[str, ...] = ()
    """What to know when reading the table, a sentence each: where the paper's own claim does not hold, for one."""
    draw: Callable[[], Picture] | None = None
    """Its picture or plot, made only when asked."""

    @property
    def accepted(self) -> bool:
        """Whether everything that must be shown was."""
        return not self.failures


@dataclass(frozen=True)
class Experiment:
    """Something a paper shows, repeated."""

    id: str
    title: str
    accepts: str
    """What must be shown, in one sentence."""
    run: Callable[[Progress], Outcome]
