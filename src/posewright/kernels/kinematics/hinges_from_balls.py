"""Balls back to the three hinges that they stand for, in continuous angles, over frames."""

from __future__ import annotations

from typing import Final

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.hinge_angles import hinge_angles_all
from posewright.kernels.kinematics.hinge_chain import square_angles
from posewright.kernels.rotations import exp_matrix
from posewright.kernels.tables import Array, Table

TRIPLE: Final = np.dtype(
    [
        ("ball", "i8"),  # first dof of the ball
        ("hinge", "i8"),  # first dof of its hinges
        ("axes", "f8", (3, 3)),  # row per hinge
        ("square", "f8"),  # 1 or -1 for hinges at right angles, right- or left-handed; else 0
    ],
    align=True,
)


@kernel
def hinges_from_balls(triples: Table, q: Array, near: Array, out: Array) -> None:
    """Write the angles of hinges into `out` (frames, dofs of the figure with hinges).

    Args:
        triples: of TRIPLE.
        q: (frames, dofs of the figure with balls).
        near: (dofs of the figure with hinges): the first frame takes the angles nearest to these, others those nearest
            to the frame before.
        out: as above; other dofs are left alone.
    """
    R, work = np.empty((1, 3, 3)), np.empty((3, 3))
    for frame in range(q.shape[0]):
        before = out[frame - 1] if frame > 0 else near
        for k in range(triples.shape[0]):
            triple = triples[k]
            d, h = triple["ball"], triple["hinge"]
            exp_matrix(q[frame, d : d + 3], R[0])
            last, found = before[h : h + 3], out[frame, h : h + 3]
            if triple["square"] == 0.0 or not square_angles(triple["axes"], triple["square"], R[0], last, found, work):
                hinge_angles_all(triple["axes"], R, last.reshape(1, 3), found.reshape(1, 3))
