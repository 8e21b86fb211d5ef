"""A joint's own rotation as a quaternion, and back to the numbers of its hinges or ball.

Three hinges turn freely when each axis is perpendicular to the next (Euler angles of any order, Davenport 1973).
Every rotation then has a second triple of angles: with λ the angle about a2 that takes a1 to a3, `R exp(a2 λ) =
exp(a1 α) exp(a2 β) exp(a1 γ)`, which (α+π, -β, γ+π) makes as well; for z-y-x angles that is (a+π, π-b, c+π).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.joint import Hinge, Joint
from posewright.kernels.kinematics.hinge_angles import hinge_angles_all
from posewright.rotations import (
    matrix_from_quaternion,
    nearest_branch,
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

TURN = 2.0 * np.pi


def turns_freely(joint: Joint) -> bool:
    """Whether a joint can take every rotation: a ball, or three hinges with each axis perpendicular to the next."""
    return joint.ball is not None or (len(joint.hinges) == 3 and _perpendicular(joint.hinges))


def turn_of(joint: Joint, angles: Array) -> Array:
    """Quaternions (..., 4) of the hinges' angles or the ball's vector (..., n); the rest rotation is not in it."""
    if joint.ball is not None:
        return quaternion_from_vector(angles)
    turn = np.zeros((*np.shape(angles)[:-1], 4))
    turn[..., 0] = 1.0
    for k, hinge in enumerate(joint.hinges):
        turn = quaternion_multiply(turn, quaternion_from_vector(angles[..., k, None] * np.array(hinge.axis)))
    return turn


def angles_of(joint: Joint, turn: Array, near: Array) -> Array:
    """The hinges' angles or the ball's vector (..., n) of rotations (..., 4), of all equal ones those nearest `near`.

    With `near` (n,) the first is nearest to it and each later one to the one before; with `near` (..., n) each is
    nearest to its own. Hinges that cannot turn so get angles near it (see `misfit`).
    """
    if joint.ball is not None:
        return nearest_branch(vector_from_quaternion(turn), near)
    return hinge_angles(joint.hinges, matrix_from_quaternion(turn), near, joint.name)


def hinge_angles(hinges: tuple[Hinge, ...], rotations: Array, near: Array, joint: str) -> Array:
    """Angles (..., n) of up to three hinges about any axes for `rotations` (..., 3, 3); `near` as in `angles_of`.

    Raises:
        InvalidFigure: there are more than three; `joint` is the name to say.
    """
    n = len(hinges)
    if n > 3:
        raise InvalidFigure(f"joint {joint!r} has {n} hinges; a rotation alone fixes at most 3")
    shape = np.shape(rotations)[:-2]
    angles = np.zeros((math.prod(shape), n))
    if n:
        axes = np.array([hinge.axis for hinge in hinges], dtype=np.float64)
        turns = np.ascontiguousarray(rotations, dtype=np.float64).reshape(-1, 3, 3)
        hinge_angles_all(axes, turns, np.array(near, dtype=np.float64, order="C").reshape(-1, n), angles)
    return angles.reshape(*shape, n)


def misfit(joint: Joint, turn: Array, angles: Array) -> Array:
    """Angle (...,), rad, between a rotation (..., 4) and what the joint's numbers make of it."""
    left = quaternion_multiply(quaternion_conjugate(turn), turn_of(joint, angles))
    size: Array = np.linalg.norm(vector_from_quaternion(left), axis=-1)
    return size


def other_triple(joint: Joint, angles: Array) -> Array:
    """The other angles (..., 3) of three perpendicular hinges that mean the same rotation, up to whole turns."""
    offset = _symmetric_offset(np.array([hinge.axis for hinge in joint.hinges]))
    first, second, third = np.moveaxis(angles, -1, 0)
    return np.stack([first + np.pi, -second - 2.0 * offset, third + np.pi], axis=-1)


def nearest_turn(angles: Array, near: Array) -> Array:
    """Angles (...) moved by whole turns to be nearest `near`; those already nearest keep their very bits."""
    moved: Array = angles + TURN * np.round((near - angles) / TURN)
    return moved


def _perpendicular(hinges: Sequence[Hinge]) -> bool:
    axes = np.array([hinge.axis for hinge in hinges])
    return bool(np.all(np.abs(np.sum(axes[:-1] * axes[1:], axis=-1)) < 1e-9))


def _symmetric_offset(axes: Array) -> float:
    """λ: the angle about the second axis that takes the first axis to the third."""
    first, second, third = axes
    return float(np.arctan2(third @ np.cross(second, first), third @ first))
