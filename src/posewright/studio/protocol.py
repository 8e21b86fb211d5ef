"""The protocol between page and server, declared in this one place.

Requests travel from the page to the server as JSON, replies as JSON back; poses travel as binary frames. The page's
types (`web/src/protocol.ts`) are written from here by `python -m posewright.studio.typescript`, and a test fails where
they differ. `docs/studio-protocol.md` says what each is for. `VERSION` goes up with every change that an older page
would not understand.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.studio.files.uploads import LARGEST
from posewright.studio.session.codec import sentence
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.goals.places import Quaternion
from posewright.studio.session.modes import Mode

VERSION = 1
LARGEST_REQUEST = 256 * 1024
"""Bytes; a longer one gets an error."""

LARGEST_UPLOAD = LARGEST
"""Bytes of a file that a page brings."""

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
class Preview(Request):
    """Show what a command about the clip would make of it; nothing is done. A newer one replaces one that waits."""

    kind: Literal["preview"] = "preview"
    command: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class StopPreview(Request):
    """Show the clip as it is."""

    kind: Literal["stop_preview"] = "stop_preview"


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
class CopyPose(Request):
    """Remember the pose shown."""

    kind: Literal["copy_pose"] = "copy_pose"


@dataclass(frozen=True, kw_only=True)
class PastePose(Request):
    """The pose that was copied, with left and right exchanged if it is flipped."""

    kind: Literal["paste_pose"] = "paste_pose"
    flipped: bool = False


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
class FileRequest(Request):
    """One about files."""


FileName = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, kw_only=True)
class Save(FileRequest):
    """Save the session as a project."""

    kind: Literal["save"] = "save"
    name: FileName | None = None
    """In the folder; None: in the project it has, or first under its title."""
    overwrite: bool = False
    """Whether to write over what somebody else has written."""


@dataclass(frozen=True, kw_only=True)
class Open(FileRequest):
    """Open files together: those of the folder by name, or those that the page has brought by `POST /upload`."""

    kind: Literal["open"] = "open"
    names: Annotated[tuple[FileName, ...], Field(max_length=64)] = ()
    uploads: Annotated[tuple[FileName, ...], Field(max_length=64)] = ()
    """As the answers to the uploads called them."""
    beside: bool = False
    """Whether figures and clips are kept beside what is edited."""


@dataclass(frozen=True, kw_only=True)
class Export(FileRequest):
    """Write the session into the folder as something else; answered when it is written, beside the line of requests."""

    kind: Literal["export"] = "export"
    what: FileName
    """One of the exports that pages are told: `pose.bvh`."""
    name: FileName | None = None
    """In the folder; None: a free one, after the title."""
    overwrite: bool = False
    """Whether to write over a file that is there."""


@dataclass(frozen=True, kw_only=True)
class Recover(FileRequest):
    """Go on with a session that was not saved."""

    kind: Literal["recover"] = "recover"
    name: FileName


@dataclass(frozen=True, kw_only=True)
class Discard(FileRequest):
    """Forget a session that was not saved."""

    kind: Literal["discard"] = "discard"
    name: FileName


@dataclass(frozen=True, kw_only=True)
class Look(Request):
    """Show a workflow in place of the one before; nothing is computed for what nobody looks at."""

    kind: Literal["look"] = "look"
    at: Literal["retarget", "design", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Retarget(Request):
    """Retarget what is chosen, beside the line of requests; the answer arrives as `retargeting`."""

    kind: Literal["retarget"] = "retarget"


@dataclass(frozen=True, kw_only=True)
class StopRetarget(Request):
    """Retarget no more."""

    kind: Literal["stop_retarget"] = "stop_retarget"


@dataclass(frozen=True, kw_only=True)
class TakeRetarget(Request):
    """The answer becomes the clip."""

    kind: Literal["take_retarget"] = "take_retarget"


@dataclass(frozen=True, kw_only=True)
class DropRetarget(Request):
    """Let the answer go."""

    kind: Literal["drop_retarget"] = "drop_retarget"


@dataclass(frozen=True, kw_only=True)
class CollectPostures(Request):
    """Collect the postures of clips, beside the line of requests; designs are then spliced from them."""

    kind: Literal["collect_postures"] = "collect_postures"
    clips: Annotated[tuple[Name, ...], Field(max_length=1000)]


@dataclass(frozen=True, kw_only=True)
class StopCollecting(Request):
    """Collect no more."""

    kind: Literal["stop_collecting"] = "stop_collecting"


@dataclass(frozen=True, kw_only=True)
class TakeDesign(Request):
    """The design becomes the pose."""

    kind: Literal["take_design"] = "take_design"


REQUESTS: tuple[type[Request], ...] = (
    Run,
    Undo,
    Redo,
    Preview,
    StopPreview,
    BeginDrag,
    MoveDrag,
    EndDrag,
    CancelDrag,
    CopyPose,
    PastePose,
    Propose,
    StopProposing,
    Accept,
    Reject,
    Save,
    Open,
    Export,
    Recover,
    Discard,
    Look,
    Retarget,
    StopRetarget,
    TakeRetarget,
    DropRetarget,
    CollectPostures,
    StopCollecting,
    TakeDesign,
)


# Replies.


@dataclass(frozen=True, kw_only=True)
class DofInfo:
    """One number of a joint."""

    name: str
    unit: Literal["m", "rad"]
    lower: float | None
    """None: it has no limit."""
    upper: float | None


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
    rigidity: float
    """0 to 1: the greatest of its dofs; 1 moves nothing"""
    dofs: tuple[DofInfo, ...]


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


@dataclass(frozen=True, kw_only=True)
class KeyInfo:
    """A key of the clip."""

    frame: int
    site: str
    target: Point
    """m"""
    error: float
    """m, in the clip as edited"""
    reached: bool


@dataclass(frozen=True, kw_only=True)
class ContactInfo:
    """A foot on the ground."""

    foot: str
    """left_foot"""
    start: int
    end: int
    """The last frame."""


@dataclass(frozen=True, kw_only=True)
class ClipInfo:
    """The clip; its poses come as binary frames."""

    name: str
    frames: int
    fps: float
    keys: tuple[KeyInfo, ...]
    """By frame."""
    contacts: tuple[ContactInfo, ...]
    """Of the clip as it was opened."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The figure; sent first, and again when it is another one."""

    kind: Literal["scene"] = "scene"
    version: int = VERSION
    figure: str
    height: float
    """m, of the figure; 1 for a single point"""
    floor: float
    """m, height of the floor"""
    joints: tuple[JointInfo, ...]
    cones: tuple[ConeInfo, ...]
    mesh: str | None
    """Where its mesh is fetched from; None: the cones are all there is to see."""


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
    clip: ClipInfo | None
    clip_names: tuple[str, ...]
    """Clips made by code that can be opened."""


@dataclass(frozen=True, kw_only=True)
class ExportInfo:
    """Something that the session can be exported as."""

    name: str
    """`pose.bvh`"""
    title: str
    suffix: str
    """Of the file; empty: it is a folder."""


@dataclass(frozen=True, kw_only=True)
class RecoveryInfo:
    """A session that was not saved."""

    name: str
    title: str
    when: float
    """s since 1970"""
    crashed: bool
    """Whether its program was killed."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """Folder and files; sent after the document, and again when they change."""

    kind: Literal["files"] = "files"
    folder: str | None
    project: str | None
    """The file that the session is saved in; None: none yet."""
    saved_at: float | None
    """s since 1970"""
    names: tuple[str, ...]
    """Of the folder that can be opened."""
    suffixes: tuple[str, ...]
    """Of files that can be opened."""
    notices: tuple[str, ...]
    """What a user should know about files, a sentence each."""
    recoveries: tuple[RecoveryInfo, ...]
    exports: tuple[ExportInfo, ...]


@dataclass(frozen=True, kw_only=True)
class ChoiceInfo:
    """Something that can be chosen."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class PartInfo:
    """A part of the body, and the joints that are it."""

    part: str
    source: tuple[str, ...]
    """From the trunk outwards; empty: the source has none."""
    target: tuple[str, ...]
    confidence: float
    """0 to 1, of the less certain of the two; 0: it is missing"""
    corrected: bool
    """By hand."""
    essential: bool
    """Without it nothing can be retargeted."""


@dataclass(frozen=True, kw_only=True)
class OptionsInfo:
    """How it is retargeted; see `RetargetOptions`."""

    feet: bool
    hands: bool
    smooth: float
    imitation: float | None
    scale: float | None
    floor: float | None
    speed_limits: bool
    slides: bool
    solver: str


@dataclass(frozen=True, kw_only=True)
class MeasureInfo:
    """A measure of the answer beside the source's."""

    name: str
    unit: str
    value: float
    source: float | None
    bound: float | None
    """The greatest value that passes; None: it is not judged."""
    passed: bool | None
    frame: int | None
    """The worst."""


@dataclass(frozen=True, kw_only=True)
class RetargetedInfo:
    """An answer; its poses come as binary frames."""

    sentence: str
    measures: tuple[MeasureInfo, ...]
    warnings: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Retargeting:
    """What is to be retargeted, and the answer; sent when a page looks at it, and when something of it changes."""

    kind: Literal["retargeting"] = "retargeting"
    sources: tuple[ChoiceInfo, ...]
    targets: tuple[ChoiceInfo, ...]
    source: str
    """Id of a choice."""
    target: str
    parts: tuple[PartInfo, ...]
    options: OptionsInfo
    solvers: tuple[str, ...]
    states_speeds: bool
    """Whether the target has greatest speeds to keep to."""
    why_not: str
    """Why it cannot be retargeted as things are, or why the last run ended; empty: it can."""
    name: str
    """Of the source."""
    frames: int
    fps: float
    contacts: tuple[ContactInfo, ...]
    """That are kept."""
    running: bool
    done: int
    """Frames, of those that are running."""
    result: RetargetedInfo | None


@dataclass(frozen=True, kw_only=True)
class Staged:
    """A figure that takes part in the retargeting; its poses come as binary frames."""

    kind: Literal["staged"] = "staged"
    role: Literal["source", "target"]
    scene: Scene
    rest: tuple[float, ...]
    """JOINT_NUMBERS per joint: how it stands."""


@dataclass(frozen=True, kw_only=True)
class SampleInfo:
    """A posture of the database and its weight in a blend."""

    posture: int
    clip: str
    frame: int
    weight: float


@dataclass(frozen=True, kw_only=True)
class SplicedInfo:
    """A part of the splice."""

    name: str
    """Its goals."""
    joints: tuple[str, ...]
    colour: str
    """#rrggbb"""
    samples: tuple[SampleInfo, ...]
    """What it is blended from, or could be given by; the largest weights first."""
    donor: int | None
    """The posture that gives it alone; None: it is blended."""


@dataclass(frozen=True, kw_only=True)
class DesignedInfo:
    """A design; its poses come as binary frames: the splice, then as refined."""

    parts: tuple[SplicedInfo, ...]
    rest: str
    """Where joints that no goal recruits come from."""
    rest_colour: str
    errors: tuple[ErrorInfo, ...]
    warnings: tuple[str, ...]
    splice_ms: float
    milliseconds: float
    """In total."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """What is designed, sent when a page looks at it, and when something of it changes."""

    kind: Literal["design"] = "design"
    clips: tuple[ChoiceInfo, ...]
    """Whose postures can be collected."""
    chosen: tuple[str, ...]
    """Ids of those whose postures are spliced from; none: those of the file."""
    postures: str
    """What is spliced from, in a few words; empty: nothing yet."""
    file: str
    """The database that was opened; empty: none."""
    recruiting: dict[str, str]
    """How much of the body serves a goal, by its name, where that was chosen."""
    keep_rest: bool
    why_not: str
    """Why there is no design; empty: there is one, or nothing was chosen yet."""
    collecting: bool
    done: int
    total: int
    """Clips."""
    result: DesignedInfo | None


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


REPLIES: tuple[type[Any], ...] = (Scene, Document, Files, Proposals, Retargeting, Staged, Design, Done, Failed)


# Poses.

POSE_FRAME = 1
POSE_HEADER = struct.Struct("<IIIIIfII")
"""Kind of frame, revision of the document it belongs to, joints, goals, 1 while dragging, milliseconds of the last
solve, frame of the clip, number of frames; little-endian, 32 bytes."""
JOINT_NUMBERS = 7
"""float64 per joint: position (m), quaternion xyzw, in the world."""
GOAL_NUMBERS = 6
"""float64 per goal: place of its handle (m; NaN where it has none), error (m or rad; NaN while it is off), 1 if
reached, number of the alternative that counts (-1: it has none)."""
PROPOSAL_FRAME = 2
PROPOSAL_HEADER = struct.Struct("<IIII")
"""Kind of frame, number of the proposal, frames, joints; then JOINT_NUMBERS float32 per joint and frame."""
CLIP_FRAME = 3
CLIP_HEADER = struct.Struct("<IIIIIII")
"""Kind of frame, whose frames they are (SOURCE, EDITED, ...), frames of the clip, first frame in this message, frames
in it, joints, 1 in the last message of several; then JOINT_NUMBERS float32 per joint and frame. Frames of an edited
clip that no message of it holds are those of the source."""
SOURCE = 0
"""The clip as opened: it comes first, and alone while there are no keys."""
EDITED = 1
RETARGET_SOURCE = 2
"""What is retargeted, of the figure staged as the source."""
RETARGETED = 3
"""The answer, of the figure staged as the target."""
DESIGNED = 4
"""Two frames: the spliced posture, and as it was refined."""


def pose_frame(
    revision: int,
    joints: Array,
    goals: Array,
    *,
    dragging: bool,
    milliseconds: float,
    at_limit: Array | None = None,
    centre: Array | None = None,
) -> bytes:
    """A pose as bytes: the header, joints (joints, 7), goals (goals, 6), 1 per joint at a limit, centre of mass (3)."""
    header = POSE_HEADER.pack(POSE_FRAME, revision, len(joints), len(goals), dragging, milliseconds, 0, 1)
    limits = np.zeros(len(joints)) if at_limit is None else at_limit
    middle = np.full(3, np.nan) if centre is None else centre
    return b"".join((header, *(part.astype("<f8").tobytes() for part in (joints, goals, limits, middle))))


def proposal_frame(number: int, joints: Array) -> bytes:
    """Poses of a proposal as bytes: joints (frames, joints, 7)."""
    header = PROPOSAL_HEADER.pack(PROPOSAL_FRAME, number, *joints.shape[:2])
    return header + joints.astype("<f4").tobytes()


def clip_frame(which: int, total: int, first: int, joints: Array, *, is_last: bool) -> bytes:
    """Frames of a clip as bytes: joints (frames, joints, 7)."""
    header = CLIP_HEADER.pack(CLIP_FRAME, which, total, first, *joints.shape[:2], is_last)
    return header + joints.astype("<f4").tobytes()


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
