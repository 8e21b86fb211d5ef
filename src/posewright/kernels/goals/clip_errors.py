"""How far sites are from their targets in every frame of a clip."""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import site_error
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Table


@kernel
def clip_errors(joints: Table, dofs: Table, terms: Table, targets: Array, q: Array, errors: Array) -> None:
    """Write the errors (frames, terms), m or rad, of sites in the world at poses (frames, dofs)."""
    n = joints.shape[0]
    rotations, positions, no_axes = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((0, 3))
    r, ux, uy, gap = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions, no_axes)
        for k in range(terms.shape[0]):
            j = terms[k]["joint"]
            R, p, u, v = rotations[j], terms[k]["point"], terms[k]["x_axis"], terms[k]["y_axis"]
            for i in range(3):
                r[i] = positions[j, i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]
                ux[i] = R[i, 0] * u[0] + R[i, 1] * u[1] + R[i, 2] * u[2]
                uy[i] = R[i, 0] * v[0] + R[i, 1] * v[1] + R[i, 2] * v[2]
            errors[frame, k] = site_error(terms[k]["kind"], terms[k]["radius"], targets[frame, k], r, ux, uy, gap)
