"""A joint's own rotation as a quaternion, and back to the numbers of its hinges or ball.

Three hinges turn freely when each axis is perpendicular to the next (Euler angles of any order, Davenport 1973).
With λ the angle about a2 that takes a1 to a3, `R exp(a2 λ) = exp(a1 α) exp(a2 β) exp(a1 γ)` is a symmetric
sequence whose quaternion, along a1, a2 and e = a1 × a2, is
`w = cos β/2 cos σ, x = cos β/2 sin σ, y = sin β/2 cos δ, z = sin β/2 sin δ` with σ = (α+γ)/2, δ = (α-γ)/2
(Bernardes & Viollet 2022). In gimbal lock one of σ and δ is lost; it is then taken from a reference, so that
nothing jumps. Every rotation has a second triple (α+π, -β, γ+π), for z-y-x angles (a+π, π-b, c+π).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figure.joint import Hinge, Joint, Vector
from posewright.rotations import (
    nearest_branch,
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

TURN = 2.0 * np.pi
_LOCKED = 1e-13  # below this the lost angle of gimbal lock carries no information


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
    """The hinges' angles or the ball's vector (..., n) of a rotation (..., 4), of all equal ones that nearest `near`.

    A joint with one or two hinges gets the angles of the rotation that comes closest (see `misfit`).

    Raises:
        InvalidMotion: the axes of its hinges are oblique to each other.
    """
    if joint.ball is not None:
        return nearest_branch(vector_from_quaternion(turn), near)
    n = len(joint.hinges)
    if n == 0:
        return np.zeros((*np.shape(turn)[:-1], 0))
    if n > 3 or not _perpendicular(joint.hinges):
        raise InvalidMotion(
            f"joint {joint.name!r} turns about {n} axes that are not perpendicular to each other; "
            "angles can only be found for up to three hinges, each perpendicular to the next, or a ball"
        )
    axes = _completed([hinge.axis for hinge in joint.hinges])
    padded = np.zeros((*np.shape(turn)[:-1], 3))
    padded[..., :n] = near
    return _three_angles(axes, turn, padded)[..., :n]


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


def _completed(axes: list[Vector]) -> Array:
    """Three axes, each perpendicular to the next, that begin with the given ones."""
    found = [np.array(axis) for axis in axes]
    if len(found) == 1:
        spare = np.eye(3)[np.argmin(np.abs(found[0]))]
        second = np.cross(found[0], spare)
        found.append(second / np.linalg.norm(second))
    if len(found) == 2:
        found.append(np.cross(found[0], found[1]))
    return np.array(found)


def _symmetric_offset(axes: Array) -> float:
    """λ: the angle about the second axis that takes the first axis to the third."""
    first, second, third = axes
    return float(np.arctan2(third @ np.cross(second, first), third @ first))


def _three_angles(axes: Array, turn: Array, near: Array) -> Array:
    first, second, _ = axes
    offset = _symmetric_offset(axes)
    symmetric = quaternion_multiply(turn, quaternion_from_vector(offset * second))
    w, vector = symmetric[..., 0], symmetric[..., 1:]
    x, y, z = vector @ first, vector @ second, vector @ np.cross(first, second)
    cosine, sine = np.hypot(w, x), np.hypot(y, z)
    half_sum, half_difference = np.arctan2(x, w), np.arctan2(z, y)
    # In gimbal lock only the sum or only the difference is known: the reference says how to share it.
    half_sum = np.where(cosine > _LOCKED, half_sum, 0.5 * (near[..., 0] + near[..., 2]))
    half_difference = np.where(sine > _LOCKED, half_difference, 0.5 * (near[..., 0] - near[..., 2]))
    bend = 2.0 * np.arctan2(sine, cosine)
    one = np.stack([half_sum + half_difference, bend - offset, half_sum - half_difference], axis=-1)
    two = np.stack([one[..., 0] + np.pi, -bend - offset, one[..., 2] + np.pi], axis=-1)
    one, two = nearest_turn(one, near), nearest_turn(two, near)
    far = np.sum((two - near) ** 2, axis=-1) < np.sum((one - near) ** 2, axis=-1)
    nearest: Array = np.where(far[..., None], two, one)
    return nearest
