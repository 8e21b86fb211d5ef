"""Where a figure came from: what its file's conventions were, and what the reader had to assume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from posewright.conventions import Array, IntArray
from posewright.figures.joint import ORIGIN, Vector


@dataclass(frozen=True, kw_only=True)
class Body:
    """A body (link) of a robot's file."""

    name: str
    joint: str
    """The joint of the figure that moves it, whose axes it has."""
    point: Vector = ORIGIN
    """m, its origin in that joint's frame."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """How the file wrote it, so that the same file can be written again."""

    format: str
    """Suffix without the dot, such as "bvh"."""
    metres_per_unit: float = 1.0
    up: str = "y"
    """The file's vertical axis, "y" or "z"."""
    channels: tuple[tuple[str, ...], ...] = ()
    """Per joint, the file's channels in file order; empty where the format has none."""
    names: tuple[str, ...] = ()
    """Per joint, the file's name, which two joints may share; empty where they are those of the figure."""
    joint_order: tuple[str, ...] = ()
    """Joints in the file's order, where that is not the order of the figure (parents first)."""
    bodies: tuple[Body, ...] = ()
    """Of a robot: the bodies of its file, parents first."""
    notes: tuple[str, ...] = ()
    """What the reader assumed, a sentence each; `posewright info` prints them."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The outermost points of a character's mesh."""

    joints: IntArray
    """(points,): the joint that each moves with most"""
    points: Array
    """(points, 3), m, in the frame of that joint"""


@dataclass(frozen=True, eq=False)
class Skin:
    """A character's own meshes and materials, kept as the file had them so that they can be written back."""

    document: Mapping[str, Any] = field(repr=False)
    """The glTF JSON."""
    binary: bytes = field(repr=False)
    """Its buffer."""
    nodes: tuple[int, ...]
    """For each joint of the figure, the glTF node that it moves."""
    outline: Outline | None = field(default=None, repr=False)
    """None: not known, or the mesh was only drawn around the bones."""
