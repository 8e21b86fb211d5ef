"""The pull towards a reference pose: g(q) = ½ Σ K e², with e the difference of a dof or, for a ball, of rotations.

For a ball e is the rotation vector of exp(reference)⁻¹ exp(w), so that vectors that mean one rotation are no apart.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.rotations import left_jacobian
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
    a0, a1, a2, a3 = _half_turn(reference)
    b0, b1, b2, b3 = _half_turn(w)
    # The quaternion conj(a) b, of the sign that means less than half a turn.
    r = a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
    sign = 1.0 if r >= 0.0 else -1.0
    x = sign * (a0 * b1 - a1 * b0 - a2 * b3 + a3 * b2)
    y = sign * (a0 * b2 - a2 * b0 - a3 * b1 + a1 * b3)
    z = sign * (a0 * b3 - a3 * b0 - a1 * b2 + a2 * b1)
    sine = math.sqrt(x * x + y * y + z * z)
    t = 2.0 * math.atan2(sine, abs(r))
    factor = 2.0 if sine < 1e-9 else t / sine
    x, y, z = factor * x, factor * y, factor * z
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


@kernel
def _half_turn(w: Array) -> tuple[float, float, float, float]:
    """The quaternion (wxyz) of a rotation vector."""
    t = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    factor = 0.5 - t * t / 48.0 if t < 1e-4 else math.sin(0.5 * t) / t
    return math.cos(0.5 * t), factor * w[0], factor * w[1], factor * w[2]
