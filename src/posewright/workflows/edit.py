"""Edit a motion by goals at key frames and along trajectories, inside a learned pattern or in joint space."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy.typing as npt

from posewright.errors import InvalidMotion
from posewright.goals.keyed import Key, KeyFrame, KeyTrajectory
from posewright.models.motion_model import Latent, MotionModel
from posewright.motion.motion import Motion
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.edit_joints import follow_in_joints
from posewright.workflows.edit_model import edit_at_keys, follow_in_model
from posewright.workflows.edit_result import EditResult
from posewright.workflows.holding import with_contacts_held
from posewright.workflows.key_errors import key_errors
from posewright.workflows.tracks import checked, frame_number, key_frame_tracks, named, trajectory_track

PATTERN_SOLVER = Prioritized(b_max=0.5, max_iterations=100)
"""Steps of at most half a standard deviation."""
JOINT_SOLVER = Prioritized(max_iterations=100)
OUTSIDE = 3.0
"""Standard deviations from the mean motion beyond which an edit is called outside the pattern."""


def edit(
    motion: Motion,
    keys: Sequence[Key],
    *,
    model: MotionModel | None = None,
    hold_contacts: bool = False,
    keep_detail: bool = True,
    limits: bool = False,
    events: npt.ArrayLike | Literal["flight"] | None = None,
    solver: Prioritized | None = None,
) -> EditResult:
    """A motion changed so that goals are met at some of its frames.

    Args:
        motion: what to edit.
        keys: goals at key frames and along trajectories, by priority.
        model: the pattern to stay in; without one every frame that a key touches is solved by itself, and a key
            frame reaches a quarter of the motion to either side.
        hold_contacts: keep the feet where they touch the ground in `motion`, before all keys.
        keep_detail: keep what the pattern cannot say of the motion; otherwise the result is a motion of the pattern.
        limits: keep the figure's limits at key frames also inside a pattern. In joint space they always hold, as far
            as the motion itself keeps them.
        events: the moments (s) of the motion that correspond to the model's events; "flight": take-off and landing.
        solver: settings, by default steps of at most 0.5 standard deviations or 0.3 rad.

    Raises:
        InvalidSetting: a key outside the motion, or of a goal that is not about sites.
        InvalidMotion: no frames, or a figure that is not the model's.
    """
    began = time.perf_counter()
    if not len(motion):
        raise InvalidMotion("the motion has no frames, so there is nothing to edit")
    checked(motion, keys)
    own = named(keys)
    at_frames = [key for key in own if isinstance(key, KeyFrame)]
    along = [key for key in own if isinstance(key, KeyTrajectory)]
    warnings = [
        f"{key.label!r} begins or ends at once (ease_in or ease_out is 0), so the motion may jump there"
        for key in along
        if (key.ease_in == 0.0 and frame_number(motion, key.start, key.label) > 0)
        or (key.ease_out == 0.0 and frame_number(motion, key.end, key.label) < len(motion) - 1)
    ]
    latent: Latent | None = None
    if model is None:
        tracks = [*key_frame_tracks(motion, at_frames), *(trajectory_track(motion, key) for key in along)]
        answer = follow_in_joints(motion, tracks, solver or JOINT_SOLVER)
        edited, iterations, solves = answer.motion, answer.iterations, answer.solves
    else:
        inside = _in_pattern(motion, at_frames, along, model, keep_detail, limits, events, solver or PATTERN_SOLVER)
        latent, edited, iterations, solves = inside.latent, inside.motion, inside.iterations, inside.solves
        warnings += inside.warnings
    if hold_contacts and own:
        held = with_contacts_held(motion, edited, own, JOINT_SOLVER)
        edited, iterations, solves = held.motion, iterations + held.iterations, solves + held.solves
        warnings += [f"a contact could not be held: {error}" for error in held.errors if not error.reached]
        latent = model.explained(latent, edited) if model is not None and latent is not None else None
    return EditResult(
        motion=replace(edited, name=motion.name),
        latent=latent,
        errors=key_errors(edited, own),
        iterations=iterations,
        solves=solves,
        seconds=time.perf_counter() - began,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, eq=False)
class _Inside:
    motion: Motion
    latent: Latent
    iterations: int
    solves: int
    warnings: list[str]


def _in_pattern(
    motion: Motion,
    at_frames: list[KeyFrame],
    along: list[KeyTrajectory],
    model: MotionModel,
    keep_detail: bool,
    limits: bool,
    events: npt.ArrayLike | Literal["flight"] | None,
    solver: Prioritized,
) -> _Inside:
    """Key frames first; what they make of the motion is the source of the trajectories."""
    source = model.encode(motion, events=events)
    latent = source if keep_detail else replace(source, detail=None)
    edited = motion if keep_detail else model.decode(latent)
    iterations, solves, warnings = 0, 0, list[str]()
    if at_frames:
        latent, iterations, said = edit_at_keys(model, latent, motion, at_frames, solver, limits=limits)
        edited, solves = model.decode(latent), 1
        warnings += said
    if along:
        tracks = [trajectory_track(edited, key) for key in along]
        answer = follow_in_model(model, latent, edited, tracks, solver)
        latent, iterations, solves = answer.latent, iterations + answer.iterations, solves + answer.solves
        edited = model.decode(latent)
        warnings += answer.warnings
    if latent.distance > max(OUTSIDE, source.distance):
        warnings.append(
            f"outside the pattern: {latent.distance:.1f} standard deviations from the mean motion "
            f"(the source is at {source.distance:.1f})"
        )
    return _Inside(edited, latent, iterations, solves, warnings)
