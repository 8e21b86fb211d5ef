"""Results: the answer, how good it is, and why the search ended. A missed goal is an answer, not an exception."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from posewright.conventions import Array
from posewright.errors import PosewrightError
from posewright.figure import Pose
from posewright.problem.evaluation import GoalError, goal_errors
from posewright.problem.lowering import LoweredProblem

Stopped = Literal["reached", "stationary", "out of iterations", "interrupted", "nothing to do"]


class GoalsNotReached(PosewrightError, RuntimeError):
    """Raised by `PoseResult.require` only.

    Attributes:
        errors: each missed goal with its error (m or rad).
    """

    def __init__(self, message: str, errors: dict[str, float]) -> None:
        super().__init__(message)
        self.errors = errors


class PoseResult:
    """A pose and its errors. Texts and errors are computed only when asked for: a result costs next to nothing."""

    def __init__(
        self,
        lowered: LoweredProblem,
        targets: Array,
        q: Array,
        *,
        start: Array,
        stopped: Stopped,
        iterations: int,
        restarts: int = 0,
        cost: float,
        seconds: float,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self._lowered, self._targets, self._start = lowered, targets, start
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
    def goal_errors(self) -> tuple[GoalError, ...]:
        """Each goal's error with its unit and tolerance, computed from the returned pose."""
        return goal_errors(self._lowered, self._targets, self.pose, self._start)

    @cached_property
    def errors(self) -> dict[str, float]:
        """How far each goal is from met, in metres or radians."""
        return {error.label: error.value for error in self.goal_errors}

    @cached_property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance."""
        return all(error.reached for error in self.goal_errors)

    def worst(self, n: int = 1) -> tuple[GoalError, ...]:
        """The goals furthest from met, by error over tolerance."""
        return tuple(sorted(self.goal_errors, key=lambda e: e.value / e.tolerance, reverse=True)[:n])

    def require(self) -> PoseResult:
        """This result, if every goal was reached.

        Raises:
            GoalsNotReached: listing each goal that was missed.
        """
        if not self.reached:
            missed = [error for error in self.goal_errors if not error.reached]
            text = f"goals were missed: {' · '.join(map(str, missed))}"
            raise GoalsNotReached(text, {error.label: error.value for error in missed})
        return self

    def __repr__(self) -> str:
        how = "reached" if self.reached else f"not reached, {self.stopped}"
        listed = "".join(f" · {error}" for error in self.goal_errors)
        return f"{how} after {self.iterations} iterations{listed}"
