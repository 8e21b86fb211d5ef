"""Levenberg-Marquardt over the tree: many independent solves in one call, no allocation per iteration.

Reaching: every step is taken, with damping in proportion to the squared error. A stall (four iterations in a row
that do not get below 0.7 of the last mark) starts again from a seeded random pose while restarts are left.
Settling: when goals cannot be met, the best pose seen is followed by guarded steps (one that raises the cost is
undone) to a stationary point.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import kernel
from posewright.kernels.kinematics import place
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree import gather, screws, step

REACHED: Final = 1
STATIONARY: Final = 2
OUT_OF_ITERATIONS: Final = 3
INTERRUPTED: Final = 4

SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("restarts", "i8"),  # at most so many random starts after the given one
        ("seed", "u8"),
        ("damping", "f8"),  # λ = damping · cost + floor
        ("floor", "f8"),
        ("settled", "f8"),  # relative gain below which a guarded step counts as none
    ],
    align=True,
)

N_INFO: Final = 4
"""Per solve: iterations, why it stopped, cost, restarts used."""


@kernel
def solve_all(
    joints: Table,
    dofs: Table,
    goals: Table,
    settings: Table,
    starts: Array,
    targets: Array,
    posture: Array,
    references: Array,
    stop: npt.NDArray[np.int8],
    q_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems, each from its own start.

    Args:
        joints: the figure.
        dofs: the figure; a dof of scale 0 is frozen.
        goals: what is wanted.
        settings: one row of SETTINGS.
        starts: (solves, dofs), or (1, dofs) for all.
        targets: (solves, goals, TARGET_WIDTH).
        posture: (dofs,) weight of the squared distance to the reference.
        references: (solves, dofs), or (1, dofs) for all.
        stop: one element; not 0 ends every solve at its best pose so far.
        q_out: (solves, dofs).
        errors_out: (solves, goals), m or rad, of the returned pose.
        info_out: (solves, N_INFO).
    """
    n_joints, n_dofs = joints.shape[0], dofs.shape[0]
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n_dofs, 3))
    S, H, V = np.empty((n_dofs, 6)), np.empty((n_dofs, 6)), np.empty((n_joints, 6))
    P, b = np.empty((n_joints, 21)), np.empty((n_joints, 6))
    P_again, b_again = np.empty((n_joints, 21)), np.empty((n_joints, 6))
    D, t, g, inverse, d = np.empty(n_dofs), np.zeros(n_dofs), np.empty(n_dofs), np.empty(n_dofs), np.zeros(n_dofs)
    q, best, saved = np.empty(n_dofs), np.empty(n_dofs), np.empty(n_dofs)
    locks = np.zeros(n_dofs, np.int8)
    useful = np.zeros(n_joints, np.int8)
    for k in range(goals.shape[0]):
        j = goals[k]["joint"]
        while j >= 0 and useful[j] == 0:
            useful[j] = 1
            j = joints[j]["parent"]
    leaning = False
    for c in range(n_dofs):
        leaning = leaning or posture[c] > 0.0
    max_iterations, max_restarts = settings[0]["max_iterations"], settings[0]["restarts"]
    damping, floor, settled = settings[0]["damping"], settings[0]["floor"], settings[0]["settled"]

    for solve in range(targets.shape[0]):
        start = starts[solve if starts.shape[0] > 1 else 0]
        reference = references[solve if references.shape[0] > 1 else 0]
        errors = errors_out[solve]
        random = settings[0]["seed"]
        for c in range(n_dofs):
            q[c] = min(max(start[c], dofs[c]["lower"]), dofs[c]["upper"])
        locks[:] = 0
        iterations, restarts, slow, quiet, why = 0, 0, 0, 0, 0
        mark, cost, best_cost = math.inf, math.inf, math.inf
        settling, trial, done = leaning, False, False
        guard = 1e-2
        while True:
            place(joints, dofs, q, rotations, positions, axes)
            last_cost = cost
            cost = gather(goals, targets[solve], rotations, positions, P, b, errors)
            for c in range(n_dofs):
                if posture[c] > 0.0:
                    cost += posture[c] * (reference[c] - q[c]) ** 2
            if done:
                break
            reached = not leaning
            for k in range(goals.shape[0]):
                reached = reached and errors[k] <= goals[k]["tolerance"]
            if reached:
                why = REACHED
                break
            if settling and trial:
                if cost < last_cost:
                    guard = max(0.3 * guard, floor)
                    quiet = quiet + 1 if last_cost - cost <= settled * last_cost else 0
                    if quiet >= 2:
                        why = STATIONARY
                        break
                else:  # undo, and try a shorter step from where we were
                    q[:] = saved
                    guard *= 8.0
                    trial = False
                    cost = math.inf
                    iterations += 1
                    if guard > 1e10 or iterations >= max_iterations:
                        why = STATIONARY if guard > 1e10 else OUT_OF_ITERATIONS
                        done = True
                    continue
            if cost < best_cost:
                best_cost = cost
                best[:] = q
            if stop[0] != 0 or iterations >= max_iterations:
                why = INTERRUPTED if stop[0] != 0 else OUT_OF_ITERATIONS
                if best_cost < cost:
                    q[:] = best
                    done = True
                    continue
                break
            if not settling:
                if cost < 0.7 * mark:
                    mark = cost
                    slow = 0
                else:
                    slow += 1
                if slow > 3:
                    slow = 0
                    mark = math.inf
                    locks[:] = 0
                    if restarts < max_restarts:
                        restarts += 1
                        for c in range(n_dofs):
                            lower, upper = dofs[c]["lower"], dofs[c]["upper"]
                            q[c] = min(max(start[c], lower), upper)
                            if dofs[c]["scale"] > 0.0 and lower > -math.inf and upper < math.inf:
                                random += np.uint64(0x9E3779B97F4A7C15)
                                z = (random ^ (random >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                                z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                                u = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 1.1102230246251565e-16
                                q[c] += 0.5 * (lower + (upper - lower) * u - q[c])
                    else:
                        settling = True
                        q[:] = best
                    trial = False
                    cost = math.inf
                    continue
            damp = guard * min(cost, 1.0) + floor if settling else damping * cost + floor
            for c in range(n_dofs):
                scale = dofs[c]["scale"]
                if scale > 0.0:
                    D[c] = damp / (scale * scale) + posture[c]
                    t[c] = posture[c] * (reference[c] - q[c]) / D[c]
            screws(joints, dofs, positions, axes, S)
            if settling:
                P_again[:, :] = P
                b_again[:, :] = b
                for _ in range(3):  # until the limits settle: a stationary point needs the right ones
                    if step(joints, dofs, useful, q, S, D, t, locks, P, b, H, g, inverse, V, d) == 0:
                        break
                    P[:, :] = P_again
                    b[:, :] = b_again
                saved[:] = q
            else:
                step(joints, dofs, useful, q, S, D, t, locks, P, b, H, g, inverse, V, d)
            for c in range(n_dofs):
                q[c] = min(max(q[c] + d[c], dofs[c]["lower"]), dofs[c]["upper"])
            _rechart(joints, dofs, posture, q)
            iterations += 1
            trial = True
        q_out[solve] = q
        info_out[solve, 0] = iterations
        info_out[solve, 1] = why
        info_out[solve, 2] = cost
        info_out[solve, 3] = restarts


@kernel
def _rechart(joints: Table, dofs: Table, posture: Array, q: Array) -> None:
    """Bring rotation vectors longer than pi back, where nothing but their rotation matters."""
    for j in range(joints.shape[0]):
        if joints[j]["ball"] == 0:
            continue
        d = joints[j]["first"] + joints[j]["slides"]
        tt = q[d] * q[d] + q[d + 1] * q[d + 1] + q[d + 2] * q[d + 2]
        if tt <= math.pi * math.pi:
            continue
        free = True
        for k in range(3):
            free = free and dofs[d + k]["lower"] == -math.inf and dofs[d + k]["upper"] == math.inf
            free = free and posture[d + k] == 0.0 and dofs[d + k]["scale"] > 0.0
        if free:
            length = math.sqrt(tt)
            factor = 1.0 - 2.0 * math.pi * round(length / (2.0 * math.pi)) / length
            for k in range(3):
                q[d + k] *= factor
