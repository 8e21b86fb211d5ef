"""BVH files that are too long to be held in memory: read a piece at a time, the numbers kept in a file of their own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from posewright.errors import FileProblem
from posewright.formats.bvh.text import BvhText, parse, parse_head
from posewright.formats.text import number_rows_from, plain_text, read_bytes

LONG = 2**29
"""Bytes of a file from which on it is read in pieces."""
PIECE = 2**24
"""Bytes of a piece."""


def read_text(path: Path) -> BvhText:
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
        head = parse_head(piece, path)
        rows, rest = 0, bytes(piece[head.start :])
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
    return head.with_values(values)
