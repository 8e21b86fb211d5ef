"""Own rotations of joints as quaternions (wxyz) over many poses: what postures are compared by."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.trigonometry import sines_and_cosines
from posewright.kernels.tables import Array, Table

Indices = npt.NDArray[np.int64]


@kernel
def joint_turns_all(joints: Table, dofs: Table, which: Indices, q: Array, out: Array) -> None:
    """Quaternions (poses, chosen, 4) of the joints `which` (chosen,) for `q` (poses, dofs), without rest rotations.

    The scalar part is never negative, so that equal rotations are equal numbers.
    """
    n_dofs = q.shape[1]
    half, sines, cosines = np.empty(n_dofs), np.empty(n_dofs), np.empty(n_dofs)
    for f in range(q.shape[0]):
        for d in range(n_dofs):
            half[d] = 0.5 * q[f, d]
        sines_and_cosines(half, sines, cosines)
        for k in range(which.shape[0]):
            joint = joints[which[k]]
            d = joint["first"] + joint["slides"]
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for _ in range(joint["hinges"]):
                axis = dofs[d]["axis"]
                c, s = cosines[d], sines[d]
                a0, a1, a2 = s * axis[0], s * axis[1], s * axis[2]
                w, x, y, z = (
                    w * c - x * a0 - y * a1 - z * a2,
                    w * a0 + x * c + y * a2 - z * a1,
                    w * a1 - x * a2 + y * c + z * a0,
                    w * a2 + x * a1 - y * a0 + z * c,
                )
                d += 1
            if joint["ball"]:
                x, y, z = q[f, d], q[f, d + 1], q[f, d + 2]
                angle = math.sqrt(x * x + y * y + z * z)
                factor = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
                w, x, y, z = math.cos(0.5 * angle), factor * x, factor * y, factor * z
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            out[f, k, 0], out[f, k, 1], out[f, k, 2], out[f, k, 3] = w, x, y, z
