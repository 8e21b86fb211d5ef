"""Goals that fade in slide from what the source does to what is wanted: nothing jumps, whatever their priority.

This is the activation of `goals.timed` for solvers that serve all goals strictly, by priority.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import JointFrames, centre_of_mass, joint_frames
from posewright.kernels import tables
from posewright.motions import Motion
from posewright.problem.lowering import LoweredProblem
from posewright.problem.motion_lowering import rows_of
from posewright.problem.schedule import Schedule
from posewright.rotations import matrix_from_quaternion, quaternion_from_matrix, slerp

DROPPED = 1e-3
"""Goals that cannot slide are weighted instead, and left out below this activation."""


def sliding_targets(lowered: LoweredProblem, schedules: Sequence[Schedule], source: Motion) -> tuple[Array, Array]:
    """Targets (frames, terms, 9) and weights (frames, terms) of goals over time.

    Args:
        lowered: the problem of one frame, of a figure with the joints of the source's.
        schedules: its goals over the frames of the source.
        source: what goals that fade in slide from.
    """
    n_frames = len(source)
    targets = np.repeat(lowered.targets[np.newaxis], n_frames, axis=0)
    weights = np.repeat(lowered.terms["weight"][np.newaxis], n_frames, axis=0)
    frames = joint_frames(source.figure, source.q)
    for schedule, rows in rows_of(lowered, schedules):
        for row in range(rows.start, rows.stop):
            if lowered.terms[row]["partner"] >= 0:
                targets[:, row, :3] = lowered.terms[row]["partner_point"]
        schedule.write(targets, lowered.terms, rows, 0)
        share = schedule.activation
        for row in range(rows.start, rows.stop):
            term = lowered.terms[row]
            if term["partner"] >= 0 or term["choice"] >= 0:
                weights[:, row] *= np.where(share >= DROPPED, share, 0.0)
                continue
            weights[:, row] *= share > 0.0
            fading = (share > 0.0) & (share < 1.0)
            if fading.any():
                _slide(term, targets[:, row], fading, share, frames, source)
    return targets, weights


def _slide(term: np.void, targets: Array, fading: BoolArray, share: Array, frames: JointFrames, motion: Motion) -> None:
    """Move the targets (frames, 9) of fading frames towards what the source does there."""
    kind, j = int(term["kind"]), int(term["joint"])
    a = share[fading, None]
    turns = frames.rotations[fading, j]
    if kind in (tables.MASS_POINT, tables.MASS_LINE):
        here = centre_of_mass(motion.figure, motion.q[fading])
    else:
        here = frames.positions[fading, j] + turns @ term["point"]
    wanted = targets[fading]
    if kind == tables.HALF_SPACE:
        inside = np.minimum(0.0, ((here - wanted[:, :3]) * wanted[:, 3:6]).sum(axis=1, keepdims=True))
        wanted[:, :3] += (1.0 - a) * inside * wanted[:, 3:6]
    elif kind == tables.ROTATION:
        source = _frame(turns @ term["x_axis"], turns @ term["y_axis"])
        mixed = matrix_from_quaternion(
            slerp(
                quaternion_from_matrix(source),
                quaternion_from_matrix(_frame(wanted[:, 3:6], wanted[:, 6:9])),
                share[fading],
            )
        )
        wanted[:, 3:6], wanted[:, 6:9] = mixed[:, :, 0], mixed[:, :, 1]
    elif kind == tables.DIRECTION:
        wanted[:, 3:6] = _between(turns @ term["x_axis"], wanted[:, 3:6], a)
    elif kind == tables.AIM:
        way = wanted[:, :3] - here
        far = np.linalg.norm(way, axis=1, keepdims=True)
        wanted[:, :3] = here + far * _between(turns @ term["x_axis"], way / np.maximum(far, 1e-12), a)
    else:
        wanted[:, :3] = here + a * (wanted[:, :3] - here)
    targets[fading] = wanted


def _frame(x: Array, y: Array) -> Array:
    """Rotations (frames, 3, 3) with these first two columns."""
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _between(u: Array, v: Array, share: Array) -> Array:
    """Unit vectors on the way from u to v (frames, 3), by the angle."""
    cosine = np.clip((u * v).sum(axis=1, keepdims=True), -1.0, 1.0)
    angle = np.arccos(cosine)
    sine = np.sin(angle)
    small = sine < 1e-9
    safe = np.where(small, 1.0, sine)
    mixed: Array = np.where(
        small, u + share * (v - u), (np.sin((1.0 - share) * angle) * u + np.sin(share * angle) * v) / safe
    )
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    return mixed
