"""What an experiment is and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """A table and what in it is not as it must be."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    failures: tuple[str, ...] = ()
    """A sentence each; none: the experiment is accepted."""

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
    run: Callable[[], Outcome]
