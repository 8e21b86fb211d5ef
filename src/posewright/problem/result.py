"""Results: the answer, how good it is, and why the search ended. A missed goal is an answer, not an exception."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from posewright.conventions import Array
from posewright.errors import PosewrightError
from posewright.figure import Pose
from posewright.problem.lowering import LoweredProblem

Stopped = Literal["reached", "stationary", "out of iterations", "interrupted"]


class GoalsNotReached(PosewrightError, RuntimeError):
    """Raised by `Result.require` only.

    Attributes:
        errors: each missed goal with its error (m or rad).
    """

    def __init__(self, message: str, errors: dict[str, float]) -> None:
        super().__init__(message)
        self.errors = errors


class PoseResult:
    """A pose and its errors. Texts are made only when asked for: a result costs next to nothing."""

    __slots__ = (
        "__dict__",
        "_errors",
        "_lowered",
        "cost",
        "iterations",
        "q",
        "restarts",
        "seconds",
        "stopped",
        "warnings",
    )

    def __init__(
        self,
        lowered: LoweredProblem,
        q: Array,
        errors: Array,
        *,
        stopped: Stopped,
        iterations: int,
        restarts: int,
        cost: float,
        seconds: float,
        warnings: tuple[str, ...],
    ) -> None:
        self._lowered, self._errors = lowered, errors
        self.q = q
        """(dofs,), of the plain figure"""
        self.stopped: Stopped = stopped
        """Why the iteration ended."""
        self.iterations = iterations
        self.restarts = restarts
        self.cost = cost
        """Weighted sum of squared residuals (m²)."""
        self.seconds = seconds
        self.warnings = warnings
        """What the solver could not honour exactly, a sentence each."""

    @cached_property
    def pose(self) -> Pose:
        """The answer."""
        return Pose(self._lowered.problem.figure, self.q)

    @cached_property
    def errors(self) -> dict[str, float]:
        """How far each goal is from met, in metres or radians."""
        return dict(zip(self._lowered.labels, self._errors.tolist(), strict=True))

    @cached_property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""
        return bool((self._errors <= self._lowered.goals["tolerance"]).all())

    def worst(self, n: int = 1) -> tuple[tuple[str, float], ...]:
        """The goals furthest from met, by error over tolerance."""
        tolerance = dict(zip(self._lowered.labels, self._lowered.goals["tolerance"].tolist(), strict=True))
        ranked = sorted(self.errors.items(), key=lambda item: item[1] / tolerance[item[0]], reverse=True)
        return tuple(ranked[:n])

    def require(self) -> PoseResult:
        """This result, if every goal was reached.

        Raises:
            GoalsNotReached: listing each goal that was missed.
        """
        if not self.reached:
            tolerance = self._lowered.goals["tolerance"]
            missed = {
                label: error
                for (label, error), limit in zip(self.errors.items(), tolerance, strict=True)
                if error > limit
            }
            raise GoalsNotReached(f"goals were missed: {self._describe(missed)}", missed)
        return self

    def __repr__(self) -> str:
        how = "reached" if self.reached else f"not reached, {self.stopped}"
        return f"{how} after {self.iterations} iterations · {self._describe(self.errors)}"

    def _describe(self, errors: dict[str, float]) -> str:
        units = dict(zip(self._lowered.labels, self._lowered.units, strict=True))
        return " · ".join(f"{label} {readable(error, units[label])}" for label, error in errors.items())


def readable(error: float, unit: Literal["m", "rad"]) -> str:
    """An error as a person reads it: millimetres, metres or degrees."""
    if unit == "rad":
        return f"{math.degrees(error):.2g}°"
    return f"{error * 1000:.2g} mm" if error < 1.0 else f"{error:.3g} m"
