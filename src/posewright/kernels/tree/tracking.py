"""Stretches of a clip in one call: least squares frame after frame by the tree elimination of `tree`.

Each frame starts from the answers before: they moved away from the example, and go on doing so. The first step is a
Gauss-Newton one with fixed damping; with goals served strictly first so are the next, while they bring much. The others
are Newton steps. A step that raises the cost is undone and followed by a damped Gauss-Newton one. Damping and locks at
limits are carried from frame to frame and forgotten at cuts.

Goals served strictly first have a weight that dwarfs the others, and shifted targets: after each step the shift grows
by what is still missed (the method of multipliers; the shift times the weight is the multiplier), so the true target is
met, not only as closely as the weight makes it. Where that does not converge the target is out of reach: the shifts are
dropped, and the weight alone decides. What is still missed in the end a few steps for these goals alone make up for.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.search_control import OUT_OF_ITERATIONS, STATIONARY
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.curvature import curvature
from posewright.kernels.tree.elimination import gather, screws, step
from posewright.kernels.tree.points import WHOLE, forms_below
from posewright.kernels.tree.polygons import KEPT, NONE, Polygons, keep_within, release, turn, turn_back
from posewright.kernels.tree.sweep import keep_forms, new_sweep, restore_forms
from posewright.kernels.tree.tracking_frame import (
    SHIFT,
    EveryFrame,
    FrameObjective,
    begin_frame,
    collapse_pose,
    collapse_targets,
    end_frame,
    missed,
    remember_sites,
    set_bounds,
    set_charts,
    shift_missed,
)

SETTINGS: Final = np.dtype(
    [
        ("steps", "i8"),  # at most so many per frame
        ("guarded", "i8"),  # 1: undo steps that raise the cost
        ("newton", "i8"),  # 1: Newton steps after the first few
        ("sweeps", "i8"),  # at most so many per step, until the locks settle
        ("damping", "f8"),  # λ of a frame's first step, over weight and unit
        ("ahead", "f8"),  # frames by which a start goes on as the answers before moved from their examples
        ("gain", "f8"),  # a step that lowers the cost by less than this share ends the frame
        ("still", "f8"),  # so does one in which no dof changes by more than this (rad, m)
        ("met", "f8"),  # m, rad: what goals served strictly first may miss
        ("heaviest", "f8"),  # weight of a track: what damping is relative to
        ("pull", "f8"),  # least weight of the example over weight and unit, 0 if it has none
        ("track_velocity", "f8"),
        ("track_acceleration", "f8"),
        ("example_velocity", "f8"),
        ("example_acceleration", "f8"),
        ("stiff", "i8"),  # 1 if any dof has a stiffness
        ("budget", "i8"),  # return after so many steps
    ],
    align=True,
)

CARRIED: Final = np.dtype([("known", "i8"), ("guard", "f8")], align=True)
"""From frame to frame: how many frames are known since a cut, and the damping of Newton steps."""


GUARD: Final = 1e-3
_LEAST, _MOST = 1e-9, 0.1  # of the guard
_NOISE = 1e-13  # of the cost
_SWIFT = 0.9  # with heavy goals, Gauss-Newton steps as long as they gain this share: what is missed bends the form much
_CALM = 0.3  # multipliers mean nothing far from a minimum: a step that gains more than this share leaves them alone
_STALLS = 6  # shifts in vain before a goal counts as out of reach
_POLISHES, _FIRM = 12, 1e-7  # last steps for what is served strictly first, and their damping over its weight


class Frames(NamedTuple):
    """What is asked of the frames of a stretch, and the answers."""

    references: Array
    """(frames, dofs), the example"""
    targets: Array
    """(frames, terms, TARGET_WIDTH)"""
    weights: Array
    """(frames, terms)"""
    held: npt.NDArray[np.int8]
    """(frames, terms): 1 where served strictly first"""
    begins: npt.NDArray[np.int8]
    """(frames,): 1 where nothing before counts"""
    q: Array
    """(frames, dofs), written"""
    info: npt.NDArray[np.int64]
    """(frames, 2), written: steps, and why it stopped as in `search_control`"""


class Memory(NamedTuple):
    """What one call leaves to the next."""

    carried: Table
    """one row of CARRIED"""
    dofs: Array
    """(6, dofs), see `tracking_frame`"""
    terms: Array
    """(5, terms, 3), see `tracking_frame`"""
    locks: npt.NDArray[np.int8]
    """(dofs,)"""


@kernel
def follow(
    joints: Table,
    dofs: Table,
    terms: Table,
    settings: Table,
    every: EveryFrame,
    polygons: Polygons,
    frames: Frames,
    memory: Memory,
) -> int:
    """Solve frames until all are done or the budget is used up; return how many.

    Args:
        joints: the figure.
        dofs: the figure; a dof of scale 0 is as in the example. Limits are overwritten where speeds have some.
        terms: sites in the world only, no alternatives; its weights are overwritten.
        settings: one row of SETTINGS.
        every: what holds in all frames.
        polygons: pairs of dofs limited together; nothing freezes them.
        frames: what is asked and answered.
        memory: of the frames before.
    """
    n_joints, n_dofs, n_terms = joints.shape[0], dofs.shape[0], terms.shape[0]
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n_dofs, 3))
    sweep, moments = new_sweep(n_joints, n_dofs), np.empty((n_joints, 15))
    D, t, d, q, locks = sweep.D, sweep.t, sweep.d, sweep.q, sweep.locks
    for c in range(n_dofs):
        locks[c] = memory.locks[c]
    per_dof = np.zeros((7, n_dofs))
    saved, pose, pull = per_dof[0], per_dof[1], per_dof[2]
    below, whole = np.zeros(n_joints, np.int8), np.zeros(n_joints, np.int8)
    lone = forms_below(joints, terms, below)
    for j in range(n_joints):
        whole[j] = WHOLE if below[j] != 0 else 0
    wanted, turns = np.empty((n_terms, 9)), np.empty((every.balls.shape[0], 4))
    objective = FrameObjective(turns, pose, pull, per_dof[3:7])
    errors, placed, scratch = np.empty(n_terms), joints.copy(), sweep.scratch
    references, targets, weights, held = frames.references, frames.targets, frames.weights, frames.held
    rule, carry = settings[0], memory.carried[0]
    guarded, newton, heaviest = rule["guarded"] != 0, rule["newton"] != 0, rule["heaviest"]
    judged = guarded or rule["track_velocity"] + rule["track_acceleration"] > 0.0
    n_polygons = polygons.dofs.shape[0]
    kept = np.empty((n_polygons, KEPT))
    spent, done_frames = 0, len(references)

    for frame in range(references.shape[0]):
        if spent > rule["budget"]:
            done_frames = frame
            break
        if frames.begins[frame] != 0:
            carry["known"], carry["guard"] = 0, GUARD
            locks[:] = 0
            polygons.at[:, :] = NONE
            memory.terms[SHIFT] = 0.0
        known = carry["known"]
        reference, target = references[frame], targets[frame]
        if every.limits.shape[0] > 0:
            set_bounds(every.limits, known, memory.dofs, dofs)
        set_charts(joints, every.balls, reference, placed, turns)
        collapse_pose(rule, known, joints, every, reference, memory.dofs, objective)
        weight = collapse_targets(
            rule, known, terms, every.coherent, held[frame], weights[frame], target, memory.terms, wanted
        )
        begin_frame(joints, dofs, every, below, known, rule["ahead"], reference, memory.dofs, objective, q)
        n_held = 0
        for k in range(n_terms):
            n_held += held[frame, k]
        if weight == 0.0:  # no goal is on: the pose is the answer
            for c in range(n_dofs):
                if pull[c] > 0.0 and dofs[c]["scale"] > 0.0:
                    q[c] = min(max(pose[c], dofs[c]["lower"]), dofs[c]["upper"])
        keep_within(polygons, dofs, pull, q)

        steps, why, damping = 0, STATIONARY, rule["damping"]
        trial, second, plain, last = False, False, False, False
        cost, change, least, firm, quiet, stalls, polishing = math.inf, math.inf, math.inf, _FIRM, 0, 0, 0
        moved, swift = True, n_held > 0
        while weight > 0.0:
            if moved:
                place(placed, dofs, q, rotations, positions, axes)
                moved = False
            newton_next = newton and steps > 0 and not plain and not swift and polishing == 0
            here = gather(terms, whole if newton_next else below, wanted, rotations, positions, sweep, errors)
            for c in range(n_dofs):
                here += pull[c] * (pose[c] - q[c]) * (pose[c] - q[c])
            if polishing > 0:
                miss = missed(terms, held[frame], target, rotations, positions, scratch)
                if not miss < least:  # too far where a limb is stretched: a shorter step from before
                    copy_into(saved, q)
                    moved = True
                    firm *= 100.0
                    least *= 1.0 + 1e-6
                    polishing += 1
                    continue
                if miss <= rule["met"] or polishing > _POLISHES:
                    break
                least = miss
                firm = max(0.01 * firm, _FIRM)
                polishing += 1
            settled, calm = False, last
            if trial and polishing == 0:
                gained = cost - here
                calm = gained <= _CALM * cost
                # Steps of goals held strictly may be too small for the cost to show them.
                if guarded and not gained > (-_NOISE * cost if n_held > 0 else 0.0):
                    copy_into(saved, q)
                    moved, trial, plain = True, False, True
                    if second:
                        carry["guard"] = min(4.0 * carry["guard"], _MOST)
                    else:
                        damping *= 4.0
                    last = gained >= -_NOISE * cost or damping > 1e6 or steps >= rule["steps"]
                    continue
                if second:
                    carry["guard"] = max(0.7 * carry["guard"], _LEAST)
                    slow = 1.0 + (carry["guard"] / rule["pull"] if rule["pull"] > 0.0 else 0.0)
                    settled = slow * gained <= rule["gain"] * cost
                elif guarded:
                    damping = max(0.2 * damping, 1e-14)
                    quiet = quiet + 1 if gained <= rule["gain"] * cost else 0
                    settled = quiet >= 2
                settled = settled or change < rule["still"]
                plain = False
                swift = swift and gained > _SWIFT * cost
            cost = here
            done = polishing == 0 and (settled or last or steps >= rule["steps"])
            miss = 0.0
            if n_held > 0 and polishing == 0 and (done or calm):
                miss = missed(terms, held[frame], target, rotations, positions, scratch)
                if miss > rule["met"] and calm and stalls < _STALLS and 0 < steps < rule["steps"]:
                    stalls += 1 if miss > 0.9 * least else 0
                    least = min(least, miss)
                    shift_missed(
                        terms, held[frame], target, rotations, positions, stalls >= _STALLS, memory.terms[SHIFT],
                        wanted, scratch,
                    )  # fmt: skip
                    trial, last, plain = False, False, False
                    continue
            if done:
                why = STATIONARY if steps < rule["steps"] else OUT_OF_ITERATIONS
                if miss <= rule["met"]:
                    break
                polishing, least, firm = 1, math.inf, _FIRM
                for k in range(n_terms):
                    if held[frame, k] == 0:
                        terms[k]["weight"] = 0.0
                    for i in range(9):
                        wanted[k, i] = target[k, i]
                continue
            if not newton_next and newton and steps > 0 and not plain and not swift and polishing == 0:
                gather(terms, whole, wanted, rotations, positions, sweep, errors)
                newton_next = True
            second = newton_next
            factor = heaviest * (carry["guard"] if second else damping)
            for c in range(n_dofs):
                if polishing > 0:
                    D[c], t[c] = firm * weight * every.units[c], 0.0
                else:
                    D[c] = factor * every.units[c] + pull[c]
                    t[c] = pull[c] * (pose[c] - q[c]) / D[c] if dofs[c]["scale"] > 0.0 else 0.0
            screws(placed, dofs, positions, axes, sweep.S)
            if second:
                curvature(joints, terms, wanted, rotations, positions, moments, sweep)
            sweeps = rule["sweeps"]
            if sweeps > 1:
                keep_forms(sweep)
            release(polygons, sweep)
            while True:
                turn(polygons, dofs, sweep, kept)
                switched = step(placed, dofs, whole if second else below, lone and not second, second, sweep)
                switched += turn_back(polygons, dofs, sweep, kept)
                sweeps -= 1
                if switched == 0 or sweeps <= 0:
                    break
                restore_forms(sweep)
            change = 0.0
            for c in range(n_dofs):
                saved[c] = q[c]
                q[c] = min(max(q[c] + d[c], dofs[c]["lower"]), dofs[c]["upper"])
                change = max(change, abs(q[c] - saved[c]))
            keep_within(polygons, dofs, D, q)
            steps += 1
            moved, trial = True, True
            if steps >= rule["steps"] and not judged and n_held == 0:
                why = OUT_OF_ITERATIONS  # nobody asks how good the last step was
                break

        if judged and n_terms > 0:
            if moved:
                place(placed, dofs, q, rotations, positions, axes)
            remember_sites(terms, every.coherent, target, rotations, positions, memory.terms)
        end_frame(joints, every.balls, turns, known, reference, q, memory.dofs, frames.q[frame])
        carry["known"] = min(known + 1, 2)
        frames.info[frame, 0], frames.info[frame, 1] = steps, why
        spent += steps + 1
    for c in range(n_dofs):
        memory.locks[c] = locks[c]
    return done_frames
