"""Results: the answer, how good it is, and why the search ended. A missed goal is an answer, not an exception."""

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
"""Beside the reasons of `descent`: there was no search."""
INFEASIBLE = 6  # they are indices too
"""The start breaks a predicate, and the solver searches only among poses that keep them."""
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
    """How a solver came to its answer, where it records that: an entry per frame, the start and then each iteration."""

    q: Array
    """(frames, dofs), of the plain figure"""
    fps: float
    distance: Array
    """(frames,): √(Σ weight‖ρ‖²) of the estimate"""
    n_eff: Array
    """(frames,): effective number of particles, before resampling"""
    acceptance: Array
    """(frames,): share of draws that limits, constraints and predicates let pass"""
    answers: Array
    """(answers, dofs): distinct poses, the best first"""
    particles: Array
    """(frames, particles, dofs): what was drawn for each frame; no particles unless `keep_particles` asked for them"""


class Solvable(Protocol):
    """A problem that a solver has prepared."""

    def solve(self, targets: Array, start: Pose, reference: Array | None = None) -> PoseResult:
        """Solve with these targets (terms, TARGET_WIDTH) from this pose; a posture refers to it or to a reference."""


class Supports(Protocol):
    """What a solver honours exactly."""

    @property
    def strict_levels(self) -> float:
        """How many priorities are strict; those beyond become weights."""


class Preparer(Protocol):
    """What found a result, and can be asked again."""

    @property
    def support(self) -> Supports:
        """What it honours exactly."""

    def prepare(self, problem: Problem) -> Solvable:
        """The problem, ready to be solved."""

    def stopping_after(self, iterations: int) -> Preparer:
        """The same solver, allowed so many iterations."""


class Result(ABC):
    """What every solver and workflow returns: the answer (`pose` or `motion`), how good it is, why the search ended."""

    seconds: float

    @property
    @abstractmethod
    def errors(self) -> Errors:
        """How far each goal is from met, by label; of a motion in its worst frame. Computed from the answer."""

    @property
    @abstractmethod
    def stopped(self) -> Stopped:
        """Why the search ended; of a motion the most serious reason of all frames."""

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Steps of the search, in total."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What could not be honoured, a sentence each."""

    @property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance; never claimed by the solver."""
        return self.errors.reached

    def worst(self, n: int = 1) -> tuple[GoalError, ...]:
        """The goals furthest from met, by error over tolerance."""
        return self.errors.worst(n)

    def require(self) -> Self:
        """This result, if every goal was reached.

        Raises:
            GoalsNotReached: listing each goal that was missed.
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
    """A pose and its errors. Texts and errors are computed only when asked for: a result costs next to nothing."""

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
        """(dofs,), of the plain figure"""
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
        """Steps of the search, restarts included."""
        return int(self._info[0])

    @property
    def restarts(self) -> int:
        """How many other starts were tried."""
        return int(self._info[3])

    @cached_property
    def cost(self) -> float:
        """Weighted sum of squared residuals (m²); priorities do not count, so that solvers can be compared."""
        square = self._lowered.length_unit**2
        if self._lowered.n_levels == 1:
            return square * self._info[2]
        from posewright.problem.linearisation import linearise  # solvers price levels each in their own way

        x = self._lowered.problem.space.encode(self.q)
        rows = linearise(self._lowered, self._targets, x, self._reference)
        return square * float(sum(goal.rho @ goal.rho for goal in rows))

    @cached_property
    def pose(self) -> Pose:
        """The answer."""
        return Pose(self._lowered.problem.figure, self.q)

    @cached_property
    def path(self) -> Motion | None:
        """The estimates from the start to the answer, a frame per iteration, where the solver walks such a path."""
        from posewright.motions import Motion

        return None if self._path is None else Motion(self._lowered.problem.figure, self._path.q, self._path.fps)

    @property
    def history(self) -> dict[str, Array]:
        """Per frame of `path`: "distance", "n_eff" and "acceptance"; empty where there is no path."""
        if self._path is None:
            return {}
        return {"distance": self._path.distance, "n_eff": self._path.n_eff, "acceptance": self._path.acceptance}

    @property
    def particles(self) -> Array:
        """(frames, particles, dofs): what was drawn for each frame of `path`, where the solver was to keep that."""
        return np.empty((0, 0, len(self.q))) if self._path is None else self._path.particles

    @cached_property
    def answers(self) -> tuple[Pose, ...]:
        """Distinct poses that were found, the best first; one, unless the solver was asked for more."""
        if self._path is None:
            return (self.pose,)
        return tuple(Pose(self._lowered.problem.figure, q) for q in self._path.answers)

    @cached_property
    def errors(self) -> Errors:
        """How far each goal is from met, by label: numbers (m or rad) with unit, tolerance and parts."""
        return goal_errors(self._lowered, self._targets, self.pose, self._reference)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the solver could not honour, a sentence each: priorities, frozen goals, predicates that do not hold."""
        from posewright.problem.predicates import predicate_name

        found = list(self._solver_warnings)
        if not self.reached:
            for goal, movable in zip(self._lowered.goals, self._lowered.movable_goals, strict=True):
                if not movable and goal.label in self.errors and not self.errors[goal.label].reached:
                    found.append(f"nothing that may move changes {goal.label!r}: its chain is frozen")
        found += [
            f"{error.goal!r} is undefined: its site lies on what it aims at"
            for error in self.errors.parts
            if math.isinf(error)
        ]
        broken = [predicate_name(p) for p in self._lowered.problem.predicates if not p(self.pose)]
        return (*found, *(f"the pose does not keep the predicate {name!r}" for name in broken))

    @cached_property
    def trace(self) -> Array:
        """(iterations + 1,): the cost of what the solver would have returned after each iteration.

        Nothing is recorded while solving: the solver is asked again with 0, 1, 2, ... iterations allowed.
        """
        problem, start = self._lowered.problem, Pose(self._lowered.problem.figure, self._start)
        return np.array(
            [
                self._solver.stopping_after(k).prepare(problem).solve(self._targets, start, self._reference).cost
                for k in range(self.iterations + 1)
            ]
        )

    def explain(self) -> Explanation:
        """Why each missed goal was missed: to which limits, constraints or other goals, or out of reach by how much.

        It solves again, once per missed goal, so it takes as long as that.
        """
        from posewright.problem.explanation import explain

        return explain(self._lowered, self._targets, self.pose, self._reference, self._solver)


@dataclass(frozen=True, eq=False, repr=False)
class ManyResults:
    """The answers of many solves of one problem, as arrays with a row for each."""

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
