"""The sweeps of `tree` through joints with a single point goal at or below them: most of a limb, all of a chain.

There the quadratic form is one of the point's velocity, 3x3 instead of 6x6, at a third of the cost. These joints are
swept before all others on the way up, where the form is widened to twists as limbs meet, and after them on the way
down.

Symbols: x the point from the reference point of twists, u = v + ω × x its velocity per unit of a dof, A (6 numbers of a
symmetric 3x3) and c the form, kept in the first numbers of a joint's P and b; the others as in `tree`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel, kernel
from posewright.kernels.goals.residuals import POSITION
from posewright.kernels.tables import Table
from posewright.kernels.tree.sweep import Sweep

FREE, AT_LOWER, AT_UPPER = 0, 1, 2
NOTHING, POINT, WHOLE = 0, 1, 2
"""What lies at or below a joint: no goal, one position goal, or more."""


@kernel
def limited(u: float, lower: float, upper: float) -> tuple[float, int]:
    """A change of a dof that stays within its limits, and which of them it is at."""
    if u <= lower:
        return lower, AT_LOWER
    if u >= upper:
        return upper, AT_UPPER
    return u, FREE


@kernel
def forms_below(joints: Table, terms: Table, below: npt.NDArray[np.int8]) -> bool:
    """Write NOTHING, POINT or WHOLE for every joint, where `below` is zero before; return whether any is POINT."""
    for k in range(terms.shape[0]):
        lone = terms[k]["kind"] == POSITION
        j = terms[k]["joint"]
        while j >= 0:
            below[j] = POINT if lone and below[j] == NOTHING else WHOLE
            j = joints[j]["parent"]
    points = 0
    for j in range(joints.shape[0]):
        points += 1 if below[j] == POINT else 0
    return points > 0


@fused_kernel
def eliminate_points(joints: Table, dofs: Table, below: npt.NDArray[np.int8], sweep: Sweep) -> None:
    """The sweep up through all such joints; H gets h and u of each dof."""
    q, X, S, D, t, locks = sweep.q, sweep.X, sweep.S, sweep.D, sweep.t, sweep.locks
    P, b, H, g, inverse = sweep.P, sweep.b, sweep.H, sweep.g, sweep.inverse
    for j in range(joints.shape[0] - 1, -1, -1):
        if below[j] != POINT:
            continue
        a00, a01, a02, a11, a12, a22 = P[j, 0], P[j, 1], P[j, 2], P[j, 3], P[j, 4], P[j, 5]
        c0, c1, c2 = b[j, 0], b[j, 1], b[j, 2]
        x0, x1, x2 = X[j, 0], X[j, 1], X[j, 2]
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for c in range(last - 1, first - 1, -1):
            if dofs[c]["scale"] == 0.0:
                continue  # frozen
            u0 = S[c, 3] + S[c, 1] * x2 - S[c, 2] * x1
            u1 = S[c, 4] + S[c, 2] * x0 - S[c, 0] * x2
            u2 = S[c, 5] + S[c, 0] * x1 - S[c, 1] * x0
            h0 = a00 * u0 + a01 * u1 + a02 * u2
            h1 = a01 * u0 + a11 * u1 + a12 * u2
            h2 = a02 * u0 + a12 * u1 + a22 * u2
            i = 1.0 / (D[c] + u0 * h0 + u1 * h1 + u2 * h2)
            pull = D[c] * t[c] + u0 * c0 + u1 * c1 + u2 * c2
            H[c, 0], H[c, 1], H[c, 2], H[c, 3], H[c, 4], H[c, 5] = h0, h1, h2, u0, u1, u2
            g[c] = pull
            inverse[c] = i
            if locks[c] == FREE:
                f = pull * i
                a00 -= h0 * h0 * i  # products that need not wait for the division
                a01 -= h0 * h1 * i
                a02 -= h0 * h2 * i
                a11 -= h1 * h1 * i
                a12 -= h1 * h2 * i
                a22 -= h2 * h2 * i
            else:
                f = (dofs[c]["lower"] if locks[c] == AT_LOWER else dofs[c]["upper"]) - q[c]
            c0 -= h0 * f
            c1 -= h1 * f
            c2 -= h2 * f
        parent = joints[j]["parent"]
        if parent < 0:
            continue
        if below[parent] == POINT:
            P[parent, 0], P[parent, 1], P[parent, 2] = a00, a01, a02
            P[parent, 3], P[parent, 4], P[parent, 5] = a11, a12, a22
            b[parent, 0], b[parent, 1], b[parent, 2] = c0, c1, c2
            X[parent, 0], X[parent, 1], X[parent, 2] = x0, x1, x2
            continue
        # Widened to twists: the point moves by v + ω × x, so the form is [[-[x]A[x], [x]A], [., A]]. M = [x]A.
        m00, m10, m20 = x1 * a02 - x2 * a01, x2 * a00 - x0 * a02, x0 * a01 - x1 * a00
        m01, m11, m21 = x1 * a12 - x2 * a11, x2 * a01 - x0 * a12, x0 * a11 - x1 * a01
        m02, m12, m22 = x1 * a22 - x2 * a12, x2 * a02 - x0 * a22, x0 * a12 - x1 * a02
        P[parent, 0] += x1 * m02 - x2 * m01
        P[parent, 1] += x2 * m00 - x0 * m02
        P[parent, 2] += x0 * m01 - x1 * m00
        P[parent, 3] += m00
        P[parent, 4] += m01
        P[parent, 5] += m02
        P[parent, 6] += x2 * m10 - x0 * m12
        P[parent, 7] += x0 * m11 - x1 * m10
        P[parent, 8] += m10
        P[parent, 9] += m11
        P[parent, 10] += m12
        P[parent, 11] += x0 * m21 - x1 * m20
        P[parent, 12] += m20
        P[parent, 13] += m21
        P[parent, 14] += m22
        P[parent, 15] += a00
        P[parent, 16] += a01
        P[parent, 17] += a02
        P[parent, 18] += a11
        P[parent, 19] += a12
        P[parent, 20] += a22
        b[parent, 0] += x1 * c2 - x2 * c1
        b[parent, 1] += x2 * c0 - x0 * c2
        b[parent, 2] += x0 * c1 - x1 * c0
        b[parent, 3] += c0
        b[parent, 4] += c1
        b[parent, 5] += c2


@fused_kernel
def substitute_points(joints: Table, dofs: Table, below: npt.NDArray[np.int8], sweep: Sweep) -> int:
    """The sweep down, where V is the velocity of the point; return how many locks changed."""
    q, d, X, V, locks = sweep.q, sweep.d, sweep.X, sweep.V, sweep.locks
    H, g, inverse = sweep.H, sweep.g, sweep.inverse
    changed = 0
    for j in range(joints.shape[0]):
        if below[j] != POINT:
            continue
        parent = joints[j]["parent"]
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        v0, v1, v2 = 0.0, 0.0, 0.0
        if parent >= 0:
            if below[parent] == POINT:
                v0, v1, v2 = V[parent, 0], V[parent, 1], V[parent, 2]
            else:
                v0 = V[parent, 3] + V[parent, 1] * X[j, 2] - V[parent, 2] * X[j, 1]
                v1 = V[parent, 4] + V[parent, 2] * X[j, 0] - V[parent, 0] * X[j, 2]
                v2 = V[parent, 5] + V[parent, 0] * X[j, 1] - V[parent, 1] * X[j, 0]
        for c in range(first, last):
            if dofs[c]["scale"] == 0.0:
                d[c] = 0.0
                continue
            u = (g[c] - (H[c, 0] * v0 + H[c, 1] * v1 + H[c, 2] * v2)) * inverse[c]
            u, lock = limited(u, dofs[c]["lower"] - q[c], dofs[c]["upper"] - q[c])
            if lock != locks[c]:
                changed += 1
                locks[c] = lock
            d[c] = u
            v0 += H[c, 3] * u
            v1 += H[c, 4] * u
            v2 += H[c, 5] * u
        V[j, 0], V[j, 1], V[j, 2] = v0, v1, v2
    return changed
