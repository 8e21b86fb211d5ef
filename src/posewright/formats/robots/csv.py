"""Robot motions as CSV: time, root place and quaternion wxyz, then the joints in file order; z up, metres, radians.

The header names the columns: `time, root_x, root_y, root_z, root_qw, root_qx, root_qy, root_qz`, then the joints.
The robot itself is in its own file (`ReadOptions.skeleton`, or a .urdf or .xml of the same name beside it).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidMotion
from posewright.figures import Figure
from posewright.formats.atomic import replacing
from posewright.formats.options import ReadOptions
from posewright.formats.robots import mjcf, urdf
from posewright.formats.robots.motion import RobotMotion, motion_of, robot_motion
from posewright.formats.text import decoded, number_rows_from, read_bytes
from posewright.motions import Motion

_TIME = "time"
_PLACE, _TURN = ("root_x", "root_y", "root_z"), ("root_qw", "root_qx", "root_qy", "root_qz")
_READERS = {".urdf": urdf, ".xml": mjcf, ".mjcf": mjcf}
_FPS_OF_ONE_FRAME = 30.0
_EVEN = 1e-3
"""Share of a frame by which the times may be uneven."""


def read(path: Path, options: ReadOptions) -> Motion:
    """The motion of a file, of the robot in its own file.

    Raises:
        FileProblem: the robot is not found, a column is missing or unknown, or a row is broken, with its line.
    """
    figure, why = _robot(path, options)
    names, rows = _table(path)
    columns = {name: k for k, name in enumerate(names)}
    if len(columns) != len(names):
        raise FileProblem(path, "two columns have the same name", line=1)
    root = [name for name in (*_PLACE, *_TURN) if name in columns]
    if root and len(root) != len(_PLACE) + len(_TURN):
        lacking = next(name for name in (*_PLACE, *_TURN) if name not in columns)
        raise FileProblem(path, f"lacks the column {lacking!r} of the root", line=1)
    joints = tuple(name for name in names if name not in (_TIME, *_PLACE, *_TURN))
    fps = options.fps or _frame_rate(path, rows[:, columns[_TIME]] if _TIME in columns else None)
    told = RobotMotion(
        joint_names=joints,
        joint_positions=rows[:, [columns[name] for name in joints]],
        root_position=rows[:, [columns[name] for name in root[:3]]],
        root_wxyz=rows[:, [columns[name] for name in root[3:]]],
        fps=fps,
    )
    return motion_of(figure, told, name=path.stem, notes=(f"robot: {why}",))


def write(motion: Motion, path: Path) -> None:
    """Write a robot's motion; every number comes back exactly.

    Raises:
        FileProblem: the figure is no robot of one number per joint.
    """
    try:
        told = robot_motion(motion)
    except InvalidMotion as error:
        raise FileProblem(path, f"a CSV holds the motion of a robot: {error}; write .npz or .bvh instead") from error
    root = (*_PLACE, *_TURN) if told.root_wxyz.shape[1] else ()
    rows = np.hstack([motion.times[:, np.newaxis], told.root_position, told.root_wxyz, told.joint_positions])
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join((_TIME, *root, *told.joint_names)) + "\n")
        file.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def _robot(path: Path, options: ReadOptions) -> tuple[Figure, str]:
    if options.skeleton is not None:
        if options.skeleton.suffix.lower() not in _READERS or not options.skeleton.is_file():
            raise FileProblem(options.skeleton, "is not the file of a robot (.urdf or .xml), which a CSV motion needs")
        found, why = options.skeleton, "as given"
    else:
        beside = [path.with_suffix(suffix) for suffix in _READERS if path.with_suffix(suffix).is_file()]
        if not beside:
            wanted = "name its .urdf or .xml with the option skeleton, or put it beside under the same name"
            raise FileProblem(path, f"the robot of this motion is not found: {wanted}")
        found, why = beside[0], "of the same name"
    return _READERS[found.suffix.lower()].read(found, options), f"{found.name}, {why}"


def _table(path: Path) -> tuple[list[str], Array]:
    """Column names and numbers (rows, columns)."""
    data = read_bytes(path, "the names of columns: time, root_x, ...")
    end = data.find(b"\n")
    end = len(data) if end < 0 else end
    names = [name.strip().strip('"') for name in decoded(data[:end]).split(",")]
    if not all(names) or all(_is_number(name) for name in names):
        raise FileProblem(path, "the first line must name the columns: time, root_x, ..., then the joints", line=1)
    body = np.frombuffer(data.replace(b",", b" ") + b"\n", dtype=np.uint8)  # the parser wants a line feed at the end
    return names, number_rows_from(body, end, 1, len(names), path, "row")


def _frame_rate(path: Path, times: Array | None) -> float:
    if times is None:
        raise FileProblem(path, "has no column 'time', so its frame rate must be told (option fps)", line=1)
    if len(times) < 2:
        return _FPS_OF_ONE_FRAME
    step = float(times[-1] - times[0]) / (len(times) - 1)
    uneven = np.abs(np.diff(times) - step)
    if not step > 0.0 or uneven.max() > _EVEN * step:
        frame = int(np.argmax(uneven)) + 1
        raise FileProblem(path, f"its times are not evenly spaced: {times[frame]:g} s in frame {frame}", line=frame + 2)
    return float(np.round(1.0 / step, 9))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
