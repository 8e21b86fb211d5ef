"""Robot motions in the robot's own convention: one number per joint in file order, the root as place and wxyz.

The axes are the file's (z up), so that the numbers can go to a controller or a simulator as they are. Of a model with a
free base and 1-dof joints, root place, root quaternion and joints in this order are MuJoCo's `qpos`.

A CSV file has a header with the columns `time, root_x, root_y, root_z, root_qw, root_qx, root_qy, root_qz`, then the
joints. The robot itself is in its own file (`ReadOptions.skeleton`, or a .urdf or .xml of the same name beside it).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidMotion, suggestion
from posewright.figures import Figure, Joint
from posewright.formats.atomic import replacing
from posewright.formats.options import ReadOptions
from posewright.formats.registry import load_figure
from posewright.formats.robots.to_figure import world_from_robot
from posewright.formats.tables import read_table, write_table
from posewright.motions import Motion
from posewright.rotations import continuous, nearest_branch, quaternion_from_vector, vector_from_quaternion

ROBOT_FORMATS = ("urdf", "mjcf")
_TIME = "time"
_PLACE, _TURN = ("root_x", "root_y", "root_z"), ("root_qw", "root_qx", "root_qy", "root_qz")
_SUFFIXES = (".urdf", ".xml", ".mjcf")
_OTHER_MOTION = ".npz"
"""Suffix of motions that contain their robot."""
_FPS_OF_ONE_FRAME = 30.0
_EVEN = 1e-3
"""How uneven times may be, as a share of a frame."""


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """The numbers of a robot in every frame."""

    joint_names: tuple[str, ...]
    """Names of the moving joints except the root, in file order"""
    joint_positions: Array
    """(frames, joints), rad and m"""
    root_position: Array
    """(frames, 3), m, in the robot's world; (frames, 0) for a fixed base"""
    root_wxyz: Array
    """(frames, 4), unit, with continuous signs; (frames, 0) for a fixed base"""
    fps: float


def read(path: Path, options: ReadOptions) -> Motion:
    """The motion of a file, of the robot in its own file.

    Raises:
        FileProblem: the robot is not found, a column is missing or unknown, or a row is broken, with its line.
    """
    figure, why = robot_of(path, options)
    names, rows = read_table(path, header=True, kind="the motion of a robot")
    columns = {name: k for k, name in enumerate(names)}
    if len(columns) != len(names):
        raise FileProblem(path, "two columns have the same name", line=1)
    root = [name for name in (*_PLACE, *_TURN) if name in columns]
    if root and len(root) != len(_PLACE) + len(_TURN):
        lacking = next(name for name in (*_PLACE, *_TURN) if name not in columns)
        raise FileProblem(path, f"lacks the column {lacking!r} of the root", line=1)
    joints = tuple(name for name in names if name not in (_TIME, *_PLACE, *_TURN))
    fps = options.fps or _frame_rate(path, rows[:, columns[_TIME]] if _TIME in columns else None)
    given = RobotMotion(
        joint_names=joints,
        joint_positions=rows[:, [columns[name] for name in joints]],
        root_position=rows[:, [columns[name] for name in root[:3]]],
        root_wxyz=rows[:, [columns[name] for name in root[3:]]],
        fps=fps,
    )
    return motion_of(figure, given, name=path.stem, notes=(f"robot: {why}",))


def write(motion: Motion, path: Path) -> None:
    """Write a robot's motion; every number comes back exactly.

    Raises:
        FileProblem: the figure is no robot of one number per joint.
    """
    try:
        given = robot_motion(motion)
    except InvalidMotion as error:
        raise FileProblem(path, f"CSV files are for robots: {error}; write .npz or .bvh instead") from error
    _frame_rate(path, motion.times)  # refuses what could not be read
    root = (*_PLACE, *_TURN) if given.root_wxyz.shape[1] else ()
    rows = np.hstack([motion.times[:, np.newaxis], given.root_position, given.root_wxyz, given.joint_positions])
    with replacing(path) as temporary:
        write_table(temporary, rows, "%r", (_TIME, *root, *given.joint_names))


def robot_of(path: Path, options: ReadOptions) -> tuple[Figure, str]:
    """The robot of a motion file, given or beside it under the same name; and which file that was.

    Raises:
        FileProblem: there is none.
    """
    found, why = options.skeleton, "as given"
    if found is None:
        beside = [path.with_suffix(suffix) for suffix in _SUFFIXES if path.with_suffix(suffix).is_file()]
        if not beside:
            wanted = "name its .urdf or .xml (set skeleton or --skeleton), or put it beside under the same name"
            raise FileProblem(path, f"the robot of this motion is not found: {wanted}")
        found, why = beside[0], "of the same name"
    elif found.suffix.lower() not in (*_SUFFIXES, _OTHER_MOTION) or not found.is_file():
        raise FileProblem(found, "must be a robot's file (.urdf, .xml, or an .npz motion of it)")
    if found.suffix.lower() == _OTHER_MOTION:
        robot = load_figure(found)
        if not is_robot(robot):
            raise FileProblem(found, f"contains a motion of figure {robot.name!r}, which is not a robot")
        return robot, f"{found.name}, {why}"
    return load_figure(found, ReadOptions(up=options.up, base=options.base)), f"{found.name}, {why}"


def _frame_rate(path: Path, times: Array | None) -> float:
    if times is None:
        raise FileProblem(path, "has no column 'time', so its frame rate must be given (option fps)", line=1)
    if len(times) < 2:
        return _FPS_OF_ONE_FRAME
    step = float(times[-1] - times[0]) / (len(times) - 1)
    uneven = np.abs(np.diff(times) - step)
    if not (1e-300 < step < np.inf and uneven.max() <= _EVEN * step):
        frame = int(np.argmax(uneven)) + 1
        raise FileProblem(path, f"its times are not evenly spaced: {times[frame]:g} s in frame {frame}", line=frame + 2)
    return float(f"{1.0 / step:.12g}")


def is_robot(figure: Figure) -> bool:
    """Whether a figure came from a robot file and has one dof per joint below its root."""
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
    turns = continuous(quaternion_from_vector(motion.q[:, 3:6]))  # a controller wants no jump
    place = motion.q[:, :3] @ world_from_robot(_up(figure))
    return RobotMotion(names, motion.q[:, columns], place, turns, motion.fps)


def motion_of(figure: Figure, given: RobotMotion, *, name: str = "", notes: tuple[str, ...] = ()) -> Motion:
    """The motion of a figure from a robot's own numbers.

    Raises:
        InvalidMotion: a joint is unknown, missing or named twice, or the root is missing or one too many.
    """
    _require_robot(figure)
    wanted = joint_order(figure)
    if len(set(given.joint_names)) != len(given.joint_names):
        raise InvalidMotion(f"a joint is named twice among {', '.join(given.joint_names[:40])}")
    for joint in given.joint_names:
        if joint not in wanted:
            raise InvalidMotion(f"robot {figure.name!r} has no joint {joint!r} that moves{suggestion(joint, wanted)}")
    missing = [joint for joint in wanted if joint not in given.joint_names]
    if missing:
        raise InvalidMotion(f"joint {missing[0]!r} of robot {figure.name!r} is missing; it must have a column")
    q = np.tile(figure.rest, (len(given.joint_positions), 1))
    free = _is_free(figure.joints[0])
    if free != bool(given.root_wxyz.shape[1]):
        has, base = ("no root", "free") if free else ("a root", "fixed")
        raise InvalidMotion(f"the motion has {has}, but the base of robot {figure.name!r} is {base}")
    if free:
        lengths = np.linalg.norm(given.root_wxyz, axis=1)
        if len(lengths) and not np.abs(lengths - 1.0).max() < 1e-3:
            frame = int(np.argmax(np.abs(lengths - 1.0)))
            raise InvalidMotion(f"the root's quaternion in frame {frame} has length {lengths[frame]:.4g}, not 1")
        q[:, :3] = given.root_position @ world_from_robot(_up(figure)).T
        turns = vector_from_quaternion(given.root_wxyz / np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis])
        q[:, 3:6] = nearest_branch(turns, turns[0]) if len(turns) else turns
    for column, joint in enumerate(given.joint_names):
        q[:, figure.dof_slice(joint).start] = given.joint_positions[:, column]
    return Motion(figure, q, fps=given.fps, name=name, notes=notes)


def joint_order(figure: Figure) -> tuple[str, ...]:
    """The moving joints without the root, in the order of the robot's file."""
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
