"""Results over time: the motion, how far each goal is from met in each frame, and why each frame's search ended."""

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
"""Share of a speed limit within which a dof counts as at it."""
_BY_WEIGHT: tuple[Stopped, ...] = (
    "infeasible", "interrupted", "out of iterations", "stalled", "stationary", "reached", "nothing to do",
)  # fmt: skip
"""Reasons to stop, the most serious first."""


@dataclass(frozen=True, eq=False, repr=False)
class MotionResult(Result):
    """A motion and its errors, which are computed only when asked for."""

    motion: Motion
    problem: MotionProblem
    seconds: float
    iterations_by_solve: IntArray
    """(solves,): of each frame; of frames that share their coordinates, one for all"""
    stop_codes: IntArray
    """(solves,): why each search ended, as in `stopping.STOPPED`"""
    goals: Callable[[], ScheduledGoals]
    """What was asked, lowered when first needed."""
    solver_warnings: tuple[str, ...] = ()
    x: Array | None = None
    """(coordinates,) shared by all frames, or (frames, coordinates), where the problem is about a space of motions"""

    @property
    def solves(self) -> int:
        """How many poses, or sets of poses, were solved for."""
        return len(self.iterations_by_solve)

    @cached_property
    def lowered(self) -> ScheduledGoals:
        """What was asked, as tables."""
        return self.goals()

    @cached_property
    def errors(self) -> Errors:
        """How far each goal is from met in its worst frame of those in which it counts in full.

        One that never does is only approached: it has the error of the frame in which it counts most.
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
        """(frames,), m or rad, by goal label; by label and part where a goal has several."""
        return errors_by_goal(self.lowered.frame, self.lowered.errors(self.motion, np.arange(len(self.motion))))

    @property
    def iterations(self) -> int:
        """Steps of the search, over all frames."""
        return int(self.iterations_by_solve.sum())

    @cached_property
    def stopped(self) -> Stopped:
        """Why the search ended: the most serious reason of all frames."""
        return min(self._reasons or {"nothing to do": 0}, key=_BY_WEIGHT.index)

    @cached_property
    def _reasons(self) -> dict[Stopped, int]:
        """How many searches ended for each reason."""
        codes, counts = np.unique(self.stop_codes, return_counts=True)
        return {STOPPED[code]: n for code, n in zip(codes.tolist(), counts.tolist(), strict=True)}

    @cached_property
    def coordinates(self) -> Array:
        """(frames, coordinates) of the problem's space; (coordinates,) where all frames share them."""
        return self.problem.frame_problem.space.encode(self.motion.q) if self.x is None else self.x

    @cached_property
    def at_speed_limit(self) -> dict[str, int]:
        """Dofs that are held back by `velocity_limits`, each with the number of frames in which it is at its limit."""
        reach = frame_reach(self.problem)
        limited = np.flatnonzero(np.isfinite(reach))
        steps = np.abs(np.diff(self.motion.q[:, limited], axis=0))
        steps[[cut - 1 for cut in self.problem.cuts if cut > 0]] = 0.0
        frames = np.count_nonzero(steps >= (1.0 - _AT_LIMIT) * reach[limited], axis=0)
        names = self.motion.figure.dof_names
        return {names[dof]: int(n) for dof, n in zip(limited, frames, strict=True) if n}

    @property
    def only_approached(self) -> list[str]:
        """Goals whose activation is below 1 in all frames, a sentence each."""
        return [
            f"{schedule.goal.label!r} is in no frame on in full: it is only approached"
            for schedule in self.problem.schedules
            if not schedule.judged.any()
        ]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What could not be honoured, a sentence each."""
        found, n = list(self.solver_warnings), len(self.stop_codes)
        found += self.only_approached
        if isinstance(self.problem.space, MotionSpace) and self.x is not None:
            found += self.problem.space.warnings(self.x, [error.goal for error in self.errors.missed], self.problem)
        elif unfinished := self._reasons.get("out of iterations"):
            found.append(f"{unfinished} of {n} frames ran out of iterations")
        slow = sorted(self.at_speed_limit.items(), key=lambda item: -item[1]) if self.problem.velocity_limits else []
        if slow:
            some = ", ".join(f"{name} in {frames}" for name, frames in slow[:5])
            more = f" and {len(slow) - 5} more" if len(slow) > 5 else ""
            found.append(f"the motion is faster than joints may be: of {n} frames at the limit {some}{more}")
        return tuple(found)
