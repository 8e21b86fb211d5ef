"""The protocol between page and server, declared in this one place.

Requests travel from the page to the server as JSON, replies as JSON back; poses travel as binary frames. The page's
types (`web/src/protocol.ts`) are written from here by `python -m posewright.studio.typescript`, and a test fails where
they differ. `docs/studio-protocol.md` says what each is for. `VERSION` goes up with every change that an older page
would not understand.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.studio.session.codec import sentence
from posewright.studio.session.commands.goals import Name, Point

VERSION = 1
LARGEST_REQUEST = 256 * 1024
"""Bytes; a longer one gets an error."""

# Requests.


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a page asks for; each is answered by `done` or `error` with its id."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    id: Annotated[int, Field(ge=0, lt=2**53)]
    """Counted by the page."""


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
class BeginDrag(Request):
    """Take hold of goals, after a command that belongs to the same gesture."""

    kind: Literal["begin_drag"] = "begin_drag"
    first: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class MoveDrag(Request):
    """Bring goals elsewhere. A newer one replaces one that still waits; both are then answered."""

    kind: Literal["move_drag"] = "move_drag"
    targets: Annotated[dict[Name, Point], Field(min_length=1, max_length=1000)]
    """m, by goal"""


@dataclass(frozen=True, kw_only=True)
class EndDrag(Request):
    """Let go: one last solve to convergence."""

    kind: Literal["end_drag"] = "end_drag"


@dataclass(frozen=True, kw_only=True)
class CancelDrag(Request):
    """Let go, and all is as before."""

    kind: Literal["cancel_drag"] = "cancel_drag"


REQUESTS: tuple[type[Request], ...] = (Run, Undo, Redo, BeginDrag, MoveDrag, EndDrag, CancelDrag)


# Replies.


@dataclass(frozen=True, kw_only=True)
class JointInfo:
    """A joint of the figure."""

    name: str
    parent: int
    """Index, -1 for a root."""
    side: str
    """left, right or empty"""
    segment: str
    """What it moves: left_forearm."""


@dataclass(frozen=True, kw_only=True)
class ConeInfo:
    """A rounded cone of the body."""

    joint: int
    start: Point
    """m, in the joint's frame"""
    end: Point
    radii: tuple[float, float]
    """m, at start and end"""
    colour: str
    """#rrggbb"""


@dataclass(frozen=True, kw_only=True)
class SiteInfo:
    """A named point of the figure."""

    name: str
    joint: int
    point: Point
    """m, in the joint's frame"""
    made: bool
    """By a click."""


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
    unit: Literal["m", "rad"]
    why: str
    """Why it is missed; empty while dragging."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The figure; sent first, and again when it is another one."""

    kind: Literal["scene"] = "scene"
    version: int = VERSION
    figure: str
    height: float
    """m, of the figure"""
    floor: float
    """m, height of the floor"""
    joints: tuple[JointInfo, ...]
    cones: tuple[ConeInfo, ...]


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
    dragging: bool


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


REPLIES: tuple[type[Any], ...] = (Scene, Document, Done, Failed)


# Poses.

POSE_FRAME = 1
POSE_HEADER = struct.Struct("<IIIIIfII")
"""Kind of frame, revision of the document it belongs to, joints, goals, 1 while dragging, milliseconds of the last
solve, frame of the clip, number of frames; little-endian, 32 bytes."""
JOINT_NUMBERS = 7
"""float64 per joint: position (m), quaternion xyzw, in the world."""
GOAL_NUMBERS = 5
"""float64 per goal: target (m; NaN where it has no point), error (m or rad; NaN while it is off), 1 if reached."""


def pose_frame(revision: int, joints: Array, goals: Array, *, dragging: bool, milliseconds: float) -> bytes:
    """A pose as bytes: the header, joints (joints, 7), goals (goals, 5)."""
    header = POSE_HEADER.pack(POSE_FRAME, revision, len(joints), len(goals), dragging, milliseconds, 0, 1)
    return b"".join((header, joints.astype("<f8").tobytes(), goals.astype("<f8").tobytes()))


# Reading and writing.


@cache
def _reader() -> TypeAdapter[Request]:
    union: Any = reduce(or_, REQUESTS)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])


def read_request(text: str) -> Request:
    """A request from what arrived.

    Raises:
        InvalidSetting: it is too long, or not a request; the sentence says what is wrong.
    """
    if len(text) > LARGEST_REQUEST:
        raise InvalidSetting(f"the request has {len(text)} characters; {LARGEST_REQUEST} are accepted")
    try:
        return _reader().validate_json(text)
    except ValidationError as error:
        raise InvalidSetting(f"the request cannot be read: {sentence(error)}") from None


def request_id(text: str) -> int | None:
    """The id of a request that could not be read otherwise."""
    try:
        found = json.loads(text).get("id") if len(text) <= LARGEST_REQUEST else None
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def write_reply(reply: Any) -> str:
    """A reply as JSON."""
    return json.dumps(asdict(reply), allow_nan=False, separators=(",", ":"))
