"""The text of a BVH file for a motion whose joints are BVH joints: same channels, order, names and values as read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Joint, Source
from posewright.figures.joint import NO_TURN, Vector
from posewright.formats.bvh.channels import channel_order, q_columns
from posewright.formats.bvh.to_figure import AXES, WORLD_FROM_FILE, distinct, to_world
from posewright.kernels.text import number_text
from posewright.motions import Motion

_NUMBER = "%.15g"  # what a decimal number of up to 15 digits survives being read and converted with
_ROWS = 4096
"""Frames at a time."""
_LETTERS = {axis: letter for letter, axis in AXES.items()}


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
    if source is None:
        raise ValueError(f"figure {figure.name!r} did not come from a BVH file")
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
    if values.size and np.abs(values).max() >= number_text.LARGEST:
        row = " ".join([_NUMBER] * values.shape[1])
        return "\n".join(row % tuple(frame) for frame in values.tolist())
    text = np.empty(values.size * number_text.WIDTH, np.uint8)
    length = number_text.write_rows(np.ascontiguousarray(values), text)
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
        order = channel_order(stored)
        if tuple(stored[k] for k in order.slides + order.hinges) == plain:
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
    texts = [f"{1.0 / fps:.{digits}g}" for digits in range(6, 18)]
    return next((text for text in texts if 1.0 / float(text) == fps), texts[-1])


def _from_world(vector: Vector, up: str) -> Vector:
    x, y, z = vector
    return (x, y, z) if up == "y" else (x, 0.0 - z, y)


def _vector(vector: Vector, unit: float) -> str:
    return " ".join(_NUMBER % (component / unit) for component in vector)
