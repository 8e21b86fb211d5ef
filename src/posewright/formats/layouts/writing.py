"""Writes a robot's motion in a layout, so that reading and writing it again gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidMotion
from posewright.formats.atomic import replacing
from posewright.formats.layouts.containers import replacing_folder, write_metadata
from posewright.formats.layouts.pickles import pickled
from posewright.formats.layouts.robot import LayoutRobot, RobotStates
from posewright.formats.layouts.table import Field, Layout
from posewright.formats.npz.archive import write_arrays
from posewright.formats.robots.motion import RobotMotion, robot_motion
from posewright.formats.tables import write_table
from posewright.motions import Motion

_SAME_RATE = 1e-4
"""Relative tolerance: files round frame times (119.9998 for 120)."""
_TURNS = 2.0**24
"""Steps of 1 in which numbers of quaternions are stored as float32: with finer ones for small numbers, these would grow
each time the quaternion is made one of unit length again."""
_PASSES = 20
"""Rounding and normalising a quaternion repeatedly settles after two or three rounds."""


def write_layout(motion: Motion, path: Path, layout: Layout, fps: float | None = None) -> None:
    """Write a robot's motion.

    Args:
        motion: of a figure that came from a robot's file, with a free root.
        path: the file or, for a layout of several files, the folder.
        layout: how.
        fps: the rate to write; the motion is resampled to it. Without it the motion must have the layout's own.

    Raises:
        FileProblem: the motion is no robot's, or its rate is not that of the layout.
    """
    if not len(motion):
        raise FileProblem(path, "a motion without frames cannot be written in a layout of robots")
    motion = _at_rate(motion, path, layout, fps)
    try:
        given = robot_motion(motion)
    except InvalidMotion as error:
        raise FileProblem(path, f"layout {layout.name!r} holds the motion of a robot: {error}") from error
    if not given.root_wxyz.shape[1]:
        raise FileProblem(path, f"layout {layout.name!r} holds a moving root; the base of this robot is fixed")
    robot = layout.robot(motion.figure)
    states = _settled(RobotStates(robot, given), layout)
    _write_files(path, layout, states, motion.name or path.stem)


def _at_rate(motion: Motion, path: Path, layout: Layout, fps: float | None) -> Motion:
    if fps is not None:
        motion = motion.resampled(fps=fps)
    elif not layout.any_rate and abs(motion.fps - layout.fps) > _SAME_RATE * layout.fps:
        raise FileProblem(
            path,
            f"layout {layout.name!r} is read at {layout.fps:g} frames per second, the motion has {motion.fps:g}; "
            f"resample it (--resample {layout.fps:g})",
        )
    elif not layout.any_rate:
        motion = Motion(motion.figure, motion.q, layout.fps, motion.name, motion.notes)
    if layout.rate is not None and layout.rate.whole and motion.fps != round(motion.fps):
        raise FileProblem(path, f"layout {layout.name!r} stores a whole frame rate, not {motion.fps:g}")
    return motion


def _settled(states: RobotStates, layout: Layout) -> RobotStates:
    """The states that a reader will find: rounded as stored, until rounding changes nothing more."""
    for _ in range(_PASSES):
        found = layout.decoded({field.name: stored(field, states) for field in layout.fields}, states.robot)
        again = RobotMotion(fps=states.given.fps, **found)
        before = states.given
        states = RobotStates(states.robot, robot_motion(RobotStates(states.robot, again).motion))
        if all(
            np.array_equal(getattr(states.given, name), getattr(before, name))
            for name in ("root_position", "root_wxyz", "joint_positions")
        ):
            break
    return states


def stored(field: Field, states: RobotStates) -> npt.NDArray[Any]:
    """The array of a field in the precision of the file; text is rounded to its decimals."""
    columns = [np.reshape(part.write(states), (len(states.joints), -1)) for part in field.parts]
    array: Array = np.concatenate(columns, axis=1)
    if field.rows_of:
        array = array.reshape(len(array), -1, field.rows_of)
    if field.numbers == "<f4" and all(part.gives == "root_wxyz" for part in field.parts):
        array = np.rint(array * _TURNS) / _TURNS
    if field.numbers.startswith("<"):
        return array.astype(field.numbers)
    return np.round(array, 6) + 0.0 if field.numbers == "%.6f" else array


def _write_files(path: Path, layout: Layout, states: RobotStates, name: str) -> None:
    arrays: dict[str, Any] = {field.name: stored(field, states) for field in layout.fields}
    robot, frames = states.robot, len(states.joints)
    if layout.files == "csv":
        (field,) = layout.fields
        with replacing(path) as temporary:
            write_table(temporary, arrays[field.name], field.numbers, header(field, robot))
        return
    if layout.files == "folder":
        with replacing_folder(path) as folder:
            for field in layout.fields:
                rows = arrays[field.name].reshape(frames, -1)
                write_table(folder / f"{field.name}.csv", rows, field.numbers, header(field, robot))
            write_metadata(folder, path.name, frames, robot.body_names, robot.joint_names)
        return
    plain = layout.files.startswith("pickle")
    if layout.rate is not None:
        fps: int | float = round(states.given.fps) if layout.rate.whole else states.given.fps
        if plain and fps == round(fps):
            fps = round(fps)
        shape = layout.rate.shape
        rates = fps if shape is None else np.full(shape, fps, "<i8" if layout.rate.whole else "<f8")
        arrays = dict.fromkeys(layout.rate.names, rates) | arrays
    arrays |= dict(layout.constants)
    for kept, names in ((layout.joint_names, robot.joint_names), (layout.body_names, robot.body_names)):
        if kept:
            arrays[kept] = list(names) if plain else np.array(names, dtype=np.str_)
    if not plain:
        named = {name: np.asarray(value) for name, value in arrays.items()}
        write_arrays(path, named, compressed=layout.files == "compressed npz")
        return
    with replacing(path) as temporary:
        temporary.write_bytes(pickled({name: arrays} if layout.files == "pickle of clips" else arrays))


def header(field: Field, robot: LayoutRobot) -> list[str]:
    """The names of the columns of a text; none without a header."""
    found: list[str] = []
    for pattern in field.header:
        if "{joint}" in pattern:
            found += [pattern.format(joint=name) for name in robot.joint_names]
        elif "{axis}" in pattern:
            axes = "xyz" if field.rows_of == 3 else "wxyz"
            found += [pattern.format(n=n, axis=axis) for n in range(len(robot.body_names)) for axis in axes]
        elif "{n}" in pattern:
            found += [pattern.format(n=n) for n in range(len(robot.joint_names))]
        else:
            found.append(pattern)
    return found
