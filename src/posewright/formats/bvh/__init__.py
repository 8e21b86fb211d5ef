"""BVH files: a hierarchy of Euler joints and their channel values, read and written without loss."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.formats.assumptions import distinct
from posewright.formats.atomic import replacing
from posewright.formats.bvh.conventions import find_conventions
from posewright.formats.bvh.text import BvhText, parse, parse_head
from posewright.formats.bvh.to_figure import build_figure, coordinates
from posewright.formats.options import ReadOptions
from posewright.formats.text import number_rows_from, plain_text, read_bytes
from posewright.motions import Motion

LONG = 2**29
"""Bytes of a file from which on it is read in pieces."""
PIECE = 2**24
"""Bytes of a piece."""


def read(path: Path, options: ReadOptions) -> Figure | Motion:
    """The motion of a BVH file, or its figure if it has no frames.

    Raises:
        FileProblem: the file is broken; with its line.
    """
    text = _read_text(path)
    conventions, notes = find_conventions(text, options)
    figure = build_figure(text, conventions, name=path.stem, notes=(*notes, *_oddities(text)))
    rows, stated = len(text.values), text.stated_frames
    if not rows:
        return figure
    counted = (
        () if rows == stated else (f"the header states {stated} frames, the file has {rows}; all {rows} are used",)
    )
    return Motion(figure, coordinates(text, conventions.metres_per_unit), 1.0 / text.frame_time, path.stem, counted)


def write(motion: Motion, path: Path) -> None:
    """Write a motion; a figure that came from BVH keeps its channels, others are baked into Euler joints.

    Lengths are those of the figure's own file, or centimetres; metres or millimetres for figures far from a person's
    size. Sites that are not tips, limits, masses and shapes have no place in the format.
    """
    from posewright.formats.bvh import writing

    text = writing.description(motion)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in writing.lines(text))


def _oddities(text: BvhText) -> tuple[str, ...]:
    """What is unusual about the text itself."""
    notes = []
    names = [joint.name for joint in text.joints]
    renamed = [new for old, new in zip(names, distinct(names), strict=True) if old != new]
    if renamed:
        notes.append(f"joint names that occur twice got a number: {', '.join(renamed)}")
    if text.comments:
        notes.append(f"{text.comments} comment line{'s' if text.comments > 1 else ''} (#) skipped")
    return tuple(notes)


def _read_text(path: Path) -> BvhText:
    """What a file says; the numbers of a long one are mapped from a temporary file, which ends with them.

    Raises:
        FileProblem: it is no BVH file, or a broken one; with the line.
    """
    if path.stat().st_size > LONG:
        try:
            return _in_pieces(path)
        except FileProblem:
            pass  # read as a whole, it is known which line is wrong, or frames take several
    return parse(read_bytes(path, "HIERARCHY"), path)


def _in_pieces(path: Path) -> BvhText:
    with path.open("rb") as file, tempfile.TemporaryFile() as store:
        piece = plain_text(bytearray(file.read(PIECE)), path, "HIERARCHY")
        head, start, _ = parse_head(piece, path)
        rows, rest = 0, bytes(piece[start:])
        while rest:
            more = file.read(PIECE)
            piece = bytearray(rest + (more or b"\n"))
            end = piece.rfind(b"\n") + 1
            if end == 0:
                raise FileProblem(path, "has no lines")
            rest = bytes(piece[end:])
            del piece[end:]
            values = number_rows_from(np.frombuffer(piece, np.uint8), 0, 1, head.columns, path, "frame")
            values.tofile(store)
            rows += len(values)
        if not rows:
            raise FileProblem(path, "has no frames")
        store.flush()
        values = np.memmap(store, np.float64, "r+", shape=(rows, head.columns))
    return replace(head, values=values)
