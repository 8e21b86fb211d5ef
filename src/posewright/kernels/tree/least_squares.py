"""Least squares over single dofs and goals on sites: the loop around the tree elimination of `tree`.

Many independent solves in one call; nothing is allocated per iteration.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.search_control import DONE, LOW, SAVED, START, STATE, STEP, begin, judge
from posewright.kernels.kinematics.frames import place
from posewright.kernels.solves import Solves
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.elimination import gather, screws, step
from posewright.kernels.tree.points import forms_below
from posewright.kernels.tree.sweep import keep_forms, new_sweep, restore_forms


@kernel
def solve_tree(
    joints: Table,
    dofs: Table,
    terms: Table,
    settings: Table,
    posture: Array,
    ranges: Array,
    solves: Solves,
    stop: npt.NDArray[np.int8],
) -> None:
    """Solve many problems, each from its own start.

    Args:
        joints: the figure.
        dofs: the figure; a dof of scale 0 is frozen.
        terms: what is wanted; sites in the world only, no alternatives, one level.
        settings: one row of `search_control.SETTINGS`.
        posture: (dofs,) weight of the squared distance to the reference.
        ranges: (2, dofs) of random restarts.
        solves: their coordinates are dofs.
        stop: one element; not 0 ends every solve at its best pose so far.
    """
    starts, targets, references = solves.starts, solves.targets, solves.references
    n_joints, n_dofs = joints.shape[0], dofs.shape[0]
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n_dofs, 3))
    sweep, below, numbers = new_sweep(n_joints, n_dofs), np.zeros(n_joints, np.int8), np.zeros((6, n_dofs))
    stiffness, places = numbers[0], numbers[1:]
    copy_rows_into(ranges, places[LOW:])
    points = forms_below(joints, terms, below)
    q, d, D, t, locks = sweep.q, sweep.d, sweep.D, sweep.t, sweep.locks
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
        errors, info = solves.errors[solve], solves.info[solve]
        state = states[0]
        begin(settings[0], state)
        for c in range(n_dofs):
            q[c] = min(max(given[c], dofs[c]["lower"]), dofs[c]["upper"])
        copy_into(q, places[START])
        locks[:] = 0
        while True:
            place(joints, dofs, q, rotations, positions, axes)
            cost = gather(terms, below, targets[solve], rotations, positions, sweep, errors)
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
            screws(joints, dofs, positions, axes, sweep.S)
            sweeps = 1
            if state["settling"] != 0:  # a stationary point needs the right limits: sweep until they settle
                sweeps = 3
                keep_forms(sweep)
                copy_into(q, places[SAVED])
            while step(joints, dofs, below, points, False, sweep) != 0:
                sweeps -= 1
                if sweeps <= 0:
                    break
                restore_forms(sweep)
            for c in range(n_dofs):
                q[c] = min(max(q[c] + d[c], dofs[c]["lower"]), dofs[c]["upper"])
            if balls:
                rechart(joints, dofs, posture, q)
        copy_into(q, solves.x[solve])
        info[0] = state["iterations"]
        info[1] = state["why"]
        info[2] = state["cost"]
        info[3] = state["restarts"]


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
