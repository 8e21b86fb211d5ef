"""A BVH description as a figure and coordinates, under the conventions that the file leaves open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source
from posewright.figures.joint import ORIGIN, Vector, X, Y, Z
from posewright.formats.assumptions import WORLD_FROM_FILE, distinct
from posewright.formats.bvh.text import BvhJoint, BvhText

AXES = {"X": X, "Y": Y, "Z": Z}
_ROWS = 16_384
"""Frames that are converted at once."""
_HINGES = {letter: Hinge(axis=axis) for letter, axis in AXES.items()}


@dataclass(frozen=True, kw_only=True)
class BvhConventions:
    """What a BVH file leaves open."""

    metres_per_unit: float = 1.0
    up: str = "y"
    root_replaces: bool = True
    """Whether position channels of a ROOT replace its OFFSET, or are added to it."""
    joints_replace: bool = True
    """The same for the position channels of other joints."""


def to_world(vector: Sequence[float], up: str) -> Vector:
    """A vector of the file's world in ours."""
    x, y, z = vector
    return (x, y, z) if up == "y" else (x, z, 0.0 - y)


@cache  # nearly all joints of a file have the same channels
def in_q_order(channels: tuple[str, ...]) -> tuple[int, ...]:
    """A joint's channels in the order of `q`, by index: positions, then rotations, each in file order."""
    return tuple(sorted(range(len(channels)), key=lambda k: channels[k].endswith("rotation")))


@cache
def _axes_and_hinges(channels: tuple[str, ...], up: str) -> tuple[tuple[Vector, ...], tuple[Hinge, ...]]:
    """Axes of a joint's position channels, in our world, and hinges of its rotation channels."""
    axes = tuple(to_world(AXES[channel[0]], up) for channel in channels if channel.endswith("position"))
    return axes, tuple(_HINGES[channel[0]] for channel in channels if channel.endswith("rotation"))


def q_columns(channels: Sequence[tuple[str, ...]], metres_per_unit: float) -> tuple[list[int], Array]:
    """For each number of `q`: the file's column, and what a value there is multiplied by."""
    columns: list[int] = []
    factors: list[float] = []
    first = 0
    for names in channels:
        order = in_q_order(names)
        columns += [first + k for k in order]
        factors += [metres_per_unit if names[k].endswith("position") else math.pi / 180.0 for k in order]
        first += len(names)
    return columns, np.array(factors)


def coordinates(text: BvhText, metres_per_unit: float) -> Array:
    """The channel values (frames, channels) in the order, radians and metres of `q`; takes over `text.values`."""
    columns, factors = q_columns([joint.channels for joint in text.joints], metres_per_unit)
    q = text.values
    for start in range(0, len(q), _ROWS):  # in place: the clip may be longer than memory
        some = q[start : start + _ROWS]
        some[:] = some[:, columns] * factors
    q.flags.writeable = False  # so that a motion takes it without a copy
    return q


def build_figure(text: BvhText, conventions: BvhConventions, *, name: str, notes: Iterable[str] = ()) -> Figure:
    """The figure of a description; joints that share a name get numbers."""
    unit, up = conventions.metres_per_unit, conventions.up
    original = tuple(bvh.name for bvh in text.joints)
    names = distinct(original)
    joints = bvh_joints(text, names, conventions)
    tips = [
        (names[i], (unit * x, unit * y, unit * z)) for i, bvh in enumerate(text.joints) for x, y, z in bvh.end_sites
    ]
    tip_names = distinct([f"{joint}_end" for joint, _ in tips], taken=names)
    sites = [
        Site(name=tip, joint=joint, point=point, tip=True) for tip, (joint, point) in zip(tip_names, tips, strict=True)
    ]
    source = Source(
        format="bvh",
        metres_per_unit=unit,
        up=up,
        channels=tuple(bvh.channels for bvh in text.joints),
        names=() if original == names else original,
        notes=tuple(notes),
    )
    return Figure(name=name, joints=joints, sites=tuple(sites), source=source)


def bvh_joints(text: BvhText, names: Sequence[str], conventions: BvhConventions) -> tuple[Joint, ...]:
    """The joints of a description under the names given."""
    return tuple(
        _joint(bvh, name, None if bvh.parent < 0 else names[bvh.parent], conventions)
        for bvh, name in zip(text.joints, names, strict=True)
    )


def _joint(bvh: BvhJoint, name: str, parent: str | None, conventions: BvhConventions) -> Joint:
    up = conventions.up if parent is None else "y"
    replaces = conventions.root_replaces if parent is None else conventions.joints_replace
    unit = conventions.metres_per_unit
    x, y, z = bvh.offset or ORIGIN
    offset = to_world((unit * x, unit * y, unit * z), up)
    axes, hinges = _axes_and_hinges(bvh.channels, up)
    return Joint(
        name=name,
        parent=parent,
        offset=offset,
        rest=WORLD_FROM_FILE[up],
        slides=tuple(
            Slide(axis=axis, rest=sum(a * o for a, o in zip(axis, offset, strict=True)) if replaces else 0.0)
            for axis in axes
        ),
        slides_replace_offset=bool(axes) and replaces,
        rotation=hinges,
    )
