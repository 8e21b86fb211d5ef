"""The session itself: its figure, what is asked of it, and what can be done, undone and copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from posewright.studio.protocol.clips import ClipInfo
from posewright.studio.protocol.figures import SiteInfo
from posewright.studio.protocol.posing import GoalInfo, RelationInfo
from posewright.studio.protocol.request import Request


@dataclass(frozen=True, kw_only=True)
class Run(Request):
    """Run a command."""

    kind: Literal["run"] = "run"
    command: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Undo(Request):
    """Undo the last command."""

    kind: Literal["undo"] = "undo"


@dataclass(frozen=True, kw_only=True)
class Redo(Request):
    """Do again what was undone."""

    kind: Literal["redo"] = "redo"


@dataclass(frozen=True, kw_only=True)
class CopyPose(Request):
    """Remember the pose shown."""

    kind: Literal["copy_pose"] = "copy_pose"


@dataclass(frozen=True, kw_only=True)
class PastePose(Request):
    """The pose that was copied, with left and right exchanged if it is flipped."""

    kind: Literal["paste_pose"] = "paste_pose"
    flipped: bool = False


@dataclass(frozen=True, kw_only=True)
class Look(Request):
    """Show a workflow in place of the one before; nothing is computed for what nobody looks at."""

    kind: Literal["look"] = "look"
    at: Literal["retarget", "design", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Document:
    """What is asked of the figure; sent after the scene, and again with every revision."""

    kind: Literal["document"] = "document"
    revision: int
    title: str
    sites: tuple[SiteInfo, ...]
    goals: tuple[GoalInfo, ...]
    undoes: str | None
    """What undo would undo; None: nothing."""
    redoes: str | None
    unsaved: bool
    solver: str
    solvers: tuple[str, ...]
    goal_kinds: tuple[str, ...]
    relations: tuple[RelationInfo, ...]
    dof_values: tuple[float, ...]
    """rad or m, in the order of the joints and their dofs; as the last command left them"""
    dragging: bool
    poses: tuple[str, ...]
    """Of the library that fit the figure."""
    copied: bool
    """Whether there is a pose to paste."""
    copied_keys: int
    """How many keys there are to paste."""
    clip: ClipInfo | None
    clip_names: tuple[str, ...]
    """Clips made by code that can be opened."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """A request was carried out."""

    kind: Literal["done"] = "done"
    id: int


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A request was refused, and nothing happened."""

    kind: Literal["error"] = "error"
    id: int | None
    """None: the request could not be read."""
    message: str
