"""The prioritized search over the frames of a motion: each has its own map from coordinates to pose, its own goals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.prioritized import solve_prioritized
from posewright.kernels.dense.priority_step import Levels, PriorityWork
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.dense.strict_levels import LevelWork
from posewright.kernels.tables import Array


@kernel
def solve_frames(
    tables: DenseTables,
    levels: Levels,
    matrices: Array,
    offsets: Array,
    weights: Array,
    tolerances: Array,
    starts: Array,
    follows: npt.NDArray[np.int8],
    targets: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    point: DenseWork,
    work: PriorityWork,
    taken: LevelWork,
    x_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve one problem per frame.

    Args:
        tables: the problem; its map, weights, tolerances and points of partners are written anew for every frame.
        levels: rows by level, and settings.
        matrices: (frames or none, dofs, coordinates); none: that of the tables.
        offsets: (frames or none, dofs); the same.
        weights: (frames, terms); 0: a goal that does not count in this frame.
        tolerances: (frames, terms), m or rad.
        starts: (frames, coordinates), written.
        follows: (frames,): 1 if a frame starts as far from its start as the one before has come to be from its own.
        targets: (frames, terms, 9); of a term about another site of the figure, that site's point on its joint.
        references: (frames, dofs).
        stop: as of `solve_prioritized`, as are the arrays after it.
        point: see above.
        work: see above.
        taken: see above.
        x_out: (frames, coordinates).
        errors_out: (frames, terms), m or rad.
        info_out: (frames, 4).
    """
    n, n_terms = starts.shape[1], weights.shape[1]
    change = np.zeros(n)
    for k in range(starts.shape[0]):
        if matrices.shape[0] > 0:
            copy_rows_into(matrices[k], tables.matrix)
            copy_into(offsets[k], tables.offset)
        for t in range(n_terms):
            tables.terms[t]["weight"] = weights[k, t]
            tables.terms[t]["tolerance"] = tolerances[k, t]
            if tables.terms[t]["partner"] >= 0:
                copy_into(targets[k, t, :3], tables.terms[t]["partner_point"])
        for c in range(n):
            given = starts[k, c]
            if follows[k] != 0 and tables.scale[c] != 0.0:  # a frozen coordinate is as given in each frame
                starts[k, c] = min(max(given + change[c], tables.lower[c]), tables.upper[c])
            change[c] = -given
        solve_prioritized(
            tables, levels, starts[k : k + 1], targets[k : k + 1], references[k : k + 1], stop, point, work, taken,
            x_out[k : k + 1], errors_out[k : k + 1], info_out[k : k + 1],
        )  # fmt: skip
        for c in range(n):
            change[c] += x_out[k, c]
