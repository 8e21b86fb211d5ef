"""The prioritized search over the frames of a motion: each has its own map from coordinates to pose, its own goals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.prioritized import STATE, solve_one
from posewright.kernels.dense.priority_step import Levels
from posewright.kernels.dense.problem import LOWER, SCALE, UPPER, DenseProblem, Point
from posewright.kernels.dense.strict_levels import LevelWork
from posewright.kernels.solves import Solves
from posewright.kernels.tables import Array


class FramesAsked(NamedTuple):
    """What is asked of each frame, besides its targets."""

    spaces: Array
    """(frames or none, dofs, coordinates + 1), maps and offsets; none: that of the problem"""
    weights: Array
    """(frames, terms); 0: a goal that does not count in this frame"""
    tolerances: Array
    """(frames, terms), m or rad"""
    follows: npt.NDArray[np.int8]
    """(frames,): 1 if a frame starts as far from its start as the one before has come to be from its own"""


@kernel
def solve_frames(
    problem: DenseProblem,
    levels: Levels,
    point: Point,
    taken: LevelWork,
    frames: FramesAsked,
    solves: Solves,
    stop: npt.NDArray[np.int8],
) -> None:
    """Solve one problem per frame.

    Args:
        problem: its map, weights, tolerances and points of partners are written anew for every frame.
        levels: rows by level, and settings.
        point: to work in, as is `taken`.
        taken: see above.
        frames: what differs from frame to frame.
        solves: a row per frame; the starts are written. The target of a term about another site of the figure is that
            site's point on its joint.
        stop: one element; not 0 ends every solve at its best pose so far.
    """
    starts, targets, terms, coordinates = solves.starts, solves.targets, problem.terms, problem.coordinates
    n = starts.shape[1]
    change, states = np.zeros(n), np.zeros(1, STATE)
    for k in range(starts.shape[0]):
        if frames.spaces.shape[0] > 0:
            copy_rows_into(frames.spaces[k], problem.space)
        for t in range(terms.shape[0]):
            terms[t]["weight"], terms[t]["tolerance"] = frames.weights[k, t], frames.tolerances[k, t]
            if terms[t]["partner"] >= 0:
                copy_into(targets[k, t, :3], terms[t]["partner_point"])
        for c in range(n):
            given = starts[k, c]
            if frames.follows[k] != 0 and coordinates[SCALE, c] != 0.0:  # a frozen coordinate is as given in each frame
                starts[k, c] = min(max(given + change[c], coordinates[LOWER, c]), coordinates[UPPER, c])
            change[c] = -given
        solve_one(problem, levels, point, taken, solves, k, states, stop)
        for c in range(n):
            change[c] += solves.x[k, c]
