"""The origin of a figure: the conventions of its file, and what the reader assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from posewright.conventions import Array, IntArray
from posewright.figures.joint import ORIGIN, Vector


@dataclass(frozen=True, kw_only=True)
class Body:
    """A body (link) in a robot file."""

    name: str
    joint: str
    """The figure's joint that moves this body; the body has the joint's axes."""
    point: Vector = ORIGIN
    """Origin of the body in that joint's frame, m."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Conventions of the file that a figure came from; writers use them to write an equivalent file."""

    format: str
    """Suffix without the dot, such as "bvh"."""
    metres_per_unit: float = 1.0
    """Length unit of the file, m."""
    up: str = "y"
    """The file's vertical axis, "y" or "z"."""
    channels: tuple[tuple[str, ...], ...] = ()
    """The channels of each joint, in file order; empty if the format has none."""
    names: tuple[str, ...] = ()
    """Name of each joint in the file, where two joints may share a name; empty if they are the figure's names."""
    joint_order: tuple[str, ...] = ()
    """Joint names in the file's order, if it differs from the figure's order (parents first)."""
    bodies: tuple[Body, ...] = ()
    """For a robot, the bodies in its file, parents first."""
    notes: tuple[str, ...] = ()
    """The reader's assumptions, one sentence each; `posewright info` prints them."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The outermost points of a character's mesh."""

    joints: IntArray
    """(points,): index of the joint that moves each point most."""
    points: Array
    """(points, 3), m, in the frame of that joint."""


@dataclass(frozen=True, eq=False)
class Skin:
    """A character's meshes and materials as they are in its file, kept so that they can be written back."""

    document: Mapping[str, Any] = field(repr=False)
    """The glTF JSON document."""
    binary: bytes = field(repr=False)
    """The glTF buffer."""
    nodes: tuple[int, ...]
    """For each joint of the figure, the glTF node that it moves."""
    outline: Outline | None = field(default=None, repr=False)
    """None if it is unknown, or if the mesh was only drawn around the bones."""
