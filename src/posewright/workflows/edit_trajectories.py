"""Trajectories inside a learned pattern (Carvalho, Boulic & Thalmann 2009): coordinates of its own for every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel
from posewright.motion.motion import Motion
from posewright.problem import Problem
from posewright.problem.evaluation import GoalError
from posewright.problem.lowering import lower
from posewright.solvers.over_frames import FrameAnswers, FrameProblems, solve_over_frames
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.key_errors import solved_errors
from posewright.workflows.pattern_editor import within
from posewright.workflows.tracks import Track, frame_targets

FARTHEST = 6.0
"""Standard deviations of a mode at a frame by itself: a trajectory that asks for more is not followed to the end."""
_JUMP, _SUDDEN, _NOTICED = 5.0, 2.0, 0.25
"""A step of the coordinates is a jump if it is so many times the median step, so many times the larger of the steps
before and after it, and longer than so many standard deviations."""


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
    tracks: Sequence[Track],
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
    targets, weights = frame_targets(lowered, tracks, motion)
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
    )
    answers = solve_over_frames(solver, lowered, frames)
    iterations, solves, warnings = int(answers.iterations.sum()), len(chosen), []
    x[chosen] = answers.x
    if (jump := _jump(x)) > 0.0 and len(chosen):
        follows = np.zeros(len(chosen), dtype=np.int64)
        follows[1:] = np.diff(chosen) == 1
        again = solve_over_frames(solver, lowered, replace(frames, follows=follows))
        iterations, solves = iterations + int(again.iterations.sum()), solves + len(chosen)
        other = x.copy()
        other[chosen] = again.x
        if _jump(other) < jump and _missed(again, weights[chosen]) <= 1.01 * _missed(answers, weights[chosen]):
            x, jump, answers = other, _jump(other), again
        if jump > 0.0:
            warnings.append(f"the coordinates jump by {jump:.2g} standard deviations between two frames")
    errors = solved_errors(lowered, tracks, chosen, answers.errors)
    return PatternAnswer(replace(latent, x=x), errors, iterations, solves, warnings)


def _missed(answers: FrameAnswers, weights: Array) -> float:
    return float((answers.errors * (weights > 0.0)).sum())


def _jump(x: Array) -> float:
    """The largest step of coordinates (frames, modes) out of proportion to all others and to its neighbours, or 0."""
    steps = np.linalg.norm(np.diff(x, axis=0), axis=1)
    moving = steps[steps > 0.0]
    if not len(moving):
        return 0.0
    around = np.concatenate([[0.0], steps, [0.0]])
    beside = np.maximum(around[:-2], around[2:])
    sudden = (steps > _NOTICED) & (steps > _JUMP * np.median(moving)) & (steps > _SUDDEN * beside)
    return float(steps[sudden].max(initial=0.0))
