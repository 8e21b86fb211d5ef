"""What a BVH file leaves open, found from its numbers and said in a sentence each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.figures.kinematics import site_frames
from posewright.formats.bvh.channels import channel_order, q_columns
from posewright.formats.bvh.text import BvhText
from posewright.formats.bvh.to_figure import BvhConventions, build_figure
from posewright.formats.options import ReadOptions
from posewright.formats.units import guess_unit
from posewright.kernels import tables

_CMU_NAMES = {"LowerBack", "Neck1", "LeftUpLeg", "RightUpLeg"}
_SAMPLES = 16


def find_conventions(text: BvhText, options: ReadOptions) -> tuple[BvhConventions, tuple[str, ...]]:
    """The conventions of a file and the notes that say what was assumed; options go before any finding."""
    notes: list[str] = []
    sample = _sampled(text.values)
    found = BvhConventions(joints_replace=_joints_replace(text, sample, options, notes))
    points = _sampled_points(text, sample, found.joints_replace)
    sizes = np.median(np.ptp(points, axis=2), axis=1)
    where = "in the frames" if len(sample) else "unturned"
    found = replace(found, up=_up_axis(points, sizes, where, options, notes))
    vertical = "xyz".index(found.up)
    height = float(sizes[:, vertical].max())
    found = replace(found, root_replaces=_root_replaces(text, points[1], vertical, height, options, notes))
    is_cmu = {joint.name for joint in text.joints} >= _CMU_NAMES
    unit, note = guess_unit(height, options.metres_per_unit, is_cmu=is_cmu)
    notes.insert(0, note)
    return replace(found, metres_per_unit=unit), tuple(notes)


def _sampled(values: Array) -> Array:
    """Some frames (samples, channels) of the clip."""
    if len(values) <= _SAMPLES:
        return values
    sample: Array = values[np.arange(_SAMPLES) * (len(values) - 1) // (_SAMPLES - 1)]
    return sample


def _sampled_points(text: BvhText, sample: Array, joints_replace: bool) -> Array:
    """Points (2, samples, points, 3) in file units and axes: with all rotations zero, and in frames of the clip."""
    moved = len(text.values) > 0  # without frames, positions at zero say nothing
    replace_offsets = BvhConventions(root_replaces=moved, joints_replace=moved and joints_replace)
    draft = build_figure(text, replace_offsets, name="draft")
    values = sample if len(sample) else np.zeros((1, draft.n_dofs))
    order, factors = q_columns([joint.channels for joint in text.joints], 1.0)
    turned = values[:, order] * factors
    q = np.concatenate([turned * (draft.tables.dofs["kind"] == tables.SLIDE), turned])
    points = site_frames(draft, q, (*draft.joint_names, *draft.site_names)).points
    return points.reshape(2, len(values), -1, 3)


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
    nearer_offset, nearer_zero, first = 0, 0, 0
    for joint in text.joints:
        order = channel_order(joint.channels)
        columns = [first + k for k in order.slides]
        first += len(joint.channels)
        if joint.parent < 0 or not columns or not len(sample):
            continue
        offset = np.array([joint.offset["XYZ".index(letter)] for letter in order.slide_letters])
        value = np.median(sample[:, columns], axis=0)
        if np.any(offset != 0.0):
            to_offset, to_zero = np.abs(value - offset).sum(), np.abs(value).sum()
            nearer_offset += int(to_offset <= to_zero)
            nearer_zero += int(to_offset > to_zero)
    if options.position_channels is not None:
        return options.position_channels == "replace"
    adds = nearer_zero > nearer_offset
    if nearer_offset or nearer_zero:
        what = "are added to OFFSET (they stay near zero)" if adds else "replace OFFSET (they repeat it)"
        notes.append(
            f"position channels below the root: assumed that they {what} "
            "(set position_channels or --positions to override)"
        )
    return not adds


def _root_replaces(
    text: BvhText, frames: Array, vertical: int, height: float, options: ReadOptions, notes: list[str]
) -> bool:
    """Whether the root's positions are absolute; they are not where only adding OFFSET puts the figure on the floor."""
    if options.position_channels is not None:
        notes.append(f"position channels: they {options.position_channels} the OFFSET, as given")
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
        + " (set position_channels or --positions to override)"
    )
    return replaces
