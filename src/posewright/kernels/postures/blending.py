"""Postures combined from samples, joint by joint, by weights that sum to 1 and of which some may be negative.

Single hinges and slides are combined as numbers. Rotations are not: a ball's vectors are combined around the nearest
sample, R = R_0 exp(Σ w_j log(R_0⁻¹ R_j)); three hinges, each perpendicular to the next, by the mean of their rotations
as unit quaternions, p = Σ ±w_j p_j / ‖·‖, which is then taken apart into angles again (Davenport's angles, see
`figure.turning`).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import nearest_angle, quaternion_exp, quaternion_log, quaternion_product
from posewright.kernels.tables import Array, Table

Indices = npt.NDArray[np.int64]

_TURN = 2.0 * math.pi
_PERPENDICULAR = 1e-9  # of the cosine between two axes
_LOCKED = 1e-9  # tangent of half the middle angle: below, the outer ones are known by their sum alone
_SHORT = 0.2  # length of a mean quaternion: below, its samples are too far apart for it


@kernel
def blend(joints: Table, dofs: Table, members: Indices, q: Array, turns: Array, w: Array, out: Array) -> None:
    """Write the dofs of some joints of `out` (dofs,), within limits.

    Args:
        joints: of the figure.
        dofs: of the figure.
        members: joints to write.
        q: (samples, dofs), the nearest first.
        turns: (samples, members, 4): rotations of these joints, as `joint_turns_all` has them; only those of joints
            with three hinges are read.
        w: (samples,), which sum to 1.
        out: gets the dofs of members.
    """
    for k in range(members.shape[0]):
        joint = joints[members[k]]
        first, turning = joint["first"], joint["first"] + joint["slides"]
        last = turning + joint["hinges"]
        for d in range(first, last):
            total = 0.0
            for j in range(w.shape[0]):
                total += w[j] * q[j, d]
            out[d] = total
        if joint["ball"] != 0:
            _blend_ball(q, turning, w, out)
            last = turning + 3
        elif joint["hinges"] == 3 and w[0] != 1.0:
            _blend_three(dofs, turning, turns, k, w, out)
        for d in range(first, last):
            out[d] = min(max(out[d], dofs[d]["lower"]), dofs[d]["upper"])


@kernel
def _blend_ball(q: Array, d: int, w: Array, out: Array) -> None:
    a0, a1, a2, a3 = quaternion_exp(q[0, d], q[0, d + 1], q[0, d + 2])
    x, y, z = 0.0, 0.0, 0.0
    for j in range(1, w.shape[0]):
        b0, b1, b2, b3 = quaternion_exp(q[j, d], q[j, d + 1], q[j, d + 2])
        u, v, t = quaternion_log(*quaternion_product(a0, -a1, -a2, -a3, b0, b1, b2, b3))
        x, y, z = x + w[j] * u, y + w[j] * v, z + w[j] * t
    b0, b1, b2, b3 = quaternion_exp(x, y, z)
    out[d], out[d + 1], out[d + 2] = quaternion_log(*quaternion_product(a0, a1, a2, a3, b0, b1, b2, b3))


@kernel
def _blend_three(dofs: Table, d: int, turns: Array, k: int, w: Array, out: Array) -> None:
    """Write three hinges; `out` holds their angles combined one by one, which say what branch is meant."""
    p0, p1, p2, p3 = 0.0, 0.0, 0.0, 0.0
    for j in range(w.shape[0]):
        near = (
            turns[0, k, 0] * turns[j, k, 0]
            + turns[0, k, 1] * turns[j, k, 1]
            + turns[0, k, 2] * turns[j, k, 2]
            + turns[0, k, 3] * turns[j, k, 3]
        )
        u = w[j] if near >= 0.0 else -w[j]
        p0, p1 = p0 + u * turns[j, k, 0], p1 + u * turns[j, k, 1]
        p2, p3 = p2 + u * turns[j, k, 2], p3 + u * turns[j, k, 3]
    if p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3 >= _SHORT * _SHORT:
        take_apart(dofs, d, p0, p1, p2, p3, out)


@kernel
def take_apart(dofs: Table, d: int, p0: float, p1: float, p2: float, p3: float, out: Array) -> None:
    """Write the angles of three hinges, from dof d on, for a quaternion of any length, nearest to what `out` holds.

    If not each is perpendicular to the next, nothing is written.
    """
    a, b, c = dofs[d]["axis"], dofs[d + 1]["axis"], dofs[d + 2]["axis"]
    ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    bc = b[0] * c[0] + b[1] * c[1] + b[2] * c[2]
    if abs(ab) > _PERPENDICULAR or abs(bc) > _PERPENDICULAR:
        return
    # along the axes a, b and n = a x b: λ is the turn about b that takes a to c
    n0, n1, n2 = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    x, y, z = p1 * a[0] + p2 * a[1] + p3 * a[2], p1 * b[0] + p2 * b[1] + p3 * b[2], p1 * n0 + p2 * n1 + p3 * n2
    offset = math.atan2(-(c[0] * n0 + c[1] * n1 + c[2] * n2), c[0] * a[0] + c[1] * a[1] + c[2] * a[2])
    cosine, sine = math.cos(0.5 * offset), math.sin(0.5 * offset)
    # p exp(b λ) = exp(a α) exp(b β) exp(a γ)
    p0, x, y, z = p0 * cosine - y * sine, x * cosine - z * sine, p0 * sine + y * cosine, z * cosine + x * sine
    _nearest_angles(p0, x, y, z, offset, d, out)


@kernel
def _nearest_angles(w: float, x: float, y: float, z: float, offset: float, d: int, out: Array) -> None:
    """Write α, β - λ and γ for exp(a α) exp(b β) exp(a γ), on the branch nearest to what `out` holds."""
    even, odd = math.hypot(w, x), math.hypot(y, z)
    total, apart = 2.0 * math.atan2(x, w), 2.0 * math.atan2(z, y)  # α + γ and α - γ
    near0, near1, near2 = out[d], out[d + 1], out[d + 2]
    if odd < _LOCKED * even:
        total, apart = nearest_angle(total, near0 + near2), near0 - near2
    elif even < _LOCKED * odd:
        total, apart = near0 + near2, nearest_angle(apart, near0 - near2)
    first, middle, third = 0.5 * (total + apart), 2.0 * math.atan2(odd, even), 0.5 * (total - apart)
    shortest = math.inf
    for branch in range(2):
        sign, half = (1.0, 0.0) if branch == 0 else (-1.0, math.pi)
        a = nearest_angle(first + half, near0)
        b = nearest_angle(sign * middle - offset, near1)
        c = nearest_angle(third + half, near2)
        distance = (a - near0) ** 2 + (b - near1) ** 2 + (c - near2) ** 2
        if distance < shortest:
            shortest = distance
            out[d], out[d + 1], out[d + 2] = a, b, c
