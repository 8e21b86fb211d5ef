"""The prioritized search over the frames of a motion: each has its own map from coordinates to pose, its own goals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.prioritized import solve_prioritized
from posewright.kernels.dense.priority_step import Levels
from posewright.kernels.dense.problem import LOWER, SCALE, UPPER, DenseProblem, Point
from posewright.kernels.dense.strict_levels import LevelWork
from posewright.kernels.tables import Array


@kernel
def solve_frames(
    problem: DenseProblem,
    levels: Levels,
    spaces: Array,
    weights: Array,
    tolerances: Array,
    starts: Array,
    follows: npt.NDArray[np.int8],
    targets: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    point: Point,
    taken: LevelWork,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve one problem per frame.

    Args:
        problem: its map, weights, tolerances and points of partners are written anew for every frame.
        levels: rows by level, and settings.
        spaces: (frames or none, dofs, coordinates + 1), maps and offsets; none: that of the problem.
        weights: (frames, terms); 0: a goal that does not count in this frame.
        tolerances: (frames, terms), m or rad.
        starts: (frames, coordinates), written.
        follows: (frames,): 1 if a frame starts as far from its start as the one before has come to be from its own.
        targets: (frames, terms, 9); of a term about another site of the figure, that site's point on its joint.
        references: (frames, dofs).
        stop: as of `solve_prioritized`, as are the arrays after it.
        point: see above.
        taken: see above.
        x_out: (frames, coordinates).
        errors_out: (frames, terms), m or rad.
        info_out: (frames, 4).
    """
    n, terms, coordinates = starts.shape[1], problem.terms, problem.coordinates
    change = np.zeros(n)
    for k in range(starts.shape[0]):
        if spaces.shape[0] > 0:
            copy_rows_into(spaces[k], problem.space)
        for t in range(terms.shape[0]):
            terms[t]["weight"], terms[t]["tolerance"] = weights[k, t], tolerances[k, t]
            if terms[t]["partner"] >= 0:
                copy_into(targets[k, t, :3], terms[t]["partner_point"])
        for c in range(n):
            given = starts[k, c]
            if follows[k] != 0 and coordinates[SCALE, c] != 0.0:  # a frozen coordinate is as given in each frame
                starts[k, c] = min(max(given + change[c], coordinates[LOWER, c]), coordinates[UPPER, c])
            change[c] = -given
        solve_prioritized(
            problem, levels, starts[k : k + 1], targets[k : k + 1], references[k : k + 1], stop, point, taken,
            x_out[k : k + 1], errors_out[k : k + 1], info_out[k : k + 1],
        )  # fmt: skip
        for c in range(n):
            change[c] += x_out[k, c]
