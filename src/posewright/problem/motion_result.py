"""Results of motion problems: the motion, the errors of each goal, and why the searches ended."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.goals.term import Part, Unit
from posewright.motions import Motion
from posewright.problem.evaluation import Errors, GoalError, errors_by_goal
from posewright.problem.motion_lowering import ScheduledGoals, frame_reach
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_space import MotionSpace
from posewright.problem.result import STOPPED, Result, Stopped

_AT_LIMIT = 1e-6
"""Fraction of a speed limit within which a dof counts as at the limit."""
_BY_WEIGHT: tuple[Stopped, ...] = (
    "infeasible", "interrupted", "out of iterations", "stalled", "stationary", "reached", "nothing to do",
)  # fmt: skip
"""Reasons to stop, the most serious first."""


@dataclass(frozen=True, eq=False, repr=False)
class MotionResult(Result):
    """The result for a motion. Errors are computed when they are first used."""

    motion: Motion
    """The motion that was found."""
    problem: MotionProblem
    """The problem that was solved."""
    seconds: float
    """Time that solving took, s."""
    iterations_by_solve: IntArray
    """Iterations (solves,) of each frame; a single number if all frames share their coordinates."""
    stop_codes: IntArray
    """Why each search ended (solves,), as keys of `result.STOPPED`."""
    goals: Callable[[], ScheduledGoals]
    """Makes `lowered` when it is first needed."""
    solver_warnings: tuple[str, ...] = ()
    """Warnings of the solver, one sentence each."""
    x: Array | None = None
    """For a space of motions, its coordinates: (coordinates,) shared by all frames, or (frames, coordinates)."""

    @property
    def solves(self) -> int:
        """Number of solves: one per frame, or a single one if all frames share their coordinates."""
        return len(self.iterations_by_solve)

    @cached_property
    def lowered(self) -> ScheduledGoals:
        """The goals as tables."""
        return self.goals()

    @cached_property
    def errors(self) -> Errors:
        """Error of each goal, by label, in the worst of the frames in which it counts in full.

        A goal that never counts in full has the error of the frame in which it counts most, and is not judged.
        """
        lowered, schedules = self.lowered.frame, self.problem.schedules
        counted = np.zeros((len(schedules), len(self.motion)), np.bool_)
        for k, one in enumerate(schedules):
            counted[k] = one.judged
            if not one.judged.any():
                counted[k, int(one.activation.argmax())] = True
        frames = np.flatnonzero(counted.any(axis=0))
        by_column = self.lowered.errors(self.motion, frames)
        errors = errors_by_goal(lowered, by_column)
        found = []
        for k, goal in enumerate(lowered.goals):
            columns, on = lowered.columns[k], counted[k, frames]
            own = frames[on]
            judged: list[tuple[Array, Unit, float, Part | None]] = []
            if columns.start >= len(lowered.terms):
                for column, (_, term, _, tolerance) in enumerate(lowered.python, len(lowered.terms)):
                    if columns.start <= column < columns.stop:
                        judged.append((by_column[on, column], term.unit, tolerance, None))
            else:
                parts = lowered.parts_of(range(columns.start, columns.stop))
                for part, (row, *_) in parts.items():
                    several = part if len(parts) > 1 else None
                    values = errors[goal.label if several is None else (goal.label, several)][on]
                    judged.append((values, lowered.units[row], float(lowered.terms["tolerance"][row]), several))
            for values, unit, tolerance, several in judged:
                worst = int(values.argmax())
                found.append(
                    GoalError(
                        float(values[worst]), goal.label, unit, tolerance if schedules[k].judged.any() else math.inf,
                        several, self.motion.first_frame + int(own[worst]) if len(own) > 1 else None,
                    )
                )  # fmt: skip
        return Errors(found)

    @cached_property
    def errors_by_frame(self) -> dict[str | tuple[str, Part], Array]:
        """Errors (frames,), m or rad, by goal label, or by label and part if a goal has several parts."""
        return errors_by_goal(self.lowered.frame, self.lowered.errors(self.motion, np.arange(len(self.motion))))

    @property
    def iterations(self) -> int:
        """Total number of iterations over all frames."""
        return int(self.iterations_by_solve.sum())

    @cached_property
    def stopped(self) -> Stopped:
        """Why the search ended: the most serious reason of all frames."""
        return min(self._reasons or {"nothing to do": 0}, key=_BY_WEIGHT.index)

    @cached_property
    def _reasons(self) -> dict[Stopped, int]:
        """Number of searches that ended for each reason."""
        codes, counts = np.unique(self.stop_codes, return_counts=True)
        return {STOPPED[code]: n for code, n in zip(codes.tolist(), counts.tolist(), strict=True)}

    @cached_property
    def coordinates(self) -> Array:
        """Coordinates in the problem's space: (frames, coordinates), or (coordinates,) if all frames share them."""
        return self.problem.frame_problem.space.encode(self.motion.q) if self.x is None else self.x

    @cached_property
    def at_speed_limit(self) -> dict[str, int]:
        """Dofs that reach their speed limit, each with the number of frames in which it does."""
        reach = frame_reach(self.problem)
        limited = np.flatnonzero(np.isfinite(reach))
        steps = np.abs(np.diff(self.motion.q[:, limited], axis=0))
        steps[[cut - 1 for cut in self.problem.cuts if cut > 0]] = 0.0
        frames = np.count_nonzero(steps >= (1.0 - _AT_LIMIT) * reach[limited], axis=0)
        names = self.motion.figure.dof_names
        return {names[dof]: int(n) for dof, n in zip(limited, frames, strict=True) if n}

    @property
    def only_approached(self) -> list[str]:
        """A sentence for each goal whose activation is below 1 in all frames."""
        return [
            f"{schedule.goal.label!r} never counts in full, so it is only approached"
            for schedule in self.problem.schedules
            if not schedule.judged.any()
        ]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the solver could not do as requested, one sentence each."""
        found, n = list(self.solver_warnings), len(self.stop_codes)
        found += self.only_approached
        if isinstance(self.problem.space, MotionSpace) and self.x is not None:
            found += self.problem.space.warnings(self.x, [error.goal for error in self.errors.missed], self.problem)
        elif unfinished := self._reasons.get("out of iterations"):
            found.append(f"{unfinished} of {n} frames ran out of iterations")
        slow = sorted(self.at_speed_limit.items(), key=lambda item: -item[1]) if self.problem.velocity_limits else []
        if slow:
            some = ", ".join(f"{name} {frames}" for name, frames in slow[:5])
            more = f" and {len(slow) - 5} more dofs" if len(slow) > 5 else ""
            found.append(f"joint speed limits hold the motion back; frames at the limit, of {n}: {some}{more}")
        return tuple(found)
