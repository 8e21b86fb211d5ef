"""Least squares over single dofs and goals on sites: the loop around the tree elimination of `tree`.

Many independent solves in one call; nothing is allocated per iteration.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.search_control import DONE, LOW, SAVED, START, STATE, STEP, begin, judge
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.elimination import gather, screws, step
from posewright.kernels.tree.points import forms_below

N_INFO: Final = 4
"""Per solve: iterations, why it stopped, cost, restarts used."""


@kernel
def solve_tree(
    joints: Table,
    dofs: Table,
    terms: Table,
    settings: Table,
    starts: Array,
    targets: Array,
    posture: Array,
    references: Array,
    ranges: Array,
    stop: npt.NDArray[np.int8],
    q_out: Array,
    errors_out: Array,
    info_out: Array,
) -> None:
    """Solve len(targets) problems, each from its own start.

    Args:
        joints: the figure.
        dofs: the figure; a dof of scale 0 is frozen.
        terms: what is wanted; sites in the world only, no alternatives, one level.
        settings: one row of `descent.SETTINGS`.
        starts: (solves, dofs), or (1, dofs) for all.
        targets: (solves, terms, TARGET_WIDTH).
        posture: (dofs,) weight of the squared distance to the reference.
        references: (solves, dofs), or (1, dofs) for all.
        ranges: (2, dofs) of random restarts.
        stop: one element; not 0 ends every solve at its best pose so far.
        q_out: (solves, dofs).
        errors_out: (solves, terms), m or rad, of the returned pose.
        info_out: (solves, N_INFO).
    """
    n_joints, n_dofs = joints.shape[0], dofs.shape[0]
    # One allocation per shape: each costs as much as a joint of a sweep.
    rotations, positions = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3))
    axes, screw_pair = np.empty((n_dofs, 3)), np.empty((2, n_dofs, 6))
    S, H = screw_pair[0], screw_pair[1]
    forms, vectors = np.empty((2, n_joints, 21)), np.empty((4, n_joints, 6))
    P, P_again, b, b_again, V, X = forms[0], forms[1], vectors[0], vectors[1], vectors[2], vectors[3]
    per_dof = np.zeros((12, n_dofs))
    D, t, g, inverse, d = per_dof[0], per_dof[1], per_dof[2], per_dof[3], per_dof[4]
    q, stiffness, places = per_dof[5], per_dof[6], per_dof[7:12]
    copy_rows_into(ranges, places[LOW:])
    locks = np.zeros(n_dofs, np.int8)
    below = np.zeros(n_joints, np.int8)
    points = forms_below(joints, terms, below)
    scratch, no_curvature = np.empty((10, 6)), np.empty((0, 3))
    states = np.zeros(1, STATE)
    for c in range(n_dofs):
        scale = dofs[c]["scale"]
        stiffness[c] = 1.0 / (scale * scale) if scale > 0.0 else 0.0
    minimising = settings[0]["minimising"] != 0
    balls = False
    for j in range(n_joints):
        balls = balls or joints[j]["ball"] != 0

    for solve in range(targets.shape[0]):
        given = starts[solve if starts.shape[0] > 1 else 0]
        reference = references[solve if references.shape[0] > 1 else 0]
        errors = errors_out[solve]
        state = states[0]
        begin(settings[0], state)
        for c in range(n_dofs):
            q[c] = min(max(given[c], dofs[c]["lower"]), dofs[c]["upper"])
        copy_into(q, places[START])
        locks[:] = 0
        while True:
            place(joints, dofs, q, rotations, positions, axes)
            cost = gather(terms, below, targets[solve], rotations, positions, P, b, X, errors, scratch)
            reached = all_within(terms, errors)
            if minimising:
                for c in range(n_dofs):
                    gap = reference[c] - q[c]
                    cost += posture[c] * gap * gap
            action = judge(settings[0], state, cost, reached, stop, q, places)
            if action == DONE:
                break
            if action != STEP:
                locks[:] = 0
                continue
            damping = state["damping"]
            for c in range(n_dofs):
                D[c] = damping * stiffness[c] + posture[c]
            if minimising:
                for c in range(n_dofs):
                    t[c] = posture[c] * (reference[c] - q[c]) / D[c] if stiffness[c] > 0.0 else 0.0
            screws(joints, dofs, positions, axes, S)
            sweeps = 1
            if state["settling"] != 0:  # a stationary point needs the right limits: sweep until they settle
                sweeps = 3
                copy_rows_into(P, P_again)
                copy_rows_into(b, b_again)
                copy_into(q, places[SAVED])
            while step(joints, dofs, below, points, q, X, S, D, t, locks, P, b, H, g, inverse, V, no_curvature, d) != 0:
                sweeps -= 1
                if sweeps <= 0:
                    break
                copy_rows_into(P_again, P)
                copy_rows_into(b_again, b)
            for c in range(n_dofs):
                q[c] = min(max(q[c] + d[c], dofs[c]["lower"]), dofs[c]["upper"])
            if balls:
                rechart(joints, dofs, posture, q)
        copy_into(q, q_out[solve])
        info_out[solve, 0] = state["iterations"]
        info_out[solve, 1] = state["why"]
        info_out[solve, 2] = state["cost"]
        info_out[solve, 3] = state["restarts"]


@kernel
def all_within(terms: Table, errors: Array) -> bool:
    """Whether every term is within its tolerance."""
    missed = 0
    for k in range(terms.shape[0]):
        missed += 0 if errors[k] <= terms[k]["tolerance"] else 1
    return missed == 0


@kernel
def rechart(joints: Table, dofs: Table, posture: Array, q: Array) -> None:
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
