"""Motion problems solved: the frame loop, once for all solvers, and the choice of how frames are solved.

A frame's objective (see `problem.imitation`) collapses, exactly, to one target per goal and one reference pose
(Tak & Ko, section 4.2): a velocity or acceleration term is again a distance to a known point, since the frames before
are solved. So each frame is a plain problem, started from the answer before moved on as the example moves.
"""

from __future__ import annotations

import time

import numpy as np

from posewright.errors import InvalidSetting, shown
from posewright.motions import Motion
from posewright.problem.motion_lowering import LoweredMotion, lower_motion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.stopping import STOPPED
from posewright.solvers.interruption import plain_interrupts
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.clip_tracker import clip_tracker
from posewright.solvers.motion.frame_by_frame import FrameByFrame
from posewright.solvers.motion.frames import FrameBatch, Progress, Tracker
from posewright.solvers.solver import Solver

_AT_ONCE = 8192
"""Frames whose targets are made at a time."""


def tracker(lowered: LoweredMotion, solver: Solver) -> Tracker:
    """The quickest way in which a solver can solve a motion problem frame after frame."""
    careful = FrameByFrame(lowered, solver)
    quick = clip_tracker(lowered, solver, careful) if isinstance(solver, LeastSquares) else None
    return careful if quick is None else quick


def solve_motion(problem: MotionProblem, solver: Solver, progress: Progress | None = None) -> MotionResult:
    """See `Solver.solve`."""
    began = time.perf_counter()
    if progress is not None and not callable(progress):
        raise InvalidSetting(f"progress is {shown(progress)}; it must be a function of a number of frames")
    lowered = lower_motion(problem)
    following = tracker(lowered, solver)
    n = len(problem)
    q, info = np.empty((n, problem.figure.n_dofs)), np.zeros((n, 2), np.int64)
    for first in range(0, n, _AT_ONCE):
        part = slice(first, min(first + _AT_ONCE, n))
        frames = FrameBatch(
            np.array(lowered.references[part]), lowered.targets_of(part.start, part.stop), lowered.weights[part],
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
        iterations=info[:, 0],
        seconds=time.perf_counter() - began,
        lowered=lowered,
        reasons=tuple(STOPPED[code] for code in sorted(STOPPED)),
        why=info[:, 1],
        solver_warnings=following.warnings,
    )
