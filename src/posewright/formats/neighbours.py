"""Files that another file names: where they may lie, and whether they are there."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import FileProblem


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
