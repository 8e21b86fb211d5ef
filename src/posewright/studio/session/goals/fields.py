"""Goals as task files write them, and goals with some of these fields changed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from posewright.errors import InvalidSetting, UnknownName
from posewright.goals import Goal
from posewright.studio.session.state import State

_SHARED = ("name", "weight", "priority", "joints", "enabled")


def goal_fields(goal: Goal) -> dict[str, Any]:
    """What a task file says of a goal; a posture's reference, which is a pose, is called `start`."""
    tolerance = goal.tolerance
    if tolerance is not None and goal.error_unit == "rad":
        tolerance = math.degrees(tolerance)
    shared = {name: _plain(getattr(goal, name)) for name in _SHARED}
    found = own_fields(goal) | shared
    return found if goal.error_unit is None else found | {"tolerance": tolerance}


def own_fields(goal: Goal) -> dict[str, Any]:
    """Its kind, and the fields that other kinds do not have; None is left out."""
    from posewright.tasks.goals import declared

    known = {field.name for field in fields(goal)}
    values = {name: getattr(goal, name) for name in declared(type(goal)) if name in known}
    if "reference" in values:
        values["reference"] = "start"
    plain = {name: _plain(value) for name, value in values.items() if value is not None}
    if plain.get("faces"):
        plain["faces"] = [{"point": point, "normal": normal} for point, normal in plain["faces"]]
    return {"kind": goal.word(), **plain}


def read_goal(given: Mapping[str, Any], state: State) -> Goal:
    """A goal as task files write them.

    Raises:
        InvalidSetting: with the first thing that is wrong about it.
    """
    try:
        model = _reader().validate_python(dict(given), context={"figure": state.figure})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("<"))
        problem = first["msg"].removeprefix("Value error, ")
        raise InvalidSetting(f"the goal cannot be read: {where or 'it'}: {problem}") from None
    goal: Goal = model.build(state.figure, state.pose)
    return goal


def changed(goal: Goal, changes: Mapping[str, Any], state: State) -> Goal:
    """A goal with some fields as a task file would write them; None takes a field away.

    Raises:
        InvalidSetting: a field is wrong.
        UnknownName: the kind has no such field.
    """
    before = goal_fields(goal)
    known = [*before, *(field.name for field in fields(goal))]
    for name in changes:
        if name == "kind" or name not in known:
            raise UnknownName("field", name, [one for one in dict.fromkeys(known) if one != "kind"], where=str(goal))
    merged = {name: value for name, value in {**before, **changes}.items() if value is not None}
    fresh: Any = read_goal(merged, state)
    values: dict[str, Any] = {name: getattr(fresh, name) for name in changes}
    return replace(goal, **values)


def _plain(value: Any) -> Any:
    if isinstance(value, Goal):
        return own_fields(value) | ({"name": value.name} if value.name else {})
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value


@cache
def _reader() -> TypeAdapter[Any]:
    from posewright.tasks.goals import AnyGoal

    return TypeAdapter(AnyGoal)
