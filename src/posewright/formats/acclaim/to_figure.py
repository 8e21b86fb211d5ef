"""An Acclaim skeleton as a Figure.

With C the rotation of a bone's own axes against the world's and M that of its dofs, Acclaim turns a bone against its
parent by `C M C⁻¹`, in the world's axes of the base pose. A joint here has the bone's own axes, so that
`parent_from_joint = C_parent⁻¹ C · M`: a constant rest rotation, then hinges. Dofs listed rx ry rz are turned about in
this order, each about a fixed axis, which is the product Rz Ry Rx: the hinges are the dofs from last to first.
A bone's joint is where the bone begins, which is where its parent ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source
from posewright.figures.joint import Vector, X, Y, Z
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import clean_axis, vector
from posewright.formats.acclaim.text import AsfBone, AsfText
from posewright.formats.assumptions import INCH, WORLD_FROM_FILE, guess_unit
from posewright.formats.options import ReadOptions
from posewright.rotations import matrix_from_quaternion, matrix_from_vector, quaternion_from_matrix

_AXES: dict[str, Vector] = {"x": X, "y": Y, "z": Z}


@dataclass(frozen=True)
class Skeleton:
    """A figure and what an AMC file needs to know of its skeleton."""

    figure: Figure
    dofs: dict[str, tuple[str, ...]]
    """Of each joint, in file order."""
    degrees: bool
    metres_per_unit: float


def build_skeleton(text: AsfText, name: str, options: ReadOptions) -> Skeleton:
    """The figure of a skeleton file, with what was assumed in its source's notes."""
    up = options.up or "y"
    draft = _build(text, name, 1.0, up)
    points = site_frames(draft, draft.rest, (*draft.joint_names, *draft.site_names)).points
    unit, note = _unit(text, float(np.ptp(points[:, 1])), options)
    axis = f"{up.upper()}, as given" if options.up else "assumed Y (set up or --up to override)"
    figure = _build(text, name, unit, up, (note, f"up axis: {axis}"))
    dofs = {bone.name: bone.dofs for bone in (text.root, *text.bones.values())}
    return Skeleton(figure, dofs, text.degrees, unit)


def _unit(text: AsfText, height: float, options: ReadOptions) -> tuple[float, str]:
    unit = INCH / text.unit_length
    if options.metres_per_unit is not None or not 0.8 < unit * height < 2.6:
        return guess_unit(height, options.metres_per_unit)
    return unit, (
        f"unit: assumed 1/{text.unit_length:g} inch = {unit:.6f} m, as the CMU database means `length "
        f"{text.unit_length:g}`; the figure is {unit * height:.2f} m tall (set metres_per_unit or --unit to override)"
    )


def _build(text: AsfText, name: str, unit: float, up: str, notes: tuple[str, ...] = ()) -> Figure:
    world_from_file = matrix_from_quaternion(np.array(WORLD_FROM_FILE[up]))
    joints = [_joint(text.root, None, np.array(text.root_position), world_from_file, text, unit)]
    sites = []
    channels = [text.root.dofs]
    stack = [(child, text.root) for child in reversed(text.children.get("root", []))]
    while stack:
        bone_name, parent = stack.pop()
        bone = text.bones[bone_name]
        parent_from_world = _own_axes(parent, text).T
        joints.append(_joint(bone, parent.name, _vector(parent), parent_from_world, text, unit))
        channels.append(bone.dofs)
        children = text.children.get(bone_name, [])
        stack.extend((child, bone) for child in reversed(children))
        if not children:
            tip = unit * (_own_axes(bone, text).T @ _vector(bone))
            sites.append(Site(name=f"{bone_name}_end", joint=bone_name, point=vector(tip), tip=True))
    source = Source(format="asf", metres_per_unit=unit, up=up, channels=tuple(channels), notes=notes)
    return Figure(name=name, joints=tuple(joints), sites=tuple(sites), source=source)


def _joint(
    bone: AsfBone, parent: str | None, start: Array, parent_from_world: Array, text: AsfText, unit: float
) -> Joint:
    """The joint of a bone that begins at `start` in the base pose's world axes, seen from the parent's joint."""
    parent_from_own = parent_from_world @ _own_axes(bone, text)
    limits = bone.limits or [-math.inf, math.inf] * len(bone.dofs)
    angle = math.pi / 180.0 if text.degrees else 1.0
    slides: list[Slide] = []
    hinges: list[Hinge] = []
    for k, dof in enumerate(bone.dofs):
        scale = unit if dof[0] == "t" else angle
        lower, upper = scale * limits[2 * k], scale * limits[2 * k + 1]
        rest = min(max(0.0, lower), upper)
        axis = _AXES[dof[1]]
        if dof[0] == "t":
            # The root slides along the world's axes, another bone along its own.
            along = parent_from_world @ axis if parent is None else parent_from_own @ axis
            slides.append(Slide(axis=clean_axis(along), label=dof, lower=lower, upper=upper, rest=rest))
        else:
            hinges.insert(0, Hinge(axis=axis, lower=lower, upper=upper, rest=rest))
    return Joint(
        name=bone.name,
        parent=parent,
        offset=vector(unit * (parent_from_world @ start)),
        rest=tuple(quaternion_from_matrix(parent_from_own).tolist()),
        slides=tuple(slides),
        rotation=tuple(hinges),
    )


def _own_axes(bone: AsfBone, text: AsfText) -> Array:
    """C: world from the bone's own axes in the base pose."""
    turn = np.eye(3)
    scale = math.pi / 180.0 if text.degrees else 1.0
    for letter in bone.axis_order:
        angle = scale * bone.axis["XYZ".index(letter)]
        turn = matrix_from_vector(angle * np.array(_AXES[letter.lower()])) @ turn
    return turn


def _vector(bone: AsfBone) -> Array:
    """From the bone's begin to its end, in the world's axes and file units."""
    size = math.hypot(*bone.direction)
    return bone.length / size * np.array(bone.direction) if size > 0.0 else np.zeros(3)
