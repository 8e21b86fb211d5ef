"""Limits on untrusted files, shared by all readers: memory, computing time, and the other files that they may name.

A small file can claim to contain gigabytes: by a count, a shape, a compressed array, a grid, or the same numbers used a
thousand times. Readers ask for memory here before they allocate it. The limits grow with the size of the file.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

from posewright.errors import FileProblem

MOST_JOINTS = 20_000
"""Maximum number of joints, more than any figure has."""
MOST_ITEMS = 500_000
"""Maximum number of elements, nodes, lists and texts, each of which becomes an object."""
DEEPEST = 200
"""Maximum depth of nesting."""
LARGEST_NOTE = 1_000_000
"""Maximum size in bytes of files written by hand: tasks, edits, matches, poses."""
LARGEST_DOCUMENT = 64 * 2**20
"""Maximum size in bytes of figures and robots in text files."""
_FREE_BYTES, _BYTES_PER_BYTE = 128 * 2**20, 16
_FREE_SECONDS, _SECONDS_PER_MEGABYTE = 2.0, 2.0


@dataclass(eq=False)
class Budget:
    """The memory and time that reading one file may still take."""

    path: Path
    size: int
    """Bytes of the file and of the files it refers to."""
    taken: int = 0
    """Bytes of memory requested so far."""
    others: set[Path] = field(default_factory=set)
    """Files it refers to, whose bytes are included in `size`."""

    @classmethod
    def of(cls, path: Path, most: int | None = None) -> Budget:
        """The budget of a file.

        Raises:
            FileProblem: it is larger than `most` bytes, or is a device or pipe, whose size is unknown.
        """
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise FileProblem(path, "is a device or a pipe; only files are read")
        size = found.st_size
        if most is not None and size > most:
            raise FileProblem(path, f"is {size:,} bytes long; at most {most:,} are read")
        return cls(path, size)

    @property
    def bytes(self) -> int:
        """Bytes of memory that may be used in all."""
        return _FREE_BYTES + _BYTES_PER_BYTE * self.size

    @property
    def seconds(self) -> float:
        """Seconds of computing for work in a separate process."""
        return _FREE_SECONDS + _SECONDS_PER_MEGABYTE * self.size / 2**20

    def add(self, other: Path) -> int:
        """Count a file that the document refers to; returns its size in bytes."""
        size = other.stat().st_size
        if other not in self.others:
            self.others.add(other)
            self.size += size
        return size

    def take(self, n_bytes: int, what: str) -> None:
        """Request memory before it is allocated; `what` it is for is the subject of the error's sentence.

        Raises:
            FileProblem: it is more than a file of this size can need.
        """
        self.taken += n_bytes
        if self.taken > self.bytes:
            raise FileProblem(
                self.path,
                f"{what} would take {n_bytes / 2**20:,.0f} MB, more than a file of {self.size:,} bytes can need",
            )

    def require_items(self, count: int, what: str, most: int = MOST_ITEMS) -> None:
        """Refuse numbers of things that no real file has.

        Raises:
            FileProblem: there are too many.
        """
        if count > most:
            raise FileProblem(self.path, f"has {count:,} {what}; at most {most:,} are read")


def is_file(path: Path) -> bool:
    """Whether the path is a regular file; invalid names are not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_below(path: Path, folder: Path) -> bool:
    """Whether a file is in a folder or below it, after following links."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, or no path at all
        return False


def neighbour(path: Path, name: str, what: str) -> Path:
    """The file that a document refers to; after following links, it must be in the document's folder or below.

    Args:
        path: the document.
        name: the name in the document.
        what: the file's role, as the beginning of a sentence.

    Raises:
        FileProblem: it lies elsewhere.
    """
    folder = path.parent.resolve()
    try:
        found = (folder / name).resolve()
        inside = "://" not in name and not Path(name).is_absolute() and found.is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # links in a circle, or no path at all
        inside = False
    if not inside:
        raise FileProblem(path, f"{what} is at {name[:80]!r}; only files in the folder of the document are read")
    return found
