"""Own rotations of joints as quaternions (wxyz) over many poses: what postures are compared by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import quaternion_exp, quaternion_product, sines_and_cosines
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
                w, x, y, z = quaternion_product(w, x, y, z, c, s * axis[0], s * axis[1], s * axis[2])
                d += 1
            if joint["ball"]:
                w, x, y, z = quaternion_exp(q[f, d], q[f, d + 1], q[f, d + 2])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            out[f, k, 0], out[f, k, 1], out[f, k, 2], out[f, k, 3] = w, x, y, z
