"""Designing: postures to splice from, the splice, and as it is refined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from posewright.studio.protocol.choices import ChoiceInfo
from posewright.studio.protocol.posing import ErrorInfo
from posewright.studio.protocol.request import Request
from posewright.studio.session.commands.goals import Name


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
