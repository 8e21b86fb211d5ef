"""Speeds and accelerations, per second, by central differences (one-sided at the two ends).

Rotations are differenced as rotations: a step is the rotation vector that takes one frame to the next, so nothing
depends on Euler angles, their order or their jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures.joint_coordinates import slid_places, turn_of
from posewright.figures.kinematics import site_frames
from posewright.motions.motion import Motion
from posewright.rotations import quaternion_conjugate, quaternion_multiply, vector_from_quaternion


@dataclass(frozen=True, eq=False)
class JointRates:
    """How fast each joint turns and slides, relative to its parent and in its parent's frame."""

    turning: Array
    """(frames, joints, 3): angular velocity, rad/s, or acceleration, rad/s²"""
    sliding: Array
    """(frames, joints, 3): velocity, m/s, or acceleration, m/s²"""


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
    """What each joint does from a frame to the next: arrays (frames - 1, joints, 3), rad and m, not per second."""
    figure = motion.figure
    shape = (max(0, len(motion) - 1), len(figure.joints), 3)
    turning, sliding = np.zeros(shape), np.zeros(shape)
    for index, joint in enumerate(figure.joints):
        values = motion.q[:, figure.dof_slice(index)]
        n_slides = len(joint.slides)
        if n_slides:
            sliding[:, index] = np.diff(slid_places(joint, values[:, :n_slides]), axis=0)
        if joint.n_dofs > n_slides:
            turn = turn_of(joint, values[:, n_slides:])
            rest = np.array(joint.rest)
            turn = quaternion_multiply(rest, turn)
            turning[:, index] = vector_from_quaternion(quaternion_multiply(turn[1:], quaternion_conjugate(turn[:-1])))
    return JointRates(turning, sliding)


def _velocity(steps: Array) -> Array:
    """At frames (frames, ...) from mean velocities between them (frames - 1, ...)."""
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
