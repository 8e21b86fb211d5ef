"""Results over time: the motion, how far each goal is from met in each frame, and why each frame's search ended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, BoolArray
from posewright.motions import Motion
from posewright.problem.evaluation import Errors, GoalError, motion_errors
from posewright.problem.motion_lowering import LoweredMotion
from posewright.problem.result import GoalsNotReached
from posewright.problem.stopping import Stopped

_AT_LIMIT = 1e-6
"""Share of a speed limit within which a dof counts as at it."""


@dataclass(frozen=True)
class FrameError:
    """How far one goal is from met in one frame."""

    frame: int
    error: GoalError

    def __str__(self) -> str:
        return f"frame {self.frame}: {self.error}"


@dataclass(frozen=True, eq=False)
class MotionResult:
    """A motion and its errors, which are computed only when asked for."""

    motion: Motion
    iterations: npt.NDArray[np.int64]
    """(frames,)"""
    seconds: float
    lowered: LoweredMotion
    reasons: tuple[Stopped, ...]
    """What the numbers in `why` mean."""
    why: npt.NDArray[np.int64]
    """(frames,): why the search of each frame ended."""
    solver_warnings: tuple[str, ...] = ()

    @cached_property
    def errors(self) -> Array:
        """(frames, goals), m or rad, in the order of `labels`; computed from the returned motion."""
        return motion_errors(self.lowered.frame, self.lowered.targets, self.motion)

    @cached_property
    def stopped(self) -> tuple[Stopped, ...]:
        """Why the search of each frame ended."""
        return tuple(self.reasons[code] for code in self.why.tolist())

    @property
    def labels(self) -> tuple[str, ...]:
        """What the columns of `errors` are about; the direction of a track that also has points ends in `.turn`."""
        return self.lowered.frame.labels

    @cached_property
    def coordinates(self) -> Array:
        """(frames, coordinates) of the problem's space."""
        return self.lowered.problem.space.encode(self.motion.q)

    @cached_property
    def reached(self) -> bool:
        """Whether every goal is within its tolerance in every frame in which it is on entirely."""
        return not self._missed.any()

    @cached_property
    def at_speed_limit(self) -> dict[str, int]:
        """Dofs that are held back by `velocity_limits`, each with the number of frames in which it is at its limit."""
        reach = self.lowered.reach
        limited = np.flatnonzero(np.isfinite(reach))
        steps = np.abs(np.diff(self.motion.q[:, limited], axis=0)) * (self.lowered.begins[1:] == 0)[:, np.newaxis]
        frames = np.count_nonzero(steps >= (1.0 - _AT_LIMIT) * reach[limited], axis=0)
        names = self.motion.figure.dof_names
        return {names[dof]: int(n) for dof, n in zip(limited, frames, strict=True) if n}

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What could not be honoured, a sentence each."""
        found = [*self.lowered.warnings, *self.solver_warnings]
        unfinished = sum(why == "out of iterations" for why in self.stopped)
        if unfinished:
            found.append(f"{unfinished} of {len(self.stopped)} frames ran out of iterations")
        slow = sorted(self.at_speed_limit.items(), key=lambda item: -item[1])
        if slow:
            some = ", ".join(f"{name} in {frames}" for name, frames in slow[:5])
            more = f" and {len(slow) - 5} more" if len(slow) > 5 else ""
            found.append(
                f"the motion is faster than joints may be: of {len(self.stopped)} frames at the limit {some}{more}"
            )
        return tuple(found)

    def worst(self, n: int = 1) -> tuple[FrameError, ...]:
        """The goals furthest from met, by error over tolerance, at most one frame of each second for each goal."""
        ratio = np.where(self.lowered.counts, self.errors / self.lowered.frame.terms["tolerance"], 0.0)
        second = max(1, round(self.motion.fps))
        found: list[FrameError] = []
        while len(found) < n and ratio.size and ratio.max() > 0.0:
            frame, goal = (int(i) for i in np.unravel_index(int(ratio.argmax()), ratio.shape))
            found.append(FrameError(frame, self._error(frame, goal)))
            ratio[max(0, frame - second // 2) : frame + second // 2 + 1, goal] = 0.0
        return tuple(found)

    def require(self) -> MotionResult:
        """This result, if every goal was reached.

        Raises:
            GoalsNotReached: with the worst frame of each goal that was missed.
        """
        if self.reached:
            return self
        missed = []
        for goal in np.flatnonzero(self._missed.any(axis=0)).tolist():
            frame = int(np.where(self._missed[:, goal], self.errors[:, goal], -1.0).argmax())
            value, tables = float(self.errors[frame, goal]), self.lowered.frame
            tolerance = float(tables.terms["tolerance"][goal])
            missed.append(GoalError(value, self.labels[goal], tables.units[goal], tolerance, frame=frame))
        raise GoalsNotReached(Errors(missed))

    @cached_property
    def _missed(self) -> BoolArray:
        beyond: BoolArray = self.lowered.counts & (self.errors > self.lowered.frame.terms["tolerance"])
        return beyond

    def _error(self, frame: int, goal: int) -> GoalError:
        tables = self.lowered.frame
        value, tolerance = float(self.errors[frame, goal]), float(tables.terms["tolerance"][goal])
        return GoalError(value, self.labels[goal], tables.units[goal], tolerance)

    def __repr__(self) -> str:
        how = "reached" if self.reached else "not reached"
        listed = "".join(f" · {found}" for found in self.worst(3))
        return f"{how} in {len(self.motion)} frames, {self.seconds:.3g} s{listed}"
