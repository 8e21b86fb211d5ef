"""What a frame of a clip asks for: charts of balls, the collapsed reference pose and targets, where to start.

The formulas are those of `problem.collapse`. Symbols: E track, e site, Θ example, q answer; an index counts frames
back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import POSITION, ROTATION, rotation_gap
from posewright.kernels.kinematics.rotations import nearest_vector, quaternion_exp, turned_vector
from posewright.kernels.tables import Array, Row, Table

# Rows of what is remembered per dof.
Q1, Q2, R1, R2, AWAY1, AWAY2 = 0, 1, 2, 3, 4, 5
"""Answers, examples, and answers as they differ from their own examples: balls in the chart of these."""
# And per term.
SITE1, SITE2, WANTED1, WANTED2, SHIFT = 0, 1, 2, 3, 4

_JUMP = 0.1  # rad or m in a frame, that does not go on


class EveryFrame(NamedTuple):
    """What holds in every frame of a clip."""

    balls: npt.NDArray[np.int64]
    """joints whose rotation is compared in the chart of the example's"""
    coherent: npt.NDArray[np.int8]
    """(terms,): 1 for points whose velocities count"""
    example: Array
    """(dofs,): weight of the squared distance to the example"""
    stiffness: Array
    """(dofs,): weight of the squared distance to the frame before"""
    units: Array
    """(dofs,): what damping is multiplied by"""
    limits: Array
    """(3, dofs): lower and upper limits, and how far a frame may be from the last; (0, dofs) where speeds have none"""


class FrameObjective(NamedTuple):
    """The objective of one frame, reduced to a reference pose in the frame's chart."""

    turns: Array
    """(balls, 4): the chart, as quaternions"""
    pose: Array
    """(dofs,)"""
    weights: Array
    """(dofs,): of the squared distance to the pose"""
    local: Array
    """(4, dofs), to work in"""


@kernel
def set_charts(joints: Table, balls: npt.NDArray[np.int64], reference: Array, placed: Table, turns: Array) -> None:
    """Fold the example's rotation of each ball into the rest rotation; `turns` (balls, 4) are quaternions."""
    for k in range(balls.shape[0]):
        j = balls[k]
        d = joints[j]["first"] + joints[j]["slides"]
        turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = quaternion_exp(
            reference[d], reference[d + 1], reference[d + 2]
        )
        w, x, y, z = turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3]
        r, out = joints[j]["rest"], placed[j]["rest"]
        for i in range(3):
            a, b, c = r[3 * i], r[3 * i + 1], r[3 * i + 2]
            out[3 * i] = a * (1.0 - 2.0 * (y * y + z * z)) + b * 2.0 * (x * y + w * z) + c * 2.0 * (x * z - w * y)
            out[3 * i + 1] = a * 2.0 * (x * y - w * z) + b * (1.0 - 2.0 * (x * x + z * z)) + c * 2.0 * (y * z + w * x)
            out[3 * i + 2] = a * 2.0 * (x * z + w * y) + b * 2.0 * (y * z - w * x) + c * (1.0 - 2.0 * (x * x + y * y))
        placed[j]["turned"] = 1


@kernel
def set_bounds(limits: Array, known: int, memory: Array, dofs: Table) -> None:
    """Narrow the limits of dofs to what their speeds allow after the last frame; see `tracking.follow`."""
    for c in range(dofs.shape[0]):
        lower, upper = limits[0, c], limits[1, c]
        if known >= 1:
            lower, upper = max(lower, memory[Q1, c] - limits[2, c]), min(upper, memory[Q1, c] + limits[2, c])
        dofs[c]["lower"], dofs[c]["upper"] = lower, upper


@kernel
def collapse_pose(
    settings: Row,
    known: int,
    joints: Table,
    every: EveryFrame,
    reference: Array,
    memory: Array,
    objective: FrameObjective,
) -> None:
    """Write the reference pose of a frame and its weights."""
    turns, pose, weights, local = objective
    n, balls = reference.shape[0], every.balls
    velocity = settings["example_velocity"] if known >= 1 else 0.0
    acceleration = settings["example_acceleration"] if known >= 2 else 0.0
    total = 1.0 + velocity + acceleration
    stiff = 1.0 if known >= 1 else 0.0
    still = velocity + acceleration == 0.0 and (known == 0 or settings["stiff"] == 0)
    for c in range(n):
        pose[c], weights[c] = reference[c], total * every.example[c]
    for k in range(balls.shape[0]):
        d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
        pose[d], pose[d + 1], pose[d + 2] = 0.0, 0.0, 0.0
    if still:
        return
    for row in range(4):
        for c in range(n):
            local[row, c] = memory[row, c]
        needed = acceleration > 0.0 or row == Q1 or (velocity > 0.0 and row == R1)
        for k in range(balls.shape[0] if needed else 0):
            d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
            _turned(turns[k], -1.0, memory[row], d, local[row])
    for c in range(n):
        q1, q2, r1, r2, r = local[Q1, c], local[Q2, c], local[R1, c], local[R2, c], pose[c]
        mean = r + (velocity * (q1 - r1) + acceleration * (2.0 * q1 - q2 - 2.0 * r1 + r2)) / total
        m = stiff * every.stiffness[c]
        weights[c] += m
        pose[c] = mean + m / weights[c] * (q1 - mean) if m > 0.0 else mean


@kernel
def begin_frame(
    joints: Table,
    dofs: Table,
    every: EveryFrame,
    below: npt.NDArray[np.int8],
    known: int,
    ahead: float,
    reference: Array,
    memory: Array,
    objective: FrameObjective,
    q: Array,
) -> None:
    """Write where the search starts: as far from the example as the answer before, and `ahead` frames further.

    Joints without a goal below them go straight to the pose.
    """
    pose, weights = objective.pose, objective.weights
    further = ahead if known >= 2 else 0.0
    for c in range(q.shape[0]):
        away = 0.0
        if known >= 1:
            gone = memory[AWAY1, c] - memory[AWAY2, c]
            away = memory[AWAY1, c] + (further * gone if abs(gone) < _JUMP else 0.0)
        q[c] = reference[c] + away
    balls = every.balls
    for k in range(balls.shape[0]):
        d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
        for i in range(3):
            q[d + i] -= reference[d + i]
    for c in range(q.shape[0]):
        if dofs[c]["scale"] == 0.0:
            q[c] = reference[c]
        elif below[dofs[c]["joint"]] == 0 and weights[c] > 0.0:
            q[c] = pose[c]
        q[c] = min(max(q[c], dofs[c]["lower"]), dofs[c]["upper"])
    for k in range(balls.shape[0]):
        d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
        if dofs[d]["scale"] == 0.0:
            q[d], q[d + 1], q[d + 2] = 0.0, 0.0, 0.0


@kernel
def collapse_targets(
    settings: Row,
    known: int,
    terms: Table,
    coherent: npt.NDArray[np.int8],
    held: npt.NDArray[np.int8],
    weights: Array,
    targets: Array,
    memory: Array,
    wanted: Array,
) -> float:
    """Write the targets of the search and the weights into `terms`; return the sum of weights."""
    velocity = settings["track_velocity"] if known >= 1 else 0.0
    acceleration = settings["track_acceleration"] if known >= 2 else 0.0
    total = 1.0 + velocity + acceleration
    weight = 0.0
    for k in range(terms.shape[0]):
        terms[k]["weight"] = weights[k]
        if coherent[k] != 0 and total > 1.0:
            terms[k]["weight"] = total * weights[k]
            for i in range(3):
                e1, e2 = memory[SITE1, k, i], memory[SITE2, k, i]
                E, E1, E2 = targets[k, i], memory[WANTED1, k, i], memory[WANTED2, k, i]
                change = velocity * (e1 - E1) + acceleration * (2.0 * e1 - e2 - 2.0 * E1 + E2)
                wanted[k, i] = E + change / total
        else:
            for i in range(9):
                wanted[k, i] = targets[k, i]
            if held[k] != 0:
                shift_target(terms[k]["kind"], targets[k], memory[SHIFT, k], wanted[k])
            else:
                for i in range(3):
                    memory[SHIFT, k, i] = 0.0
        weight += weights[k]
    return weight


@kernel
def shift_target(kind: int, target: Array, shift: Array, wanted: Array) -> None:
    """Move a target by what the others pull it off with, so that the true one is met."""
    if kind == POSITION:
        for i in range(3):
            wanted[i] = target[i] + shift[i]
    elif kind == ROTATION:
        t = math.sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2])
        if t > 0.0:
            x, y, z = shift[0] / t, shift[1] / t, shift[2] / t
            s, c = math.sin(t), 1.0 - math.cos(t)
            for d in (3, 6):
                a0, a1, a2 = target[d], target[d + 1], target[d + 2]
                b0, b1, b2 = y * a2 - z * a1, z * a0 - x * a2, x * a1 - y * a0
                wanted[d] = a0 + s * b0 + c * (y * b2 - z * b1)
                wanted[d + 1] = a1 + s * b1 + c * (z * b0 - x * b2)
                wanted[d + 2] = a2 + s * b2 + c * (x * b1 - y * b0)
        else:
            for d in range(3, 9):
                wanted[d] = target[d]


@kernel
def end_frame(
    joints: Table,
    balls: npt.NDArray[np.int64],
    turns: Array,
    known: int,
    reference: Array,
    q: Array,
    memory: Array,
    out: Array,
) -> None:
    """Write the answer of the plain figure and remember it; balls as the vectors nearest those of the frame before."""
    for c in range(q.shape[0]):
        out[c] = q[c]
    for k in range(balls.shape[0]):
        d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
        _turned(turns[k], 1.0, q, d, out)
        _nearest_branch(memory[Q1] if known >= 1 else reference, d, out)
    for c in range(q.shape[0]):
        memory[Q2, c], memory[R2, c] = memory[Q1, c], memory[R1, c]
        memory[Q1, c], memory[R1, c] = out[c], reference[c]
        memory[AWAY2, c] = memory[AWAY1, c]
        memory[AWAY1, c] = q[c] - reference[c]
    for k in range(balls.shape[0]):
        d = joints[balls[k]]["first"] + joints[balls[k]]["slides"]
        for i in range(3):
            memory[AWAY1, d + i] = q[d + i]


@kernel
def remember_sites(
    terms: Table,
    coherent: npt.NDArray[np.int8],
    target: Array,
    rotations: Array,
    positions: Array,
    memory: Array,
) -> None:
    """Keep where sites are and were wanted."""
    for k in range(terms.shape[0]):
        if coherent[k] == 0:
            continue
        j = terms[k]["joint"]
        R, p = rotations[j], terms[k]["point"]
        for i in range(3):
            memory[SITE2, k, i], memory[WANTED2, k, i] = memory[SITE1, k, i], memory[WANTED1, k, i]
            memory[SITE1, k, i] = positions[j, i] + R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]
            memory[WANTED1, k, i] = target[k, i]


@kernel
def _turned(turn: Array, sign: float, q: Array, d: int, out: Array) -> None:
    """The vector of turn · exp(q), or with the sign -1 of its inverse times exp(q)."""
    out[d], out[d + 1], out[d + 2] = turned_vector(
        turn[0], sign * turn[1], sign * turn[2], sign * turn[3], q[d], q[d + 1], q[d + 2]
    )


@kernel
def _nearest_branch(near: Array, d: int, out: Array) -> None:
    """Of all vectors that mean the same rotation, the one nearest to `near`."""
    out[d], out[d + 1], out[d + 2] = nearest_vector(out[d], out[d + 1], out[d + 2], near[d], near[d + 1], near[d + 2])


# Goals served strictly first: what they miss, and their targets shifted by it (see `tracking` for why). `scratch` is
# (3 or more, 3 or more), to work in.


@kernel
def missed(
    terms: Table, held: npt.NDArray[np.int8], target: Array, rotations: Array, positions: Array, scratch: Array
) -> float:
    """What the worst goal served strictly first misses along an axis (m, rad)."""
    worst = 0.0
    for k in range(terms.shape[0]):
        if held[k] != 0 and terms[k]["kind"] <= ROTATION:
            _gap(terms, k, target, rotations, positions, scratch)
            for i in range(3):
                worst = max(worst, abs(scratch[0, i]))
    return worst


@kernel
def shift_missed(
    terms: Table,
    held: npt.NDArray[np.int8],
    target: Array,
    rotations: Array,
    positions: Array,
    drop: bool,
    shifts: Array,
    wanted: Array,
    scratch: Array,
) -> None:
    """Move the targets of goals served strictly first by what they miss; or drop the shifts."""
    for k in range(terms.shape[0]):
        if held[k] != 0 and terms[k]["kind"] <= ROTATION:
            _gap(terms, k, target, rotations, positions, scratch)
            for i in range(3):
                shifts[k, i] = 0.0 if drop else shifts[k, i] + scratch[0, i]
            shift_target(terms[k]["kind"], target[k], shifts[k], wanted[k])


@kernel
def _gap(terms: Table, k: int, target: Array, rotations: Array, positions: Array, scratch: Array) -> None:
    """Write into the first row of `scratch` what a point or a rotation misses (m, rad)."""
    gap, ux, uy = scratch[0, :3], scratch[1, :3], scratch[2, :3]
    j = terms[k]["joint"]
    R, p, u, v = rotations[j], terms[k]["point"], terms[k]["x_axis"], terms[k]["y_axis"]
    for i in range(3):
        gap[i] = target[k, i] - positions[j, i] - (R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2])
        ux[i] = R[i, 0] * u[0] + R[i, 1] * u[1] + R[i, 2] * u[2]
        uy[i] = R[i, 0] * v[0] + R[i, 1] * v[1] + R[i, 2] * v[2]
    if terms[k]["kind"] == ROTATION:
        rotation_gap(ux, uy, target[k], gap)
