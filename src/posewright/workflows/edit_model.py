"""Editing inside a learned pattern (Carvalho, Boulic & Thalmann 2009).

Key frames: one set of coordinates for the whole motion, solved at the key frames alone, so the motion stays of one
piece. Trajectories: coordinates of their own for every frame they touch. Both step by least length in standard
deviations from the source, so what is far from usual changes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figure.kinematics import site_frames
from posewright.goals import CentreOfMassGoal
from posewright.goals.keyed import KeyFrame, prefixed
from posewright.goals.term import SiteTerm
from posewright.models.motion_model import Latent, MotionModel, key_prefix
from posewright.motion.motion import Motion
from posewright.problem import Problem, Space
from posewright.problem.lowering import lower
from posewright.solvers.over_frames import FrameAnswers, FrameProblems, solve_over_frames
from posewright.solvers.prepared import N_INFO
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared
from posewright.workflows.tracks import Track, frame_number, frame_targets

_STILL = 1e-6
"""m or rad per standard deviation: a site that moves less does not move."""
_FARTHEST = 6.0
"""Standard deviations of a mode at a frame by itself: a trajectory that asks for more is not followed to the end."""
_JUMP, _NOTICED = 5.0, 0.25
"""A step of the coordinates is a jump if it is so many times the median step, and so many standard deviations."""


@dataclass(frozen=True, eq=False)
class PatternAnswer:
    """A motion of the pattern along tracks."""

    latent: Latent
    iterations: int
    solves: int
    warnings: list[str]


def edit_at_keys(
    model: MotionModel, latent: Latent, motion: Motion, keys: Sequence[KeyFrame], solver: Prioritized, *, limits: bool
) -> tuple[Latent, int, list[str]]:
    """New coordinates of the whole motion, iterations and warnings."""
    moments = sorted({frame_number(motion, key.frame, key.label) for key in keys})
    place = {frame: k for k, frame in enumerate(moments)}
    goals = []
    for key in keys:
        if len(moments) > 1 and isinstance(key.goal, CentreOfMassGoal):
            raise InvalidSetting(f"{key.goal}: the centre of mass can be asked at one key frame of an edit only")
        prefix = key_prefix(place[frame_number(motion, key.frame, key.label)])
        goals.append(prefixed(key.goal, prefix, key.goal.name))
    detail = None if latent.detail is None else latent.detail[moments]
    space = model.space(latent.phases[moments].tolist(), placement=latent.placement, detail=detail, limits=limits)
    if not model.n_modes:
        raise InvalidSetting("the model has no modes (one clip, or copies of one): it can only replay, not be edited")
    lowered = lower(Problem(space, goals))
    prepared = PrioritizedPrepared(solver, lowered)
    start = lowered.region.projected(latent.x)[np.newaxis]
    x, errors, info = np.empty(start.shape), np.empty((1, len(lowered.labels))), np.empty((1, N_INFO))
    prepared.run(start, lowered.targets[np.newaxis], np.zeros((1, space.figure.n_dofs)), x, errors, info)
    missed = {lowered.labels[k] for k in np.flatnonzero(errors[0] > lowered.terms["tolerance"])}
    warnings = [
        f"uncontrollable: nothing in the pattern moves {goal.label!r}"
        for goal in goals
        if goal.label in missed and not _moves(space, goal.terms(space.figure), start[0])
    ]
    return replace(latent, x=x[0]), int(info[0, 0]), warnings


def _moves(space: Space, terms: Sequence[object], x: Array) -> bool:
    """Whether one standard deviation of some mode moves or turns a site of these terms."""
    sites = [term.site for term in terms if isinstance(term, SiteTerm)]
    if None in sites:
        return True
    names = [site for site in sites if site is not None]
    q = space.decode(x + np.concatenate([np.zeros((1, len(x))), np.eye(len(x))]))
    frames = site_frames(space.figure, q, names)
    moved = np.abs(frames.points[1:] - frames.points[:1]).max(initial=0.0)
    turned = np.abs(frames.x_axes[1:] - frames.x_axes[:1]).max(initial=0.0)
    only_points = all(isinstance(term, SiteTerm) and term.unit == "m" for term in terms)
    return bool(moved > _STILL or (not only_points and turned > _STILL))


def follow_in_model(
    model: MotionModel, latent: Latent, motion: Motion, tracks: Sequence[Track], solver: Prioritized
) -> PatternAnswer:
    """Coordinates for every frame.

    Args:
        model: the pattern.
        latent: the source, or what key frames made of it.
        motion: the same, decoded.
        tracks: what is wanted.
        solver: its settings.
    """
    if not model.n_modes:
        raise InvalidSetting("the model has no modes (one clip, or copies of one): it can only replay, not be edited")
    offsets, modes = model.at(latent.phases)
    if latent.detail is not None:
        offsets = offsets + latent.detail
    matrices = np.ascontiguousarray(np.moveaxis(modes, 0, 2))
    whole = model.space([0.0], placement=latent.placement)
    typical = replace(whole, matrix=np.sqrt((matrices**2).mean(axis=0)), offset=offsets[0])
    lowered = lower(Problem(typical, [track.goal for track in tracks]))
    farthest = np.maximum(_FARTHEST, np.abs(np.atleast_2d(latent.x)).max(axis=0))
    lowered = replace(lowered, region=replace(lowered.region, lower=-farthest, upper=farthest))
    targets, weights = frame_targets(lowered, tracks, motion)
    chosen = np.flatnonzero((weights > 0.0).any(axis=1))
    x = np.array(np.broadcast_to(latent.x, (len(motion), model.n_modes)))
    frames = FrameProblems(
        targets[chosen],
        weights[chosen],
        x[chosen],
        np.zeros((len(chosen), typical.figure.n_dofs)),
        np.zeros(len(chosen), dtype=np.int64),
        matrices[chosen],
        offsets[chosen],
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
            x, jump = other, _jump(other)
        if jump > 0.0:
            warnings.append(f"the coordinates jump by {jump:.2g} standard deviations between two frames")
    return PatternAnswer(replace(latent, x=x), iterations, solves, warnings)


def _missed(answers: FrameAnswers, weights: Array) -> float:
    return float((answers.errors * (weights > 0.0)).sum())


def _jump(x: Array) -> float:
    """The largest step of the coordinates (frames, modes) if it is out of proportion to the others, else 0."""
    steps = np.linalg.norm(np.diff(x, axis=0), axis=1)
    moving = steps[steps > 0.0]
    if not len(moving):
        return 0.0
    largest = float(moving.max())
    return largest if largest > _NOTICED and largest > _JUMP * float(np.median(moving)) else 0.0
