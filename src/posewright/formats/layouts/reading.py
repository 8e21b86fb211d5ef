"""Reads a robot's motion in a layout: fields are checked against the robot, and bodies against its kinematics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidMotion, suggestion
from posewright.formats.layouts.containers import body_indexes
from posewright.formats.layouts.fitting import require_bodies, require_centimetres, require_order_of_turns
from posewright.formats.layouts.parts import BODY_XYZ, JOINTS, ROOT_WXYZ, ROOT_XYZW
from posewright.formats.layouts.pickles import unpickled
from posewright.formats.layouts.robot import LayoutRobot, RobotStates
from posewright.formats.layouts.table import Field, Layout
from posewright.formats.npz.archive import NpzArchive
from posewright.formats.options import ReadOptions
from posewright.formats.robots.motion import RobotMotion, robot_of
from posewright.formats.tables import read_table
from posewright.motions import Motion

_SAME_ANGLE = 1e-3
"""rad"""
_OBJECT = 7
"""Columns of an object after the joints, in results of holosoma and OmniRetarget."""


def read_layout(path: Path, layout: Layout, options: ReadOptions) -> Motion:
    """The motion of a file of a layout.

    Raises:
        FileProblem: the robot is not found, a field is missing or has another shape, or the numbers are those of
            another order of joints or another layout.
    """
    figure, why = robot_of(path, options)
    robot = layout.robot(figure)
    notes = [f"robot: {why}", f"layout: {layout.name}, joints in {layout.order_in_words}"]
    clip, held = _held(path, layout, options, notes)
    layout, fields = _variant(path, layout, held, robot, notes)
    arrays: dict[str, Array] = {}
    for field in fields:
        if held.get(field.name) is None and field.optional:
            continue
        if held.get(field.name) is None:
            names = ", ".join(map(str, list(held)[:20]))
            raise FileProblem(path, f"lacks {field.name!r}, which layout {layout.name!r} has; it holds {names}")
        arrays[field.name] = _columns(path, field, held, layout, robot, notes)
    found = replace(layout, fields=fields).decoded(arrays, robot)
    for wanted, what in (("root_position", "place"), ("root_wxyz", "turn"), ("joint_positions", "joints")):
        if wanted not in found:
            raise FileProblem(path, f"does not say the {what} of the robot; it holds {', '.join(map(str, held))}")
    again = replace(layout, fields=fields[::-1]).decoded(arrays, robot)["joint_positions"]
    same_frames = again.shape == found["joint_positions"].shape  # else it is refused below
    apart = float(np.abs(again - found["joint_positions"]).max(initial=0.0)) if same_frames else 0.0
    if apart > _SAME_ANGLE:
        notes.append(f"joints: two of its arrays differ by {apart:.2g} rad, which is doubtful; the first one was read")
    fps = options.fps or _rate(path, layout, held, notes)
    given = RobotMotion(fps=fps, **found)
    _require_frames(path, arrays, given)
    if layout.name == "bones":
        require_centimetres(path, given, figure)
    try:
        states = RobotStates(robot, given)
    except InvalidMotion as error:
        raise FileProblem(path, str(error)) from error
    turn = next(p for f in fields if f.name in arrays for p in f.parts if p.gives == "root_wxyz")
    if turn in (ROOT_WXYZ, ROOT_XYZW):
        require_order_of_turns(path, layout, turn is ROOT_XYZW, states, notes)
    for field in fields:
        if BODY_XYZ in field.parts and field.name in arrays:
            require_bodies(path, layout, states, arrays[field.name], held.get("bodies"), notes)
    return replace(states.motion, name=clip or path.stem, notes=tuple(notes))


def _held(path: Path, layout: Layout, options: ReadOptions, notes: list[str]) -> tuple[str, dict[str, Any]]:
    """The name of the clip, if it has one, and the contents of the file by field."""
    if layout.files == "folder":
        return "", _folder(path, layout)
    if not path.is_file():
        raise FileProblem(path, "no such file" if not path.exists() else "is a folder, not a file")
    if layout.files == "csv":
        names, rows = read_table(path, header=bool(layout.fields[0].header))
        return "", {"": rows, "names": names}
    if not layout.files.startswith("pickle"):
        archive = NpzArchive(path)
        return "", {name: archive[name] for name in archive.names}
    loaded = unpickled(path)
    if not isinstance(loaded, dict):
        raise FileProblem(path, f"holds a {type(loaded).__name__}, not a mapping as layout {layout.name!r} has")
    if layout.files == "pickle":
        return "", loaded
    clips = {str(name): clip for name, clip in loaded.items() if isinstance(clip, dict)}
    if not clips:
        raise FileProblem(path, f"holds no clips by name, as layout {layout.name!r} has them")
    name = options.animation or next(iter(clips))
    if options.animation is None and len(clips) > 1:
        others = f"{len(clips) - 1} other clips were left out" if len(clips) > 2 else "another clip was left out"
        notes.append(f"clip {name!r} was read; {others} (set animation or --animation to the name of one)")
    if name not in clips:
        raise FileProblem(path, f"has no clip {name!r}{suggestion(name, clips)}")
    return name, clips[name]


def _folder(path: Path, layout: Layout) -> dict[str, Any]:
    if not path.is_dir():
        raise FileProblem(path, f"is not a folder, which layout {layout.name!r} is")
    held: dict[str, Any] = {"bodies": body_indexes(path)}
    for field in layout.fields:
        if (file := path / f"{field.name}.csv").is_file():
            held[field.name] = read_table(file, header=True)[1]
    return held


def _variant(
    path: Path, layout: Layout, held: Mapping[str, Any], robot: LayoutRobot, notes: list[str]
) -> tuple[Layout, tuple[Field, ...]]:
    """The fields in the file: those of the layout, or its alternatives."""
    others = [fields for fields in layout.reads_too if fields[0].name in held]
    if layout.fields[0].name in held or not others:
        return layout, layout.fields
    for fields in others:
        place, rows = 0, np.asarray(held[fields[0].name])
        for part in fields[0].parts:
            turn = rows[:, place : place + part.width(robot)] if rows.ndim == 2 else np.zeros((1, 4))
            if part.gives == "root_wxyz" and np.abs(np.linalg.norm(turn, axis=1) - 1.0).max(initial=0.0) < 1e-2:
                notes.append(f"{fields[0].name}: {', '.join(each.words for each in fields[0].parts)}")
                return replace(layout, fps=30.0), fields
            place += part.width(robot)
    raise FileProblem(path, f"its {others[0][0].name!r} has no quaternions of unit length in columns 0:4 or 3:7")


def _columns(
    path: Path, field: Field, held: Mapping[str, Any], layout: Layout, robot: LayoutRobot, notes: list[str]
) -> Array:
    """The columns (frames, width) of a field, with joints in the layout's order."""
    try:
        array = np.asarray(held[field.name])
        if array.dtype.kind == "c":
            raise ValueError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise FileProblem(path, f"its {field.name!r} is not an array of numbers") from None
    label = f"its {field.name!r} has" if field.name else "a row has"
    rows = array.reshape(len(array), -1) if array.ndim > 1 and len(array) else np.zeros((0, 0))
    width = sum(part.width(robot) for part in field.parts)
    if any(part.of_bodies for part in field.parts):  # how many there are is compared with the joints
        of_body = width // len(robot.body_names)
        if rows.shape[1] < of_body:
            raise FileProblem(path, f"{label} {rows.shape[1]} numbers a frame; a body has {of_body}")
        return _finite(path, field, rows)
    names = _names(path, layout, held)
    n_joints = next((part.width(robot) for part in field.parts if part.gives == "joints"), 0)
    if field.parts[-1] is JOINTS and rows.shape[1] == width + _OBJECT and layout.reads_too:
        notes.append(f"the {_OBJECT} columns of an object after the joints were left out")
        rows = rows[:, :width]
    if field.name == "pose_aa" and rows.shape[1] >= 3 + 3 * len(robot.joint_names):
        rows = rows[:, : 3 + 3 * len(robot.joint_names)]
    elif rows.shape[1] != width:
        joints = f"{n_joints} joints in {layout.order_in_words}" if n_joints else ""
        rest = f"{width - n_joints} of the root and {joints}" if n_joints and width > n_joints else joints
        of = f" ({rest})" if rest else ""
        raise FileProblem(
            path,
            f"{label} {rows.shape[1]} numbers a frame; layout {layout.name!r} of robot {robot.figure.name!r} "
            f"has {width}{of}",
        )
    if names and n_joints:
        rows = _by_name(path, rows, names, robot)
    return _finite(path, field, rows)


def _finite(path: Path, field: Field, rows: Array) -> Array:
    if not np.isfinite(rows).all():
        frame, column = np.argwhere(~np.isfinite(rows))[0]
        raise FileProblem(path, f"{field.name or 'its table'!r} is not finite in frame {frame}, column {column}")
    return rows


def _names(path: Path, layout: Layout, held: Mapping[str, Any]) -> list[str]:
    """Names of joints in the order of the file's columns; empty if it has none."""
    if layout.joint_names and held.get(layout.joint_names) is not None:
        return [str(name) for name in np.ravel(held[layout.joint_names])]
    if not held.get("names"):
        return []
    fixed = [pattern for pattern in layout.fields[0].header if "{" not in pattern]
    if held["names"][: len(fixed)] != fixed:
        odd = next((name for name, want in zip(held["names"], fixed, strict=False) if name != want), "")
        raise FileProblem(path, f"its column {odd!r} should be one of {', '.join(fixed)}, in this order", line=1)
    return [name.removesuffix("_dof") for name in held["names"][len(fixed) :]]


def _by_name(path: Path, rows: Array, names: list[str], robot: LayoutRobot) -> Array:
    """Rows whose last columns are joints with names, reordered as in the robot."""
    if len(set(names)) != len(names):
        raise FileProblem(path, "two joints have the same name")
    for name in names:
        if name not in robot.joint_names:
            raise FileProblem(
                path, f"robot {robot.figure.name!r} has no joint {name!r}{suggestion(name, robot.joint_names)}"
            )
    for name in robot.joint_names:
        if name not in names:
            raise FileProblem(path, f"joint {name!r} of robot {robot.figure.name!r} is missing")
    first = rows.shape[1] - len(names)
    order = [first + names.index(name) for name in robot.joint_names]
    return np.concatenate([rows[:, :first], rows[:, order]], axis=1)


def _rate(path: Path, layout: Layout, held: Mapping[str, Any], notes: list[str]) -> float:
    kept = held.get(layout.rate.names[0]) if layout.rate is not None else None
    if kept is None:
        if layout.rate is not None and not layout.rate.optional:
            raise FileProblem(path, f"lacks {layout.rate.names[0]!r}; give the frame rate with fps")
        notes.append(f"frame rate: {layout.fps:g} per second, as this layout has it (set fps or --fps to override)")
        return layout.fps
    number = np.asarray(kept)
    if number.size != 1 or number.dtype.kind not in "fiu" or not 0.0 < float(number.reshape(-1)[0]) < 1e6:
        raise FileProblem(path, "its frame rate must be one positive number of frames per second")
    return float(number.reshape(-1)[0])


def _require_frames(path: Path, arrays: Mapping[str, Array], given: RobotMotion) -> None:
    frames = len(given.joint_positions)
    for name, rows in arrays.items():
        if len(rows) != frames:
            raise FileProblem(path, f"its {name!r} has {len(rows)} frames, its joints {frames}")
