"""A figure: joints, body, sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from posewright.studio.protocol.version import VERSION
from posewright.studio.session.commands.goals import Point


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
