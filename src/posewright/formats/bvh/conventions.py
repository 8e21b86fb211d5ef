"""What a BVH file leaves open, found from its numbers: unit, up axis, and whether positions replace OFFSETs.

Only the body counts. What is above it (a root that stays where the recording began), where the figure stands and
whither it faces say nothing about its unit or its up axis.

The up axis is the one along which the body stands: unturned, in frames of the clip, and with its lowest point on the
floor, height 0. No one of these decides alone: an unturned skeleton may have all bones along one axis or lie on its
back, and a recorded person may lie down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint import ORIGIN
from posewright.figures.kinematics import joint_frames
from posewright.formats.assumptions import distinct, guess_unit
from posewright.formats.bvh.text import BvhText
from posewright.formats.bvh.to_figure import BvhConventions, bvh_joints, q_columns
from posewright.formats.options import ReadOptions
from posewright.kernels import tables

_CMU_NAMES = {"LowerBack", "Neck1", "LeftUpLeg", "RightUpLeg"}
_SAMPLES = 16
_OVERRIDE = "(set position_channels or --positions to override)"
_FLOOR = 0.75
"""What a lowest point at height 0 says for an axis; an upright body, unturned or in all frames, says 1."""
_USUAL = 0.3
"""What custom says for Y."""
_DOUBTFUL = 0.5
"""A lead of one axis over the other below this is doubtful."""
_AT_ZERO = 0.1
"""How far a lowest point may be from 0, as a share of legs and trunk."""
_BELOW_CROWN = 0.75
"""Legs and trunk as a share of a person's height."""


@dataclass(frozen=True)
class _Body:
    """The body of a file in file units and axes, unturned (index 0) and in sampled frames (index 1)."""

    points: Array
    """(2, samples, points, 3): its joints and tips."""
    axes: Array | None
    """(2, samples, 3): from the ankles to the shoulders, as a share of legs and trunk; None of an unknown body."""
    length: float
    """Of legs and trunk along the bones, 0 of an unknown body."""

    def size(self, axis: int) -> float:
        """How tall the figure is if an axis is up."""
        if self.length:
            return self.length / _BELOW_CROWN
        return float(np.median(np.ptp(self.points[..., axis], axis=2), axis=1).max())


def find_conventions(text: BvhText, options: ReadOptions) -> tuple[BvhConventions, tuple[str, ...]]:
    """The conventions of a file and the notes that say what was assumed; options take precedence."""
    notes: list[str] = []
    n = len(text.values)
    sample = text.values[np.arange(_SAMPLES) * (n - 1) // (_SAMPLES - 1)] if n > _SAMPLES else text.values
    joints_replace = _joints_replace(text, sample, options, notes)
    body = _sampled_body(text, sample, joints_replace)
    up = _up_axis(text, body, options, notes)
    vertical = "xyz".index(up)
    height = body.size(vertical)
    root_replaces = _root_replaces(text, body.points[1], vertical, height, options, notes)
    is_cmu = {joint.name for joint in text.joints} >= _CMU_NAMES
    unit, note = guess_unit(height, options.metres_per_unit, is_cmu=is_cmu)
    found = BvhConventions(metres_per_unit=unit, up=up, root_replaces=root_replaces, joints_replace=joints_replace)
    return found, (note, *notes)


def _sampled_body(text: BvhText, sample: Array, joints_replace: bool) -> _Body:
    moved = len(sample) > 0  # without frames, positions at zero say nothing
    conventions = BvhConventions(root_replaces=moved, joints_replace=moved and joints_replace)
    draft = Figure(name="draft", joints=bvh_joints(text, distinct([bvh.name for bvh in text.joints]), conventions))
    values = sample if moved else np.zeros((1, draft.n_dofs))
    columns, factors = q_columns([joint.channels for joint in text.joints], 1.0)
    turned = values[:, columns] * factors
    q = np.concatenate([turned * (draft.tables.dofs["kind"] == tables.SLIDE), turned])
    frames = joint_frames(draft, q)
    anatomy = draft.anatomy
    top = _top_of_body(text, draft) if anatomy.missing else anatomy.first("pelvis")
    inside = np.array(sorted(draft.subtree(top))) if top is not None else np.arange(len(draft.joints))
    within = set(inside.tolist())
    owned = [(i, point) for i, bvh in enumerate(text.joints) if i in within for point in bvh.end_sites]
    owners = [i for i, _ in owned]
    ends = np.array([point for _, point in owned]).reshape(-1, 3, 1)
    tips = frames.positions[:, owners] + (frames.rotations[:, owners] @ ends)[..., 0]
    points = np.concatenate([frames.positions[:, inside], tips], axis=1).reshape(2, len(values), -1, 3)
    if anatomy.missing:
        return _Body(points, None, 0.0)
    place = {
        part: np.mean([frames.positions[:, anatomy.first(f"{side}_{part}")] for side in SIDES], axis=0)
        for part in ("ankle", "hip", "shoulder")
    }
    legs = [
        np.linalg.norm(np.diff(frames.positions[0, [anatomy.first(f"{side}_{part}") for part in _LEG]], axis=0), axis=1)
        for side in SIDES
    ]
    trunk = np.median(np.linalg.norm(place["shoulder"] - place["hip"], axis=1))
    length = max(float(trunk + np.mean(np.sum(legs, axis=1))), 1e-9)
    axes = (place["shoulder"] - place["ankle"]).reshape(2, len(values), 3) / length
    return _Body(points, axes, length)


_LEG = ("hip", "knee", "ankle")


def _top_of_body(text: BvhText, draft: Figure) -> int | None:
    """The joint that carries an unknown body: the root, or what it alone carries and what moves apart from it."""
    if draft.parents.count(-1) != 1:
        return None
    top = 0
    while len(below := draft.children[top]) == 1 and _has_positions(text, below[0]) and not text.joints[top].end_sites:
        top = below[0]
    return top


def _has_positions(text: BvhText, joint: int) -> bool:
    return any(channel.endswith("position") for channel in text.joints[joint].channels)


def _up_axis(text: BvhText, body: _Body, options: ReadOptions, notes: list[str]) -> str:
    if options.up is not None:
        notes.append(f"up axis: {options.up.upper()}, as given")
        return options.up
    if body.axes is None:
        up, doubtful = _up_by_size(body.points)
    else:
        _, y, z = _standing(body.axes) + (_on_the_floor(text, body) if len(text.values) else 0.0)
        lead = z - y - _USUAL
        up, doubtful = ("z" if lead > 0.0 else "y"), abs(lead) < _DOUBTFUL
    where = "in the frames" if len(text.values) else "unturned"
    sizes = np.median(np.ptp(body.points[1], axis=1), axis=0)
    notes.append(
        f"up axis: assumed {up.upper()}; {where} the figure measures {sizes[1]:.3g} along Y and {sizes[2]:.3g} "
        f"along Z{', which leaves it doubtful' if doubtful else ''} (set up or --up to override)"
    )
    return up


def _standing(axes: Array) -> Array:
    """(3,): how far the body stands along each axis, unturned and in the frames, each from 0 to 1."""
    found: Array = np.maximum(axes, 0.0).mean(axis=1).sum(axis=0)
    return found


def _on_the_floor(text: BvhText, body: _Body) -> Array:
    """(3,): what the lowest point says for each axis, whether the OFFSET of the root counts or not."""
    lowest = np.median(body.points[1].min(axis=1), axis=0)
    away = np.minimum(np.abs(lowest), np.abs(lowest + (text.joints[0].offset or ORIGIN)))
    found: Array = _FLOOR * np.exp(-((away / (_AT_ZERO * body.length)) ** 2))
    return found


def _up_by_size(points: Array) -> tuple[str, bool]:
    """The up axis of a body that is not recognised, and whether it is doubtful.

    Figures are taller than deep, unturned and in the frames; an animal that is longer than tall must not fall.
    """
    sizes = np.median(np.ptp(points, axis=2), axis=1) + 1e-9 * (1.0 + np.abs(points).max())
    taller = float(np.log(sizes[:, 2] / sizes[:, 1]).sum())
    return ("z" if taller > 1.0 else "y"), abs(taller) <= 1.5


def _joints_replace(text: BvhText, sample: Array, options: ReadOptions, notes: list[str]) -> bool:
    """Whether position channels below the root repeat the OFFSET (replace) or stay near zero (add).

    Where a joint travels, its positions say nothing about that.
    """
    if options.position_channels is not None:
        return options.position_channels == "replace"
    nearer_offset, nearer_zero, first = 0, 0, 0
    for joint in text.joints:
        slides = [k for k, channel in enumerate(joint.channels) if channel.endswith("position")]
        offset = np.array([(joint.offset or ORIGIN)["XYZ".index(joint.channels[k][0])] for k in slides])
        if joint.parent >= 0 and len(sample) and offset.any():
            values = sample[:, [first + k for k in slides]]
            from_offset, from_zero = np.abs(values - offset).sum(axis=1), np.abs(values).sum(axis=1)
            near = min(from_offset.max(), from_zero.max()) <= 0.5 * np.abs(offset).sum()
            nearer_offset += near and from_offset.max() <= from_zero.max()
            nearer_zero += near and from_offset.max() > from_zero.max()
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
