"""The pull towards a reference pose: g(q) = ½ Σ K e², with e the difference of a dof or, for a ball, of rotations.

For a ball e is the rotation vector of exp(reference)⁻¹ exp(w), so that vectors that mean one rotation are no apart.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import left_jacobian, quaternion_exp, turned_vector
from posewright.kernels.tables import Array, Table


@kernel
def attraction(joints: Table, K: Array, q: Array, reference: Array, gradient: Array) -> float:
    """Write ∂g/∂q (dofs,) and return g; K (dofs,) is the stiffness of each dof."""
    g = 0.0
    for d in range(q.shape[0]):
        e = q[d] - reference[d]
        gradient[d] = K[d] * e
        g += 0.5 * K[d] * e * e
    for j in range(joints.shape[0]):
        if joints[j]["ball"] == 0:
            continue
        d = joints[j]["first"] + joints[j]["slides"]
        if K[d] == 0.0 and K[d + 1] == 0.0 and K[d + 2] == 0.0:
            continue
        for k in range(d, d + 3):
            g -= 0.5 * K[k] * (q[k] - reference[k]) ** 2
        g += _ball(K[d : d + 3], q[d : d + 3], reference[d : d + 3], gradient[d : d + 3])
    return g


@kernel
def _ball(K: Array, w: Array, reference: Array, gradient: Array) -> float:
    a0, a1, a2, a3 = quaternion_exp(reference[0], reference[1], reference[2])
    x, y, z = turned_vector(a0, -a1, -a2, -a3, w[0], w[1], w[2])  # e, from the reference to the pose
    t = math.sqrt(x * x + y * y + z * z)
    p, q, s = K[0] * x, K[1] * y, K[2] * z
    g = float(0.5 * (p * x + q * y + s * z))
    # ∂g/∂w = J_l(w) (I - [e]/2 + h [e]²) K e
    h = 1.0 / 12.0 + t * t / 720.0 if t < 1e-2 else (1.0 - 0.5 * t / math.tan(0.5 * t)) / (t * t)
    c0, c1, c2 = y * s - z * q, z * p - x * s, x * q - y * p
    p, q, s = (
        p - 0.5 * c0 + h * (y * c2 - z * c1),
        q - 0.5 * c1 + h * (z * c0 - x * c2),
        s - 0.5 * c2 + h * (x * c1 - y * c0),
    )
    J = np.empty((3, 3))
    left_jacobian(w, J)
    for i in range(3):
        gradient[i] = J[i, 0] * p + J[i, 1] * q + J[i, 2] * s
    return g
