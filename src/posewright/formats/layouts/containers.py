"""The files of layouts: tables of text, folders of them, archives of arrays, pickles. Each is a mapping of names."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.formats.atomic import replacing
from posewright.formats.text import decoded, number_rows_from, plain_number, read_bytes

_INDEXES = re.compile(r"Body part indexes:\s*\[([\d,\s]*)\]")


def write_table(path: Path, rows: Array, numbers: str, header: Sequence[str] = ()) -> None:
    """Write rows (rows, columns) as text with commas, after a header."""
    line = ",".join([numbers] * rows.shape[1]) + "\n"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if header:
            file.write(",".join(header) + "\n")
        file.writelines(line % tuple(row) for row in rows.tolist())


def read_table(path: Path, *, header: bool) -> tuple[list[str], Array]:
    """Names of columns, where there is a header, and rows (rows, columns).

    Raises:
        FileProblem: a header where there must be none or none where there must be one; a row that is broken.
    """
    data = read_bytes(path, "the names of columns" if header else "numbers")
    end = data.find(b"\n") + 1 or len(data)
    first = [word.strip().strip('"') for word in decoded(data[:end]).split(",")]
    named = any(plain_number(word) is None for word in first if word)
    if named != header:
        found, wanted = ("names of columns", "has none") if named else ("numbers", "has the names of columns there")
        raise FileProblem(path, f"its first line holds {found}; this layout {wanted}", line=1)
    body = np.frombuffer(data.replace(b",", b" ") + b"\n", dtype=np.uint8)
    start, line = (end, 2) if header else (0, 1)
    return (first if header else []), number_rows_from(body, start, line, len(first), path, "row")


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside `path`; it takes the place of `path` when the block ends well.

    Raises:
        FileProblem: `path` is a file or cannot be written to.
    """
    if path.exists() and not path.is_dir():
        raise FileProblem(path, "is a file; this layout is a folder")
    token = secrets.token_hex(6)
    fresh, old = (path.with_name(f".{path.name[:40]}.{token}{end}") for end in ("", ".old"))
    try:
        fresh.mkdir()
        yield fresh
        if path.exists():
            path.rename(old)
        fresh.rename(path)
    except OSError as error:
        raise FileProblem(path, f"could not be written: {(error.strerror or str(error)).lower()}") from error
    finally:
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)


def write_metadata(folder: Path, name: str, frames: int, bodies: Sequence[str], joints: Sequence[str]) -> None:
    """Write the two texts of a SONIC folder."""
    indexes = ", ".join(str(k) for k in range(len(bodies)))
    texts = {
        "metadata.txt": f"Metadata for: {name}\n{'=' * 30}\n\nBody part indexes:\n[{indexes}]\n\n"
        f"Total timesteps: {frames}\n",
        "info.txt": f"Motion: {name}\nFrames: {frames}\nJoints: {', '.join(joints)}\nBodies: {', '.join(bodies)}\n",
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")


def body_indexes(folder: Path) -> list[int]:
    """The bodies of a SONIC folder, as its metadata number them.

    Raises:
        FileProblem: there is no such list, or it does not begin with the root.
    """
    path = folder / "metadata.txt"
    try:
        found = _INDEXES.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    indexes = [int(word) for word in found.group(1).replace(",", " ").split()] if found else []
    if not indexes or indexes[0] != 0:
        raise FileProblem(path, "must list the bodies after 'Body part indexes:', beginning with [0, the root")
    return indexes


def write_npz(path: Path, arrays: Mapping[str, Any], *, compressed: bool) -> None:
    """Write arrays by name."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        named = {name: np.asarray(value) for name, value in arrays.items()}
        (np.savez_compressed if compressed else np.savez)(file, **named)  # type: ignore[arg-type]
