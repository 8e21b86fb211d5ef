"""Motions as BVH text. Joints that are BVH joints keep channels, order, names and values; others are baked.

In a BVH file the axes of all joints are parallel to the world's when all angles are zero. So each joint's frame is
turned by the constant that makes it so: with W its world rotation at q = 0, the new world rotation is R W^T, the
rotation of a channel triple is that seen from the parent, and offsets are W_parent times what they were.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures import Figure, Hinge, Joint, Site, Slide, Source, free_slides
from posewright.figures.joint import NO_TURN, ORIGIN, Vector, X, Y, Z
from posewright.figures.joint_coordinates import hinge_angles
from posewright.figures.kinematics import joint_frames
from posewright.figures.tables import effective_offset
from posewright.figures.vectors import vector
from posewright.formats.assumptions import WORLD_FROM_FILE, distinct
from posewright.formats.bvh.text import SHORTEST_FRAME
from posewright.formats.bvh.to_figure import AXES, in_q_order, q_columns, to_world
from posewright.kernels.text import numbers
from posewright.motions import Motion

_NUMBER = "%.15g"  # what a decimal number of up to 15 digits survives being read and converted with
_ROWS = 4096
"""Frames at a time."""
_LETTERS = {axis: letter for letter, axis in AXES.items()}
_CENTIMETRE = 0.01
_ZXY = (Hinge(axis=Z), Hinge(axis=X), Hinge(axis=Y))


def is_native(figure: Figure) -> bool:
    """Whether the figure came from a BVH file and its joints can still be written as they are."""
    source = figure.source
    return (
        source is not None
        and source.format == "bvh"
        and all(_letters(joint, source.up) is not None for joint in figure.joints)
    )


def document(motion: Motion) -> Iterator[str]:
    """The lines of the file, of a figure for which `is_native` holds."""
    figure, source = motion.figure, motion.figure.source
    assert source is not None
    channels = [_channels(figure, source, i) for i in range(len(figure.joints))]
    names = _file_names(figure, source)
    tips: dict[str, list[Vector]] = {}
    for site in figure.sites:
        if site.tip:
            tips.setdefault(site.joint, []).append(site.point)
    yield "HIERARCHY"
    order = []
    for index, depth, opens in _depth_first(figure):
        tabs = "\t" * depth
        if not opens:
            yield tabs + "}"
            continue
        order.append(index)
        joint = figure.joints[index]
        yield f"{tabs}{'ROOT' if joint.parent is None else 'JOINT'} {names[index]}"
        yield tabs + "{"
        up = source.up if joint.parent is None else "y"
        yield f"{tabs}\tOFFSET {_vector(_from_world(joint.offset, up), source.metres_per_unit)}"
        yield f"{tabs}\tCHANNELS {' '.join((str(len(channels[index])), *channels[index]))}"
        for point in tips.get(joint.name, ()):
            yield from (f"{tabs}\tEnd Site", f"{tabs}\t{{")
            yield f"{tabs}\t\tOFFSET {_vector(point, source.metres_per_unit)}"
            yield f"{tabs}\t}}"
    values = _channel_values(motion, channels, order, source.metres_per_unit)
    yield "MOTION"
    yield f"Frames: {len(values) if values.shape[1] else 0}"
    yield f"Frame Time: {_frame_time(motion.fps)}"
    if values.shape[1]:
        for start in range(0, len(values), _ROWS):
            yield _rows(values[start : start + _ROWS])


def _rows(values: Array) -> str:
    """The lines of some frames, without the last line's end."""
    if values.size and np.abs(values).max() >= numbers.LARGEST:
        row = " ".join([_NUMBER] * values.shape[1])
        return "\n".join(row % tuple(frame) for frame in values.tolist())
    text = np.empty(values.size * numbers.WIDTH, np.uint8)
    length = numbers.write_rows(np.ascontiguousarray(values), text)
    return text[: length - 1].tobytes().decode("ascii")


def _depth_first(figure: Figure) -> Iterator[tuple[int, int, bool]]:
    """Joint index, depth, and whether its block opens or closes."""
    stack = [(index, 0, True) for index, parent in enumerate(figure.parents) if parent < 0][::-1]
    while stack:
        index, depth, opens = stack.pop()
        yield index, depth, opens
        if opens:
            stack.append((index, depth, False))
            stack.extend((child, depth + 1, True) for child in reversed(figure.children[index]))


def _channel_values(motion: Motion, channels: Sequence[tuple[str, ...]], order: Sequence[int], unit: float) -> Array:
    """Values (frames, channels) in the order of the file, degrees and file units."""
    columns, factors = q_columns(channels, unit)
    figure_order = np.empty_like(motion.q)
    figure_order[:, columns] = motion.q / factors
    firsts = np.cumsum([0, *(len(names) for names in channels)])
    in_file = [column for index in order for column in range(firsts[index], firsts[index + 1])]
    values: Array = figure_order[:, in_file]
    return values


def _letters(joint: Joint, up: str) -> tuple[str, ...] | None:
    """The channels of a joint, positions first; None if it is no BVH joint."""
    up = up if joint.parent is None else "y"
    axes = {to_world(axis, up): letter for letter, axis in AXES.items()}
    same_rest = np.allclose(joint.rest, WORLD_FROM_FILE[up], rtol=0.0, atol=1e-12)
    if joint.ball or not (same_rest if up != "y" else joint.rest == NO_TURN):
        return None
    slides = [axes.get(slide.axis) for slide in joint.slides]
    hinges = [_LETTERS.get(hinge.axis) for hinge in joint.hinges]
    if None in slides or None in hinges or len(set(slides)) < len(slides):
        return None
    return (*(f"{letter}position" for letter in slides), *(f"{letter}rotation" for letter in hinges))


def _channels(figure: Figure, source: Source, index: int) -> tuple[str, ...]:
    """The channels of a joint in the order of its file, where that still holds the same ones."""
    plain = _letters(figure.joints[index], source.up) or ()
    if len(source.channels) == len(figure.joints):
        stored = source.channels[index]
        if tuple(stored[k] for k in in_q_order(stored)) == plain:
            return stored
    return plain


def _file_names(figure: Figure, source: Source) -> list[str]:
    names = list(figure.joint_names)
    if len(source.names) == len(names):
        given = distinct(source.names)
        names = [
            original if name == ours else name for name, original, ours in zip(names, source.names, given, strict=True)
        ]
    return ["".join("_" if c in "{}" else c for c in " ".join(name.split())) for name in names]


def _frame_time(fps: float) -> str:
    """Seconds in as few digits as give the same frame rate when read again."""
    if not SHORTEST_FRAME <= 1.0 / fps < math.inf:
        raise InvalidMotion(f"{fps:g} frames a second have no frame time that BVH files are read with")
    texts = [f"{1.0 / fps:.{digits}g}" for digits in range(6, 18)]
    return next((text for text in texts if 1.0 / float(text) == fps), texts[-1])


def _from_world(vector: Vector, up: str) -> Vector:
    x, y, z = vector
    return (x, y, z) if up == "y" else (x, 0.0 - z, y)


def _vector(vector: Vector, unit: float) -> str:
    return " ".join(_NUMBER % (component / unit) for component in vector)


def bake(motion: Motion) -> Motion:
    """The motion of a figure of BVH joints whose joints and tips are in the same places in every frame.

    A joint that is a BVH joint already keeps its hinges and their values. The root gets three position channels.
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
        slides: tuple[Slide, ...] = ()
        offset = vector(parent_turn @ effective_offset(joint))
        if parent < 0 or joint.slides:
            # Position channels that repeat the OFFSET; a root's is zero, so that adding it does no harm.
            offset, slides = ORIGIN if parent < 0 else offset, free_slides()
            columns.append(np.einsum("...ij,...j->...i", parent_from_world, frames.positions[:, index] - start))
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
    unit = figure.source.metres_per_unit if figure.source and figure.source.format == "bvh" else _CENTIMETRE
    source = Source(format="bvh", metres_per_unit=unit)
    baked = Figure(name=figure.name, joints=tuple(joints), sites=_tips(figure, aligned_from_joint), source=source)
    return Motion(baked, np.concatenate(columns, axis=1), motion.fps, motion.name)


def _turns_as_in_bvh(joint: Joint) -> bool:
    return joint.ball is None and joint.rest == NO_TURN and all(hinge.axis in (X, Y, Z) for hinge in joint.hinges)


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
