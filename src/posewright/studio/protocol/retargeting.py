"""Retargeting: what, how, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from posewright.studio.protocol.choices import ChoiceInfo
from posewright.studio.protocol.clips import ContactInfo
from posewright.studio.protocol.figures import Scene
from posewright.studio.protocol.request import Request


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
