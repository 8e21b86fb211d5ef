"""What a design hands back: the posture, the one it was spliced from, and of which parts and samples that was made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from posewright.conventions import Array, IntArray
from posewright.figures import Pose
from posewright.formats import save
from posewright.models.postures.database import Postures
from posewright.models.postures.splice import Splice, SplicedPart
from posewright.problem.evaluation import readable
from posewright.problem.lowering import reach
from posewright.problem.result import PoseResult

UNSERVED = 0.2
"""Of the figure's reach: a goal that every sample misses by more is served by none."""
_SHOWN = 4  # samples of a part


@dataclass(frozen=True)
class Sample:
    """A posture of the database and how much of it was taken."""

    clip: str
    frame: int
    weight: float

    def __str__(self) -> str:
        return f"{self.clip} frame {self.frame} ({self.weight:.2f})"


@dataclass(frozen=True, eq=False)
class DesignResult:
    """A designed posture. Texts are made only when asked for."""

    result: PoseResult
    """The refinement: errors, iterations, why it ended."""
    splice: Splice
    edited: Pose | None
    """What `on_initial` made of the spliced posture."""
    database: Postures
    unshared: tuple[str, ...]
    """Joints of the figure that the database says nothing about: they began as in the start."""
    splice_seconds: float
    seconds: float
    """Of all."""

    @property
    def pose(self) -> Pose:
        """The answer."""
        return self.result.pose

    @cached_property
    def initial(self) -> Pose:
        """Where the refinement began: the spliced posture, as edited."""
        return self.edited or Pose(self.pose.figure, self.splice.q)

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""
        return self.result.reached

    @property
    def parts(self) -> tuple[SplicedPart, ...]:
        """What the goals divide the body into; the root, if goals say where it is, comes first."""
        return self.splice.parts if self.splice.root is None else (self.splice.root, *self.splice.parts)

    @property
    def samples(self) -> tuple[IntArray, ...]:
        """Per part: indices of the postures it was combined from, the nearest first."""
        return tuple(part.samples for part in self.parts)

    @property
    def weights(self) -> tuple[Array, ...]:
        """Per part: how much of each of them."""
        return tuple(part.weights for part in self.parts)

    @property
    def fallback(self) -> Literal["start"] | None:
        """`start`: there was nothing to splice, so the solver began at the start, without a pull to it."""
        return self.splice.fallback

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know about it, a sentence each."""
        found = list(self.result.warnings)
        if self.fallback and len(self.result.goal_errors):
            why = "the database is empty" if not len(self.database) else "no goal is about a site of the figure"
            found.append(f"{why}: the posture was found from the start alone")
        if self.unshared:
            found.append(
                f"the database says nothing of {', '.join(self.unshared)}: there the posture began as the start"
            )
        for part in self.splice.parts:
            for goal, miss in part.misses.items():
                if miss > UNSERVED:
                    away = readable(miss * reach(self.pose.figure, None), "m")
                    found.append(
                        f"no posture of the database serves {goal!r}: the nearest is {away} away, and the rest of the "
                        "way is the solver's"
                    )
        return tuple(found)

    def samples_of(self, part: SplicedPart) -> tuple[Sample, ...]:
        """What a part was combined from, those that count most first."""
        pairs = sorted(zip(part.weights.tolist(), part.samples.tolist(), strict=True), key=lambda pair: -abs(pair[0]))
        return tuple(self._sample(posture, weight) for weight, posture in pairs if weight != 0.0)

    def save(self, path: str | Path) -> None:
        """Write the posture in the format of the file's suffix."""
        save(self.pose, path)

    def __repr__(self) -> str:
        return "\n".join([repr(self.result), *self.lines()])

    def lines(self) -> Iterator[str]:
        """Of which parts and samples it was made, in words."""
        if self.fallback:
            yield "not spliced: as in the start"
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
