"""Editing frame by frame in joint space (Le Callennec & Boulic 2006): for any motion, no pattern needed.

Every frame that a goal touches is solved by priority from where its source pose and the change of the frame before put
it, with a pull back to the source below all goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from posewright.figures.transforms.limits import admitting
from posewright.goals import Posture
from posewright.motions.motion import Motion
from posewright.problem import Problem
from posewright.problem.evaluation import GoalError
from posewright.problem.fading import sliding_targets
from posewright.problem.lowering import lower
from posewright.problem.schedule import Schedule
from posewright.solvers.motion.over_frames import FrameProblems, solve_over_frames
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.editing.key_errors import solved_errors


@dataclass(frozen=True, eq=False)
class TracksAnswer:
    """A motion along tracks."""

    motion: Motion
    errors: tuple[GoalError, ...]
    """Of each track, the largest over the frames where it counts in full."""
    iterations: int
    solves: int


def follow_in_joints(
    source: Motion,
    tracks: Sequence[Schedule],
    solver: Prioritized,
    *,
    only: npt.NDArray[np.bool_] | None = None,
) -> TracksAnswer:
    """The motion nearest to `source` that follows the tracks.

    Args:
        source: where every frame starts and is pulled back to.
        tracks: what is wanted, by priority.
        solver: its settings.
        only: (frames,), the frames that may be changed; by default those where some track counts.
    """
    figure = admitting(source.figure, source.q)
    lowered = lower(Problem(figure, [*(track.goal for track in tracks), Posture(priority=10**6)]))
    targets, weights = sliding_targets(lowered, tracks, source)
    active = (weights > 0.0).any(axis=1) if only is None else only
    chosen = np.flatnonzero(active)
    follows = np.zeros(len(chosen), dtype=np.int64)
    follows[1:] = np.diff(chosen) == 1
    q = np.array(source.q)
    starts = q[chosen]
    if len(lowered.region.A):
        starts = np.stack([lowered.region.projected(row) for row in starts]) if len(starts) else starts
    answers = solve_over_frames(
        solver,
        lowered,
        FrameProblems(targets[chosen], weights[chosen], starts, source.q[chosen], follows),
    )
    q[chosen] = answers.x
    errors = solved_errors(lowered, tracks, chosen, answers.errors)
    return TracksAnswer(replace(source, q=q), errors, int(answers.iterations.sum()), len(chosen))
