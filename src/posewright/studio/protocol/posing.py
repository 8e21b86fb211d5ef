"""Posing: drags, goals, and other answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from posewright.studio.protocol.request import Request
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.goals.places import Quaternion
from posewright.studio.session.modes import Mode


@dataclass(frozen=True, kw_only=True)
class BeginDrag(Request):
    """Take hold of goals, after a command that belongs to the same gesture."""

    kind: Literal["begin_drag"] = "begin_drag"
    first: dict[str, Any] | None = None
    goals: Annotated[tuple[Name, ...], Field(max_length=1000)] = ()
    """Those that will be moved, besides the one that the command makes."""
    mode: Mode = "full body"
    """How much of the body follows."""
    symmetric: bool = False
    """Whether the other side mirrors what these do."""


@dataclass(frozen=True, kw_only=True)
class MoveDrag(Request):
    """Bring goals elsewhere. A newer one replaces one that still waits; both are then answered."""

    kind: Literal["move_drag"] = "move_drag"
    targets: Annotated[dict[Name, Point], Field(max_length=1000)]
    """m, by goal"""
    turns: Annotated[dict[Name, Quaternion], Field(max_length=1000)] = field(default_factory=dict)
    """wxyz, by goal: since the drag began"""


@dataclass(frozen=True, kw_only=True)
class EndDrag(Request):
    """Let go: one last solve to convergence."""

    kind: Literal["end_drag"] = "end_drag"


@dataclass(frozen=True, kw_only=True)
class CancelDrag(Request):
    """Let go, and all is as before."""

    kind: Literal["cancel_drag"] = "cancel_drag"


@dataclass(frozen=True, kw_only=True)
class Propose(Request):
    """Look for other answers: of every solver, or several distinct ones. They arrive as they are found."""

    kind: Literal["propose"] = "propose"
    what: Literal["solvers", "answers"]


@dataclass(frozen=True, kw_only=True)
class StopProposing(Request):
    """Look for no more; those found stay."""

    kind: Literal["stop_proposing"] = "stop_proposing"


@dataclass(frozen=True, kw_only=True)
class Accept(Request):
    """Take a proposal as the pose."""

    kind: Literal["accept"] = "accept"
    number: Annotated[int, Field(ge=0)]
    """Counted from 0."""


@dataclass(frozen=True, kw_only=True)
class Reject(Request):
    """Let all proposals go."""

    kind: Literal["reject"] = "reject"


@dataclass(frozen=True, kw_only=True)
class GoalInfo:
    """A goal; its target and error are in the frames of poses, in the same order."""

    name: str
    goal_kind: str
    """As in task files: position, placement, ..."""
    site: str | None
    weight: float
    priority: int
    enabled: bool
    pinned: bool
    movable: bool
    """Whether it has a point that can be dragged."""
    turnable: bool
    """Whether it has directions that can be turned."""
    fields: dict[str, Any]
    """All of it, as in a task file."""
    tolerance: float | None
    """m or rad: what counts as reached; None: it is only approached, or off"""
    unit: Literal["m", "rad"]
    why: str
    """Why it is missed; empty while dragging."""


@dataclass(frozen=True, kw_only=True)
class RelationInfo:
    """A joint group or a linear constraint of the figure."""

    name: str
    is_group: bool
    on: bool
    about: str
    """What it relates, in a line."""


@dataclass(frozen=True, kw_only=True)
class ErrorInfo:
    """How a goal fares in a proposal."""

    goal: str
    error: float
    """m or rad"""
    unit: Literal["m", "rad"]
    reached: bool


@dataclass(frozen=True, kw_only=True)
class ProposalInfo:
    """Another answer; its poses come as a binary frame."""

    name: str
    errors: tuple[ErrorInfo, ...]
    milliseconds: float
    iterations: int
    stopped: str
    frames: int
    """Of the path that led to it; 1: none is known"""
    has_particles: bool
    """Whether what was drawn at random on that path comes as a binary frame, too."""


@dataclass(frozen=True, kw_only=True)
class Proposals:
    """The proposals there are now; poses of new ones follow as binary frames."""

    kind: Literal["proposals"] = "proposals"
    running: bool
    """More are looked for."""
    wanted: int
    """How many there may be in the end."""
    proposals: tuple[ProposalInfo, ...]
    refusals: tuple[str, ...]
    """Why solvers could not be asked, a sentence each."""
