"""How well a motion does what keys and tracks ask: always measured on the motion itself, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.goals import AnyOf, Goal
from posewright.goals.keyed import Key, KeyFrame
from posewright.motions.motion import Motion
from posewright.problem import Problem
from posewright.problem.evaluation import GoalError, term_errors
from posewright.problem.lowering import LoweredProblem, lower
from posewright.workflows.editing.key_tracks import Track, frame_number, frame_targets, trajectory_track


def key_errors(motion: Motion, keys: Sequence[Key]) -> tuple[GoalError, ...]:
    """The error of every key; of a trajectory the largest over the frames where it counts in full."""
    tracks: list[Track] = []
    for key in keys:
        if isinstance(key, KeyFrame):
            share = np.zeros(len(motion))
            share[frame_number(motion, key.frame, key.label)] = 1.0
            tracks.append(Track(key.goal, share))
        else:
            tracks.append(trajectory_track(motion, key))
    return track_errors(motion, tracks)


def track_errors(motion: Motion, tracks: Sequence[Track]) -> tuple[GoalError, ...]:
    """The largest error of every track over the frames where it counts in full; two for a point and a turn."""
    if not tracks:
        return ()
    lowered = lower(Problem(motion.figure, [track.goal for track in tracks]))
    full = np.array([track.share >= 1.0 for track in tracks])
    frames = np.flatnonzero(full.any(axis=0))
    targets, _ = frame_targets(lowered, tracks, motion)
    errors = np.array([term_errors(lowered, targets[frame], motion.pose(int(frame)))[0] for frame in frames])
    errors = errors.reshape(len(frames), len(lowered.labels))
    return errors_of_goals(lowered, [track.goal for track in tracks], errors, full[:, frames])


def solved_errors(
    lowered: LoweredProblem, tracks: Sequence[Track], frames: IntArray, errors: Array
) -> tuple[GoalError, ...]:
    """The largest error of every track over the frames (solves,) that were solved and where it counts in full."""
    full = np.array([track.share[frames] >= 1.0 for track in tracks]).reshape(len(tracks), len(frames))
    return errors_of_goals(lowered, [track.goal for track in tracks], errors, full)


def errors_of_goals(
    lowered: LoweredProblem, goals: Sequence[Goal], errors: Array, counts: npt.NDArray[np.bool_]
) -> tuple[GoalError, ...]:
    """The largest error of every goal over the solves where it counts; two for a point and a turn.

    Args:
        lowered: the problem.
        goals: its goals, in order.
        errors: (solves, terms), m or rad.
        counts: (goals, solves).
    """
    tolerances = lowered.terms["tolerance"]
    found = []
    for goal, own, where in zip(goals, lowered.goal_sites, counts, strict=False):
        rows = list(range(own.start, own.stop))
        if isinstance(goal, AnyOf):  # the nearest alternative is the error
            worst = float(errors[where][:, rows].min(axis=1).max(initial=0.0))
            found.append(GoalError(goal.label, worst, lowered.units[rows[0]], float(tolerances[rows[0]])))
            continue
        for row in rows:
            worst = float(errors[where, row].max(initial=0.0))
            found.append(GoalError(lowered.labels[row], worst, lowered.units[row], float(tolerances[row])))
    return tuple(found)
