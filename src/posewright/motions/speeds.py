"""Speeds and accelerations by central differences (one-sided at both ends), and motions with limited speeds.

Rotations are differenced as rotations: a step is the rotation vector from one frame to the next, so results do not
depend on Euler angles, their order or their jumps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint_coordinates import slid_places, turns_of
from posewright.figures.kinematics import site_frames
from posewright.motions.motion import Motion
from posewright.rotations import quaternion_conjugate, quaternion_multiply, vector_from_quaternion


@dataclass(frozen=True, eq=False)
class JointRates:
    """Velocities or accelerations of all joints, relative to their parents and in their parents' frames."""

    turning: Array
    """(frames, joints, 3): angular velocities, rad/s, or accelerations, rad/s²."""
    sliding: Array
    """(frames, joints, 3): linear velocities, m/s, or accelerations, m/s²."""


def joint_velocities(motion: Motion) -> JointRates:
    """Angular and sliding velocities of all joints."""
    steps = joint_steps(motion)
    return JointRates(_velocity(steps.turning * motion.fps), _velocity(steps.sliding * motion.fps))


def joint_accelerations(motion: Motion) -> JointRates:
    """Angular and sliding accelerations of all joints."""
    steps = joint_steps(motion)
    return JointRates(
        _acceleration(steps.turning * motion.fps, motion.fps), _acceleration(steps.sliding * motion.fps, motion.fps)
    )


def site_velocities(motion: Motion, sites: Sequence[str]) -> Array:
    """World velocities (frames, sites, 3), m/s."""
    points = site_frames(motion.figure, motion.q, sites).points
    return _velocity(np.diff(points, axis=0) * motion.fps)


def site_accelerations(motion: Motion, sites: Sequence[str]) -> Array:
    """World accelerations (frames, sites, 3), m/s²."""
    points = site_frames(motion.figure, motion.q, sites).points
    return _acceleration(np.diff(points, axis=0) * motion.fps, motion.fps)


def joint_steps(motion: Motion) -> JointRates:
    """Rotation and displacement of each joint between frames: arrays (frames - 1, joints, 3), rad and m."""
    figure = motion.figure
    shape = (max(0, len(motion) - 1), len(figure.joints), 3)
    turning, sliding = np.zeros(shape), np.zeros(shape)
    for index, joint in enumerate(figure.joints):
        if joint.slides:
            places = motion.q[:, figure.dof_slice(index)][:, : len(joint.slides)]
            sliding[:, index] = np.diff(slid_places(joint, places), axis=0)
    for alike in _turning_alike(figure):
        joints = [figure.joints[index] for index in alike]
        angles = [motion.q[:, figure.dof_slice(index)][:, len(figure.joints[index].slides) :] for index in alike]
        turn = quaternion_multiply(np.array([joint.rest for joint in joints]), turns_of(joints, np.stack(angles, 1)))
        turning[:, alike] = vector_from_quaternion(quaternion_multiply(turn[1:], quaternion_conjugate(turn[:-1])))
    return JointRates(turning, sliding)


def _turning_alike(figure: Figure) -> Iterable[list[int]]:
    """Indices of rotating joints, grouped by the number of hinges; balls are a group."""
    found: dict[int, list[int]] = {}
    for index, joint in enumerate(figure.joints):
        if joint.n_dofs > len(joint.slides):
            found.setdefault(len(joint.hinges), []).append(index)
    return found.values()


def _velocity(steps: Array) -> Array:
    """Velocities at frames (frames, ...) from mean velocities between them (frames - 1, ...)."""
    if len(steps) == 0:
        return np.zeros((1, *steps.shape[1:]))
    padded = np.concatenate([steps[:1], steps, steps[-1:]])
    velocity: Array = 0.5 * (padded[1:] + padded[:-1])
    return velocity


def _acceleration(steps: Array, fps: float) -> Array:
    if len(steps) < 2:
        return np.zeros((len(steps) + 1, *steps.shape[1:]))
    inner = np.diff(steps, axis=0) * fps
    return np.concatenate([inner[:1], inner, inner[-1:]])


def within_speeds(motion: Motion) -> Motion:
    """The motion nearest to this one, by the largest difference, in which no dof exceeds `Figure.max_speeds`.

    Movements that would be too fast start earlier, so the result neither lags nor overshoots. Slow parts that are far
    enough from fast ones do not change. Limits that the motion keeps stay kept.
    """
    limited = np.isfinite(motion.figure.max_speeds)
    if not limited.any() or len(motion) < 2:
        return motion
    q = np.array(motion.q)
    q[:, limited] = rate_limited(q[:, limited], motion.figure.max_speeds[limited] / motion.fps)
    return motion.with_q(q)


def rate_limited(values: Array, steps: Array) -> Array:
    """The curves (frames, n) nearest to `values` that change by at most `steps` (n,) from frame to frame.

    The result is midway between the highest such curve that is nowhere above `values` and the lowest that is nowhere
    below. It minimises the largest difference, since each of the two is at most twice the minimum away.
    """
    found = np.array(values)
    fast = np.abs(np.diff(values, axis=0)).max(axis=0, initial=0.0) > steps
    room = np.arange(len(values))[:, np.newaxis] * steps[fast]
    less, more = values[:, fast] - room, values[:, fast] + room
    under = np.minimum(_so_far(np.minimum, less) + room, _from_here(np.minimum, more) - room)
    above = np.maximum(_so_far(np.maximum, more) - room, _from_here(np.maximum, less) + room)
    found[:, fast] = 0.5 * (under + above)
    return found


def _so_far(extreme: np.ufunc, values: Array) -> Array:
    reached: Array = extreme.accumulate(values)
    return reached


def _from_here(extreme: np.ufunc, values: Array) -> Array:
    return _so_far(extreme, values[::-1])[::-1]
