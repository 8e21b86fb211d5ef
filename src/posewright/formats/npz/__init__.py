"""Compact motion files: Posewright's own .npz, or AMASS parameters, distinguished by the arrays they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.errors import FileProblem
from posewright.formats.npz import amass
from posewright.formats.npz.archive import NpzArchive, write_arrays
from posewright.formats.options import ReadOptions, refuse_useless
from posewright.formats.robots.motion import is_robot, robot_motion
from posewright.motions import Motion

FORMAT = "posewright-motion"
VERSION = 1


def read(path: Path, options: ReadOptions) -> Motion:
    """The motion of a file.

    Raises:
        FileProblem: neither kind, or arrays that are missing, broken or of the wrong shape.
    """
    arrays = NpzArchive(path)
    if "format" in arrays:
        return _read_own(arrays, options)
    if amass.looks_like(arrays):
        return amass.from_arrays(arrays, options)
    held = ", ".join(arrays.names[:12]) or "nothing"
    raise FileProblem(path, f"is neither a Posewright motion (format, figure, q, fps) nor AMASS (poses, trans): {held}")


def write(motion: Motion, path: Path) -> None:
    """Write a motion as Posewright's own file, exactly; meshes (`figure.skin`) are left out.

    Of a robot, the file also holds what a controller or simulator wants (`formats.robots.motion`).
    """
    from posewright.formats import figure_file  # takes long to import, and most commands need no .npz

    arrays: dict[str, npt.NDArray[Any]] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "figure": np.array(figure_file.to_json(motion.figure)),
        "q": motion.q,
        "fps": np.array(motion.fps),
        "name": np.array(motion.name),
        "notes": np.array(motion.notes, dtype=np.str_),
    }
    if is_robot(motion.figure):
        robot = robot_motion(motion)
        arrays["joint_names"] = np.array(robot.joint_names, dtype=np.str_)
        arrays |= {name: getattr(robot, name) for name in ("joint_positions", "root_position", "root_wxyz")}
    write_arrays(path, arrays)


def _read_own(arrays: NpzArchive, options: ReadOptions) -> Motion:
    from posewright.formats import figure_file

    arrays.require_format(FORMAT, VERSION)
    refuse_useless(arrays.path, options, ("fps", "drop_first"))  # units and axes are ours
    figure = figure_file.from_json(arrays.path, arrays.text("figure"))
    q = arrays.numbers("q", (None, figure.n_dofs))
    notes = arrays.texts("notes") if "notes" in arrays else ()
    name = arrays.text("name") if "name" in arrays else ""
    return Motion(figure, q, float(arrays.numbers("fps", ())), name, notes)
