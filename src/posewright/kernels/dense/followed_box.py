"""How far a call of `follow` has gone from the last answer, and rows that hold back what went as far as it may."""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.followed import Followed
from posewright.kernels.dense.newton_step import ACTIVE, BASE, N_BINDING, RIGHT, SOFTNESS, TURNED
from posewright.kernels.dense.problem import BY_Q, GRADIENT, DenseProblem, Point, Q, add_chain, by_coordinates
from posewright.kernels.tables import SLIDE, Array

_INSIDE = 0.985  # of what a call may move: where rows hold it back, with something to spare for what bends


@kernel
def excess_of(problem: DenseProblem, followed: Followed, point: Point) -> float:
    """How often the way from the last answer is as long as allowed, of what went furthest."""
    found = 0.0
    for d in range(problem.dofs.shape[0]):
        found = max(found, _excess_of_dof(problem, followed, point, d))
    for j in range(point.positions.shape[0]):
        found = max(found, _excess_of_joint(followed, point, j))
    return found


@kernel
def _excess_of_dof(problem: DenseProblem, followed: Followed, point: Point, d: int) -> float:
    state = followed.table[0]
    longest = state["move"] if problem.dofs[d]["kind"] == SLIDE else state["turn"]
    return float(abs(point.per_dof[Q, d] - followed.anchored_q[d]) / longest)


@kernel
def _excess_of_joint(followed: Followed, point: Point, j: int) -> float:
    return _distance(point.positions[j], followed.anchored[j]) / float(followed.table[0]["move"])


@kernel
def _distance(a: Array, b: Array) -> float:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def note_far(problem: DenseProblem, followed: Followed, x: Array, point: Point) -> None:
    """Write rows that hold back what went too far: the furthest first, and of joints that are together only one."""
    state, far = followed.table[0], followed.far
    n_dofs, n_joints = problem.dofs.shape[0], point.positions.shape[0]
    fresh = np.zeros(far.shape[0])
    for _ in range(far.shape[0]):
        worst, which = 1.0, n_joints
        for d in range(n_dofs):
            excess = _excess_of_dof(problem, followed, point, d)
            if excess > worst and not _is_noted(followed, point, -1.0 - d, fresh):
                worst, which = excess, -1 - d
        for j in range(n_joints):
            excess = _excess_of_joint(followed, point, j)
            if excess > worst and not _is_noted(followed, point, j, fresh):
                worst, which = excess, j
        if which == n_joints:
            break
        k = _slot(followed, point, which, fresh)
        if k < 0:
            break
        fresh[k] = 1.0
        far[k, 0] = which
        if which < 0:
            gap = point.per_dof[Q, -1 - which] - followed.anchored_q[-1 - which]
            far[k, 1], far[k, 4] = 1.0 if gap > 0.0 else -1.0, abs(gap) / worst
        else:
            for i in range(3):
                far[k, 1 + i] = (point.positions[which, i] - followed.anchored[which, i]) / (worst * state["move"])
            far[k, 4] = state["move"]
        far_row(problem, followed, point, k, x)


@kernel
def _is_near(followed: Followed, point: Point, which: float, k: int) -> bool:
    """Whether row k is about the same dof or joint, or about one beside it."""
    other = followed.far[k, 0]
    if which == other or which < 0.0 or other < 0.0:
        return bool(which == other)
    return bool(_distance(point.positions[int(which)], point.positions[int(other)]) < followed.table[0]["move"])


@kernel
def _is_noted(followed: Followed, point: Point, which: float, fresh: Array) -> bool:
    noted = False
    for k in range(fresh.shape[0]):
        noted = noted or (fresh[k] != 0.0 and _is_near(followed, point, which, k))
    return noted


@kernel
def _slot(followed: Followed, point: Point, which: float, fresh: Array) -> int:
    """The row to write: that of the same place, a new one, or one that holds nothing back; -1 if there is none."""
    state, rows, n = followed.table[0], followed.model.rows, followed.model.H.shape[0]
    capacity, free = fresh.shape[0], -1
    used = min(state["n_far"], capacity)
    for k in range(used):
        if followed.far[k, 0] == which:
            return k
        if rows[rows.shape[0] - N_BINDING - capacity + k, n + ACTIVE] == 0.0 and fresh[k] == 0.0:
            free = k
    if used < capacity:
        state["n_far"] = used + 1
        return int(used)
    return free


@kernel
def far_row(problem: DenseProblem, followed: Followed, point: Point, k: int, x: Array) -> None:
    """Write row k, which keeps what went as far as it may from going further, as it is at x."""
    model, n, far = followed.model, followed.model.H.shape[0], followed.far[k]
    row = model.rows[model.rows.shape[0] - N_BINDING - followed.far.shape[0] + k]
    by_q, q, G = point.per_dof[BY_Q:GRADIENT], point.per_dof[Q], np.zeros((1, 6))
    row[n + RIGHT], row[n + SOFTNESS], row[n + TURNED] = 1.0, 0.0, 0.0
    if k >= followed.table[0]["n_far"]:
        row[n + ACTIVE] = 0.0
        for c in range(n):
            row[c] = 0.0
        return
    by_q[0, :] = 0.0
    if far[0] < 0.0:
        d = int(-1.0 - far[0])
        by_q[0, d] = far[1]
        gone = far[1] * (q[d] - followed.anchored_q[d])
    else:
        j, gone = int(far[0]), 0.0
        p, origin = point.positions[j], point.positions[0]
        u, v, w = p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]
        G[0, 0], G[0, 1], G[0, 2] = v * far[3] - w * far[2], w * far[1] - u * far[3], u * far[2] - v * far[1]
        G[0, 3], G[0, 4], G[0, 5] = far[1], far[2], far[3]
        for i in range(3):
            gone += far[1 + i] * (p[i] - followed.anchored[j, i])
        add_chain(problem.joints, j, point.screws, G, 1, by_q)
    by_coordinates(problem, 0, 1.0, by_q[0], row[:n])
    room = far[4] * _INSIDE - gone
    for c in range(n):  # from where the model was made, not from x
        room += row[c] * (x[c] - model.places[BASE, c])
    row[n + RIGHT] = max(0.0, room)
