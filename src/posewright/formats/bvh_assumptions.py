"""What a BVH file leaves open, found from its numbers and said in a sentence each."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.figure.tables import FigureTables
from posewright.formats.bvh_figure import AXES, BvhConventions, q_columns
from posewright.formats.bvh_text import BvhText
from posewright.formats.options import ReadOptions
from posewright.formats.units import guess_unit
from posewright.kernels import tables
from posewright.kernels.kinematics import place_all

_CMU_NAMES = {"LowerBack", "Neck1", "LeftUpLeg", "RightUpLeg"}
_SAMPLES = 16


def find_conventions(text: BvhText, options: ReadOptions) -> tuple[BvhConventions, tuple[str, ...]]:
    """The conventions of a file and the notes that say what was assumed; options go before any finding."""
    notes: list[str] = []
    found = BvhConventions(joints_replace=_joints_replace(text, options, notes))
    unturned, frames = _sampled_points(text, found.joints_replace)
    found = replace(found, up=_up_axis(unturned, frames, options, notes))
    vertical = "xyz".index(found.up)
    height = _height(unturned, frames, vertical)
    found = replace(found, root_replaces=_root_replaces(text, frames, vertical, height, options, notes))
    is_cmu = {joint.name for joint in text.joints} >= _CMU_NAMES
    unit, note = guess_unit(height, options.metres_per_unit, is_cmu=is_cmu)
    notes.insert(0, note)
    return replace(found, metres_per_unit=unit), tuple(notes)


def _sampled_points(text: BvhText, joints_replace: bool) -> tuple[Array, Array]:
    """Points (samples, points, 3) in file units and axes: with all rotations zero, and in frames of the clip."""
    joints, dofs = _draft_tables(text, joints_replace)
    values = _sampled(text.values) if len(text.values) else np.zeros((1, len(dofs)))
    order, factors = q_columns([joint.channels for joint in text.joints], 1.0)
    turned = values[:, order] * factors
    q = np.concatenate([np.where(dofs["kind"] == tables.SLIDE, turned, 0.0), turned])
    rotations, positions = np.empty((len(q), len(joints), 3, 3)), np.empty((len(q), len(joints), 3))
    place_all(joints, dofs, q, rotations, positions)
    tips = [(i, end) for i, joint in enumerate(text.joints) for end in joint.end_sites]
    if tips:
        holders = [i for i, _ in tips]
        ends = np.einsum("ftij,tj->fti", rotations[:, holders], np.array([end for _, end in tips]))
        positions = np.concatenate([positions, positions[:, holders] + ends], axis=1)
    return positions[: len(values)], positions[len(values) :]


def _draft_tables(text: BvhText, joints_replace: bool) -> FigureTables:
    """The file lowered as it stands, in its own units and axes; much quicker than a figure that is not kept."""
    joints = np.zeros(len(text.joints), tables.JOINT)
    offsets, slides, kinds, axes = [], [], [], []
    for joint in text.joints:
        letters = [c[0] for c in joint.channels if c.endswith("position")]
        turns = [c[0] for c in joint.channels if c.endswith("rotation")]
        replaces = len(text.values) > 0 and (joint.parent < 0 or joints_replace)
        offsets.append(
            [0.0 if replaces and axis in letters else o for axis, o in zip("XYZ", joint.offset, strict=True)]
        )
        slides.append(len(letters))
        kinds += [tables.SLIDE] * len(letters) + [tables.HINGE] * len(turns)
        axes += [AXES[letter] for letter in letters + turns]
    widths = np.array([len(joint.channels) for joint in text.joints])
    joints["parent"] = [joint.parent for joint in text.joints]
    joints["first"], joints["slides"], joints["hinges"] = np.cumsum(widths) - widths, slides, widths - slides
    joints["offset"] = offsets
    dofs = np.zeros(len(kinds), tables.DOF)
    if kinds:
        dofs["kind"], dofs["axis"] = kinds, axes
    return FigureTables(joints, dofs)


def _sampled(values: Array) -> Array:
    frames = np.unique(np.linspace(0, max(len(values) - 1, 0), min(_SAMPLES, len(values))).astype(int))
    sample: Array = values[frames]
    return sample


def _up_axis(unturned: Array, frames: Array, options: ReadOptions, notes: list[str]) -> str:
    if options.up is not None:
        notes.append(f"up axis: {options.up.upper()}, as told")
        return options.up
    # A person is much taller than deep, unturned and in the frames; an animal that is longer than tall must not fall.
    taller, sizes = 0.0, np.ones(3)
    for points in (unturned, frames):
        sizes = np.median(np.ptp(points, axis=1), axis=0) + 1e-9 * (1.0 + np.abs(points).max())
        taller += math.log(sizes[2] / sizes[1])
    up = "z" if taller > 1.0 else "y"
    doubt = "" if abs(taller) > 1.5 else ", which leaves it doubtful"
    notes.append(
        f"up axis: assumed {up.upper()}; in the frames the figure measures {sizes[1]:.3g} along Y and {sizes[2]:.3g} "
        f"along Z{doubt} (set up to override)"
    )
    return up


def _height(unturned: Array, frames: Array, vertical: int) -> float:
    return max(float(np.median(np.ptp(points[..., vertical], axis=1))) for points in (unturned, frames))


def _joints_replace(text: BvhText, options: ReadOptions, notes: list[str]) -> bool:
    """Whether position channels below the root repeat the OFFSET (replace) or stay near zero (add)."""
    nearer_offset, nearer_zero, first = 0, 0, 0
    sample = _sampled(text.values)
    for joint in text.joints:
        columns = {c[0]: first + k for k, c in enumerate(joint.channels) if c.endswith("position")}
        first += len(joint.channels)
        if joint.parent < 0 or not columns or not len(sample):
            continue
        offset = np.array([joint.offset["XYZ".index(letter)] for letter in columns])
        value = np.median(sample[:, list(columns.values())], axis=0)
        if np.any(offset != 0.0):
            to_offset, to_zero = np.abs(value - offset).sum(), np.abs(value).sum()
            nearer_offset += int(to_offset <= to_zero)
            nearer_zero += int(to_offset > to_zero)
    if options.position_channels is not None:
        return options.position_channels == "replace"
    adds = nearer_zero > nearer_offset
    if nearer_offset or nearer_zero:
        what = "are added to OFFSET (they stay near zero)" if adds else "replace OFFSET (they repeat it)"
        notes.append(f"position channels below the root: assumed that they {what} (set position_channels to override)")
    return not adds


def _root_replaces(
    text: BvhText, frames: Array, vertical: int, height: float, options: ReadOptions, notes: list[str]
) -> bool:
    """Whether the root's positions are absolute; they are not where only adding OFFSET puts the figure on the floor."""
    if options.position_channels is not None:
        notes.append(f"position channels: they {options.position_channels} the OFFSET, as told")
        return options.position_channels == "replace"
    root = text.joints[0]
    letter = "XYZ"[vertical]
    if root.offset == (0.0, 0.0, 0.0) or f"{letter}position" not in root.channels or not len(text.values):
        return True
    lowest = float(np.median(frames[..., vertical].min(axis=1)))
    added = lowest + root.offset[vertical]
    replaces = not (abs(lowest) > 0.25 * height and abs(added) < 0.15 * height)
    notes.append(
        "position channels of the root: assumed that they "
        + ("replace its OFFSET" if replaces else "are added to its OFFSET, which puts the figure on the floor")
        + " (set position_channels to override)"
    )
    return replaces
