"""What commands do about the places that they write to, before they begin to work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from posewright.errors import FileProblem


def keep_apart(written: Iterable[Path | None], read: Iterable[Path | None]) -> None:
    """Refuse to write over what the command reads.

    Raises:
        FileProblem: one of `written` is one of `read`.
    """
    sources = [path.resolve() for path in read if path is not None and path.is_file()]
    for path in written:
        if path is not None and path.resolve() in sources:
            raise FileProblem(path, "is read by this command; name another file to write")


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there.

    Raises:
        FileProblem: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(path, f"cannot make this folder: {(error.strerror or str(error)).lower()}") from error
