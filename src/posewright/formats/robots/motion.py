"""Robot motions in the robot's own convention: one number per joint in file order, the root as place and wxyz.

The axes are the file's (z up), so that the numbers can go to a controller or a simulator as they are. Of a model with a
free base and 1-dof joints, root place, root quaternion and joints in this order are MuJoCo's `qpos`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion, suggestion
from posewright.figures import Figure, Joint
from posewright.formats.robots.to_figure import world_from_robot
from posewright.motions import Motion
from posewright.rotations import nearest_branch, quaternion_from_vector, vector_from_quaternion

ROBOT_FORMATS = ("urdf", "mjcf")


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """What a robot is told, frame by frame."""

    joint_names: tuple[str, ...]
    """Moving joints but the root, in file order"""
    joint_positions: Array
    """(frames, joints), rad and m"""
    root_position: Array
    """(frames, 3), m, in the robot's world; (frames, 0) for a base that is fixed"""
    root_wxyz: Array
    """(frames, 4), unit, w and signs continuous over the frames; (frames, 0) for a base that is fixed"""
    fps: float


def is_robot(figure: Figure) -> bool:
    """Whether a figure came from a robot's file and has one number per joint below its root."""
    from_robot = figure.source is not None and figure.source.format in ROBOT_FORMATS
    return from_robot and all(joint.n_dofs <= 1 for joint in figure.joints[1:])


def robot_motion(motion: Motion) -> RobotMotion:
    """The motion as the robot's own numbers.

    Raises:
        InvalidMotion: the figure did not come from a robot's file, or a joint has more than one dof.
    """
    figure = motion.figure
    _require_robot(figure)
    names = joint_order(figure)
    columns = [figure.dof_slice(name).start for name in names]
    if not _is_free(figure.joints[0]):
        nothing = np.empty((len(motion), 0))
        return RobotMotion(names, motion.q[:, columns], nothing, nothing, motion.fps)
    turns = quaternion_from_vector(motion.q[:, 3:6])
    # The same rotation has two quaternions; a controller wants no jump between them.
    signs = np.cumprod(np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0))
    turns[1:] *= signs[:, np.newaxis]
    place = motion.q[:, :3] @ world_from_robot(_up(figure))
    return RobotMotion(names, motion.q[:, columns], place, turns, motion.fps)


def motion_of(figure: Figure, told: RobotMotion, *, name: str = "", notes: tuple[str, ...] = ()) -> Motion:
    """The motion of a figure that a robot's own numbers tell.

    Raises:
        InvalidMotion: a joint is unknown, missing or named twice, or the root is missing or one too many.
    """
    _require_robot(figure)
    wanted = joint_order(figure)
    if len(set(told.joint_names)) != len(told.joint_names):
        raise InvalidMotion(f"a joint is named twice among {', '.join(told.joint_names[:40])}")
    for joint in told.joint_names:
        if joint not in wanted:
            raise InvalidMotion(f"robot {figure.name!r} has no joint {joint!r} that moves{suggestion(joint, wanted)}")
    missing = [joint for joint in wanted if joint not in told.joint_names]
    if missing:
        raise InvalidMotion(f"joint {missing[0]!r} of robot {figure.name!r} is missing; it must have a column")
    q = np.tile(figure.rest, (len(told.joint_positions), 1))
    free = _is_free(figure.joints[0])
    if free != bool(told.root_wxyz.shape[1]):
        has, base = ("no root", "free") if free else ("a root", "fixed")
        raise InvalidMotion(f"the motion has {has}, but the base of robot {figure.name!r} is {base}")
    if free:
        lengths = np.linalg.norm(told.root_wxyz, axis=1)
        if len(lengths) and not np.abs(lengths - 1.0).max() < 1e-3:
            frame = int(np.argmax(np.abs(lengths - 1.0)))
            raise InvalidMotion(f"the root's quaternion in frame {frame} has length {lengths[frame]:.4g}, not 1")
        q[:, :3] = told.root_position @ world_from_robot(_up(figure)).T
        turns = vector_from_quaternion(told.root_wxyz / np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis])
        q[:, 3:6] = nearest_branch(turns, turns[0]) if len(turns) else turns
    for column, joint in enumerate(told.joint_names):
        q[:, figure.dof_slice(joint).start] = told.joint_positions[:, column]
    return Motion(figure, q, fps=told.fps, name=name, notes=notes)


def joint_order(figure: Figure) -> tuple[str, ...]:
    """The joints that move, without the root, in the order of the robot's file."""
    moving = [joint.name for joint in figure.joints[1:] if joint.n_dofs]
    order = figure.source.joint_order if figure.source is not None else ()
    places = {name: k for k, name in enumerate(order)}
    return tuple(sorted(moving, key=lambda name: places.get(name, len(places))))


def _is_free(root: Joint) -> bool:
    return root.ball is not None and len(root.slides) == 3


def _up(figure: Figure) -> str:
    return figure.source.up if figure.source is not None else "y"


def _require_robot(figure: Figure) -> None:
    if figure.source is None or figure.source.format not in ROBOT_FORMATS:
        raise InvalidMotion(f"figure {figure.name!r} did not come from a robot's file (URDF or MJCF)")
    root = figure.joints[0]
    if root.n_dofs and not _is_free(root):
        raise InvalidMotion(f"the root of robot {figure.name!r} is neither free nor fixed")
    for joint in figure.joints[1:]:
        if joint.n_dofs > 1:
            raise InvalidMotion(f"joint {joint.name!r} of robot {figure.name!r} has {joint.n_dofs} dofs, not one")
