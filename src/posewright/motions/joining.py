"""Motions one after the other: put together as they are, or joined at a shared pose.

At a join the second motion is moved on the floor and turned about the vertical, never tilted or lifted; what still
differs (joint by joint, value and speed) is added to it and fades out along a quintic (inertialisation, Bollo 2018):
`x(s) = x₀ (1 - 10s³ + 15s⁴ - 6s⁵) + v₀T (s - 6s³ + 8s⁴ - 3s⁵)`, s = t/T, which begins with value x₀ and speed v₀ and
ends with value, speed and acceleration zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from posewright.checks import require_list, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import angles_of, nearest_turn, turn_of, turns_freely
from posewright.figures.kinematics import joint_frames
from posewright.motions.continuity import follow
from posewright.motions.motion import Motion, require_motion
from posewright.motions.placing import moved, roots
from posewright.motions.splines import ease
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

_SPEED_WINDOW = 0.05
"""s, on each side of a join, from which the speeds there are found."""


def concatenated(motions: Sequence[Motion]) -> Motion:
    """See `Motion.concatenated`."""
    require_list(motions, "what is concatenated", "motions")
    motions = list(motions)
    if not motions:
        raise InvalidMotion("there are no motions to concatenate")
    for position, motion in enumerate(motions[1:], start=1):
        _require_alike(motions[0], motion, f"motion {position}")
    notes = tuple(dict.fromkeys(note for motion in motions for note in motion.notes))
    return replace(motions[0], q=np.concatenate([motion.q for motion in motions]), notes=notes)


def joined(first: Motion, second: Motion, *, blend: float = 0.3) -> Motion:
    """See `Motion.joined`."""
    _require_alike(first, second, "the second motion")
    if len(first) == 0 or len(second) == 0:
        raise InvalidMotion("an empty motion has no pose to join at")
    require_number(blend, "blend", at_least=0.0, unit="seconds")
    placed = _placed_after(first, second)
    length = min(blend, placed.duration)
    q = placed.q.copy()
    near = 1 + max(2, round(_SPEED_WINDOW * first.fps))
    if length > 0.0:
        for index, joint in enumerate(first.figure.joints):
            where = first.figure.dof_slice(index)
            q[:, where] = _faded_in(
                joint, first.q[-near:, where], q[:, where], placed.times / length, length * first.fps
            )
    q[0] = first.q[-1]
    for index, joint in enumerate(first.figure.joints):
        where = first.figure.dof_slice(index)
        rotation = slice(where.start + len(joint.slides), where.stop)
        q[:, rotation] = follow(joint, q[:, rotation])
    return concatenated([first, placed.with_q(q[1:])])


def _placed_after(first: Motion, second: Motion) -> Motion:
    """The second motion on the floor where the first ends, facing as its root does."""
    root = roots(first.figure)[0]
    end, start = _frame_of(first.figure, first.q[-1], root), _frame_of(first.figure, second.q[0], root)
    # The yaw that brings one rotation nearest another maximises tr(R_y D), D = R_start R_endᵀ.
    D = start[1] @ end[1].T
    yaw = float(np.arctan2(D[2, 0] - D[0, 2], D[0, 0] + D[2, 2]))
    turned = moved(second, yaw=yaw)
    there = _frame_of(first.figure, turned.q[0], root)[0]
    return moved(turned, (end[0][0] - there[0], 0.0, end[0][2] - there[2]))


def _faded_in(joint: Joint, ending: Array, following: Array, s: Array, blend_frames: float) -> Array:
    """The joint's numbers (frames, n) of the second motion with what the first had otherwise fading out.

    `ending` are the last frames of the first motion, from which its speed is found; speeds are per frame here.
    """
    n_slides, near = len(joint.slides), len(ending)
    out = following.copy()
    slides, angles = following[:, :n_slides], following[:, n_slides:]
    if n_slides:
        offset = ending[-1, :n_slides] - slides[0]
        speed = _end_speed(np.diff(ending[:, :n_slides], axis=0)) - _start_speed(np.diff(slides[:near], axis=0))
        out[:, :n_slides] += _fade(offset, speed, s, blend_frames)
    if angles.shape[1] == 0:
        return out
    before = ending[:, n_slides:]
    if not turns_freely(joint):
        offset = nearest_turn(before[-1] - angles[0], np.zeros(angles.shape[1]))
        steady = np.unwrap(angles, axis=0)
        speed = _end_speed(np.diff(np.unwrap(before, axis=0), axis=0)) - _start_speed(np.diff(steady[:near], axis=0))
        out[:, n_slides:] = steady + _fade(offset, speed, s, blend_frames)
        return out
    turn, turn_before = turn_of(joint, angles), turn_of(joint, before)
    offset = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(turn[0]), turn_before[-1]))
    speed = _end_speed(_turn_steps(turn_before)) - _start_speed(_turn_steps(turn[:near]))
    faded = quaternion_multiply(turn, quaternion_from_vector(_fade(offset, speed, s, blend_frames)))
    out[:, n_slides:] = angles_of(joint, faded, angles)
    return out


def _fade(offset: Array, speed: Array, s: Array, blend_frames: float) -> Array:
    s = np.minimum(s, 1.0)[:, None]
    value = 1.0 - ease(s)
    slope = s + s**3 * (-6.0 + s * (8.0 - 3.0 * s))
    fading: Array = value * offset + slope * (speed * blend_frames)
    return fading


def _start_speed(steps: Array) -> Array:
    """Speed at the first frame, from a line fitted to the steps (n, m): curvature and noise then count little."""
    n = len(steps)
    if n < 2:
        speed: Array = steps.sum(axis=0)
        return speed
    middles = np.arange(n) + 0.5
    centred = middles - middles.mean()
    weights = 1.0 / n - middles.mean() * centred / (centred @ centred)
    fitted: Array = weights @ steps
    return fitted


def _end_speed(steps: Array) -> Array:
    return _start_speed(steps[::-1])


def _turn_steps(turn: Array) -> Array:
    """Rotation vectors, in the joint's frame, from each frame to the next."""
    return vector_from_quaternion(quaternion_multiply(quaternion_conjugate(turn[:-1]), turn[1:]))


def _frame_of(figure: Figure, q: Array, joint: int) -> tuple[Array, Array]:
    frames = joint_frames(figure, q)
    return frames.positions[joint], frames.rotations[joint]


def _require_alike(first: Motion, other: Motion, which: str) -> None:
    require_motion(other, which)
    if other.figure.joints != first.figure.joints:
        raise InvalidMotion(
            f"{which} is of figure {other.figure.name!r}, the first of {first.figure.name!r}; their joints must match"
        )
    if abs(other.fps - first.fps) > 1e-6 * first.fps:
        raise InvalidMotion(
            f"{which} has {other.fps:g} frames per second, the first {first.fps:g}; use `resampled` to make them alike"
        )
