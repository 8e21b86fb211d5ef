"""Chooses how a motion problem is solved.

- All frames share their coordinates (a space of motions): `shared`, with Prioritized.
- Every frame has its own: with Prioritized by strict priorities (`strict`); with LeastSquares many frames in a kernel
  call (`clip_tracker`); with any solver, a pose problem for every frame (`frame_by_frame`).

Of the last two, a frame's objective (see `problem.imitation`) collapses, exactly, to one target per goal and one
reference pose (Tak & Ko, section 4.2): a velocity or acceleration term is again a distance to a known point, since the
frames before are solved. So each frame is a plain problem, started from the answer before moved on as the example
moves.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from posewright.errors import InvalidSetting, shown
from posewright.motions import Motion
from posewright.problem.motion_lowering import LoweredMotion, lower_motion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.motion_space import MotionSpace
from posewright.solvers.interruption import plain_interrupts
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.clip_tracker import clip_tracker
from posewright.solvers.motion.frame_by_frame import FrameByFrame
from posewright.solvers.motion.frames import FrameBatch, Progress, Tracker
from posewright.solvers.motion.leaps import without_leaps
from posewright.solvers.motion.shared import SharedMotion
from posewright.solvers.motion.strict import solve_strictly
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver

Targets = Mapping[str, Sequence[float]]

_WEIGHED = (
    "with speed limits goals are weighed against the example; only those of the first of several priorities are strict"
)
_AT_ONCE = 8192
"""Frames at a time whose targets are made."""


def tracker(lowered: LoweredMotion, solver: Solver) -> Tracker:
    """The quickest tracker that a solver has for a motion problem."""
    careful = FrameByFrame(lowered, solver)
    quick = clip_tracker(lowered, solver, careful) if isinstance(solver, LeastSquares) else None
    return careful if quick is None else quick


class PreparedMotion(Protocol):
    """A motion problem ready to be solved again with other targets; made by `solver.prepare`."""

    problem: MotionProblem

    def solve(self, targets: Targets | None = None) -> MotionResult:
        """The motion that meets the goals best.

        Args:
            targets: new ones by goal label; what is not given stays as in the call before. A goal in time is called
                such as "left_hand at frame 20", or just "left_hand" if no other goal is called so.
        """


def prepare_motion(problem: MotionProblem, solver: Solver) -> PreparedMotion:
    """See `Solver.prepare`."""
    if not isinstance(problem.space, MotionSpace):
        return PreparedFrames(problem, solver)
    if not isinstance(solver, Prioritized):
        raise InvalidSetting(
            f"{type(solver).__name__} does not solve motions whose frames share their coordinates, as in a motion "
            "model; Prioritized does"
        )
    return SharedMotion(problem, solver)


class PreparedFrames:
    """A motion problem whose frames have coordinates of their own: solved from the beginning each time."""

    def __init__(self, problem: MotionProblem, solver: Solver) -> None:
        self.problem, self._solver = problem, solver

    def solve(self, targets: Targets | None = None) -> MotionResult:
        """See `PreparedMotion`."""
        if targets:
            self.problem = self.problem.with_targets(targets)
        return solve_motion(self.problem, self._solver)


def solve_motion(problem: MotionProblem, solver: Solver, progress: Progress | None = None) -> MotionResult:
    """See `Solver.solve`."""
    if progress is not None and not callable(progress):
        raise InvalidSetting(f"progress is {shown(progress)}; it must be a function of a number of frames")
    if isinstance(problem.space, MotionSpace):
        found = prepare_motion(problem, solver).solve()
    elif isinstance(solver, Prioritized) and not problem.velocity_limits:
        found = solve_strictly(problem, solver)
    else:
        found = _solve_frames(problem, solver, progress)
        return without_leaps(problem, found, lambda other: _solve_frames(other, solver, None))
    if progress is not None:
        progress(len(problem))
    return found


def _solve_frames(problem: MotionProblem, solver: Solver, progress: Progress | None) -> MotionResult:
    """Frame after frame, each with coordinates of its own."""
    began = time.perf_counter()
    lowered = lower_motion(problem)
    following = tracker(lowered, solver)
    weighed = (_WEIGHED,) if isinstance(solver, Prioritized) else ()
    n = len(problem)
    q, info = np.empty((n, problem.figure.n_dofs)), np.zeros((n, 2), np.int64)
    for first in range(0, n, _AT_ONCE):
        part = slice(first, min(first + _AT_ONCE, n))
        frames = FrameBatch(
            np.array(lowered.references[part]), lowered.targets_of(part), lowered.weights[part],
            lowered.held[part], lowered.begins[part], q[part], info[part],
        )  # fmt: skip
        done = 0
        while done < len(frames):
            with plain_interrupts():  # a frame that Ctrl-C ended early would be followed by all the others
                done += following.advance(frames[done:])
            if progress is not None:
                progress(first + done)
    q.flags.writeable = False
    return MotionResult(
        motion=Motion(problem.figure, q, problem.near.fps, problem.near.name),
        problem=problem,
        seconds=time.perf_counter() - began,
        iterations_by_solve=info[:, 0],
        stop_codes=info[:, 1],
        goals=lambda: lowered,
        solver_warnings=(*lowered.warnings, *following.warnings, *weighed),
    )
