"""How well a motion does what keys and tracks ask: always measured on the motion itself, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.goals import AnyOf, Goal
from posewright.goals.timed import Timed
from posewright.motions.motion import Motion
from posewright.problem import Problem
from posewright.problem.evaluation import GoalError, term_errors
from posewright.problem.fading import sliding_targets
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.schedule import Schedule, schedules


def key_errors(motion: Motion, goals: Sequence[Timed]) -> tuple[GoalError, ...]:
    """The largest error of every goal over the frames where it counts in full; two for a point and a turn."""
    if not goals:
        return ()
    own = schedules(goals, motion, keys_alone=True)
    lowered = lower(Problem(motion.figure, [schedule.goal for schedule in own]))
    full = _full(own, np.arange(len(motion)))
    frames = np.flatnonzero(full.any(axis=0))
    targets, _ = sliding_targets(lowered, own, motion)
    errors = np.array([term_errors(lowered, targets[frame], motion.pose(int(frame)))[0] for frame in frames])
    errors = errors.reshape(len(frames), len(lowered.terms))
    return errors_of_goals(lowered, [schedule.goal for schedule in own], errors, full[:, frames])


def solved_errors(
    lowered: LoweredProblem, own: Sequence[Schedule], frames: IntArray, errors: Array
) -> tuple[GoalError, ...]:
    """The largest error of every goal over the frames (solves,) that were solved and where it counts in full."""
    return errors_of_goals(lowered, [schedule.goal for schedule in own], errors, _full(own, frames))


def _full(own: Sequence[Schedule], frames: IntArray) -> npt.NDArray[np.bool_]:
    """(goals, frames)"""
    return np.array([schedule.judged[frames] for schedule in own], np.bool_).reshape(len(own), len(frames))


def errors_of_goals(
    lowered: LoweredProblem, goals: Sequence[Goal], errors: Array, counts: npt.NDArray[np.bool_]
) -> tuple[GoalError, ...]:
    """The largest error of every goal over the solves where it counts; two for a point and a turn.

    Args:
        lowered: the problem.
        goals: some of its goals.
        errors: (solves, terms), m or rad.
        counts: (goals, solves).
    """
    tolerances = lowered.terms["tolerance"]
    found = []
    sites = {goal.label: own for goal, own in zip(lowered.goals, lowered.goal_sites, strict=True)}
    for goal, where in zip(goals, counts, strict=True):
        rows = list(range(sites[goal.label].start, sites[goal.label].stop))
        if isinstance(goal, AnyOf):  # the nearest alternative is the error
            worst = float(errors[where][:, rows].min(axis=1).max(initial=0.0))
            found.append(GoalError(worst, goal.label, lowered.units[rows[0]], float(tolerances[rows[0]])))
            continue
        for row in rows:
            part = lowered.refs[row].part if len(rows) > 1 else None
            worst = float(errors[where, row].max(initial=0.0))
            found.append(GoalError(worst, goal.label, lowered.units[row], float(tolerances[row]), part))
    return tuple(found)
