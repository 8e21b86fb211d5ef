"""One least-squares step over a tree of joints, by eliminating it tip to root as articulated-body dynamics does.

The step minimises Σ‖ρ + G·twist‖² + Σ D_c (d_c - t_c)² over lower <= q + d <= upper. Twists add along the tree,
V_joint = V_parent + Σ s_c d_c, so no Jacobian and no normal matrix are formed: cost is linear in dofs and hardly
depends on the number of goals. Limits are clamped inside the sweep down, where descendants see it at once; a
clamped dof stays locked for the next sweep up and is released by the same test.

Joints with a single point goal at or below them are swept in a smaller form: see `points`.

Symbols: s screw (ω, v) of a dof about the reference point, P (21 numbers of a symmetric 6x6) and b the quadratic
form of all goals at or below a joint as a function of its twist, D damping + posture, t posture's pull,
h = P s, den = D + s·h, g = D t + s·b.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import fused_kernel, kernel
from posewright.kernels.goals.residuals import POSITION, ROTATION, rotation_gap, site_error, site_residual
from posewright.kernels.tables import SLIDE, Array, Table
from posewright.kernels.tree.points import (
    AT_LOWER,
    FREE,
    NOTHING,
    POINT,
    WHOLE,
    eliminate_points,
    limited,
    substitute_points,
)
from posewright.kernels.tree.sweep import Sweep


@kernel
def screws(joints: Table, dofs: Table, positions: Array, axes: Array, out: Array) -> None:
    """Write the screws (dofs, 6) about the first joint's position: far from the origin nothing is lost."""
    o0, o1, o2 = positions[0, 0], positions[0, 1], positions[0, 2]
    for d in range(dofs.shape[0]):
        a0, a1, a2 = axes[d, 0], axes[d, 1], axes[d, 2]
        if dofs[d]["kind"] == SLIDE:
            out[d, 0], out[d, 1], out[d, 2], out[d, 3], out[d, 4], out[d, 5] = 0.0, 0.0, 0.0, a0, a1, a2
        else:
            j = dofs[d]["joint"]
            x, y, z = positions[j, 0] - o0, positions[j, 1] - o1, positions[j, 2] - o2
            out[d, 0], out[d, 1], out[d, 2] = a0, a1, a2
            out[d, 3], out[d, 4], out[d, 5] = y * a2 - z * a1, z * a0 - x * a2, x * a1 - y * a0


@kernel
def gather(
    terms: Table,
    below: npt.NDArray[np.int8],
    targets: Array,
    rotations: Array,
    positions: Array,
    sweep: Sweep,
    errors: Array,
) -> float:
    """Add each term's quadratic form to P and b of its joint, write its error, return Σ weight‖ρ‖².

    A joint below which there is one point gets the form of its velocity, and the point in X.
    """
    P, b, X, scratch = sweep.P, sweep.b, sweep.X, sweep.scratch
    P[:, :] = 0.0
    b[:, :] = 0.0
    r, x, ux, uy = scratch[0, :3], scratch[1, :3], scratch[2, :3], scratch[3, :3]
    rho, gap, G = scratch[4, :3], scratch[5, :3], scratch[6:9]
    cost = 0.0
    for k in range(terms.shape[0]):
        term = terms[k]
        j = term["joint"]
        w = term["weight"]
        R = rotations[j]
        if term["kind"] != ROTATION:
            p = term["point"]
            r0 = positions[j, 0] + R[0, 0] * p[0] + R[0, 1] * p[1] + R[0, 2] * p[2]
            r1 = positions[j, 1] + R[1, 0] * p[0] + R[1, 1] * p[1] + R[1, 2] * p[2]
            r2 = positions[j, 2] + R[2, 0] * p[0] + R[2, 1] * p[1] + R[2, 2] * p[2]
            x0, x1, x2 = r0 - positions[0, 0], r1 - positions[0, 1], r2 - positions[0, 2]
            if term["kind"] == POSITION:
                # The common goal, written out: G = [-[x]x, I].
                e0, e1, e2 = targets[k, 0] - r0, targets[k, 1] - r1, targets[k, 2] - r2
                square = e0 * e0 + e1 * e1 + e2 * e2
                errors[k] = math.sqrt(square)
                cost += w * square
                if below[j] == POINT:
                    P[j, 0], P[j, 3], P[j, 5] = w, w, w
                    b[j, 0], b[j, 1], b[j, 2] = w * e0, w * e1, w * e2
                    X[j, 0], X[j, 1], X[j, 2] = x0, x1, x2
                    continue
                y0, y1, y2 = w * x0, w * x1, w * x2
                P[j, 0] += x1 * y1 + x2 * y2
                P[j, 1] -= x0 * y1
                P[j, 2] -= x0 * y2
                P[j, 4] -= y2
                P[j, 5] += y1
                P[j, 6] += x0 * y0 + x2 * y2
                P[j, 7] -= x1 * y2
                P[j, 8] += y2
                P[j, 10] -= y0
                P[j, 11] += x0 * y0 + x1 * y1
                P[j, 12] -= y1
                P[j, 13] += y0
                P[j, 15] += w
                P[j, 18] += w
                P[j, 20] += w
                b[j, 0] += y1 * e2 - y2 * e1
                b[j, 1] += y2 * e0 - y0 * e2
                b[j, 2] += y0 * e1 - y1 * e0
                b[j, 3] += w * e0
                b[j, 4] += w * e1
                b[j, 5] += w * e2
                continue
            r[0], r[1], r[2], x[0], x[1], x[2] = r0, r1, r2, x0, x1, x2
        u, v = term["x_axis"], term["y_axis"]
        for i in range(3):
            ux[i] = R[i, 0] * u[0] + R[i, 1] * u[1] + R[i, 2] * u[2]
            uy[i] = R[i, 0] * v[0] + R[i, 1] * v[1] + R[i, 2] * v[2]
        if term["kind"] == ROTATION:
            # G is c times the inverse right Jacobian of the gap e, whose length is t, and ρ = -c e. So
            # Gᵀρ = -c² e and GᵀG = c² (f I + (1 - f) e eᵀ/t²) with f = (t/2)²/sin²(t/2).
            t = rotation_gap(ux, uy, targets[k], gap)
            e0, e1, e2 = gap[0], gap[1], gap[2]
            errors[k] = t
            wcc = w * term["radius"] * term["radius"]
            cost += wcc * t * t
            f, along = 1.0 + t * t / 12.0, -wcc / 12.0
            if t > 1e-3:
                f = 0.5 * t / math.sin(0.5 * t)
                f *= f
                along = wcc * (1.0 - f) / (t * t)
            P[j, 0] += wcc * f + along * e0 * e0
            P[j, 1] += along * e0 * e1
            P[j, 2] += along * e0 * e2
            P[j, 6] += wcc * f + along * e1 * e1
            P[j, 7] += along * e1 * e2
            P[j, 11] += wcc * f + along * e2 * e2
            b[j, 0] += wcc * e0
            b[j, 1] += wcc * e1
            b[j, 2] += wcc * e2
            continue
        errors[k] = site_error(term["kind"], term["radius"], targets[k], r, ux, uy, gap)
        rows = site_residual(term["kind"], term["radius"], targets[k], r, ux, uy, x, rho, G)
        for m in range(rows):
            cost += w * rho[m] * rho[m]
            entry = 0
            for i in range(6):
                b[j, i] -= w * G[m, i] * rho[m]
                for l in range(i, 6):
                    P[j, entry] += w * G[m, i] * G[m, l]
                    entry += 1
    return cost


@fused_kernel
def step(joints: Table, dofs: Table, below: npt.NDArray[np.int8], points: bool, newton: bool, sweep: Sweep) -> int:
    """One sweep up and one down: write the step into d, return how many locks changed.

    P and b are used up: what the sweep leaves in them is each joint's form as its parent saw it. A Newton step needs
    the `curvature`, and no joint may be in the form of points (`points`).
    """
    q, d, t, D, S, K, locks = sweep.q, sweep.d, sweep.t, sweep.D, sweep.S, sweep.K, sweep.locks
    P, b, V, H, g, inverse = sweep.P, sweep.b, sweep.V, sweep.H, sweep.g, sweep.inverse
    n_joints = joints.shape[0]
    if points:
        eliminate_points(joints, dofs, below, sweep)
    for j in range(n_joints - 1, -1, -1):
        if below[j] != WHOLE:
            continue
        p00, p01, p02, p03, p04, p05 = P[j, 0], P[j, 1], P[j, 2], P[j, 3], P[j, 4], P[j, 5]
        p11, p12, p13, p14, p15 = P[j, 6], P[j, 7], P[j, 8], P[j, 9], P[j, 10]
        p22, p23, p24, p25 = P[j, 11], P[j, 12], P[j, 13], P[j, 14]
        p33, p34, p35, p44, p45, p55 = P[j, 15], P[j, 16], P[j, 17], P[j, 18], P[j, 19], P[j, 20]
        b0, b1, b2, b3, b4, b5 = b[j, 0], b[j, 1], b[j, 2], b[j, 3], b[j, 4], b[j, 5]
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for c in range(last - 1, first - 1, -1):
            if dofs[c]["scale"] == 0.0:
                continue  # frozen
            s0, s1, s2, s3, s4, s5 = S[c, 0], S[c, 1], S[c, 2], S[c, 3], S[c, 4], S[c, 5]
            h0 = p00 * s0 + p01 * s1 + p02 * s2 + p03 * s3 + p04 * s4 + p05 * s5
            h1 = p01 * s0 + p11 * s1 + p12 * s2 + p13 * s3 + p14 * s4 + p15 * s5
            h2 = p02 * s0 + p12 * s1 + p22 * s2 + p23 * s3 + p24 * s4 + p25 * s5
            h3 = p03 * s0 + p13 * s1 + p23 * s2 + p33 * s3 + p34 * s4 + p35 * s5
            h4 = p04 * s0 + p14 * s1 + p24 * s2 + p34 * s3 + p44 * s4 + p45 * s5
            h5 = p05 * s0 + p15 * s1 + p25 * s2 + p35 * s3 + p45 * s4 + p55 * s5
            den = D[c] + (s0 * h0 + s1 * h1 + s2 * h2) + (s3 * h3 + s4 * h4 + s5 * h5)
            if newton:
                bend = K[c, 0] * s0 + K[c, 1] * s1 + K[c, 2] * s2
                least = D[c] + abs(den - D[c])
                if den + bend > 0.1 * least:
                    den += bend
                    h0 += K[c, 0]
                    h1 += K[c, 1]
                    h2 += K[c, 2]
                else:  # a dof that would make the form indefinite does without
                    den = least
            i = 1.0 / den
            pull = D[c] * t[c] + (s0 * b0 + s1 * b1 + s2 * b2) + (s3 * b3 + s4 * b4 + s5 * b5)
            H[c, 0], H[c, 1], H[c, 2], H[c, 3], H[c, 4], H[c, 5] = h0, h1, h2, h3, h4, h5
            g[c] = pull
            inverse[c] = i
            if locks[c] == FREE:
                f = pull * i
                k0, k1, k2, k3, k4, k5 = h0 * i, h1 * i, h2 * i, h3 * i, h4 * i, h5 * i
                p00 -= h0 * k0
                p01 -= h0 * k1
                p02 -= h0 * k2
                p03 -= h0 * k3
                p04 -= h0 * k4
                p05 -= h0 * k5
                p11 -= h1 * k1
                p12 -= h1 * k2
                p13 -= h1 * k3
                p14 -= h1 * k4
                p15 -= h1 * k5
                p22 -= h2 * k2
                p23 -= h2 * k3
                p24 -= h2 * k4
                p25 -= h2 * k5
                p33 -= h3 * k3
                p34 -= h3 * k4
                p35 -= h3 * k5
                p44 -= h4 * k4
                p45 -= h4 * k5
                p55 -= h5 * k5
            else:
                f = (dofs[c]["lower"] if locks[c] == AT_LOWER else dofs[c]["upper"]) - q[c]
            b0 -= h0 * f
            b1 -= h1 * f
            b2 -= h2 * f
            b3 -= h3 * f
            b4 -= h4 * f
            b5 -= h5 * f
        parent = joints[j]["parent"]
        if parent >= 0:
            P[parent, 0] += p00
            P[parent, 1] += p01
            P[parent, 2] += p02
            P[parent, 3] += p03
            P[parent, 4] += p04
            P[parent, 5] += p05
            P[parent, 6] += p11
            P[parent, 7] += p12
            P[parent, 8] += p13
            P[parent, 9] += p14
            P[parent, 10] += p15
            P[parent, 11] += p22
            P[parent, 12] += p23
            P[parent, 13] += p24
            P[parent, 14] += p25
            P[parent, 15] += p33
            P[parent, 16] += p34
            P[parent, 17] += p35
            P[parent, 18] += p44
            P[parent, 19] += p45
            P[parent, 20] += p55
            b[parent, 0] += b0
            b[parent, 1] += b1
            b[parent, 2] += b2
            b[parent, 3] += b3
            b[parent, 4] += b4
            b[parent, 5] += b5

    changed = 0
    for j in range(n_joints):
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        if below[j] == NOTHING:
            for c in range(first, last):  # nothing but posture pulls here
                pull = 0.0 if dofs[c]["scale"] == 0.0 else t[c]
                d[c] = min(max(pull, dofs[c]["lower"] - q[c]), dofs[c]["upper"] - q[c])
            continue
        if below[j] == POINT:
            continue
        parent = joints[j]["parent"]
        v0, v1, v2, v3, v4, v5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if parent >= 0:
            v0, v1, v2, v3, v4, v5 = V[parent, 0], V[parent, 1], V[parent, 2], V[parent, 3], V[parent, 4], V[parent, 5]
        for c in range(first, last):
            if dofs[c]["scale"] == 0.0:
                d[c] = 0.0
                continue
            u = g[c] - (H[c, 0] * v0 + H[c, 1] * v1 + H[c, 2] * v2) - (H[c, 3] * v3 + H[c, 4] * v4 + H[c, 5] * v5)
            u *= inverse[c]
            u, lock = limited(u, dofs[c]["lower"] - q[c], dofs[c]["upper"] - q[c])
            if lock != locks[c]:
                changed += 1
                locks[c] = lock
            d[c] = u
            v0 += S[c, 0] * u
            v1 += S[c, 1] * u
            v2 += S[c, 2] * u
            v3 += S[c, 3] * u
            v4 += S[c, 4] * u
            v5 += S[c, 5] * u
        V[j, 0], V[j, 1], V[j, 2], V[j, 3], V[j, 4], V[j, 5] = v0, v1, v2, v3, v4, v5
    if points:
        changed += substitute_points(joints, dofs, below, sweep)
    return changed
