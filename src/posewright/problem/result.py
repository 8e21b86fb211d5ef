"""Results: the answer, its errors, and why the search ended. Missing a goal does not raise an exception."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import GoalsNotReached
from posewright.figures import Pose
from posewright.goals.term import Part
from posewright.kernels.dense import search_control as descent
from posewright.problem.evaluation import Errors, GoalError, goal_errors
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.problem import Problem

if TYPE_CHECKING:
    from posewright.motions import Motion
    from posewright.problem.explanation import Explanation


Stopped = Literal[
    "reached", "stationary", "stalled", "out of iterations", "interrupted", "nothing to do", "infeasible",
    "on the way", "in time",
]  # fmt: skip

NOTHING_TO_DO = 0
"""There was no search; the other codes are in `descent`."""
INFEASIBLE = 6  # they are indices too
"""The start breaks a predicate, and the solver searches only poses that keep all predicates."""
STOPPED: dict[int, Stopped] = {
    NOTHING_TO_DO: "nothing to do",
    descent.REACHED: "reached",
    descent.STATIONARY: "stationary",
    descent.OUT_OF_ITERATIONS: "out of iterations",
    descent.INTERRUPTED: "interrupted",
    descent.STALLED: "stalled",
    INFEASIBLE: "infeasible",
    descent.ON_THE_WAY: "on the way",
    descent.IN_TIME: "in time",
}


@dataclass(frozen=True, eq=False)
class SearchPath:
    """The course of a search, if the solver records it: a frame for the start, then one for each iteration."""

    q: Array
    """(frames, dofs), of the plain figure."""
    fps: float
    distance: Array
    """(frames,): √(Σ weight‖ρ‖²) of the estimate."""
    n_eff: Array
    """(frames,): effective number of particles before resampling."""
    acceptance: Array
    """(frames,): fraction of draws that satisfy limits, constraints and predicates."""
    answers: Array
    """(answers, dofs): distinct poses, the best first."""
    particles: Array
    """(frames, particles, dofs): particles drawn for each frame; empty unless the solver has `keep_particles`."""


class Solvable(Protocol):
    """A problem that a solver has prepared."""

    def solve(self, targets: Array, start: Pose, reference: Array | None = None) -> PoseResult:
        """Solve with targets (terms, TARGET_WIDTH) from a start; `reference` (default: it) is for posture goals."""


class Supports(Protocol):
    """What a solver supports exactly."""

    @property
    def strict_levels(self) -> float:
        """Number of strict priorities; further ones become weights."""


class Preparer(Protocol):
    """A solver that produced a result and can solve again."""

    @property
    def support(self) -> Supports:
        """What the solver supports exactly."""

    def prepare(self, problem: Problem) -> Solvable:
        """Prepare a problem for solving."""

    def stopping_after(self, iterations: int) -> Preparer:
        """The same solver with another maximum number of iterations."""


class Result(ABC):
    """The result of a solver or workflow: the answer (`pose` or `motion`), its errors, and why the search ended."""

    seconds: float
    """Time that solving took, s."""

    @property
    @abstractmethod
    def errors(self) -> Errors:
        """Error of each goal, by label, computed from the answer; for a motion, the error in the worst frame."""

    @property
    @abstractmethod
    def stopped(self) -> Stopped:
        """Why the search ended; for a motion, the most serious reason of all frames."""

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Total number of iterations."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What the solver could not do as requested, one sentence each."""

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance, measured on the answer."""
        return self.errors.reached

    def worst(self, n: int = 1) -> tuple[GoalError, ...]:
        """The `n` goals with the largest ratio of error to tolerance."""
        return self.errors.worst(n)

    def require(self) -> Self:
        """Return this result if every goal was reached; otherwise raise an exception.

        Raises:
            GoalsNotReached: lists each goal that was missed.
        """
        if not self.reached:
            raise GoalsNotReached(Errors(self.errors.missed))
        return self

    def __repr__(self) -> str:
        how = "reached" if self.reached else f"not reached, {self.stopped}"
        listed = "".join(f" · {error}" for error in self.errors.parts)
        return f"{how} after {self.iterations} iterations{listed}"

    def _repr_html_(self) -> str:
        from posewright.studio.notebook import notebook_html

        return notebook_html(self)


class PoseResult(Result):
    """The result for a pose. Errors and texts are computed when they are first used."""

    def __init__(
        self,
        lowered: LoweredProblem,
        targets: Array,
        q: Array,
        start: Array,
        info: Sequence[float],
        seconds: float,
        solver: Preparer,
        warnings: tuple[str, ...] = (),
        path: SearchPath | None = None,
        reference: Array | None = None,
    ) -> None:
        self._lowered, self._targets, self._start = lowered, targets, start
        self._reference = start if reference is None else reference  # of posture goals without a pose of their own
        self.q = q
        """Dof values (dofs,) of the plain figure, rad or m."""
        self._info = info  # (`solves.N_INFO`,)
        self.seconds = seconds
        self._solver, self._solver_warnings = solver, warnings
        self._path = path

    @cached_property
    def stopped(self) -> Stopped:
        """Why the search ended."""
        return STOPPED[int(self._info[1])]

    @property
    def iterations(self) -> int:
        """Number of iterations, restarts included."""
        return int(self._info[0])

    @property
    def restarts(self) -> int:
        """Number of other starts that were tried."""
        return int(self._info[3])

    @cached_property
    def cost(self) -> float:
        """Weighted sum of squared residuals (m²), regardless of priorities, so that solvers can be compared."""
        square = self._lowered.length_unit**2
        if self._lowered.n_levels == 1:
            return square * self._info[2]
        from posewright.problem.linearisation import linearise  # solvers price levels each in their own way

        x = self._lowered.problem.space.encode(self.q)
        rows = linearise(self._lowered, self._targets, x, self._reference)
        return square * float(sum(goal.rho @ goal.rho for goal in rows))

    @cached_property
    def pose(self) -> Pose:
        """The pose that was found."""
        return Pose(self._lowered.problem.figure, self.q)

    @cached_property
    def path(self) -> Motion | None:
        """The estimates from the start to the answer, one frame per iteration; None if the solver records none."""
        from posewright.motions import Motion

        return None if self._path is None else Motion(self._lowered.problem.figure, self._path.q, self._path.fps)

    @property
    def history(self) -> dict[str, Array]:
        """Arrays "distance", "n_eff" and "acceptance" with a number per frame of `path`; empty without a path."""
        if self._path is None:
            return {}
        return {"distance": self._path.distance, "n_eff": self._path.n_eff, "acceptance": self._path.acceptance}

    @property
    def particles(self) -> Array:
        """Particles (frames, particles, dofs) of each frame of `path`; empty unless the solver has `keep_particles`."""
        return np.empty((0, 0, len(self.q))) if self._path is None else self._path.particles

    @cached_property
    def answers(self) -> tuple[Pose, ...]:
        """Distinct poses that were found, the best first; a single one unless the solver was asked for more."""
        if self._path is None:
            return (self.pose,)
        return tuple(Pose(self._lowered.problem.figure, q) for q in self._path.answers)

    @cached_property
    def errors(self) -> Errors:
        """Error of each goal, by label: a number (m or rad) with unit, tolerance and parts."""
        return goal_errors(self._lowered, self._targets, self.pose, self._reference)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the solver could not do as requested, one sentence each: priorities, frozen goals, broken predicates."""
        from posewright.problem.predicates import predicate_name

        found = list(self._solver_warnings)
        if not self.reached:
            for goal, movable in zip(self._lowered.goals, self._lowered.movable_goals, strict=True):
                if not movable and goal.label in self.errors and not self.errors[goal.label].reached:
                    found.append(f"{goal.label!r} cannot be met: its chain is frozen")
        found += [
            f"the error of {error.goal!r} is undefined: its site lies on its target"
            for error in self.errors.parts
            if math.isinf(error)
        ]
        broken = [predicate_name(p) for p in self._lowered.problem.predicates if not p(self.pose)]
        return (*found, *(f"the pose does not satisfy the predicate {name!r}" for name in broken))

    @cached_property
    def trace(self) -> Array:
        """Cost (iterations + 1,) of the answer after each number of iterations.

        Nothing is recorded while solving: the problem is solved again with at most 0, 1, 2, ... iterations.
        """
        problem, start = self._lowered.problem, Pose(self._lowered.problem.figure, self._start)
        return np.array(
            [
                self._solver.stopping_after(k).prepare(problem).solve(self._targets, start, self._reference).cost
                for k in range(self.iterations + 1)
            ]
        )

    def explain(self) -> Explanation:
        """Explain why goals were missed: limits, constraints or other goals in the way, or out of reach by how much.

        This solves the problem again for each missed goal.
        """
        from posewright.problem.explanation import explain

        return explain(self._lowered, self._targets, self.pose, self._reference, self._solver)


@dataclass(frozen=True, eq=False, repr=False)
class ManyResults:
    """The results of many solves of one problem, as arrays with one row per solve."""

    q: Array
    """(solves, dofs), of the plain figure."""
    errors: dict[str | tuple[str, Part], Array]
    """Errors (solves,), m or rad, by goal label, or by label and part (`errors["hand", "orientation"]`) if a goal has
    several parts; infinite for solves that Ctrl-C prevented. Goals in Python are left out."""
    reached: BoolArray
    """(solves,): whether every goal is within its tolerance."""
    iterations: IntArray
    """(solves,): number of iterations."""
    stop_codes: IntArray
    """(solves,): codes of `descent`; `stopped` has them in words."""

    def __repr__(self) -> str:
        return f"<ManyResults: {int(self.reached.sum())} of {len(self.reached)} reached>"

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        """Why each search ended."""
        return tuple(STOPPED[code] for code in self.stop_codes.tolist())
