"""Postures transferred to another figure, frame by frame: wanted orientations of segments become joint values.

Symbols: A anatomical frame of a part in the world (columns axis, front, across); F the same in the frame of the joint
that carries the part, so that A = R F; B world rotation of the joint above a unit; X = H(u, a) H(v, b) H(w, c) the
hinges of a unit, whose axes are given in the frame of B; P what is constant behind them: R = B X P. With weights W of
the three directions the best X maximises trace(Xᵀ M), M = Bᵀ A W Fᵀ Pᵀ; for one hinge, the others held, that has a
closed form (`twist`).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_rows_into
from posewright.kernels.kinematics.hinge_angles import hinge_angles
from posewright.kernels.kinematics.hinge_chain import LOCK, fit_hinges, follow_damped, hinge_fit, lock_damping, volume
from posewright.kernels.kinematics.rotations import (
    exp_factors,
    log_vector,
    multiply,
    nearest_angle,
    nearest_vector,
    smoothstep,
    times_transposed,
    transposed_times,
    turn_matrix,
    turned_row,
)
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]

PART: Final = np.dtype(
    [
        ("joint", "i8"),  # of the source, that carries the part
        ("frame", "f8", (3, 3)),  # F
        ("next", "i8"),  # joint towards which `share` goes, or -1
        ("next_frame", "f8", (3, 3)),
        ("share", "f8"),  # 0 to 1
    ],
    align=True,
)
"""A wanted orientation: that of a joint of the source, or between two of them."""

UNIT: Final = np.dtype(
    [
        ("joint", "i8"),  # first joint of the target in this unit
        ("part", "i8"),  # row of PART that says how its last joint should lie
        ("frame", "f8", (3, 3)),  # F of the last joint
        ("weights", "f8", (3,)),  # W: of axis, front and across, where not all can be had
        ("ball", "i8"),  # first dof of a ball, or -1
        ("hinges", "i8"),  # how many hinges otherwise, 1 to 3
        ("dofs", "i8", (3,)),
        ("axes", "f8", (3, 3)),  # row per hinge, in the frame of the joint above the unit
        ("damped", "i8"),  # whether three hinges keep their speed near gimbal lock at the cost of lagging behind
        ("alone", "i8"),  # whether the unit is a single joint
        ("before", "f8", (3, 3)),  # constant rotation in front of a ball
        ("after", "f8", (3, 3)),  # P: constant rotation behind the ball or the hinges, with `axes` in the frame above
        ("lower", "i8"),  # row of PART of the segment below where that has one hinge only, else -1
        ("hinge", "f8", (3,)),  # axis of that hinge for a growing bend, in the anatomical frame of this unit's segment
    ],
    align=True,
)
"""Dofs that are found together, so that the last of their joints lies as wanted."""

_FASTER = 3.0  # times as fast as what they follow hinges with limits go at most
_CREEP = 0.01  # rad that they go in a frame even if nothing moves
_STUCK = 0.2  # of a direction's weight: hinges that give so much less than others could (37 degrees off) are stuck
_SWING = 0.08  # rad that hinges which are stuck go in a frame
_BENT = (0.1, 0.3)  # sines of a bend between which it begins to tell the twist of the segment above


class TransferTables(NamedTuple):
    """How postures of one figure, the source, become those of another, the target."""

    joints: Table
    """Of the target."""
    dofs: Table
    """Of the target."""
    parts: Table
    """Wanted orientations (PART)."""
    units: Table
    """In the order of their first joints (UNIT)."""
    unit_at: Ints
    """(joints,) of the target: the unit that begins there, or -1"""
    moving: Ints
    """(joints,): whether a joint belongs to a unit"""
    still: Array
    """(joints, 3, 3): parent_from_joint of the others, and the rest rotation of those that move"""
    kept: Ints
    """(2,) joints of the target whose world rotations are wanted: the one whose slides move it about, and the pelvis"""


@kernel
def transfer_all(
    tables: TransferTables, source: Array, previous: Array, before: Array, given: Array, q: Array, asked: Array,
    kept_rotations: Array,
) -> None:  # fmt: skip
    """Write the turning dofs of the target into `q` (frames, dofs), which holds rest values for all others.

    Args:
        tables: of the two figures.
        source: (frames, joints, 3, 3) world rotations of the source.
        previous: (dofs,) the frame before, or where to begin; the last frame on return.
        before: (units, 3, 3) what was wanted of each unit in the frame before, or zeros; the last frame's on return.
        given: (frames, dofs) angles of three hinges that are known already; nan: they are not.
        q: out.
        asked: (frames, units, 3, 3) what is wanted of each unit, out.
        kept_rotations: (frames, 2, 3, 3) out.
    """
    joints, dofs, parts, units, unit_at, moving, still, kept = tables
    n_joints, n_parts = joints.shape[0], parts.shape[0]
    wanted = np.empty((n_parts, 3, 3))
    rotations = np.empty((n_joints, 3, 3))
    work = np.empty((8, 3, 3))
    identity = np.eye(3)
    for frame in range(source.shape[0]):
        for k in range(n_parts):
            _orient(parts[k], source[frame], wanted[k], work)
        for j in range(n_joints):
            parent = joints[j]["parent"]
            above = rotations[parent] if parent >= 0 else identity
            if unit_at[j] >= 0:
                unit = units[unit_at[j]]
                A = wanted[unit["part"]]
                if unit["lower"] >= 0:
                    _twist_to_bend(A, wanted[unit["lower"]], unit["hinge"], work)
                X = asked[frame, unit_at[j]]
                _wanted_turn(unit, above, A, work, X)
                exact = _solve_unit(unit, above, A, X, dofs, previous, before[unit_at[j]], given[frame], q[frame], work)
                if exact and unit["alone"]:
                    times_transposed(A, unit["frame"], rotations[j])  # there, without the sines
                    continue
            multiply(above, still[j], rotations[j])
            if moving[j]:
                _turn(joints[j], dofs, q[frame], rotations[j])
        for k in range(kept.shape[0]):
            for i in range(3):
                for c in range(3):
                    kept_rotations[frame, k, i, c] = rotations[kept[k], i, c]
        for d in range(q.shape[1]):
            previous[d] = q[frame, d]


@kernel
def _orient(part: Row, source: Array, out: Array, work: Array) -> None:
    """The wanted anatomical frame of a part, in the world."""
    multiply(source[part["joint"]], part["frame"], out)
    if part["next"] >= 0:
        multiply(source[part["next"]], part["next_frame"], work[0])
        for i in range(3):  # between the two: out · exp(share · log(outᵀ next))
            for j in range(3):
                work[1, i, j] = out[0, i] * work[0, 0, j] + out[1, i] * work[0, 1, j] + out[2, i] * work[0, 2, j]
        w = work[2, 0]
        log_vector(work[1], w)
        x, y, z = part["share"] * w[0], part["share"] * w[1], part["share"] * w[2]
        f, g, _ = exp_factors(x, y, z)
        for i in range(3):
            out[i, 0], out[i, 1], out[i, 2] = turned_row(out[i, 0], out[i, 1], out[i, 2], x, y, z, f, g)


@kernel
def _twist_to_bend(A: Array, lower: Array, hinge: Array, work: Array) -> None:
    """Twist a segment about its axis so that the one hinge below it can bend to where the lower segment should be."""
    nx = A[1, 0] * lower[2, 0] - A[2, 0] * lower[1, 0]  # normal of the plane of the bend
    ny = A[2, 0] * lower[0, 0] - A[0, 0] * lower[2, 0]
    nz = A[0, 0] * lower[1, 0] - A[1, 0] * lower[0, 0]
    sine = math.sqrt(nx * nx + ny * ny + nz * nz)
    if sine <= _BENT[0]:
        return
    # In the plane across the axis: front and across are the coordinates.
    along_front = (nx * A[0, 1] + ny * A[1, 1] + nz * A[2, 1]) / sine
    along_across = (nx * A[0, 2] + ny * A[1, 2] + nz * A[2, 2]) / sine
    # A bend backwards says nothing: the second factor is zero for it.
    turn = nearest_angle(math.atan2(along_across, along_front) - math.atan2(hinge[2], hinge[1]), 0.0)
    trust = smoothstep((sine - _BENT[0]) / (_BENT[1] - _BENT[0])) * smoothstep(2.0 * math.cos(turn))
    axis = work[0, 0]
    axis[0], axis[1], axis[2] = A[0, 0], A[1, 0], A[2, 0]
    turn_matrix(axis, trust * turn, work[1])
    multiply(work[1], A, work[2])
    for i in range(3):
        for j in range(3):
            A[i, j] = work[2, i, j]


@kernel
def _wanted_turn(unit: Row, above: Array, A: Array, work: Array, X: Array) -> None:
    """Write the X of a unit, in the frame above, that turns its last joint as wanted."""
    times_transposed(A, unit["frame"], work[0])  # wanted world rotation of the last joint
    times_transposed(work[0], unit["after"], work[1])
    transposed_times(above, work[1], X)


@kernel
def _solve_unit(
    unit: Row, above: Array, A: Array, X: Array, dofs: Table, previous: Array, before: Array, given: Array, q: Array,
    work: Array,
) -> bool:  # fmt: skip
    """Write the dofs of a unit; returns whether its last joint lies exactly as wanted."""
    copy_rows_into(X, work[2])
    if unit["ball"] >= 0:
        d = unit["ball"]
        transposed_times(unit["before"], work[2], work[3])
        w = work[4, 0]
        log_vector(work[3], w)
        w[0], w[1], w[2] = nearest_vector(w[0], w[1], w[2], previous[d], previous[d + 1], previous[d + 2])
        reached = True
        for k in range(3):
            q[d + k] = min(dofs[d + k]["upper"], max(dofs[d + k]["lower"], w[k]))
            reached = reached and q[d + k] == w[k]
        return reached
    n = unit["hinges"]
    axes = unit["axes"]
    near, found = work[4], work[5]
    stride, known = _stride(X, before)
    if not math.isnan(given[unit["dofs"][0]]):
        for k in range(n):
            q[unit["dofs"][k]] = given[unit["dofs"][k]]
        return False
    for k in range(n):
        near[0, k] = previous[unit["dofs"][k]]
    hinge_angles(axes[:n], work[2], near[0, :n], found[0, :n])
    if unit["damped"]:
        room = volume(axes, found[0, 1], work)
        if room < LOCK:
            for k in range(n):
                found[1, k] = found[0, k]
            follow_damped(unit, dofs, work[2], lock_damping(room), near[0], found[0], work)
            _weigh(unit, above, A, work)
            stride = _leave(unit, dofs, work[2], near[0], found, stride, work)
            _write_within(stride, unit, near[0], found[0], q)
            return False
    beyond = n < 3
    for k in range(n):
        found[1, k] = found[0, k]
        dof = dofs[unit["dofs"][k]]
        inside = min(dof["upper"], max(dof["lower"], found[0, k]))
        beyond = beyond or inside != found[0, k]
        found[0, k] = inside
    if beyond:
        _weigh(unit, above, A, work)
        for k in range(n):
            near[1, k] = near[0, k]
        followed = fit_hinges(unit, dofs, work[2], True, near[1], work)
        if known or followed >= fit_hinges(unit, dofs, work[2], False, found[0], work) - 1e-6:
            for k in range(n):
                found[0, k] = near[1, k]
        if not unit["damped"]:
            stride = max(stride, _SWING)
        if known:
            stride = _leave(unit, dofs, work[2], near[0], found, stride, work)
    elif not unit["damped"]:
        stride = math.inf
    exact = _write_within(stride, unit, near[0], found[0], q)
    return exact and not beyond


@kernel
def _weigh(unit: Row, above: Array, A: Array, work: Array) -> None:
    """Write into work[2] the M whose trace with X tells how well the last joint of a unit lies."""
    W, F = unit["weights"], unit["frame"]
    for i in range(3):
        for j in range(3):
            work[0, i, j] = A[i, 0] * W[0] * F[j, 0] + A[i, 1] * W[1] * F[j, 1] + A[i, 2] * W[2] * F[j, 2]
    times_transposed(work[0], unit["after"], work[1])
    transposed_times(above, work[1], work[2])


@kernel
def _leave(unit: Row, dofs: Table, M: Array, last: Array, found: Array, stride: float, work: Array) -> float:
    """Let hinges that are stuck go over to angles that give what is wanted far better; returns how far in a frame.

    Hinges follow what is best near the last frame. Where that has become far worse than what other angles within the
    limits give, they go there, no faster than a limb is swung.

    Args:
        unit: whose hinges.
        dofs: of the figure.
        M: what is wanted, weighted.
        last: (3,) angles of the last frame.
        found: (2, 3): angles of this frame, in and out; angles that would be exact without limits.
        stride: rad that they may go in a frame.
        work: scratch.
    """
    n, W = unit["hinges"], unit["weights"]
    value = hinge_fit(unit, M, found[0], work)
    if W[0] + W[1] + W[2] - value < _STUCK:
        return stride
    best = value + _STUCK
    tried = work[4, 2]
    better = False
    for start in range(3):
        for k in range(n):
            dof = dofs[unit["dofs"][k]]
            angle = found[1, k]
            if start == 1:  # the other triple of three hinges at right angles, about
                angle = math.pi - angle if k == 1 else angle + math.pi
            elif start == 2:
                angle = 0.5 * (max(dof["lower"], -math.pi) + min(dof["upper"], math.pi))
            tried[k] = min(dof["upper"], max(dof["lower"], nearest_angle(angle, 0.0)))
        fit = fit_hinges(unit, dofs, M, False, tried, work)
        if fit > best:
            best, better = fit, True
            for k in range(n):
                work[5, 2, k] = tried[k]
    if not better:
        return stride
    for k in range(n):
        found[0, k] = work[5, 2, k]
    return max(stride, _SWING)


@kernel
def _stride(X: Array, before: Array) -> tuple[float, bool]:
    """How far hinges with limits go in a frame (rad), X being wanted; whether that `before` is known, which X becomes.

    What is nearest within limits may leap from one end to the other where an arm turns on behind the back; hinges then
    follow only somewhat faster than what they follow.
    """
    trace, size = 0.0, 0.0
    for i in range(3):
        for j in range(3):
            trace += X[i, j] * before[i, j]
            size += before[i, j] * before[i, j]
            before[i, j] = X[i, j]
    if size == 0.0:
        return math.inf, False
    turned = math.acos(min(1.0, max(-1.0, 0.5 * (trace - 1.0))))
    return _FASTER * turned + _CREEP, True


@kernel
def _write_within(stride: float, unit: Row, last: Array, angles: Array, q: Array) -> bool:
    """Write the angles (3,) of a unit into `q`, none further than `stride` from the last frame's; whether all are."""
    exact = True
    for k in range(unit["hinges"]):
        value = min(last[k] + stride, max(last[k] - stride, angles[k]))
        exact = exact and value == angles[k]
        q[unit["dofs"][k]] = value
    return exact


@kernel
def _turn(joint: Row, dofs: Table, q: Array, R: Array) -> None:
    """Multiply R (3, 3) by the joint's hinges or ball."""
    d = joint["first"] + joint["slides"]
    for _ in range(joint["hinges"]):
        axis = dofs[d]["axis"]
        sine, cosine = math.sin(q[d]), math.cos(q[d])
        for i in range(3):
            R[i, 0], R[i, 1], R[i, 2] = turned_row(
                R[i, 0], R[i, 1], R[i, 2], axis[0], axis[1], axis[2], sine, 1.0 - cosine
            )
        d += 1
    if joint["ball"]:
        f, g, _ = exp_factors(q[d], q[d + 1], q[d + 2])
        for i in range(3):
            R[i, 0], R[i, 1], R[i, 2] = turned_row(R[i, 0], R[i, 1], R[i, 2], q[d], q[d + 1], q[d + 2], f, g)
