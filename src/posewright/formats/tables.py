"""Tables of numbers as comma-separated text, with or without names of columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.formats.text import decoded, number_rows_from, plain_number, read_bytes


def read_table(path: Path, *, header: bool, kind: str = "this layout") -> tuple[list[str], Array]:
    """Names of columns (if there is a header) and rows (rows, columns); `kind` of file is for messages.

    Raises:
        FileProblem: a header is missing or unexpected, or a row is broken.
    """
    data = read_bytes(path, "the names of columns" if header else "numbers")
    end = data.find(b"\n") + 1 or len(data)
    first = [word.strip().strip('"') for word in decoded(data[:end]).split(",")]
    named = any(plain_number(word) is None for word in first if word)
    if named != header:
        found, wanted = ("names of columns", "has none") if named else ("numbers", "has the names of columns there")
        raise FileProblem(path, f"its first line holds {found}; {kind} {wanted}", line=1)
    body = np.frombuffer(data.replace(b",", b" ") + b"\n", dtype=np.uint8)
    start, line = (end, 2) if header else (0, 1)
    return (first if header else []), number_rows_from(body, start, line, len(first), path, "row")


def write_table(path: Path, rows: Array, numbers: str, header: Sequence[str] = ()) -> None:
    """Write rows (rows, columns), each number in a format such as "%.6f", after the names of columns, if any."""
    line = ",".join([numbers] * rows.shape[1]) + "\n"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if header:
            file.write(",".join(header) + "\n")
        file.writelines(line % tuple(row) for row in rows.tolist())
