"""A BVH description as a figure and coordinates, and what the file leaves open, found from its numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source
from posewright.figures.joint import ORIGIN, Vector, X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.formats.assumptions import WORLD_FROM_FILE, distinct, guess_unit
from posewright.formats.bvh.text import BvhJoint, BvhText
from posewright.formats.options import ReadOptions
from posewright.kernels import tables

AXES = {"X": X, "Y": Y, "Z": Z}
_HINGES = {letter: Hinge(axis=axis) for letter, axis in AXES.items()}
_CMU_NAMES = {"LowerBack", "Neck1", "LeftUpLeg", "RightUpLeg"}
_SAMPLES = 16
_OVERRIDE = "(set position_channels or --positions to override)"


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
    q: Array = text.values if columns == sorted(columns) else text.values[:, columns]
    q *= factors
    q.flags.writeable = False  # so that a motion takes it without a copy
    return q


def build_figure(text: BvhText, conventions: BvhConventions, *, name: str, notes: Iterable[str] = ()) -> Figure:
    """The figure of a description; joints that share a name get numbers."""
    unit, up = conventions.metres_per_unit, conventions.up
    original = tuple(bvh.name for bvh in text.joints)
    names = distinct(original)
    joints = _joints(text, names, conventions)
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


def _joints(text: BvhText, names: Sequence[str], conventions: BvhConventions) -> tuple[Joint, ...]:
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


def find_conventions(text: BvhText, options: ReadOptions) -> tuple[BvhConventions, tuple[str, ...]]:
    """The conventions of a file and the notes that say what was assumed; options take precedence."""
    notes: list[str] = []
    n = len(text.values)
    sample = text.values[np.arange(_SAMPLES) * (n - 1) // (_SAMPLES - 1)] if n > _SAMPLES else text.values
    joints_replace = _joints_replace(text, sample, options, notes)
    points = _sampled_points(text, sample, joints_replace)
    sizes = np.median(np.ptp(points, axis=2), axis=1)
    up = _up_axis(points, sizes, "in the frames" if n else "unturned", options, notes)
    vertical = "xyz".index(up)
    height = float(sizes[:, vertical].max())
    root_replaces = _root_replaces(text, points[1], vertical, height, options, notes)
    is_cmu = {joint.name for joint in text.joints} >= _CMU_NAMES
    unit, note = guess_unit(height, options.metres_per_unit, is_cmu=is_cmu)
    found = BvhConventions(metres_per_unit=unit, up=up, root_replaces=root_replaces, joints_replace=joints_replace)
    return found, (note, *notes)


def _sampled_points(text: BvhText, sample: Array, joints_replace: bool) -> Array:
    """Points (2, samples, points, 3) in file units and axes: with all rotations zero, and in frames of the clip."""
    moved = len(sample) > 0  # without frames, positions at zero say nothing
    conventions = BvhConventions(root_replaces=moved, joints_replace=moved and joints_replace)
    draft = Figure(name="draft", joints=_joints(text, distinct([bvh.name for bvh in text.joints]), conventions))
    values = sample if moved else np.zeros((1, draft.n_dofs))
    columns, factors = q_columns([joint.channels for joint in text.joints], 1.0)
    turned = values[:, columns] * factors
    q = np.concatenate([turned * (draft.tables.dofs["kind"] == tables.SLIDE), turned])
    frames = joint_frames(draft, q)
    owners = [i for i, bvh in enumerate(text.joints) for _ in bvh.end_sites]
    ends = np.array([point for bvh in text.joints for point in bvh.end_sites]).reshape(-1, 3, 1)
    tips = frames.positions[:, owners] + (frames.rotations[:, owners] @ ends)[..., 0]
    return np.concatenate([frames.positions, tips], axis=1).reshape(2, len(values), -1, 3)


def _up_axis(points: Array, sizes: Array, where: str, options: ReadOptions, notes: list[str]) -> str:
    if options.up is not None:
        notes.append(f"up axis: {options.up.upper()}, as given")
        return options.up
    # A person is much taller than deep, unturned and in the frames; an animal that is longer than tall must not fall.
    sizes = sizes + 1e-9 * (1.0 + np.abs(points).max())
    taller = float(np.log(sizes[:, 2] / sizes[:, 1]).sum())
    up = "z" if taller > 1.0 else "y"
    doubt = "" if abs(taller) > 1.5 else ", which leaves it doubtful"
    notes.append(
        f"up axis: assumed {up.upper()}; {where} the figure measures {sizes[1, 1]:.3g} along Y and {sizes[1, 2]:.3g} "
        f"along Z{doubt} (set up or --up to override)"
    )
    return up


def _joints_replace(text: BvhText, sample: Array, options: ReadOptions, notes: list[str]) -> bool:
    """Whether position channels below the root repeat the OFFSET (replace) or stay near zero (add)."""
    if options.position_channels is not None:
        return options.position_channels == "replace"
    nearer_offset, nearer_zero, first = 0, 0, 0
    for joint in text.joints:
        slides = [k for k, channel in enumerate(joint.channels) if channel.endswith("position")]
        offset = [(joint.offset or ORIGIN)["XYZ".index(joint.channels[k][0])] for k in slides]
        if joint.parent >= 0 and len(sample) and any(offset):
            value = np.median(sample[:, [first + k for k in slides]], axis=0)
            near = np.abs(value - offset).sum() <= np.abs(value).sum()
            nearer_offset, nearer_zero = nearer_offset + near, nearer_zero + (not near)
        first += len(joint.channels)
    adds = nearer_zero > nearer_offset
    if nearer_offset or nearer_zero:
        what = "are added to OFFSET (they stay near zero)" if adds else "replace OFFSET (they repeat it)"
        notes.append(f"position channels below the root: assumed that they {what} {_OVERRIDE}")
    return not adds


def _root_replaces(
    text: BvhText, frames: Array, vertical: int, height: float, options: ReadOptions, notes: list[str]
) -> bool:
    """Whether the root's positions are absolute; they are not where only adding OFFSET puts the figure on the floor."""
    if options.position_channels is not None:
        notes.append(f"position channels: they {options.position_channels} the OFFSET, as given")
        return options.position_channels == "replace"
    root = text.joints[0]
    offset = root.offset or ORIGIN
    if offset == ORIGIN or f"{'XYZ'[vertical]}position" not in root.channels or not len(text.values):
        return True
    lowest = float(np.median(frames[..., vertical].min(axis=1)))
    added = lowest + offset[vertical]
    replaces = not (abs(lowest) > 0.25 * height and abs(added) < 0.15 * height)
    what = "replace its OFFSET" if replaces else "are added to its OFFSET, which puts the figure on the floor"
    notes.append(f"position channels of the root: assumed that they {what} {_OVERRIDE}")
    return replaces
