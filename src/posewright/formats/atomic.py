"""Writes files so that an interrupted run leaves either the old file or the new one, never a part of one.

Files are written under a temporary name in the same folder and locked while their writer lives. The remains of a killed
writer are recognised by their name, and removed because they are not locked.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from posewright.checks import as_path
from posewright.errors import FileProblem

if sys.platform != "win32":
    import fcntl

_MARK = "posewright-"
_TEMPORARY = re.compile(rf"\..*\.{_MARK}[0-9a-f]{{12}}(\.\w*)?")
_PAUSE = 100
"""Factor on the time of a clean-up of a folder, to wait before the next one."""
_next_look: dict[Path, float] = {}

stopped: ContextVar[Callable[[], bool]] = ContextVar("stopped", default=lambda: False)
"""Whether the work of this thread was stopped; then no file replaces another any more."""


def require_wanted(path: Path) -> None:
    """Refuse to go on writing after the work was stopped.

    Raises:
        FileProblem: it was stopped.
    """
    if stopped.get()():
        raise FileProblem(path, "was not written: it was stopped")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, which replaces `path` and takes its permissions if the block succeeds.

    If `path` is a link, its target is replaced.

    Raises:
        FileProblem: the folder does not exist or cannot be written to, `path` is a folder, the disk is full.
    """
    target = as_path(path)
    require_place(target)
    try:
        place = _followed(target)
        _remove_left_behind(place.parent)
        temporary, descriptor = _created(place, target.suffix)
    except OSError as error:
        raise FileProblem.of_system(target, "cannot write here", error) from error
    try:
        yield temporary
        require_wanted(target)
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(place.stat().st_mode))
        os.replace(temporary, place)
    except OSError as error:
        raise FileProblem.of_system(target, "could not be written", error) from error
    finally:
        temporary.unlink(missing_ok=True)
        if descriptor is not None:
            os.close(descriptor)


def _created(place: Path, suffix: str) -> tuple[Path, int | None]:
    """A new file beside another, with the permissions of new files, and a descriptor that locks it."""
    while True:
        # long names are cut, so that the random part fits
        temporary = place.with_name(f".{place.name[:40]}.{_MARK}{secrets.token_hex(6)}{suffix}")
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        if sys.platform == "win32":  # an open file cannot be renamed there, and nothing is removed
            os.close(descriptor)
            return temporary, None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = os.fstat(descriptor).st_nlink == 0
        except BlockingIOError:
            taken = True
        except OSError:  # no locks here, so nothing is removed either
            taken = False
        if not taken:
            return temporary, descriptor
        os.close(descriptor)  # another process took it for something left behind, before it was locked


def _remove_left_behind(folder: Path) -> None:
    """Remove temporary files of writers that are gone; in a large folder, not at every write."""
    began = time.monotonic()
    if sys.platform == "win32" or began < _next_look.get(folder, 0.0):
        return
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if _MARK in entry.name and _TEMPORARY.fullmatch(entry.name)]
    for path in found:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            with os.fdopen(descriptor):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while the writer lives
                os.unlink(path)
    ended = time.monotonic()
    _next_look[folder] = ended + _PAUSE * (ended - began)


def require_place(path: str | Path) -> None:
    """Refuse a path where nothing can be written, before any work is done.

    Raises:
        FileProblem: the path is a folder, or its folder does not exist or cannot be written to.
    """
    target = as_path(path)
    try:
        if target.is_dir():
            raise FileProblem(target, "cannot write here: it is a folder")
        folder = _followed(target).parent
        if not folder.is_dir():
            raise FileProblem(target, f"cannot write here: there is no folder {str(folder)!r}")
    except OSError as error:
        raise FileProblem.of_system(target, "cannot write here", error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileProblem(target, f"cannot write here: the folder {str(folder)!r} is not writable")


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))
