"""Writing so that an interrupted run leaves the old file or the new one, never half of either."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from posewright.checks import as_path
from posewright.errors import FileProblem


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` when the block ends well.

    Where `path` is a link, what it leads to is replaced.

    Raises:
        FileProblem: the folder does not exist or cannot be written to, `path` is a folder, the disk is full.
    """
    target = as_path(path)
    require_place(target)
    try:
        place = _followed(target)
        # long names are cut, so that the random part fits
        temporary = place.with_name(f".{place.name[:40]}.{secrets.token_hex(6)}{target.suffix}")
        temporary.touch(exist_ok=False)  # with the permissions of new files
    except OSError as error:
        raise _problem(target, "cannot write here", error) from error
    try:
        yield temporary
        os.replace(temporary, place)
    except OSError as error:
        raise _problem(target, "could not be written", error) from error
    finally:
        temporary.unlink(missing_ok=True)


def require_place(path: str | Path) -> None:
    """Refuse a path where nothing can be written, before any work is done.

    Raises:
        FileProblem: it is a folder, or its own folder does not exist or cannot be written to.
    """
    target = as_path(path)
    try:
        if target.is_dir():
            raise FileProblem(target, "cannot write here: it is a folder")
        folder = _followed(target).parent
        if not folder.is_dir():
            raise FileProblem(target, f"cannot write here: there is no folder {str(folder)!r}")
    except OSError as error:
        raise _problem(target, "cannot write here", error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileProblem(target, f"cannot write here: the folder {str(folder)!r} is not writable")


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _problem(target: Path, what: str, error: OSError) -> FileProblem:
    return FileProblem(target, f"{what}: {(error.strerror or str(error)).lower()}")
