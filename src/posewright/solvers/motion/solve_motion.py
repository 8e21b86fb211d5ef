"""Motions: the frame loop, once for all solvers.

A frame's objective (see `problem.imitation`) collapses, exactly, to one target per track and one reference pose
(Tak & Ko, section 4.2): a velocity or acceleration term is again a distance to a known point, since the frames before
are solved. So each frame is a plain problem, started from the answer before moved on as the example moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting, shown
from posewright.motions import Motion
from posewright.problem.motion_lowering import Flags, LoweredMotion, lower_motion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.stopping import STOPPED
from posewright.solvers.interruption import plain_interrupts
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.clip_tracker import Stretches, fits_stretches
from posewright.solvers.motion.constrained_tracker import WhileKept, without_inequalities
from posewright.solvers.motion.coupled import CoupledStretches, coupled_stretches
from posewright.solvers.motion.frame_by_frame import FrameByFrame
from posewright.solvers.solver import Solver, require_solver

_AT_ONCE = 8192
"""Frames whose targets are made at a time."""
Progress = Callable[[int], None]
"""Called with the number of frames that are done."""


class Tracker(Protocol):
    """Something that answers frame after frame and remembers what it needs of those before."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be honoured."""

    def advance(
        self,
        references: Array,
        targets: Array,
        weights: Array,
        held: Flags,
        begins: Flags,
        q: Array,
        info: IntArray,
    ) -> int:
        """Solve some of the next frames into `q` and `info` (iterations, why); return how many, at least one."""


def tracker(lowered: LoweredMotion, solver: Solver) -> Tracker:
    """The quickest way in which a solver can answer a motion problem."""
    careful = FrameByFrame(lowered, solver)
    if not isinstance(solver, LeastSquares):
        return careful
    relaxed = without_inequalities(lowered)
    if relaxed is None:
        return _stretches(lowered, solver) or careful
    quick = _stretches(relaxed, solver)
    return careful if quick is None else WhileKept(lowered, quick, careful)


def _stretches(lowered: LoweredMotion, solver: LeastSquares) -> Stretches | CoupledStretches | None:
    return Stretches(lowered, solver) if fits_stretches(lowered) else coupled_stretches(lowered, solver)


def solve_motion(
    problem: MotionProblem, solver: Solver | None = None, *, progress: Progress | None = None
) -> MotionResult:
    """The motion that answers a problem over time, with any solver; `LeastSquares` is the fast one and the default.

    Ctrl-C raises KeyboardInterrupt: half a motion is no answer.

    Args:
        problem: tracks, example, figure.
        solver: settings of the solver of each frame.
        progress: called every fifth of a second or so; what it raises ends the solve.
    """
    began = time.perf_counter()
    if solver is not None:
        require_solver(solver)
    if progress is not None and not callable(progress):
        raise InvalidSetting(f"progress is {shown(progress)}; it must be a function of a number of frames")
    lowered = lower_motion(problem)
    following = tracker(lowered, LeastSquares() if solver is None else solver)
    n = len(problem)
    q, info = np.empty((n, problem.figure.n_dofs)), np.zeros((n, 2), np.int64)
    done = 0
    for first in range(0, n, _AT_ONCE):
        last = min(first + _AT_ONCE, n)
        references, targets = np.array(lowered.references[first:last]), lowered.targets_of(first, last)
        while done < last:
            with plain_interrupts():  # a frame that Ctrl-C ended early would be followed by all the others
                done += following.advance(
                    references[done - first :], targets[done - first :], lowered.weights[done:last],
                    lowered.held[done:last], lowered.begins[done:last], q[done:last], info[done:last],
                )  # fmt: skip
            if progress is not None:
                progress(done)
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
