"""The second-order model of a cost at a point: slope, and a curvature that knows what is missed.

Gauss-Newton forgets how residuals bend. Where goals are met that is nothing; where they are out of reach it is most of
what decides: an arm stretched towards a far point has no Gauss-Newton curvature at all along the bend of its elbow.

Per joint there are, summed over all terms at or below it, a form P of its twist (6x6), the pull b on its twist, and the
moments from which the bending comes: F = Σ f, N = Σ x fᵀ + Σ u tᵀ and Φ, with f the pull on a point x, t the pull on a
direction u, Φ the pull on a rotation. For a dof c and any dof a at or above it

    H_ac = s_a·P s_c + ω_a·k_c,   k_c = -(v_c × F + N ω_c - tr(N) ω_c) - ½ ω_c × Φ

All is half of the true derivatives, as is usual for squares: cost(x + d) = cost - 2 g·d + d·H d. What is not a sum over
the tree (rows about the centre of mass, about two sites, linear and Python rows) is left to rows: see `follow`.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.newton_step import SLOPE, Model
from posewright.kernels.dense.problem import DenseProblem, Point, Q
from posewright.kernels.goals.residuals import (
    AIM,
    DIRECTION,
    DISTANCE,
    MASS_LINE,
    MASS_POINT,
    NEARLY_NOWHERE,
    ROTATION,
    direction_scale,
)
from posewright.kernels.goals.terms import CHOSEN, RESULT, ROWS
from posewright.kernels.tables import Array, Table

# Columns of what is kept per joint.
FORM: Final = 0
"""36 numbers: P"""
PULL: Final = 36
"""6: b"""
FORCE: Final = 42
"""3: F"""
MOMENT: Final = 45
"""9: N"""
TURN: Final = 54
"""3: Φ"""
N_PER_JOINT: Final = 57


class Drives(NamedTuple):
    """The matrix of a space by its entries, so that a coordinate that is a dof costs no more than one."""

    first: npt.NDArray[np.int64]
    """(dofs + 1,): entries of each dof"""
    coordinate: npt.NDArray[np.int64]
    """(entries,)"""
    share: Array
    """(entries,)"""


@kernel
def second_order(
    problem: DenseProblem, targets: Array, prices: Array, n_pulling: int, missed: Array, point: Point, sums: Array,
    drives: Drives, model: Model,
) -> None:  # fmt: skip
    """Write slope and curvature of the model, of all terms about single sites; of others the bending.

    Args:
        problem: what is asked.
        targets: (terms, TARGET_WIDTH).
        prices: (levels,), what a unit of each level's cost counts.
        n_pulling: of how many levels the slope counts; of the others, only the curvature.
        missed: (terms, 3), the residuals whose bending counts: those at this point or, where that is a passing state,
            those that are expected at the end.
        point: terms and screws at this point.
        sums: (joints, N_PER_JOINT), to work in.
        drives: the space.
        model: its SLOPE and its H, which is symmetric, are written.
    """
    joints, terms, found = problem.joints, problem.terms, point.found
    g, H = model.places[SLOPE], model.H
    sums[:, :] = 0.0
    g[:] = 0.0
    H[:, :] = 0.0
    for k in range(terms.shape[0]):
        if found[k, RESULT, CHOSEN] == 0.0 or found[k, RESULT, ROWS] == 0.0:
            continue
        weight = terms[k]["weight"] * prices[terms[k]["level"] - 1]
        if terms[k]["kind"] in (MASS_POINT, MASS_LINE):
            _add_mass(joints, point, found[k], missed[k], weight, sums)
        else:
            _add_site(terms, k, terms[k]["level"] <= n_pulling, targets[k], missed[k], point, weight, sums)
    for j in range(joints.shape[0] - 1, -1, -1):
        parent, own = joints[j]["parent"], sums[j]
        low = joints[j]["first"]
        ball = low + joints[j]["slides"] + joints[j]["hinges"]
        for c in range(low, ball + 3 * joints[j]["ball"]):
            _add_dof(joints, j, c, ball, point.screws, own, drives, g, H)
        if joints[j]["ball"] != 0:
            _add_ball(point, j, ball, own, drives, H)
        if parent >= 0:
            above = sums[parent]
            for i in range(N_PER_JOINT):
                above[i] += own[i]


@kernel
def _add_dof(
    joints: Table, j: int, c: int, ball: int, S: Array, own: Array, drives: Drives, g: Array, H: Array
) -> None:
    """Slope along dof c of joint j, and curvature between it and every dof at or above it."""
    s0, s1, s2, s3, s4, s5 = S[c, 0], S[c, 1], S[c, 2], S[c, 3], S[c, 4], S[c, 5]
    P, b, M = own[FORM:PULL], own[PULL:FORCE], own[FORCE:]
    slope = s0 * b[0] + s1 * b[1] + s2 * b[2] + s3 * b[3] + s4 * b[4] + s5 * b[5]
    for e in range(drives.first[c], drives.first[c + 1]):
        g[drives.coordinate[e]] += drives.share[e] * slope
    h0 = P[0] * s0 + P[1] * s1 + P[2] * s2 + P[3] * s3 + P[4] * s4 + P[5] * s5
    h1 = P[6] * s0 + P[7] * s1 + P[8] * s2 + P[9] * s3 + P[10] * s4 + P[11] * s5
    h2 = P[12] * s0 + P[13] * s1 + P[14] * s2 + P[15] * s3 + P[16] * s4 + P[17] * s5
    h3 = P[18] * s0 + P[19] * s1 + P[20] * s2 + P[21] * s3 + P[22] * s4 + P[23] * s5
    h4 = P[24] * s0 + P[25] * s1 + P[26] * s2 + P[27] * s3 + P[28] * s4 + P[29] * s5
    h5 = P[30] * s0 + P[31] * s1 + P[32] * s2 + P[33] * s3 + P[34] * s4 + P[35] * s5
    trace = M[3] + M[7] + M[11]
    f0, f1, f2, t0, t1, t2 = M[0], M[1], M[2], 0.5 * M[12], 0.5 * M[13], 0.5 * M[14]
    k0 = -(s4 * f2 - s5 * f1 + M[3] * s0 + M[4] * s1 + M[5] * s2 - trace * s0) - (s1 * t2 - s2 * t1)
    k1 = -(s5 * f0 - s3 * f2 + M[6] * s0 + M[7] * s1 + M[8] * s2 - trace * s1) - (s2 * t0 - s0 * t2)
    k2 = -(s3 * f1 - s4 * f0 + M[9] * s0 + M[10] * s1 + M[11] * s2 - trace * s2) - (s0 * t1 - s1 * t0)
    in_ball = c >= ball
    above, last = j, c
    while above >= 0:
        for a in range(joints[above]["first"], last + 1):
            value = h0 * S[a, 0] + h1 * S[a, 1] + h2 * S[a, 2] + h3 * S[a, 3] + h4 * S[a, 4] + h5 * S[a, 5]
            if not (in_ball and above == j and a >= ball):  # components of one ball have no order: see `_add_ball`
                value += k0 * S[a, 0] + k1 * S[a, 1] + k2 * S[a, 2]
            _add_pair(drives, a, c, value, H)
        above = joints[above]["parent"]
        if above >= 0:
            last = joints[above]["first"] + joints[above]["slides"] + joints[above]["hinges"] - 1
            last += 3 * joints[above]["ball"]


@kernel
def _add_pair(drives: Drives, a: int, c: int, value: float, H: Array) -> None:
    """Add the curvature between two dofs to that between the coordinates that drive them."""
    for e in range(drives.first[a], drives.first[a + 1]):
        i, by = drives.coordinate[e], drives.share[e] * value
        for f in range(drives.first[c], drives.first[c + 1]):
            k, v = drives.coordinate[f], by * drives.share[f]
            H[i, k] += v
            if a != c:
                H[k, i] += v


@kernel
def _add_ball(point: Point, j: int, ball: int, own: Array, drives: Drives, H: Array) -> None:
    """The bending between the components of one ball: the mean of both orders, and how their axes turn with them."""
    S, R, q = point.screws, point.rotations[j], point.per_dof[Q]
    M, p = own[FORCE:], point.positions[j]
    x, y, z = p[0] - point.positions[0, 0], p[1] - point.positions[0, 1], p[2] - point.positions[0, 2]
    # The pull that turns the joint about itself, in the frame in which its rotation vector is written.
    t0 = M[8] - M[10] + M[12] - (y * M[2] - z * M[1])
    t1 = M[9] - M[5] + M[13] - (z * M[0] - x * M[2])
    t2 = M[4] - M[6] + M[14] - (x * M[1] - y * M[0])
    u0 = R[0, 0] * t0 + R[1, 0] * t1 + R[2, 0] * t2
    u1 = R[0, 1] * t0 + R[1, 1] * t1 + R[2, 1] * t2
    u2 = R[0, 2] * t0 + R[1, 2] * t1 + R[2, 2] * t2
    w0, w1, w2 = q[ball], q[ball + 1], q[ball + 2]
    tt = w0 * w0 + w1 * w1 + w2 * w2
    t = math.sqrt(tt)
    if t < 0.05:
        A, B, C = 1.0 - tt / 6.0, 0.5 - tt / 24.0, 1.0 / 6.0 - tt / 120.0
        dB, dC = -1.0 / 12.0 + tt / 180.0, -1.0 / 60.0 + tt / 1260.0
    else:
        A, B, C = math.sin(t) / t, (1.0 - math.cos(t)) / tt, (t - math.sin(t)) / (tt * t)
        dB, dC = (A - 2.0 * B) / tt, (B - 3.0 * C) / tt
    # exp(w) u = u + A w × u + B w × (w × u)
    c0, c1, c2 = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    d0, d1, d2 = w1 * c2 - w2 * c1, w2 * c0 - w0 * c2, w0 * c1 - w1 * c0
    u0, u1, u2 = u0 + A * c0 + B * d0, u1 + A * c1 + B * d1, u2 + A * c2 + B * d2
    # With ω_c = e_c + B w × e_c + C w × (w × e_c): u·(w × e_c) = (u × w)_c and u·(w × (w × e_c)) = (w × (w × u))_c.
    cross, twice, w, u = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    cross[0], cross[1], cross[2] = u1 * w2 - u2 * w1, u2 * w0 - u0 * w2, u0 * w1 - u1 * w0
    twice[0] = w2 * cross[1] - w1 * cross[2]
    twice[1] = w0 * cross[2] - w2 * cross[0]
    twice[2] = w1 * cross[0] - w0 * cross[1]
    w[0], w[1], w[2], u[0], u[1], u[2] = w0, w1, w2, u0, u1, u2
    along = u0 * w0 + u1 * w1 + u2 * w2
    trace = M[3] + M[7] + M[11]
    for m in range(3):
        s = S[ball + m]
        k0 = -(s[4] * M[2] - s[5] * M[1] + M[3] * s[0] + M[4] * s[1] + M[5] * s[2] - trace * s[0])
        k1 = -(s[5] * M[0] - s[3] * M[2] + M[6] * s[0] + M[7] * s[1] + M[8] * s[2] - trace * s[1])
        k2 = -(s[3] * M[1] - s[4] * M[0] + M[9] * s[0] + M[10] * s[1] + M[11] * s[2] - trace * s[2])
        for i in range(3):
            a = S[ball + i]
            value = 0.5 * (k0 * a[0] + k1 * a[1] + k2 * a[2])  # the other order comes with the other pair
            turn = dB * w[i] * cross[m] + dC * w[i] * twice[m] - C * u[m] * w[i] + (C * along if i == m else 0.0)
            _add_pair_once(drives, ball + i, ball + m, value - 0.5 * turn, H)


@kernel
def _add_pair_once(drives: Drives, a: int, c: int, value: float, H: Array) -> None:
    """Add half of a symmetric value to both orders."""
    for e in range(drives.first[a], drives.first[a + 1]):
        i, by = drives.coordinate[e], drives.share[e] * value
        for f in range(drives.first[c], drives.first[c + 1]):
            k, v = drives.coordinate[f], by * drives.share[f]
            H[i, k] += v
            H[k, i] += v


@kernel
def _add_site(
    terms: Table, k: int, pulls: bool, target: Array, missed: Array, point: Point, weight: float, sums: Array
) -> None:
    """Form, pull and moments of a term about a site and, of its bending, of the site that is its target."""
    term, found = terms[k], point.found[k]
    kind, joint, partner, c = term["kind"], term["joint"], term["partner"], term["radius"]
    result, rows, origin = found[RESULT], int(found[RESULT, ROWS]), point.positions[0]
    own = sums[joint]
    f = np.zeros(3)  # pull on the point
    for m in range(rows):
        for i in range(6):
            own[PULL + i] -= weight * result[m] * found[m, i] if partner < 0 and pulls else 0.0
            if partner < 0 and kind != ROTATION:
                for n in range(6):
                    own[FORM + 6 * i + n] += weight * found[m, i] * found[m, n]
        for i in range(3):
            f[i] -= weight * missed[m] * found[m, 3 + i]
    R = point.rotations[joint]
    if kind == ROTATION:
        if partner < 0:
            _add_rotation(missed, c, weight, own)
        return
    x, p = np.empty(3), term["point"]
    for i in range(3):
        x[i] = point.positions[joint, i] - origin[i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]
    _add_moment(x, f, own)
    if kind in (DIRECTION, AIM):
        u, t, axis, sign = np.empty(3), np.empty(3), term["x_axis"], -1.0 if kind == DIRECTION else 1.0
        for i in range(3):
            u[i] = R[i, 0] * axis[0] + R[i, 1] * axis[1] + R[i, 2] * axis[2]
            t[i] = sign * weight * c * missed[i]
        _add_turning(u, t, own)
        if partner >= 0 and kind == DIRECTION:
            R, axis = point.rotations[partner], term["partner_x"]
            for i in range(3):
                u[i] = R[i, 0] * axis[0] + R[i, 1] * axis[1] + R[i, 2] * axis[2]
                t[i] = -t[i]
            _add_turning(u, t, sums[partner])
    if partner >= 0:
        y, R, p = np.empty(3), point.rotations[partner], term["partner_point"]
        for i in range(3):
            y[i] = point.positions[partner, i] - origin[i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]
            f[i] = -f[i]
        _add_moment(y, f, sums[partner])
    elif kind in (AIM, DISTANCE):
        d = np.empty(3)
        for i in range(3):
            d[i] = target[i] - origin[i] - x[i]
        _add_distance(kind, c, d, x, missed, weight, own)


@kernel
def _add_moment(x: Array, f: Array, own: Array) -> None:
    """A pull f on a point x."""
    for i in range(3):
        own[FORCE + i] += f[i]
        for n in range(3):
            own[MOMENT + 3 * i + n] += x[i] * f[n]


@kernel
def _add_turning(u: Array, t: Array, own: Array) -> None:
    """A pull t on a direction u."""
    for i in range(3):
        for n in range(3):
            own[MOMENT + 3 * i + n] += u[i] * t[n]


@kernel
def _add_rotation(result: Array, c: float, weight: float, own: Array) -> None:
    """Half the squared angle of a rotation has the curvature 1 along its axis, (t/2) cot(t/2) across it."""
    if c == 0.0:
        return
    e0, e1, e2 = -result[0] / c, -result[1] / c, -result[2] / c
    tt, w = e0 * e0 + e1 * e1 + e2 * e2, weight * c * c
    t = math.sqrt(tt)
    across = 1.0 - tt / 12.0 if t < 1e-2 else 0.5 * t / math.tan(0.5 * t)
    along = 1.0 / 12.0 if t < 1e-2 else (1.0 - across) / tt
    own[TURN] += w * e0
    own[TURN + 1] += w * e1
    own[TURN + 2] += w * e2
    P = own[FORM:PULL]
    P[0] += w * (across + along * e0 * e0)
    P[1] += w * along * e0 * e1
    P[2] += w * along * e0 * e2
    P[6] += w * along * e1 * e0
    P[7] += w * (across + along * e1 * e1)
    P[8] += w * along * e1 * e2
    P[12] += w * along * e2 * e0
    P[13] += w * along * e2 * e1
    P[14] += w * (across + along * e2 * e2)


@kernel
def _add_distance(kind: int, c: float, d: Array, x: Array, result: Array, weight: float, own: Array) -> None:
    """How a direction to a point, or a distance from it, bends with the point itself; d leads to the target."""
    length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    A, T, v = np.empty((3, 3)), np.zeros((3, 6)), 0.0
    if kind == AIM:
        _, slope, bend = direction_scale(length, c)
        for i in range(3):
            v += result[i] * d[i]
        for i in range(3):
            for n in range(3):
                turned = result[i] * d[n] + d[i] * result[n] + (v if i == n else 0.0)
                A[i, n] = weight * c * (slope * turned + bend * v * d[i] * d[n])
    elif length < NEARLY_NOWHERE * c or length == 0.0:
        return
    else:
        for i in range(3):
            for n in range(3):
                across = (1.0 if i == n else 0.0) - d[i] * d[n] / (length * length)
                A[i, n] = weight * result[0] * across / length
    for i in range(3):
        T[i, 3 + i] = 1.0
    T[0, 1], T[0, 2], T[1, 0], T[1, 2], T[2, 0], T[2, 1] = x[2], -x[1], -x[2], x[0], x[1], -x[0]
    for i in range(6):
        for n in range(6):
            total = 0.0
            for a in range(3):
                for b in range(3):
                    total += T[a, i] * A[a, b] * T[b, n]
            own[FORM + 6 * i + n] += total


@kernel
def _add_mass(joints: Table, point: Point, found: Array, missed: Array, weight: float, sums: Array) -> None:
    """Every segment carries its share of the pull on the centre of mass."""
    whole = 0.0
    for j in range(joints.shape[0]):
        whole += joints[j]["mass"]
    f, part, x = np.zeros(3), np.empty(3), np.empty(3)
    for m in range(int(found[RESULT, ROWS])):
        for i in range(3):
            f[i] -= weight * missed[m] * found[m, 3 + i]
    for j in range(joints.shape[0]):
        share, c, R = joints[j]["mass"] / whole, joints[j]["centre"], point.rotations[j]
        for i in range(3):
            x[i] = point.positions[j, i] - point.positions[0, i] + R[i, 0] * c[0] + R[i, 1] * c[1] + R[i, 2] * c[2]
            part[i] = share * f[i]
        _add_moment(x, part, sums[j])
