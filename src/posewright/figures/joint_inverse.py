"""Coordinates of one joint from where it should be: the inverse of a joint's product of slides and turns."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures.joint import Joint
from posewright.figures.joint_rotation import hinge_angles, turn_of
from posewright.figures.tables import effective_offset
from posewright.rotations import matrix_from_quaternion, nearest_branch, vector_from_matrix


def local_frames(joint: Joint, q: Array) -> tuple[Array, Array]:
    """Places (frames, 3) and rotations (frames, 3, 3), parent_from_joint, for the joint's own `q` (frames, n)."""
    n_slides = len(joint.slides)
    places = slid_places(joint, q[:, :n_slides])
    return places, matrix_from_quaternion(np.array(joint.rest)) @ own_rotations(joint, q[:, n_slides:])


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
    own = np.swapaxes(matrix_from_quaternion(np.array(joint.rest)), 0, 1) @ rotations
    if joint.ball:
        q[:, n_slides:] = nearest_branch(vector_from_matrix(own), near[n_slides:])
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
