"""Coordinates of one joint: the rotation and place that they make, and back.

Three hinges turn freely when each axis is perpendicular to the next (Euler angles of any order, Davenport 1973).
Every rotation then has a second triple of angles: with λ the angle about a2 that takes a1 to a3, `R exp(a2 λ) =
exp(a1 α) exp(a2 β) exp(a1 γ)`, which (α+π, -β, γ+π) makes as well; for z-y-x angles that is (a+π, π-b, c+π).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.joint import Hinge, Joint
from posewright.figures.tables import effective_offset
from posewright.kernels.kinematics.hinge_angles import hinge_angles_all
from posewright.kernels.kinematics.rotations import log_vectors_all
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
    neighbours = itertools.pairwise(hinge.axis for hinge in joint.hinges)
    perpendicular = len(joint.hinges) == 3 and all(abs(np.dot(a, b)) < 1e-9 for a, b in neighbours)
    return joint.ball is not None or perpendicular


def turn_of(joint: Joint, angles: Array) -> Array:
    """Quaternions (..., 4) of the hinges' angles or the ball's vector (..., n); the rest rotation is not in it."""
    turn: Array = turns_of((joint,), np.asarray(angles)[..., np.newaxis, :])[..., 0, :]
    return turn


def turns_of(joints: Sequence[Joint], angles: Array) -> Array:
    """Quaternions (..., joints, 4) of balls, or of joints with as many hinges each, by angles (..., joints, n)."""
    if joints[0].ball is not None:
        return quaternion_from_vector(angles)
    turn = np.zeros((*np.shape(angles)[:-1], 4))
    turn[..., 0] = 1.0
    for k in range(len(joints[0].hinges)):
        axes = np.array([joint.hinges[k].axis for joint in joints])
        turn = quaternion_multiply(turn, quaternion_from_vector(angles[..., k, None] * axes))
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
    a1, a2, a3 = np.array([hinge.axis for hinge in joint.hinges])
    offset = np.arctan2(a3 @ np.cross(a2, a1), a3 @ a1)  # λ
    first, second, third = np.moveaxis(angles, -1, 0)
    return np.stack([first + np.pi, -second - 2.0 * offset, third + np.pi], axis=-1)


def nearest_turn(angles: Array, near: Array) -> Array:
    """Angles (...) moved by whole turns to be nearest `near`; those already nearest are unchanged."""
    moved: Array = angles + TURN * np.round((near - angles) / TURN)
    return moved


def local_frames(joint: Joint, q: Array) -> tuple[Array, Array]:
    """Places (frames, 3) and rotations (frames, 3, 3), parent_from_joint, for the joint's own `q` (frames, n)."""
    n_slides = len(joint.slides)
    places = slid_places(joint, q[:, :n_slides])
    return places, _rest_rotation(joint.rest) @ own_rotations(joint, q[:, n_slides:])


@cache
def _rest_rotation(rest: tuple[float, ...]) -> Array:
    """(3, 3), of a quaternion; kept, as it takes longer than all the rest of one pose."""
    return matrix_from_quaternion(np.array(rest))


def own_rotations(joint: Joint, q: Array) -> Array:
    """The rotation (frames, 3, 3) of hinges or ball alone, for their values (frames, n)."""
    return matrix_from_quaternion(turn_of(joint, q))


def joint_coordinates(joint: Joint, places: Array, rotations: Array, near: Array) -> Array:
    """The joint's `q` (frames, n) for parent_from_joint `places` (frames, 3) and `rotations` (frames, 3, 3).

    Angles are continuous over the frames and begin on the branch nearest to `near` (n,). Where the joint
    cannot be placed so, the answer is near it: compare `local_frames` with what was asked.
    """
    n_slides = len(joint.slides)
    q = np.empty((len(places), joint.n_dofs))
    q[:, :n_slides] = slide_values(joint, places)
    own = _rest_rotation(joint.rest).T @ rotations
    if joint.ball:
        vectors = np.empty((len(own), 3))
        log_vectors_all(own, vectors)
        q[:, n_slides:] = nearest_branch(vectors, near[n_slides:])
    else:
        q[:, n_slides:] = hinge_angles(joint.hinges, own, near[n_slides:], joint.name)
    return q


def slid_places(joint: Joint, slides: Array) -> Array:
    """Place (..., 3), m, of a joint in its parent's frame, from the values (..., n) of its slides."""
    axes = np.array([slide.axis for slide in joint.slides]).reshape(-1, 3)
    places: Array = np.array(effective_offset(joint)) + slides @ axes
    return places


def slide_values(joint: Joint, places: Array) -> Array:
    """Values (..., n), m, of the joint's slides that bring it nearest to `places` (..., 3) in its parent's frame."""
    axes = np.array([slide.axis for slide in joint.slides]).reshape(-1, 3)
    if len(axes) == 3 and (axes == np.eye(3)).all():
        plain: Array = places - np.array(effective_offset(joint))
        return plain
    values: Array = (places - np.array(effective_offset(joint))) @ np.linalg.pinv(axes)
    return values
