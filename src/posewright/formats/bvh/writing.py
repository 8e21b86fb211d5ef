"""Motions as BVH text. Joints that are BVH joints keep channels, order, names and values; others are baked.

What a file leaves open is estimated when it is read. So what is written is looked at as a reader would: a motion whose
own channels, unit or up axis would be misunderstood is written in others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures import Figure, Joint, Source
from posewright.figures.joint import NO_TURN, Vector
from posewright.formats.assumptions import WORLD_FROM_FILE, distinct
from posewright.formats.bvh.baking import bake
from posewright.formats.bvh.conventions import find_conventions
from posewright.formats.bvh.text import MOST_CHANNELS, SHORTEST_FRAME, BvhJoint, BvhText
from posewright.formats.bvh.to_figure import AXES, in_q_order, q_columns, to_world
from posewright.formats.options import ReadOptions
from posewright.kernels.text import numbers
from posewright.motions import Motion

_NUMBER = "%.15g"  # what a decimal number of up to 15 digits survives being read and converted with
_ROWS = 4096
"""Frames at a time."""
_LETTERS = {axis: letter for letter, axis in AXES.items()}
_BAKED_UNITS = (0.01, 1.0, 0.001)
"""m; centimetres, but for a figure so small or large that it would be read in another unit."""


def description(motion: Motion) -> BvhText:
    """A motion as a file says it, which is read again as the same motion if there is a way."""
    units: tuple[float, ...] = _BAKED_UNITS
    if motion.figure.source is not None and motion.figure.source.format == "bvh":
        units = (motion.figure.source.metres_per_unit, *units)
    if is_native(motion.figure):
        text = _description(motion)
        if _reads_back(text, motion.figure):
            return text
    for unit in units:
        baked = bake(motion, unit)
        text = _description(baked)
        if _reads_back(text, baked.figure):
            return text
    return _description(bake(motion, units[0]))


def is_native(figure: Figure) -> bool:
    """Whether the figure came from a BVH file and its joints can still be written as they are."""
    source = figure.source
    return (
        source is not None
        and source.format == "bvh"
        and all(_letters(joint, source.up) is not None for joint in figure.joints)
    )


def _description(motion: Motion) -> BvhText:
    """The joints in file order, depth first, and the rows, of a figure for which `is_native` holds."""
    figure, source = motion.figure, motion.figure.source
    assert source is not None
    unit = source.metres_per_unit
    channels = [_channels(figure, source, i) for i in range(len(figure.joints))]
    names = _file_names(figure, source)
    tips: dict[str, list[Vector]] = {}
    for site in figure.sites:
        if site.tip:
            tips.setdefault(site.joint, []).append(_in_units(site.point, unit))
    order = _depth_first(figure)
    place = {index: k for k, index in enumerate(order)}
    joints = tuple(
        BvhJoint(
            names[index],
            place.get(figure.parents[index], -1),
            0,
            _in_units(_from_world(figure.joints[index].offset, source.up if figure.parents[index] < 0 else "y"), unit),
            channels[index],
            tips.get(figure.joints[index].name, []),
        )
        for index in order
    )
    values = _channel_values(motion, channels, order, unit)
    places = [point for joint in joints for point in (joint.offset, *joint.end_sites)]
    if not (np.isfinite(values).all() and np.isfinite(np.array(places, dtype=np.float64)).all()):
        raise InvalidMotion(f"motion {motion.name!r} holds places too far away for the numbers of a BVH file")
    return BvhText(joints, values, _frame_time(motion.fps), len(values) if values.shape[1] else 0, 0)


def _reads_back(text: BvhText, figure: Figure) -> bool:
    """Whether a reader that is given no options understands the file as it is meant."""
    found, _ = find_conventions(text, ReadOptions())
    source = figure.source
    assert source is not None
    return (
        found.up == source.up
        and math.isclose(found.metres_per_unit, source.metres_per_unit, rel_tol=1e-9)
        and all(
            joint.slides_replace_offset == (found.root_replaces if joint.parent is None else found.joints_replace)
            for joint in figure.joints
            if joint.slides and any(joint.offset)
        )
    )


def lines(text: BvhText) -> Iterator[str]:
    """The lines of the file."""
    yield "HIERARCHY"
    depth = 0
    depths: list[int] = []
    for joint in text.joints:
        own = depths[joint.parent] + 1 if joint.parent >= 0 else 0
        yield from _closing(depth, own)
        depths.append(own)
        depth = own + 1
        tabs = "\t" * own
        yield f"{tabs}{'ROOT' if joint.parent < 0 else 'JOINT'} {joint.name}"
        yield tabs + "{"
        yield f"{tabs}\tOFFSET {_vector(joint.offset)}"
        yield f"{tabs}\tCHANNELS {' '.join((str(len(joint.channels)), *joint.channels))}"
        for point in joint.end_sites:
            yield from (f"{tabs}\tEnd Site", f"{tabs}\t{{", f"{tabs}\t\tOFFSET {_vector(point)}", f"{tabs}\t}}")
    yield from _closing(depth, 0)
    yield "MOTION"
    yield f"Frames: {text.stated_frames}"
    yield f"Frame Time: {text.frame_time!r}"
    if text.values.shape[1]:
        for start in range(0, len(text.values), _ROWS):
            yield _rows(text.values[start : start + _ROWS])


def _closing(depth: int, until: int) -> Iterator[str]:
    """The braces that close blocks."""
    for level in range(depth - 1, until - 1, -1):
        yield "\t" * level + "}"


def _rows(values: Array) -> str:
    """The lines of some frames, without the last line's end."""
    if values.size and np.abs(values).max() >= numbers.LARGEST:
        row = " ".join([_NUMBER] * values.shape[1])
        return "\n".join(row % tuple(frame) for frame in values.tolist())
    text = np.empty(values.size * numbers.WIDTH, np.uint8)
    length = numbers.write_rows(np.ascontiguousarray(values), text)
    return text[: length - 1].tobytes().decode("ascii")


def _depth_first(figure: Figure) -> list[int]:
    """Indices of the joints in the order of a file."""
    stack = [index for index, parent in enumerate(figure.parents) if parent < 0][::-1]
    order = []
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(figure.children[order[-1]]))
    return order


def _channel_values(motion: Motion, channels: Sequence[tuple[str, ...]], order: Sequence[int], unit: float) -> Array:
    """Values (frames, channels) in the order of the file, degrees and file units."""
    columns, factors = q_columns(channels, unit)
    figure_order = np.empty_like(motion.q)
    with np.errstate(over="ignore"):  # what is too large is refused by the caller
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
    too_many = len(slides) + len(hinges) > MOST_CHANNELS
    if None in slides or None in hinges or len(set(slides)) < len(slides) or too_many:
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


def _frame_time(fps: float) -> float:
    """Seconds, a number of as few digits as give the same frame rate when read again."""
    if not SHORTEST_FRAME <= 1.0 / fps < math.inf:
        raise InvalidMotion(f"{fps:g} frames a second have no frame time that BVH files are read with")
    times = [float(f"{1.0 / fps:.{digits}g}") for digits in range(6, 18)]
    return next((time for time in times if 1.0 / time == fps), times[-1])


def _from_world(vector: Vector, up: str) -> Vector:
    x, y, z = vector
    return (x, y, z) if up == "y" else (x, 0.0 - z, y)


def _in_units(vector: Vector, unit: float) -> Vector:
    x, y, z = vector
    return x / unit, y / unit, z / unit


def _vector(vector: Vector | None) -> str:
    return " ".join(_NUMBER % component for component in vector or ())
