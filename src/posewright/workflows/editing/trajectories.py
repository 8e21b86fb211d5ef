"""Trajectories inside a learned pattern (Carvalho, Boulic & Thalmann 2009): coordinates of its own for every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel
from posewright.motions.motion import Motion
from posewright.problem import Problem
from posewright.problem.evaluation import GoalError
from posewright.problem.fading import sliding_targets
from posewright.problem.lowering import lower
from posewright.problem.schedule import Schedule
from posewright.solvers.motion.over_frames import FrameProblems, solve_over_frames
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.editing.key_errors import solved_errors
from posewright.workflows.editing.pattern_editor import within

FARTHEST = 6.0
"""Standard deviations of a mode at a frame by itself: a trajectory that asks for more is not followed to the end."""
_JUMP, _SUDDEN, _NOTICED = 5.0, 2.0, 0.25
"""A step of the coordinates is a jump if it is so many times the median step, so many times the larger of the steps
before and after it, and longer than so many standard deviations."""
_HARDER = (2.0, 4.0)
"""From a jump on, frames are solved again, one after another and with a pull to the source so many times as hard."""


@dataclass(frozen=True, eq=False)
class PatternAnswer:
    """A motion of the pattern along tracks."""

    latent: Latent
    errors: tuple[GoalError, ...]
    """Of each track, the largest over the frames where it counts in full."""
    iterations: int
    solves: int
    warnings: list[str]


def follow_in_pattern(
    model: MotionModel,
    latent: Latent,
    motion: Motion,
    tracks: Sequence[Schedule],
    solver: Prioritized,
    *,
    farthest: float | None = None,
) -> PatternAnswer:
    """Coordinates for every frame.

    Args:
        model: the pattern.
        latent: the source, or what key frames made of it.
        motion: the same, decoded.
        tracks: what is wanted.
        solver: its settings.
        farthest: standard deviations of any mode, by default 6.
    """
    if not model.n_modes:
        raise InvalidSetting("the model has no modes (one clip, or copies of one): it can only replay, not be edited")
    typical = replace(model.space([0.0]), matrix=np.sqrt((model.modes**2).mean(axis=1)).T)  # moves all that can move
    lowered = lower(Problem(typical, [track.goal for track in tracks]))
    lowered = within(lowered, latent.x, FARTHEST if farthest is None else farthest)
    targets, weights = sliding_targets(lowered, tracks, motion)
    world = lowered.terms["partner"] < 0
    targets[:, world] = latent.placement.seen_from(targets[:, world])  # the pattern stays at the origin
    chosen = np.flatnonzero((weights > 0.0).any(axis=1))
    offsets, matrices = model.at(latent.phases[chosen])
    if latent.detail is not None:
        offsets += latent.detail[chosen]
    x = np.array(np.broadcast_to(latent.x, (len(motion), model.n_modes)))
    frames = FrameProblems(
        targets[chosen],
        weights[chosen],
        x[chosen],
        np.zeros((len(chosen), typical.figure.n_dofs)),
        np.zeros(len(chosen), dtype=np.int64),
        matrices,
        offsets,
        home=latent.x,
    )
    answers = solve_over_frames(solver, lowered, frames)
    x[chosen] = answers.x
    iterations, solves, errors = int(answers.iterations.sum()), len(chosen), answers.errors
    for harder in _HARDER:
        jumps = _jumps(x)[chosen]
        first = int(np.argmax(jumps))
        if jumps[first] == 0.0:
            break
        run = _run_from(chosen, first)
        nearer = replace(solver, attraction=min(harder * solver.attraction, 1.0))
        again = solve_over_frames(nearer, lowered, _following(frames, run, x[chosen[first] - 1]))
        iterations, solves = iterations + int(again.iterations.sum()), solves + len(run)
        other = x.copy()
        other[chosen[run]] = again.x
        counts = weights[chosen[run]] > 0.0
        as_close = (again.errors * counts).sum() <= 1.01 * (errors[run] * counts).sum()
        if as_close and _jumps(other).max() < jumps[first]:
            x, errors[run] = other, again.errors
    jump = float(_jumps(x).max())
    said = [f"the coordinates jump by {jump:.2g} standard deviations between two frames"] if jump > 0.0 else []
    found = solved_errors(lowered, tracks, chosen, errors)
    return PatternAnswer(replace(latent, x=x), found, iterations, solves, said)


def _run_from(chosen: IntArray, first: int) -> IntArray:
    """Which of the frames that were solved follow the first without a gap, itself included."""
    gaps = np.flatnonzero(np.diff(chosen[first:]) > 1)
    return np.arange(first, len(chosen) if not len(gaps) else first + gaps[0] + 1)


def _following(frames: FrameProblems, run: IntArray, before: Array) -> FrameProblems:
    """Some of the frames, each begun where the one before it ended; the first at coordinates (modes,) `before`."""
    assert frames.matrices is not None
    assert frames.offsets is not None
    return FrameProblems(
        frames.targets[run],
        frames.weights[run],
        np.tile(before, (len(run), 1)),
        frames.references[run],
        np.ones(len(run), dtype=np.int64),
        frames.matrices[run],
        frames.offsets[run],
        home=frames.home,
    )


def _jumps(x: Array) -> Array:
    """(frames,): the step of coordinates (frames, modes) into each frame where it is a jump, else 0."""
    steps = np.concatenate([[0.0], np.linalg.norm(np.diff(x, axis=0), axis=1)])
    around = np.concatenate([[0.0], steps, [0.0]])
    beside = np.maximum(around[:-2], around[2:])
    usual = np.median(steps[steps > 0.0]) if steps.any() else 0.0
    jumps: Array = np.where((steps > _NOTICED) & (steps > _JUMP * usual) & (steps > _SUDDEN * beside), steps, 0.0)
    return jumps
