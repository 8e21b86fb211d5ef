"""Motions moved on the floor and turned about the vertical."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figure.figure import Figure
from posewright.figure.from_frames import slid_places, slide_values
from posewright.figure.joint import NO_TURN
from posewright.figure.turning import angles_of, misfit, turn_of
from posewright.motion.motion import Motion
from posewright.rotations import quaternion_conjugate, quaternion_multiply

_EXACT = 1e-8
"""m or rad: a root that cannot follow better than this cannot follow."""


def moved(motion: Motion, translation: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Motion:
    """The whole motion turned by `yaw` (rad) about the world's vertical axis, then moved by `translation` (m).

    Raises:
        InvalidMotion: a root of the figure has not the freedom for it.
    """
    step = np.asarray(translation, dtype=np.float64)
    if step.shape != (3,) or not np.isfinite(step).all() or not math.isfinite(yaw):
        raise InvalidSetting(f"translation {list(translation)} and yaw {yaw} must be three and one finite numbers")
    cosine, sine = math.cos(yaw), math.sin(yaw)
    turn = np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
    yaw_quaternion = np.array([math.cos(0.5 * yaw), 0.0, math.sin(0.5 * yaw), 0.0])
    q = motion.q.copy()
    for index in roots(motion.figure):
        joint, where = motion.figure.joints[index], motion.figure.dof_slice(index)
        middle = where.start + len(joint.slides)
        places = slid_places(joint, q[:, where.start : middle]) @ turn.T + step
        slides = slide_values(joint, places)
        if yaw != 0.0:
            angles = q[:, middle : where.stop]
            rest = np.array(joint.rest)
            own = yaw_quaternion
            if joint.rest != NO_TURN:
                own = quaternion_multiply(quaternion_conjugate(rest), quaternion_multiply(yaw_quaternion, rest))
            wanted = quaternion_multiply(own, turn_of(joint, angles))
            found = angles_of(joint, wanted, angles)
            if joint.ball is None and np.max(misfit(joint, wanted, found), initial=0.0) > _EXACT:
                raise InvalidMotion(f"root {joint.name!r} cannot turn about the vertical")
            q[:, middle : where.stop] = found
        if np.max(np.abs(slid_places(joint, slides) - places), initial=0.0) > _EXACT:
            raise InvalidMotion(
                f"root {joint.name!r} has {len(joint.slides)} slides and cannot be moved by {step.tolist()} m"
                + (f" after a turn of {yaw:g} rad" if yaw else "")
            )
        q[:, where.start : middle] = slides
    return motion.with_q(q)


def roots(figure: Figure) -> tuple[int, ...]:
    """Indices of the joints without a parent."""
    return tuple(index for index, parent in enumerate(figure.parents) if parent < 0)
