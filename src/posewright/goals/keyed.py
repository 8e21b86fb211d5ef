"""Goals at moments of a motion: at one key frame, or along a path over a range of frames."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from posewright.checks import require, require_number
from posewright.errors import InvalidSetting
from posewright.goals.any_of import AnyOf
from posewright.goals.goal import Goal
from posewright.motions.splines import KochanekBartels


@dataclass(frozen=True)
class KeyFrame:
    """A goal at one frame."""

    frame: int
    """Counted from 0; negative counts from the end."""
    goal: Goal

    def __post_init__(self) -> None:
        _require_goal(self)

    @property
    def label(self) -> str:
        """What results call it."""
        return f"{self.goal.label} at frame {self.frame}"


@dataclass(frozen=True, eq=False)
class KeyTrajectory:
    """A goal over a range of frames, faded in before and out after it."""

    goal: Goal
    start: int
    """First frame at which it counts in full; negative counts from the end."""
    end: int
    """Last one."""
    path: KochanekBartels | None = None
    """Of the goal's point, m; its times are frames. None: the goal stays as it is."""
    ease_in: float = 0.0
    """Frames before `start` over which it fades in; 0: at once."""
    ease_out: float = 0.0
    """Frames after `end` over which it fades out."""

    def __post_init__(self) -> None:
        _require_goal(self)
        if self.path is not None:
            require(self.path, KochanekBartels, f"the path of {self.label!r}", "a KochanekBartels, or None")
        for name in ("ease_in", "ease_out"):
            value = getattr(self, name)
            require_number(value, f"{name} of {self.label!r}", "a number of frames, at least 0")
            if not (math.isfinite(value) and value >= 0.0):
                raise InvalidSetting(f"{name} of {self.label!r} is {value}; it must be a number of frames, at least 0")
        if self.path is not None and not hasattr(self.goal, "target"):
            raise InvalidSetting(f"{self.goal} has no point that could follow a path; leave the path out")
        if self.path is not None and isinstance(getattr(self.goal, "target", None), str):
            raise InvalidSetting(f"{self.goal} is about another site and cannot follow a path as well")

    @property
    def label(self) -> str:
        """What results call it."""
        return f"{self.goal.label} from frame {self.start} to {self.end}"


Key = KeyFrame | KeyTrajectory


def _require_goal(key: Key) -> None:
    require(key.goal, Goal, f"the goal of a {type(key).__name__}", "one of the kinds of goals, such as Position")


def prefixed(goal: Goal, prefix: str, name: str) -> Goal:
    """The goal about a figure whose names all begin with a prefix; results call it `name`."""
    changes: dict[str, Any] = {"name": name}
    for field in fields(goal):
        value = getattr(goal, field.name)
        if field.name in ("site", "like") or (field.name == "target" and isinstance(value, str)):
            changes[field.name] = None if value is None else prefix + value
        elif field.name == "joints" and not isinstance(value, str):
            changes[field.name] = tuple(prefix + joint for joint in value)
    if isinstance(goal, AnyOf):
        changes["members"] = tuple(prefixed(member, prefix, member.name) for member in goal.members)
    return replace(goal, **changes)
