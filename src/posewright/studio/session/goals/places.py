"""Where a goal's handle is, and what goals become when they are moved and turned by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.vectors import vector
from posewright.goals import AnyOf, Goal, HalfSpace, Line, Orientation, Outside, Placement, Plane, Point
from posewright.rotations import matrix_from_quaternion

Quaternion = tuple[float, float, float, float]
_DIRECTIONS = ("x", "y", "direction", "normal")
"""Fields that turn with a goal."""


def point_field(goal: Goal) -> str | None:
    """The field with the point that can be moved; None: the goal has none."""
    return "point" if isinstance(goal, Line | Plane | HalfSpace) else goal.path_field


@singledispatch
def place_of(goal: Goal, pose: Pose) -> Point | None:
    """Where its handle is (m); None: it is about no place."""
    field = point_field(goal)
    if field is None:
        return None
    place = getattr(goal, field)
    return vector(pose.point(place)) if isinstance(place, str) else place


@place_of.register
def _(goal: Orientation, pose: Pose) -> Point | None:
    return vector(pose.point(goal.site))


@place_of.register
def _(goal: Outside, pose: Pose) -> Point | None:
    corners = goal.box or tuple(point for point, _ in goal.faces or ())
    return vector(np.mean(corners, axis=0))


@place_of.register
def _(goal: AnyOf, pose: Pose) -> Point | None:
    places = [place for member in goal.members if (place := place_of(member, pose)) is not None]
    return vector(np.mean(places, axis=0)) if places else None


def can_move(goal: Goal) -> bool:
    """Whether it has points of its own that can be moved."""
    if isinstance(goal, AnyOf):
        return any(map(can_move, goal.members))
    field = point_field(goal)
    return isinstance(goal, Outside) or (field is not None and not isinstance(getattr(goal, field), str))


def can_turn(goal: Goal) -> bool:
    """Whether it has directions of its own that can be turned."""
    if isinstance(goal, AnyOf):
        return any(map(can_turn, goal.members))
    faces = isinstance(goal, Outside) and goal.faces is not None
    return faces or any(getattr(goal, name, None) is not None for name in _DIRECTIONS)


def moved(goal: Goal, point: Sequence[float], pose: Pose) -> Goal:
    """A goal with its handle elsewhere; its directions stay.

    Raises:
        InvalidSetting: the goal has no point to move.
    """
    here = place_of(goal, pose)
    if here is None or not can_move(goal):
        raise InvalidSetting(f"{goal} has no point that could be moved")
    field = point_field(goal)
    if field is not None:
        return _with(goal, {field: (float(point[0]), float(point[1]), float(point[2]))})
    return _shifted(goal, np.subtract(point, here))


def _shifted(goal: Goal, by: Array) -> Goal:
    """A goal with all its points moved; one that is about sites stays."""
    if isinstance(goal, AnyOf):
        return replace(goal, members=tuple(_shifted(member, by) for member in goal.members))
    if isinstance(goal, Outside) and goal.box is not None:
        return replace(goal, box=(vector(goal.box[0] + by), vector(goal.box[1] + by)))
    if isinstance(goal, Outside):
        return replace(goal, faces=tuple((vector(p + by), n) for p, n in goal.faces or ()))
    field = point_field(goal)
    if field is None or isinstance(getattr(goal, field), str):
        return goal
    return _with(goal, {field: vector(getattr(goal, field) + by)})


def turned(goal: Goal, by: Quaternion) -> Goal:
    """A goal with its directions turned in the world, by a rotation wxyz; its points stay.

    Raises:
        InvalidSetting: it has no directions, or this is no rotation.
    """
    length = float(np.linalg.norm(by))
    if not 0.5 < length < 2.0:
        raise InvalidSetting(f"a turn of {goal} is {list(by)}; it must be a unit quaternion wxyz")
    if not can_turn(goal):
        raise InvalidSetting(f"{goal} has no direction that could be turned")
    return _turned(goal, matrix_from_quaternion(np.divide(by, length)))


def _turned(goal: Goal, matrix: Array) -> Goal:
    if isinstance(goal, AnyOf):
        return replace(goal, members=tuple(_turned(member, matrix) for member in goal.members))
    if isinstance(goal, Outside):
        faces = None if goal.faces is None else tuple((p, vector(matrix @ n)) for p, n in goal.faces)
        return replace(goal, faces=faces)
    names = [name for name in _DIRECTIONS if getattr(goal, name, None) is not None]
    return _with(goal, {name: vector(matrix @ getattr(goal, name)) for name in names})


def anchored(goal: Goal, pose: Pose) -> Goal:
    """A goal about where its own site is or how it is turned, met by a pose; other goals as they are."""
    from posewright.goals import Position, pin

    site = getattr(goal, "site", None)
    if not isinstance(goal, Position | Placement | Orientation) or site is None:
        return goal
    held: Any = pin(pose, site)[0]
    field = point_field(goal)
    changes: dict[str, Any] = {}
    if field is not None and not isinstance(getattr(goal, field), str):
        changes[field] = held.target
    changes |= {name: getattr(held, name) for name in ("x", "y") if getattr(goal, name, None) is not None}
    return _with(goal, changes)


def _with(goal: Goal, changes: dict[str, Any]) -> Goal:
    return replace(goal, **changes)
