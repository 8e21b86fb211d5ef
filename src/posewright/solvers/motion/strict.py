"""Prioritized over time: goals by strict priority in every frame, the example below all of them.

Every frame in which a goal counts is solved from where its example and the change of the frame before put it, with a
pull back to the example below all goals (Le Callennec & Boulic 2006); other frames are as in the example. Goals that
fade slide from what the example does to what is wanted (`problem.fading`). Of the imitation only the weights per dof
matter: nothing is weighed against strict goals, and velocities have no part.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.goals import Posture
from posewright.goals.python_goal import crowd_residuals
from posewright.goals.term import PythonTerm
from posewright.kernels.dense.prioritized_frames import FramesAsked, solve_frames
from posewright.kernels.solves import Solves
from posewright.motions import Motion
from posewright.problem.fading import sliding_targets
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.problem.motion_lowering import Flags, activations, scheduled_goals, within_limits
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.problem import Problem
from posewright.solvers.interruption import plain_interrupts, run_side_by_side, run_watched
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared

_LAST = 10**6
"""Priority of the example."""
_CLOSER = 0.01
"""Share of the tolerance to which all frames are solved; otherwise a frame that just misses the tolerance would jump
away from a neighbour that just meets it."""
_WORTH_A_THREAD = 16
"""Frames: fewer are solved before a thread has begun."""


def solve_strictly(problem: MotionProblem, solver: Prioritized) -> MotionResult:
    """A motion whose frames have coordinates of their own, and whose speeds have no limits."""
    began = time.perf_counter()
    asked = problem.frame_problem
    example = [Posture(weights=problem.imitation.weights, priority=_LAST, name="the example")]
    goals = [*asked.goals, *example] if problem.imitation.example > 0.0 else asked.goals
    lowered = lower(Problem(asked.space, goals, frozen=problem.frozen, constraints=problem.constraints))
    given, warnings = within_limits(problem.figure, problem.near.q)
    targets, weights = sliding_targets(lowered, problem.schedules, Motion(problem.figure, given, problem.near.fps))
    activation = activations(problem, lowered)[:, len(lowered.terms) :]  # of goals in Python
    counts, space = (weights > 0.0).any(axis=1) | (activation > 0.0).any(axis=1), asked.space
    chosen = np.flatnonzero(counts | (not space.is_identity))
    follows = np.zeros(len(chosen), np.int8)
    follows[1:] = (np.diff(chosen) == 1) & ~np.isin(chosen[1:], problem.cuts)
    starts = space.encode(given[chosen])
    if len(lowered.region.A):
        for x in starts:
            x[:] = lowered.region.projected(x, lowered.frozen)
    frames = FrameProblems(targets[chosen], weights[chosen], starts, space.in_chart(given[chosen]), follows)
    if lowered.python:
        with plain_interrupts():
            answers = _solve_with_python(solver, lowered, frames, activation[chosen], given[chosen])
    else:
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
    """(frames, dofs): target of posture goals"""
    follows: Flags
    """(frames,): 1 if a frame begins as far from its start as the frame before ended from its own"""
    maps: tuple[Array, Array] | None = None
    """Offsets (frames, dofs) and matrices (frames, dofs, coordinates); None: the problem's"""
    home: Array | None = None
    """(coordinates,): target of the coordinates below all goals; None: none"""


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
    n, starts, follows = len(frames.starts), np.array(frames.starts), frames.follows
    tolerances = np.where(frames.weights > 0.0, _CLOSER * lowered.terms["tolerance"], np.inf)
    spaces = np.zeros((0, len(lowered.dofs), starts.shape[1] + 1))
    if frames.maps is not None:
        spaces = np.concatenate([frames.maps[1], frames.maps[0][:, :, None]], axis=2)
    solves = Solves.of(starts, frames.targets, np.ascontiguousarray(frames.references))
    solves.info[:], stop = 0.0, np.zeros(1, np.int8)

    def part(low: int, high: int) -> None:
        own = slice(low, high)
        prepared = PrioritizedPrepared(solver, lowered, home=frames.home)
        asked = FramesAsked(spaces[own], frames.weights[own], tolerances[own], follows[own])
        problem, levels, point, taken = prepared._problem, prepared._levels, prepared._point, prepared._taken
        solve_frames(problem, levels, point, taken, asked, solves.part(own), stop)

    cores = 1 if follows.any() else max(1, min(os.cpu_count() or 1, n // _WORTH_A_THREAD))
    edges = np.linspace(0, n, cores + 1).astype(int).tolist()
    with plain_interrupts():
        if cores == 1:
            run_watched(lambda: part(0, n), stop)
        else:
            run_side_by_side(part, list(pairwise(edges)), stop)
    return FrameAnswers(solves.x, solves.errors, solves.info[:, :2].astype(np.int64))


def _solve_with_python(
    solver: Prioritized, lowered: LoweredProblem, frames: FrameProblems, activation: Array, example: Array
) -> FrameAnswers:
    """As `solve_over_frames`, one after another, with goals in Python; their activation (frames, goals in Python).

    A goal that fades slides as others do: its residual goes from what it is in the example, (frames, dofs), to zero.
    """
    region, solves = lowered.region, Solves.of(frames.starts.copy(), frames.targets, frames.references)
    offsets = [
        _faded(share, label, term, lowered.problem.figure, example)
        for (label, term, _, _), share in zip(lowered.python, activation.T, strict=True)
    ]
    change = np.zeros(len(lowered.scale))
    for k, given in enumerate(frames.starts):
        python = []
        for i, (label, term, root, tolerance) in enumerate(lowered.python):
            on = bool(activation[k, i] > 0.0)
            python.append((label, _slid(term, offsets[i][k], on=on), root * on, _CLOSER * tolerance))
        terms = lowered.terms.copy()
        terms["weight"] = frames.weights[k]
        terms["tolerance"] = np.where(frames.weights[k] > 0.0, _CLOSER * terms["tolerance"], np.inf)
        partners = terms["partner"] >= 0
        terms["partner_point"][partners] = frames.targets[k, partners, :3]
        if frames.follows[k]:  # a frozen coordinate is as given in each frame
            near = np.clip(given + change, region.lower, region.upper)
            solves.starts[k] = np.where(lowered.scale != 0.0, near, given)
        prepared = PrioritizedPrepared(solver, replace(lowered, terms=terms, python=tuple(python)))
        prepared.run(solves.part(slice(k, k + 1)))
        change = solves.x[k] - given
    return FrameAnswers(solves.x, solves.errors, solves.info[:, :2].astype(np.int64))


def _faded(share: Array, label: str, term: PythonTerm, figure: Figure, example: Array) -> Array:
    """Remaining residual (frames, rows) of the example where a goal fades."""
    found, fading = np.zeros((len(example), term.rows)), (share > 0.0) & (share < 1.0)
    if fading.any():
        found[fading] = (1.0 - share[fading, np.newaxis]) * crowd_residuals(figure, label, term, example[fading])
    return found


def _slid(term: PythonTerm, offset: Array, *, on: bool) -> PythonTerm:
    """A term whose residual should be the offset (rows,) instead of zero; none if it is switched off."""
    if not on:
        return replace(
            term, residual=lambda pose: np.zeros(term.rows), jacobian=lambda pose: np.zeros((term.rows, len(pose.q)))
        )
    if not offset.any():
        return term
    return replace(term, residual=lambda pose: np.asarray(term.residual(pose), dtype=np.float64) - offset)
