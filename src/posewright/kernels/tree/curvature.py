"""Second derivatives of points and rotations, in the form in which the tree elimination takes them.

For a dof c and any dof a at or above it the second derivative of the cost is k_c·ω_a besides the Gauss-Newton part,
so one vector per dof is all that a Newton step adds. With, over the terms at or below c, F = Σ w e, N = Σ w x eᵀ and
Φ = Σ w r² φ (e what a point misses, φ what a rotation misses, r metres per radian, x a point from the reference point):

    k_c = -(v_c × F + N ω_c - tr(N) ω_c) - ½ ω_c × Φ

The rotations' third and higher orders are left out, and the dofs of a ball count as hinges in order.
"""

from __future__ import annotations

from posewright.kernels.compiling.jit import fused_kernel
from posewright.kernels.goals.residuals import POSITION
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.sweep import Sweep


@fused_kernel
def curvature(
    joints: Table, terms: Table, targets: Array, rotations: Array, positions: Array, M: Array, sweep: Sweep
) -> None:
    """Write k into K.

    Args:
        joints: the figure.
        terms: points and rotations only.
        targets: (terms, TARGET_WIDTH).
        rotations: world frames, as are `positions`.
        positions: see above.
        M: (joints, 15) to work in: F, N, Φ.
        sweep: with screws, and b as `gather` leaves it where no joint has the form of points: what pulls at each joint.
    """
    b, S, K = sweep.b, sweep.S, sweep.K
    for j in range(joints.shape[0]):
        for i in range(12):
            M[j, i] = 0.0
        # The pull on a joint's rotation is that of rotations and, taken off below, that of points.
        M[j, 12], M[j, 13], M[j, 14] = b[j, 0], b[j, 1], b[j, 2]
    for k in range(terms.shape[0]):
        if terms[k]["kind"] != POSITION:
            continue
        w = terms[k]["weight"]
        j = terms[k]["joint"]
        p = terms[k]["point"]
        R = rotations[j]
        x0 = positions[j, 0] - positions[0, 0] + R[0, 0] * p[0] + R[0, 1] * p[1] + R[0, 2] * p[2]
        x1 = positions[j, 1] - positions[0, 1] + R[1, 0] * p[0] + R[1, 1] * p[1] + R[1, 2] * p[2]
        x2 = positions[j, 2] - positions[0, 2] + R[2, 0] * p[0] + R[2, 1] * p[1] + R[2, 2] * p[2]
        e0 = w * (targets[k, 0] - positions[0, 0] - x0)
        e1 = w * (targets[k, 1] - positions[0, 1] - x1)
        e2 = w * (targets[k, 2] - positions[0, 2] - x2)
        M[j, 0] += e0
        M[j, 1] += e1
        M[j, 2] += e2
        M[j, 3] += x0 * e0
        M[j, 4] += x0 * e1
        M[j, 5] += x0 * e2
        M[j, 6] += x1 * e0
        M[j, 7] += x1 * e1
        M[j, 8] += x1 * e2
        M[j, 9] += x2 * e0
        M[j, 10] += x2 * e1
        M[j, 11] += x2 * e2
        M[j, 12] -= x1 * e2 - x2 * e1
        M[j, 13] -= x2 * e0 - x0 * e2
        M[j, 14] -= x0 * e1 - x1 * e0
    for j in range(joints.shape[0] - 1, -1, -1):
        trace = M[j, 3] + M[j, 7] + M[j, 11]
        f0, f1, f2 = M[j, 0], M[j, 1], M[j, 2]
        g0, g1, g2 = 0.5 * M[j, 12], 0.5 * M[j, 13], 0.5 * M[j, 14]
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for c in range(first, last):
            w0, w1, w2, v0, v1, v2 = S[c, 0], S[c, 1], S[c, 2], S[c, 3], S[c, 4], S[c, 5]
            n0 = M[j, 3] * w0 + M[j, 4] * w1 + M[j, 5] * w2 - trace * w0
            n1 = M[j, 6] * w0 + M[j, 7] * w1 + M[j, 8] * w2 - trace * w1
            n2 = M[j, 9] * w0 + M[j, 10] * w1 + M[j, 11] * w2 - trace * w2
            K[c, 0] = -(v1 * f2 - v2 * f1 + n0) - (w1 * g2 - w2 * g1)
            K[c, 1] = -(v2 * f0 - v0 * f2 + n1) - (w2 * g0 - w0 * g2)
            K[c, 2] = -(v0 * f1 - v1 * f0 + n2) - (w0 * g1 - w1 * g0)
        parent = joints[j]["parent"]
        if parent >= 0:
            for i in range(15):
                M[parent, i] += M[j, i]
