"""Limits on untrusted files, shared by all readers: memory, computing time, and which other files they may name.

A small file may claim to hold gigabytes: by a count, a shape, a compressed array, a grid, the same numbers used a
thousand times. Readers ask here before they allocate; the limits grow with the size of the file.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

from posewright.errors import FileProblem

MOST_JOINTS = 20_000
"""More than any figure has."""
MOST_ITEMS = 500_000
"""Elements, nodes, lists and texts: whatever becomes an object of its own."""
DEEPEST = 200
"""How deep they may be nested."""
LARGEST_NOTE = 1_000_000
"""Bytes of what people write by hand: tasks, edits, matches, poses."""
LARGEST_DOCUMENT = 64 * 2**20
"""Bytes of figures and robots as text."""
_FREE_BYTES, _BYTES_PER_BYTE = 128 * 2**20, 16
_FREE_SECONDS, _SECONDS_PER_MEGABYTE = 2.0, 2.0


@dataclass(eq=False)
class Budget:
    """What reading one file may still take."""

    path: Path
    size: int
    """Bytes of the file, and of those that it refers to."""
    taken: int = 0
    """Bytes of memory that were asked for so far."""
    others: set[Path] = field(default_factory=set)
    """Files that it refers to, counted in `size`."""

    @classmethod
    def of(cls, path: Path, most: int | None = None) -> Budget:
        """The budget of a file.

        Raises:
            FileProblem: it is longer than `most` bytes, or a device or pipe, whose end nobody knows.
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
        """Of memory, in all."""
        return _FREE_BYTES + _BYTES_PER_BYTE * self.size

    @property
    def seconds(self) -> float:
        """Of computing, for what is done in a process of its own."""
        return _FREE_SECONDS + _SECONDS_PER_MEGABYTE * self.size / 2**20

    def add(self, other: Path) -> int:
        """Count a file that the document refers to; its size in bytes."""
        size = other.stat().st_size
        if other not in self.others:
            self.others.add(other)
            self.size += size
        return size

    def take(self, n_bytes: int, what: str) -> None:
        """Ask for memory, before it is allocated; `what` it is for is the subject of the sentence.

        Raises:
            FileProblem: it would be more than such a file can need.
        """
        self.taken += n_bytes
        if self.taken > self.bytes:
            raise FileProblem(
                self.path,
                f"{what} would take {n_bytes / 2**20:,.0f} MB, more than a file of {self.size:,} bytes can need",
            )

    def require_items(self, count: int, what: str, most: int = MOST_ITEMS) -> None:
        """Refuse a number of things beyond any real file.

        Raises:
            FileProblem: there are more.
        """
        if count > most:
            raise FileProblem(self.path, f"has {count:,} {what}; at most {most:,} are read")


def is_file(path: Path) -> bool:
    """Whether there is a plain file; a name that no file can have names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_below(path: Path, folder: Path) -> bool:
    """Whether a file lies in a folder or below it, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, or no path at all
        return False


def neighbour(path: Path, name: str, what: str) -> Path:
    """The file that a document refers to, which must lie in the document's folder or below, links followed.

    Args:
        path: the document.
        name: as the document says it.
        what: it is, as the beginning of a sentence.

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
