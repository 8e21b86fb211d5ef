"""The frame of every experiment: a claim, a run that fills a table and judges it, what lies beside it, and a picture.

Every random draw comes from the run's seed, so that a claim can be tried with other seeds.

@experiment("9-A", "Title", accepts="what must be shown, in one sentence")
def my_experiment(found: Outcome, count: int = 30) -> None:
found.columns = ("case", "error")
for case in found.each(cases(count, found.random("cases"))):
found.row(case.name, f"{case.error:.2f} m")
found.require(case.error < 0.1, f"{case.name}: the error is {case.error:.2f} m")
found.beside("the same on a longer arm", f"{error_on_a_longer_arm():.2f} m")
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from posewright.conventions import Array
from posewright.report.picture import Picture

Progress = Callable[[float], None]
"""Called now and then with the share done, 0 to 1."""
Item = TypeVar("Item")
MEASURES = ("measure", "paper", "ours", "accepted if")
"""Columns of experiments that measure several things, one per row."""


@dataclass
class Outcome:
    """What a run has found: a table, what in it is not as it must be, and a picture."""

    seed: int = 0
    """Of all that is drawn at random."""
    columns: Sequence[str] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """A sentence each; none: the experiment is accepted."""
    neighbours: list[tuple[str, str]] = field(default_factory=list)
    """What is found beside the judged rows, on other bodies, motions or tolerances: how far the claim reaches."""
    notes: list[str] = field(default_factory=list)
    """What to know when reading the table, such as where the paper's own claim does not hold."""
    judged: int = 0
    """How many things had to hold."""
    draw: Callable[[], Picture] | None = None
    """Its picture or plot, made only when asked."""
    progress: Progress = lambda share: None

    @property
    def accepted(self) -> bool:
        """Whether everything that must be shown was."""
        return not self.failures

    def row(self, *cells: str) -> None:
        """Add a row to the table."""
        self.rows.append(cells)

    def require(self, holds: bool | np.bool_, failure: str) -> None:
        """Judge: what must hold, and the sentence to report if it does not."""
        self.judged += 1
        if not holds:
            self.failures.append(failure)

    def measure(
        self, what: str, paper: str, ours: str, accepted: str = "reported", holds: bool | np.bool_ = True
    ) -> None:
        """Add a row and judge it: what was measured, in the paper and here, and what must hold."""
        self.columns = self.columns or MEASURES
        self.row(what, paper, ours, accepted)
        if accepted != "reported":
            self.require(holds, f"{what}: {ours}; accepted if {accepted}")

    def beside(self, what: str, found: str) -> None:
        """Show what is found next to the judged rows; it is not judged."""
        self.neighbours.append((what, found))

    def random(self, what: str) -> np.random.Generator:
        """Random numbers for one purpose, the same in every run with this seed."""
        return np.random.default_rng([self.seed, *what.encode()])

    def seeds(self, count: int, what: str) -> list[int]:
        """Seeds of solvers or clips for one purpose."""
        drawn: list[int] = self.random(what).integers(2**31, size=count).tolist()
        return drawn

    def note(self, *sentences: str) -> None:
        """Add notes."""
        self.notes += sentences

    def each(self, items: Sequence[Item], first: float = 0.0, last: float = 1.0) -> Iterator[Item]:
        """Go through items and report progress from `first` to `last`."""
        for k, item in enumerate(items):
            yield item
            self.progress(first + (last - first) * (k + 1) / len(items))


@dataclass(frozen=True)
class Experiment:
    """Something that a paper shows, repeated."""

    id: str
    title: str
    accepts: str
    """What must be shown, in one sentence."""
    run: Callable[..., Outcome]
    """Takes a `Progress`, a `seed`, and sizes by name where a smaller run makes sense."""


def experiment(name: str, title: str, *, accepts: str) -> Callable[[Callable[..., None]], Experiment]:
    """Make an experiment of a function that fills an outcome.

    One that judges nothing, or shows nothing beside what it judges, is not accepted.
    """

    def decorate(measure: Callable[..., None]) -> Experiment:
        def run(progress: Progress = lambda share: None, *, seed: int = 0, **sizes: object) -> Outcome:
            found = Outcome(progress=progress, seed=seed)
            measure(found, **sizes)
            found.require(
                bool(found.judged and found.neighbours), "nothing is judged, or nothing shown beside what is judged"
            )
            return found

        return Experiment(name, title, accepts, run)

    return decorate


def seconds_in_turns(*calls: Callable[[], object], turns: int, at_once: int = 1) -> Array:
    """Processor time of calls, in turns, so that whatever else the machine does slows all of them alike.

    Args:
        calls: what to time.
        turns: how often each has its turn.
        at_once: calls per turn.

    Returns:
        (calls, turns * at_once), s
    """
    found = np.empty((len(calls), turns, at_once))
    for turn in range(turns):
        for k, call in enumerate(calls):
            for repeat in range(at_once):
                began = time.thread_time()
                call()
                found[k, turn, repeat] = time.thread_time() - began
    return found.reshape(len(calls), -1)
