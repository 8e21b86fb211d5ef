"""Goals as JSON holds them in journals: every field as it is, so that they come back as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from posewright.errors import InvalidSetting, shown
from posewright.figures import Figure, Pose
from posewright.goals import GOAL_KINDS, Goal


def write_goal(goal: Goal) -> dict[str, Any]:
    """A goal, its fields by name."""
    return {"kind": goal.word(), **{field.name: _written(getattr(goal, field.name)) for field in fields(goal)}}


def read_goal_values(given: Any, figure: Figure) -> Goal:
    """What `write_goal` wrote, for the same figure.

    Raises:
        PosewrightError: it is no goal, or not one of this figure.
    """
    kind = GOAL_KINDS.get(str(given.get("kind"))) if isinstance(given, Mapping) else None
    if kind is None:
        raise InvalidSetting(f"a goal must have a kind, one of {', '.join(GOAL_KINDS)}; found {shown(given)}")
    known = {field.name for field in fields(kind)}
    unknown = given.keys() - known - {"kind"}
    if unknown:
        raise InvalidSetting(f"a {kind.word()} goal has no field {min(unknown)!r}")
    values: dict[str, Any] = {name: _read(value, figure) for name, value in given.items() if name != "kind"}
    try:
        return kind(**values)
    except TypeError as error:
        raise InvalidSetting(f"a {kind.word()} goal cannot be made: {error}") from None


def _written(value: Any) -> Any:
    if isinstance(value, Goal):
        return {"goal": write_goal(value)}
    if isinstance(value, Pose):
        return {"pose": value.q.tolist()}
    if isinstance(value, Mapping):
        return {"mapping": {str(name): _written(one) for name, one in value.items()}}
    if isinstance(value, tuple | list):
        return [_written(one) for one in value]
    return value


def _read(value: Any, figure: Figure) -> Any:
    if isinstance(value, list):
        return tuple(_read(one, figure) for one in value)
    if not isinstance(value, dict):
        return value
    if value.keys() == {"goal"}:
        return read_goal_values(value["goal"], figure)
    if value.keys() == {"pose"}:
        return Pose(figure, np.array(value["pose"], dtype=np.float64))
    if value.keys() == {"mapping"} and isinstance(value["mapping"], dict):
        return {name: _read(one, figure) for name, one in value["mapping"].items()}
    raise InvalidSetting(f"a field of a goal is {shown(value)}, which is neither a goal, a pose nor a mapping")
