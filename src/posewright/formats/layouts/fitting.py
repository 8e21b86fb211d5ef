"""Checks whether the numbers of a file fit its layout, or another order, unit or layout explains them better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.formats.layouts.robot import RobotStates
from posewright.formats.layouts.table import LAYOUTS, Layout
from posewright.formats.robots.motion import RobotMotion
from posewright.rotations import matrix_from_quaternion

_FITS = 0.01
"""m: maximum distance of bodies from their places by the joints."""
_LOOKS = 12
"""Number of frames in which bodies are compared."""
_LOWEST = 0.05
"""Root height read as cm, divided by its standing height: below this the file must be in metres."""
_UPRIGHT = 0.7
"""Cosine of the lean of a standing root."""
_TWINS = {"unitree": "qpos", "qpos": "unitree"}
"""Layouts with the same columns."""
_STEPS = 400
"""Number of steps between frames in which the lowest bodies are followed."""
_SLIDES = 2.0
"""The lowest body must move this many times as fast as in the other reading for that one to be right."""
_STILL = 0.005
"""m/s: smaller differences between speeds are ignored."""


def require_centimetres(path: Path, given: RobotMotion, figure: Figure) -> None:
    """Refuse a root so low that the file must be in metres.

    Raises:
        FileProblem: it is.
    """
    standing = figure.rest[1]
    if len(given.root_position) and float(np.median(np.abs(given.root_position[:, 2]))) < _LOWEST * standing:
        height = 100.0 * float(np.median(given.root_position[:, 2]))
        raise FileProblem(
            path, f"its root is {height:.2g} cm high; it seems to be in metres and radians, not cm and degrees"
        )


def require_order_of_turns(path: Path, layout: Layout, w_last: bool, states: RobotStates, notes: list[str]) -> None:
    """Refuse quaternions of the root that make sense in the other order only.

    In the wrong order most motions do not stand. One that heads the right way does, turned by half a turn, with roll
    for yaw: but then its feet slide along. That is asked where another layout has the same columns: `unitree` has w
    last, `qpos` first.

    Raises:
        FileProblem: the other order explains them better.
    """
    given = states.given
    other = _TWINS.get(layout.name)
    turns = np.roll(given.root_wxyz, -1 if w_last else 1, axis=1)
    ours, theirs = _standing_share(given.root_wxyz), _standing_share(turns)
    told = f"with quaternions as layout {layout.name!r} has them"
    if ours < 0.5 and theirs > 0.95:
        there = (
            f"as {other!r} has them; read it with that layout" if other else f"with w {'first' if w_last else 'last'}"
        )
        raise FileProblem(path, f"the root stands in {ours:.0%} of the frames {told}, and in {theirs:.0%} {there}")
    if not other:
        return
    if ours > 0.95 and theirs < 0.5:
        return
    slides, would = _foot_speed(states), _foot_speed(RobotStates(states.robot, replace(given, root_wxyz=turns)))
    if slides > _SLIDES * would + _STILL:
        raise FileProblem(
            path,
            f"the feet slide by {slides:.2g} m/s {told}, and by {would:.2g} m/s as {other!r} has them; "
            "read it with that layout",
        )
    if would < _SLIDES * slides + _STILL:
        notes.append(
            f"quaternions: read in the order of layout {layout.name!r}; doubtful, because in that of {other!r} the "
            "motion makes as much sense, facing the other way"
        )


def _standing_share(wxyz: Array) -> float:
    """Of the frames."""
    return float(np.mean(matrix_from_quaternion(wxyz)[:, 2, 2] > _UPRIGHT)) if len(wxyz) else 0.0


def _foot_speed(states: RobotStates) -> float:
    """m/s: median speed of the lowest body; feet on the ground hardly move."""
    frames = len(states.given.root_wxyz)
    if frames < 2:
        return 0.0
    steps = np.unique(np.linspace(0, frames - 2, _STEPS).astype(np.int64))
    here, there = (_some(states, steps + k).body_positions for k in (0, 1))
    rows, lowest = np.arange(len(steps)), here[..., 2].argmin(axis=1)
    moved = np.linalg.norm(there[rows, lowest] - here[rows, lowest], axis=1)
    return float(np.median(moved)) * states.given.fps


def require_bodies(
    path: Path, layout: Layout, states: RobotStates, rows: Array, chosen: list[int] | None, notes: list[str]
) -> None:
    """Refuse joints in another order than the layout's: they put the bodies elsewhere.

    Args:
        path: of the file.
        layout: that it was read as.
        states: what it holds.
        rows: its body positions (frames, 3 bodies), m.
        chosen: which of the robot's bodies these are (default: all).
        notes: a sentence is added where they could not be compared.

    Raises:
        FileProblem: they do.
    """
    looks = np.unique(np.linspace(0, len(rows) - 1, _LOOKS).astype(np.int64))
    if not rows[looks].any():
        notes.append("its body positions are zero and were not compared with the joints")
        return
    miss = _miss(states, rows, looks, chosen)
    if miss is None:
        count = rows.shape[1] // 3
        notes.append(f"its {count} bodies are not those of the robot's file, and were not compared with the joints")
    elif miss > _FITS:
        hint = ""
        for other in LAYOUTS.values():
            if other.order != layout.order and {f.name for f in other.fields} == {f.name for f in layout.fields}:
                robot = other.robot(states.robot.figure)
                given = replace(states.given, joint_names=robot.joint_names)
                found = _miss(RobotStates(robot, given), rows, looks, chosen)
                if found is not None and found < _FITS:
                    hint = f"; in {other.order_in_words} they fit: its layout is {other.name!r}"
        raise FileProblem(
            path,
            f"its bodies are up to {miss:.2g} m from where its joints, in {layout.order_in_words}, put them{hint}",
        )


def _miss(states: RobotStates, rows: Array, looks: IntArray, chosen: list[int] | None) -> float | None:
    """m; None if the bodies are not those of the robot, or those `chosen` of them."""
    bodies = _some(states, looks).body_positions
    if chosen is not None and max(chosen) < bodies.shape[1]:
        bodies = bodies[:, chosen]
    if rows.shape[1] != bodies.shape[1] * 3:
        return None
    return float(np.abs(rows[looks].reshape(bodies.shape) - bodies).max(initial=0.0))


def _some(states: RobotStates, frames: IntArray) -> RobotStates:
    """Some frames of a motion."""
    given = states.given
    joints, place, turns = given.joint_positions[frames], given.root_position[frames], given.root_wxyz[frames]
    return RobotStates(states.robot, replace(given, joint_positions=joints, root_position=place, root_wxyz=turns))
