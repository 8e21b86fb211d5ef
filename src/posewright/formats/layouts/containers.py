"""Folders of a layout: replaced as a whole, and the texts by which SONIC describes them."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from posewright.errors import FileProblem

_INDEXES = re.compile(r"Body part indexes:\s*\[([\d,\s]*)\]")


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
        raise FileProblem.of_system(path, "could not be written", error) from error
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
