"""A BVH description as a Figure and coordinates, once its conventions are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from posewright.conventions import Array
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source
from posewright.figures.joint import NO_TURN, Quaternion, Vector, X, Y, Z
from posewright.formats.bvh.channels import channel_order, q_columns
from posewright.formats.bvh.text import BvhJoint, BvhText

AXES = {"X": X, "Y": Y, "Z": Z}
_HINGES = {letter: Hinge(axis=axis) for letter, axis in AXES.items()}

_HALF = math.sqrt(0.5)
WORLD_FROM_FILE: dict[str, Quaternion] = {"y": NO_TURN, "z": (_HALF, -_HALF, 0.0, 0.0)}
"""The turn that makes a file's vertical axis ours: about x by -90 degrees when z is up."""


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


def build_figure(text: BvhText, conventions: BvhConventions, *, name: str, notes: Iterable[str] = ()) -> Figure:
    """The figure of a description; joints that share a name get numbers."""
    unit, up = conventions.metres_per_unit, conventions.up
    original = tuple(bvh.name for bvh in text.joints)
    names = distinct(original)
    joints = tuple(
        _joint(bvh, names[i], None if bvh.parent < 0 else names[bvh.parent], conventions)
        for i, bvh in enumerate(text.joints)
    )
    sites = [(i, (unit * x, unit * y, unit * z)) for i, bvh in enumerate(text.joints) for x, y, z in bvh.end_sites]
    site_names = distinct([f"{names[i]}_end" for i, _ in sites], taken=names)
    return Figure(
        name=name,
        joints=joints,
        sites=tuple(
            Site(name=site, joint=names[i], point=point, tip=True)
            for site, (i, point) in zip(site_names, sites, strict=True)
        ),
        source=Source(
            format="bvh",
            metres_per_unit=unit,
            up=up,
            channels=tuple(bvh.channels for bvh in text.joints),
            names=() if original == names else original,
            notes=tuple(notes),
        ),
    )


def _joint(bvh: BvhJoint, name: str, parent: str | None, conventions: BvhConventions) -> Joint:
    is_root = parent is None
    up = conventions.up if is_root else "y"
    replaces = conventions.root_replaces if is_root else conventions.joints_replace
    unit = conventions.metres_per_unit
    order = channel_order(bvh.channels)
    x, y, z = bvh.offset
    offset = to_world((unit * x, unit * y, unit * z), up)
    slides = tuple(
        Slide(axis=axis, rest=sum(a * o for a, o in zip(axis, offset, strict=True)) if replaces else 0.0)
        for axis in (to_world(AXES[letter], up) for letter in order.slide_letters)
    )
    return Joint(
        name=name,
        parent=parent,
        offset=offset,
        rest=WORLD_FROM_FILE[up],
        slides=slides,
        slides_replace_offset=bool(slides) and replaces,
        rotation=tuple([_HINGES[letter] for letter in order.hinge_letters]),
    )


def coordinates(text: BvhText, metres_per_unit: float) -> Array:
    """The channel values (frames, channels) in the order, radians and metres of `q`; takes over `text.values`."""
    order, factors = q_columns([joint.channels for joint in text.joints], metres_per_unit)
    in_order = order == sorted(order)
    q: Array = text.values if in_order else text.values[:, order]
    q *= factors
    q.flags.writeable = False  # so that a motion takes it without a copy
    return q


def distinct(names: Sequence[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names, with _2, _3, ... after those that came before."""
    used, all_names = set(taken), {*names, *taken}
    next_number: dict[str, int] = {}
    found = []
    for name in names:
        fresh, number = name, next_number.get(name, 2)
        while fresh in used or (fresh != name and fresh in all_names):
            fresh, number = f"{name}_{number}", number + 1
        next_number[name] = number
        used.add(fresh)
        found.append(fresh)
    return tuple(found)
