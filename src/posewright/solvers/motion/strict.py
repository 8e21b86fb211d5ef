"""Prioritized over time: goals by strict priority in every frame, the example below all of them.

Every frame in which a goal counts is solved from where its example and the change of the frame before put it, with a
pull back to the example below all goals (Le Callennec & Boulic 2006); other frames are as in the example. Goals that
fade slide from what the example does to what is wanted (`problem.fading`). Of the imitation only the weights per dof
matter: nothing is weighed against strict goals, and velocities have no part.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.goals import Posture
from posewright.kernels.dense.prioritized_frames import solve_frames
from posewright.motions import Motion
from posewright.problem.fading import sliding_targets
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.motion_lowering import Flags, scheduled_goals, within_limits
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.problem import Problem
from posewright.problem.result import N_INFO
from posewright.solvers.interruption import plain_interrupts, run_watched, stopping_at_interrupt
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared

_LAST = 10**6
"""Priority of the example."""
_CLOSER = 0.01
"""Of the tolerance: neighbouring frames are all solved as closely as this, or the one that just misses the tolerance
would jump away from the one that just meets it."""
_WORTH_A_THREAD = 16
"""Frames: fewer are solved before a thread has begun."""


def solve_strictly(problem: MotionProblem, solver: Prioritized) -> MotionResult | None:
    """A motion whose frames have coordinates of their own; None where the kernel cannot: goals in Python, speeds."""
    began = time.perf_counter()
    asked = problem.frame_problem
    example = [Posture(weights=problem.imitation.weights, priority=_LAST, name="the example")]
    goals = [*asked.goals, *example] if problem.imitation.example > 0.0 else asked.goals
    lowered = lower(Problem(asked.space, goals, frozen=problem.frozen, constraints=problem.constraints))
    if lowered.python or problem.velocity_limits:
        return None
    given, warnings = within_limits(problem.figure, problem.near.q)
    targets, weights = sliding_targets(lowered, problem.schedules, Motion(problem.figure, given, problem.near.fps))
    counts, space = (weights > 0.0).any(axis=1), asked.space
    chosen = np.flatnonzero(counts | (not space.is_identity))
    follows = np.zeros(len(chosen), np.int8)
    follows[1:] = (np.diff(chosen) == 1) & ~np.isin(chosen[1:], problem.cuts)
    starts = space.encode(given[chosen])
    if len(lowered.region.A):
        for x in starts:
            x[:] = lowered.region.projected(x, lowered.frozen)
    frames = FrameProblems(targets[chosen], weights[chosen], starts, space.in_chart(given[chosen]), follows)
    answers = solve_over_frames(solver, lowered, frames)
    q = np.array(given)
    q[chosen] = space.decode(answers.x)
    q.flags.writeable = False
    return MotionResult(
        motion=Motion(problem.figure, q, problem.near.fps, problem.near.name),
        problem=problem,
        seconds=time.perf_counter() - began,
        iterations_by_solve=answers.counts[:, 0],
        stop_codes=answers.counts[:, 1],
        goals=lambda: scheduled_goals(problem),
        solver_warnings=warnings,
    )


@dataclass(frozen=True, eq=False)
class FrameProblems:
    """What differs from frame to frame."""

    targets: Array
    """(frames, terms, 9), as of `LoweredProblem.targets`; of a term about another site, that site's point (m)"""
    weights: Array
    """(frames, terms); 0: the goal does not count in this frame"""
    starts: Array
    """(frames, coordinates), feasible"""
    references: Array
    """(frames, dofs): what a posture goal pulls to"""
    follows: Flags
    """(frames,): 1 if a frame begins as far from its start as the frame before ended from its own"""
    maps: tuple[Array, Array] | None = None
    """Offsets (frames, dofs) and matrices (frames, dofs, coordinates); None: the problem's"""
    home: Array | None = None
    """(coordinates,): what coordinates are pulled to below all goals; None: they are not"""

    def one_after_another(self, run: IntArray, x: Array) -> FrameProblems:
        """Some of the frames, each begun where the one before it ended; the first at coordinates (coordinates,) x."""
        return FrameProblems(
            self.targets[run], self.weights[run], np.tile(x, (len(run), 1)), self.references[run],
            np.ones(len(run), np.int8), self.maps and (self.maps[0][run], self.maps[1][run]), self.home,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class FrameAnswers:
    """Arrays of answers."""

    x: Array
    """(frames, coordinates)"""
    errors: Array
    """(frames, terms), m or rad"""
    counts: IntArray
    """(frames, 2): iterations, and why each search ended"""


def solve_over_frames(solver: Prioritized, lowered: LoweredProblem, frames: FrameProblems) -> FrameAnswers:
    """All frames; those that do not follow one another on all cores. Ctrl-C raises KeyboardInterrupt."""
    n, n_terms = len(frames.starts), len(lowered.terms)
    starts, follows = np.array(frames.starts), frames.follows
    x, errors, info = np.empty(starts.shape), np.empty((n, n_terms)), np.zeros((n, N_INFO))
    tolerances = np.where(frames.weights > 0.0, _CLOSER * lowered.terms["tolerance"], np.inf)
    spaces = np.zeros((0, len(lowered.dofs), starts.shape[1] + 1))
    if frames.maps is not None:
        spaces = np.concatenate([frames.maps[1], frames.maps[0][:, :, None]], axis=2)
    references, stop = np.ascontiguousarray(frames.references), np.zeros(1, np.int8)

    def part(low: int, high: int) -> None:
        own = slice(low, high)
        prepared = PrioritizedPrepared(solver, lowered, home=frames.home)
        solve_frames(
            prepared._problem, prepared._levels, spaces[own], frames.weights[own], tolerances[own], starts[own],
            follows[own], frames.targets[own], references[own], stop, prepared._point, prepared._taken, x[own],
            errors[own], info[own],
        )  # fmt: skip

    cores = 1 if follows.any() else max(1, min(os.cpu_count() or 1, n // _WORTH_A_THREAD))
    edges = np.linspace(0, n, cores + 1).astype(int).tolist()
    with plain_interrupts():
        if cores == 1:
            run_watched(lambda: part(0, n), stop)
        else:
            with stopping_at_interrupt(stop), ThreadPoolExecutor(cores) as pool:
                list(pool.map(part, edges[:-1], edges[1:]))
    return FrameAnswers(x, errors, info[:, :2].astype(np.int64))
