"""Coordinates of one joint from where it should be: the inverse of a joint's product of slides and turns."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figure.joint import Hinge, Joint
from posewright.figure.tables import effective_offset
from posewright.figure.turning import turn_of
from posewright.kernels.hinge_angles import follow_branches, hinge_angles_all
from posewright.rotations import matrix_from_quaternion, vector_from_matrix


def local_frames(joint: Joint, q: Array) -> tuple[Array, Array]:
    """Places (frames, 3) and rotations (frames, 3, 3), parent_from_joint, for the joint's own `q` (frames, n)."""
    n_slides = len(joint.slides)
    places = np.broadcast_to(np.array(effective_offset(joint)), (len(q), 3)).copy()
    for k, slide in enumerate(joint.slides):
        places += q[:, k, None] * np.array(slide.axis)
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
        q[:, n_slides:] = ball_vectors(own, near[n_slides:])
    elif joint.hinges:
        q[:, n_slides:] = hinge_values(joint.hinges, own, near[n_slides:], joint.name)
    return q


def slide_values(joint: Joint, places: Array) -> Array:
    """Values (frames, slides) of the joint's slides that bring it nearest to `places` (frames, 3) in its parent."""
    if not joint.slides:
        return np.empty((len(places), 0))
    axes = np.array([slide.axis for slide in joint.slides])
    values: Array = (places - np.array(effective_offset(joint))) @ np.linalg.pinv(axes)
    return values


def ball_vectors(rotations: Array, near: Array) -> Array:
    """Continuous rotation vectors (frames, 3), the first on the branch nearest to `near` (3,)."""
    vectors = np.ascontiguousarray(vector_from_matrix(rotations))
    follow_branches(vectors, np.array(near, dtype=np.float64))
    return vectors


def hinge_values(hinges: tuple[Hinge, ...], rotations: Array, near: Array, name: str) -> Array:
    """Continuous angles (frames, hinges), the first on the branch nearest to `near` (hinges,)."""
    if len(hinges) > 3:
        raise InvalidFigure(f"joint {name!r} has {len(hinges)} hinges; a rotation alone fixes at most 3")
    angles = np.empty((len(rotations), len(hinges)))
    axes = np.array([hinge.axis for hinge in hinges], dtype=np.float64)
    hinge_angles_all(axes, np.ascontiguousarray(rotations), np.array(near, dtype=np.float64), angles)
    return angles
