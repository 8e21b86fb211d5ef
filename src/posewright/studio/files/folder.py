"""The folder that the user named: the only place where pages read and write files."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from posewright.errors import InvalidSetting, shown

if sys.platform != "win32":
    import fcntl

_LONGEST_NAME = 200
_MOST_LISTED = 500
_DEEPEST_LISTED = 3
_FORBIDDEN = '\\:*?"<>|'
"""In names of new files: some systems refuse them, and pages and shells misread them."""


class Folder:
    """A folder, and names in it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    def file(self, name: str) -> Path:
        """The file of a name in the folder or below it, such as `clips/walk.bvh`.

        Raises:
            InvalidSetting: the name leads out of the folder, by its parts or by a link, or is none.
        """
        parts = name.split("/")
        if not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
            raise InvalidSetting(f"the name of a file is {shown(name)}; it must be 1 to {_LONGEST_NAME} plain letters")
        if any(part in ("", ".", "..") or part.startswith(".") for part in parts) or set(name) & set(_FORBIDDEN):
            raise InvalidSetting(
                f"the name of a file is {shown(name)}; it must be a file in the folder or below it, such as "
                f"clips/walk.bvh, without any of {' '.join(_FORBIDDEN)}, and no part may begin with a dot"
            )
        path = self.path.joinpath(*parts)
        if not Path(os.path.realpath(path)).is_relative_to(self.path):
            raise InvalidSetting(f"{shown(name)} is a link that leads out of the folder")
        return path

    def free(self, stem: str, suffix: str) -> Path:
        """A file that is not there yet: `stem.suffix`, or `stem-2.suffix`, ..., made of letters that names can have."""
        plain = "".join(one for one in stem if one.isprintable() and one not in f"{_FORBIDDEN}/").strip(" .")
        base = plain[: _LONGEST_NAME // 2] or "untitled"
        number = 1
        while True:
            path = self.path / f"{base}{'' if number == 1 else f'-{number}'}{suffix}"
            if not os.path.lexists(path):
                return path
            number += 1

    def name_of(self, path: Path) -> str:
        """How pages call a file: from the folder on, if it is below."""
        return path.relative_to(self.path).as_posix() if path.is_relative_to(self.path) else str(path)

    def listing(self, suffixes: Collection[str]) -> tuple[str, ...]:
        """Files with some suffixes in the folder and not far below it, by name; hidden ones and links are left out."""
        found: list[str] = []
        below = [(self.path, 1)]
        while below and len(found) < _MOST_LISTED:
            folder, depth = below.pop(0)
            try:
                with os.scandir(folder) as entries:
                    inside = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in inside:
                if entry.name.startswith(".") or entry.is_symlink() or not entry.name.isprintable():
                    continue
                if entry.is_dir() and depth < _DEEPEST_LISTED:
                    below.append((Path(entry.path), depth + 1))
                elif entry.is_file() and os.path.splitext(entry.name)[1].lower() in suffixes:
                    found.append(self.name_of(Path(entry.path)))
        return tuple(found[:_MOST_LISTED])


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other studios from writing into a folder meanwhile."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    except BlockingIOError:
        yield
    finally:
        os.close(descriptor)
