"""What a hand holds, as said in a word on the command line: a joint of the source that moves with it, or a table."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidSetting, UnknownName
from posewright.figures.kinematics import site_frames
from posewright.motions import Motion
from posewright.rotations import matrix_from_axes, quaternion_from_matrix
from posewright.workflows.retargeting.hands import HeldObject

_POINT, _TURN = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
_GROUPS = {
    "points": _POINT,
    "turns": _TURN,
    "target_points": tuple(f"target_{name}" for name in _POINT),
    "target_turns": tuple(f"target_{name}" for name in _TURN),
    "activation": ("activation",),
}
"""Fields of a held object and their columns."""
_ACCEPTED = "x,y,z, and if known qw,qx,qy,qz, target_x to target_z, target_qw to target_qz, activation"


def held_object(told: str, source: Motion, frames: slice) -> HeldObject:
    """The object that `SIDE=JOINT` or `SIDE=TABLE.csv` says.

    Args:
        told: which hand, and the joint or site of the source that is the object, or a file with a row per frame.
        source: the motion to be retargeted.
        frames: which rows of the file belong to it.
    """
    side, _, what = told.partition("=")
    if side not in ("left", "right") or not what:
        raise InvalidSetting(f"--hold is {told!r}; it must be left=... or right=..., with a joint or a .csv file")
    hand: Literal["left", "right"] = "left" if side == "left" else "right"
    if what.lower().endswith(".csv"):
        return _from_table(hand, Path(what), frames)
    known = (*source.figure.joint_names, *source.figure.site_names)
    if what not in known:
        raise UnknownName("joint or site", what, known, where="the motion, to be held")
    way = site_frames(source.figure, source.q, [what])
    turns = quaternion_from_matrix(matrix_from_axes(way.x_axes[:, 0], way.y_axes[:, 0]))
    return HeldObject(hand, way.points[:, 0], turns)


def _from_table(side: Literal["left", "right"], path: Path, frames: slice) -> HeldObject:
    columns = _columns(path)
    found: dict[str, Array] = {}
    for field, names in _GROUPS.items():
        given = [name for name in names if name in columns]
        if given and len(given) < len(names):
            raise FileProblem(path, f"has {', '.join(given)} but not all of {', '.join(names)}")
        if given:
            table = np.stack([columns[name] for name in names], axis=1)[frames]
            found[field] = table[:, 0] if field == "activation" else table
    turns, onto, onto_turns, when = (found.get(field) for field in list(_GROUPS)[1:])
    return HeldObject(side, found["points"], turns, onto, onto_turns, activation=when)


def _columns(path: Path) -> Mapping[str, Array]:
    """The columns of a table with a line of names above."""
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as problem:
        raise FileProblem(path, f"cannot be read as a table: {getattr(problem, 'strerror', None) or problem}") from None
    names = [name.strip() for name in lines[0]] if lines else []
    strange = [name for name in names if name not in {each for group in _GROUPS.values() for each in group}]
    if strange or not set(_POINT) <= set(names):
        what = f"the column {strange[0]!r}" if strange else "no columns x,y,z"
        raise FileProblem(path, f"{what} in the first line; it must name the columns {_ACCEPTED}", line=1)
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            rows.append([float(cell) for cell in line])
        except ValueError:
            raise FileProblem(path, "a cell is no number", line=number) from None
        if len(line) != len(names):
            raise FileProblem(path, f"{len(line)} cells; the first line names {len(names)} columns", line=number)
    table = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return {name: table[:, k] for k, name in enumerate(names)}
