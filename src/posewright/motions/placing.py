"""Motions moved on the floor and turned about the vertical."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.checks import require_array, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.joint import NO_TURN
from posewright.figures.joint_coordinates import angles_of, misfit, slid_places, slide_values, turn_of
from posewright.figures.tables import effective_offset
from posewright.motions.motion import Motion
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
)

_WORLD_AXES = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
_EXACT = 1e-8
"""m or rad: a root that cannot follow better than this cannot follow."""


def moved(motion: Motion, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Motion:
    """See `Motion.moved`."""
    require_number(yaw, "yaw", unit="radians")
    step = require_array(translation, (3,), "translation")
    return motion.with_q(moved_q(motion.figure, motion.q, step, np.array(yaw)))


def moved_q(figure: Figure, q: Array, translations: Array, yaws: Array) -> Array:
    """Poses (..., dofs) turned by `yaws` (...), rad, about the world's vertical, then moved by `translations` (..., 3).

    Raises:
        InvalidMotion: a root of the figure has not the freedom for it.
    """
    quaternions = quaternion_from_vector(yaws[..., None] * np.array([0.0, 1.0, 0.0]))
    q = q.copy()
    for index in roots(figure):
        joint, where = figure.joints[index], figure.dof_slice(index)
        middle = where.start + len(joint.slides)
        if yaws.any():
            angles = q[..., middle : where.stop]
            rest = np.array(joint.rest)
            own = quaternions
            if joint.rest != NO_TURN:
                own = quaternion_multiply(quaternion_conjugate(rest), quaternion_multiply(quaternions, rest))
            wanted = quaternion_multiply(own, turn_of(joint, angles))
            found = angles_of(joint, wanted, angles)
            if joint.ball is None and np.max(misfit(joint, wanted, found), initial=0.0) > _EXACT:
                raise InvalidMotion(f"root {joint.name!r} cannot turn about the vertical")
            q[..., middle : where.stop] = found
    move_slides(figure, q, translations, yaws)
    return q


def move_slides(figure: Figure, q: Array, translations: Array, yaws: Array) -> None:
    """The part of `moved_q` that concerns where roots are, in place; their turns stay.

    Raises:
        InvalidMotion: a root of the figure has not the freedom for it.
    """
    turns = turns_about_vertical(yaws)
    for index in roots(figure):
        joint, first = figure.joints[index], figure.dof_slice(index).start
        columns = slice(first, first + len(joint.slides))
        if [slide.axis for slide in joint.slides] == _WORLD_AXES:  # free to go anywhere
            offset = np.array(effective_offset(joint))
            q[..., columns] = ((turns @ (q[..., columns] + offset)[..., None])[..., 0]) + (translations - offset)
            continue
        places = (turns @ slid_places(joint, q[..., columns])[..., None])[..., 0] + translations
        slides = slide_values(joint, places)
        gaps = np.abs(slid_places(joint, slides) - places)
        if np.max(gaps, initial=0.0) > _EXACT:
            pose = np.unravel_index(np.argmax(gaps.max(axis=-1)), gaps.shape[:-1])
            step, yaw = np.broadcast_to(translations, gaps.shape)[pose], np.broadcast_to(yaws, gaps.shape[:-1])[pose]
            raise InvalidMotion(
                f"root {joint.name!r} has {len(joint.slides)} slides and cannot be moved by {step.tolist()} m"
                + (f" after a turn of {yaw:g} rad" if yaw else "")
            )
        q[..., columns] = slides


def heading(rotations: Array) -> Array:
    """The turn about the vertical (...), rad, nearest to rotations (..., 3, 3).

    It maximises tr(R_yᵀ R): the twist of the rotation's swing-twist split.
    """
    R = rotations
    yaws: Array = np.arctan2(R[..., 0, 2] - R[..., 2, 0], R[..., 0, 0] + R[..., 2, 2])
    return yaws


def turns_about_vertical(yaws: Array) -> Array:
    """Rotations (..., 3, 3) by angles (...), rad, counter-clockwise seen from above."""
    turns = np.zeros((*yaws.shape, 3, 3))
    turns[..., 0, 0] = turns[..., 2, 2] = np.cos(yaws)
    turns[..., 0, 2] = np.sin(yaws)
    turns[..., 2, 0] = -turns[..., 0, 2]
    turns[..., 1, 1] = 1.0
    return turns


def roots(figure: Figure) -> tuple[int, ...]:
    """Indices of the joints without a parent."""
    return tuple(index for index, parent in enumerate(figure.parents) if parent < 0)
