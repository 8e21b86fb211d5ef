"""What commands do about the places that they write to, before they begin to work."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import FileProblem


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there.

    Raises:
        FileProblem: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(path, f"cannot make this folder: {(error.strerror or str(error)).lower()}") from error
