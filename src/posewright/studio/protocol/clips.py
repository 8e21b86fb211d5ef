"""Clips: previews of edits, keys, contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from posewright.studio.protocol.request import Request
from posewright.studio.session.commands.goals import Point


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


REQUESTS: tuple[type[Request], ...] = (
    Preview,
    StopPreview,
)
INFOS: tuple[type[Any], ...] = (
    KeyInfo,
    ContactInfo,
    ClipInfo,
)
