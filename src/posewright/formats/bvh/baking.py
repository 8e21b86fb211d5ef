"""Motions of any figure as motions of BVH joints.

In a BVH file the axes of all joints are parallel to the world's when all angles are zero. So each joint's frame is
turned by the constant that makes it so: with W its world rotation at q = 0, the new world rotation is R W^T, the
rotation of a channel triple is that seen from the parent, and offsets are W_parent times what they were.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source, free_slides
from posewright.figures.joint import NO_TURN, ORIGIN, Vector, X, Y, Z
from posewright.figures.joint_coordinates import hinge_angles
from posewright.figures.kinematics import joint_frames
from posewright.figures.tables import effective_offset
from posewright.figures.vectors import vector
from posewright.formats.bvh.text import MOST_CHANNELS
from posewright.motions import Motion

_ZXY = (Hinge(axis=Z), Hinge(axis=X), Hinge(axis=Y))


def bake(motion: Motion, metres_per_unit: float) -> Motion:
    """The motion of a figure of BVH joints, to be written in a unit, with joints and tips in the same places.

    A joint that is a BVH joint already keeps its hinges and their values. The root gets three position channels, and
    so do joints whose place on their parent changes.
    """
    figure = motion.figure
    aligned_from_joint = joint_frames(figure, np.zeros(figure.n_dofs)).rotations
    frames = joint_frames(figure, motion.q)
    rotations = frames.rotations @ np.swapaxes(aligned_from_joint, -1, -2)
    joints: list[Joint] = []
    columns: list[Array] = []
    for index, (joint, parent) in enumerate(zip(figure.joints, figure.parents, strict=True)):
        parent_from_world = np.swapaxes(rotations[:, parent], -1, -2) if parent >= 0 else np.eye(3)
        parent_turn = aligned_from_joint[parent] if parent >= 0 else np.eye(3)
        start = frames.positions[:, parent] if parent >= 0 else np.zeros(3)
        offset = vector(parent_turn @ effective_offset(joint))
        slides: tuple[Slide, ...] = ()
        if parent < 0 or joint.slides:
            places = np.einsum("...ij,...j->...i", parent_from_world, frames.positions[:, index] - start)
            offset, slides = _offset_and_slides(parent < 0, offset, places)
            columns += [places] if slides else []
        if _turns_as_in_bvh(joint) and np.array_equal(parent_turn, np.eye(3)):
            hinges = joint.hinges
            columns.append(motion.q[:, figure.dof_slice(index)][:, len(joint.slides) :])
        else:
            hinges = _euler_hinges(joint)
            local = np.broadcast_to(parent_from_world @ rotations[:, index], (len(motion), 3, 3))
            columns.append(hinge_angles(hinges, local, np.zeros(3), joint.name))
        joints.append(
            Joint(
                name=joint.name,
                parent=joint.parent,
                offset=offset,
                slides=slides,
                slides_replace_offset=bool(slides),
                rotation=tuple(Hinge(axis=hinge.axis) for hinge in hinges),
            )
        )
    source = Source(format="bvh", metres_per_unit=metres_per_unit)
    baked = Figure(name=figure.name, joints=tuple(joints), sites=_tips(figure, aligned_from_joint), source=source)
    return Motion(baked, np.concatenate(columns, axis=1), motion.fps, motion.name)


def _offset_and_slides(is_root: bool, offset: Vector, places: Array) -> tuple[Vector, tuple[Slide, ...]]:
    """OFFSET and position channels of a joint at some places (frames, 3) on its parent, read alike by all programs.

    Some programs take channels for the place itself, others add them to the OFFSET. So a joint that stays has no
    channels, and the OFFSET of one that travels is zero; channels of one that moves a little repeat its OFFSET.
    """
    if is_root:
        return ORIGIN, free_slides()
    if len(places) and np.ptp(places, axis=0).max() < 1e-9:
        return vector(places[0]), ()
    away = np.abs(places - np.array(offset)).max(initial=0.0)
    return (offset if away < 0.25 * np.linalg.norm(offset) else ORIGIN), free_slides()


def _turns_as_in_bvh(joint: Joint) -> bool:
    plain = joint.ball is None and joint.rest == NO_TURN and len(joint.hinges) + 3 <= MOST_CHANNELS
    return plain and all(hinge.axis in (X, Y, Z) for hinge in joint.hinges)


def _euler_hinges(joint: Joint) -> tuple[Hinge, ...]:
    """The hinges that a ball replaces, if they are about x, y and z in some order; else z, x, y."""
    hinges = joint.ball.hinges if joint.ball else joint.hinges
    return hinges if {hinge.axis for hinge in hinges} == {X, Y, Z} and len(hinges) == 3 else _ZXY


def _tips(figure: Figure, aligned_from_joint: Array) -> tuple[Site, ...]:
    """The tips, in aligned frames; a leaf without any gets one of length zero, which other programs expect."""
    tips = [
        Site(
            name=site.name,
            joint=site.joint,
            point=vector(aligned_from_joint[figure.joint_index(site.joint)] @ site.point),
            tip=True,
        )
        for site in figure.sites
        if site.tip
    ]
    tipped = {site.joint for site in tips}
    taken = {*figure.joint_names, *figure.site_names}
    for joint, children in zip(figure.joints, figure.children, strict=True):
        name = f"{joint.name}_end"
        if not children and joint.name not in tipped and name not in taken:
            tips.append(Site(name=name, joint=joint.name, tip=True))
    return tuple(tips)
