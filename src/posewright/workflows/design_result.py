"""The result of a design: the posture, the splice it started from, and the parts and samples of that splice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from posewright.conventions import Array, IntArray
from posewright.figures import Pose
from posewright.figures.reach import reach
from posewright.models.postures.database import Postures
from posewright.models.postures.splicing import Splice, SplicedPart
from posewright.problem.evaluation import readable
from posewright.problem.result import PoseResult

UNSERVED = 0.2
"""Fraction of the figure's reach; if every sample misses a goal by more, a warning says so."""
_SHOWN = 4  # samples of a part


@dataclass(frozen=True)
class Sample:
    """A posture of the database and its weight in a blend."""

    clip: str
    frame: int
    weight: float

    def __str__(self) -> str:
        return f"{self.clip} frame {self.frame} ({self.weight:.2f})"


class DesignResult(PoseResult):
    """The result of `design`: the posture, and the samples that it was spliced from."""

    def __init__(
        self,
        refinement: PoseResult,
        splice: Splice,
        edited: Pose | None,
        database: Postures,
        unshared: tuple[str, ...],
        splice_seconds: float,
        seconds: float,
    ) -> None:
        """Combine the result of the refinement with the splice.

        Args:
            refinement: the result of the search from the spliced posture.
            splice: the spliced posture and its parts.
            edited: the posture that `on_initial` returned.
            database: the posture database.
            unshared: joints of the figure that the database lacks; they start as in the start pose.
            splice_seconds: time that splicing took, s.
            seconds: total time, s.
        """
        vars(self).update(vars(refinement))
        self.splice, self._edited, self.database, self.unshared = splice, edited, database, unshared
        self.splice_seconds, self.seconds = splice_seconds, seconds

    @cached_property
    def initial(self) -> Pose:
        """The pose at which the refinement started: the spliced posture after `on_initial`."""
        return self._edited or Pose(self.pose.figure, self.splice.q)

    @property
    def parts(self) -> tuple[SplicedPart, ...]:
        """The parts into which the goals split the body; the root comes first if goals place it."""
        return self.splice.parts if self.splice.root is None else (self.splice.root, *self.splice.parts)

    @property
    def samples(self) -> tuple[IntArray, ...]:
        """For each part, indices of the postures that it was combined from, the nearest first."""
        return tuple(part.samples for part in self.parts)

    @property
    def weights(self) -> tuple[Array, ...]:
        """For each part, the weights of these postures."""
        return tuple(part.weights for part in self.parts)

    @property
    def fallback(self) -> Literal["start"] | None:
        """The word "start" if nothing could be spliced, so the solver started at the start pose; otherwise None."""
        return self.splice.fallback

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What could not be done as requested, one sentence each."""
        found = list(super().warnings)
        if self.fallback and self.errors:
            why = "the database is empty" if not len(self.database) else "no goal is about a site of the figure"
            found.append(f"{why}, so the posture was solved from the start pose alone")
        if self.unshared:
            found.append(f"the database has no joints {', '.join(self.unshared)}; they started as in the start pose")
        for part in self.splice.parts:
            for goal, miss in part.misses.items():
                if miss > UNSERVED:
                    away = readable(miss * reach(self.pose.figure, None), "m")
                    found.append(
                        f"no posture of the database comes near {goal!r} (the nearest is {away} away), so the solver "
                        "did the rest"
                    )
        return tuple(found)

    def samples_of(self, part: SplicedPart) -> tuple[Sample, ...]:
        """The samples that a part was combined from, the largest weights first."""
        pairs = sorted(zip(part.weights.tolist(), part.samples.tolist(), strict=True), key=lambda pair: -abs(pair[0]))
        return tuple(self._sample(posture, weight) for weight, posture in pairs if weight != 0.0)

    def save(self, path: str | Path) -> None:
        """Write the posture to a file; the suffix selects the format."""
        self.pose.save(path)

    def describe(self) -> str:
        """Describe the splice: the parts of the body and their samples, one line each."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.fallback:
            yield "not spliced; started at the start pose"
            return
        for part in self.parts:
            yield f"{', '.join(part.joints)}: for {part.purpose}"
            samples = self.samples_of(part)
            more = f" and {len(samples) - _SHOWN} more" if len(samples) > _SHOWN else ""
            if samples:
                yield f"    {part.found}: {', '.join(map(str, samples[:_SHOWN]))}{more}"
        if self.splice.rest is not None:
            sample = self._sample(self.splice.rest, 1.0)
            yield f"the rest: {sample.clip} frame {sample.frame}"

    def _sample(self, posture: int, weight: float) -> Sample:
        database = self.database
        return Sample(database.clips[int(database.clip[posture])], int(database.frame[posture]), weight)
