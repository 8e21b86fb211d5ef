"""Sources: the files a session began with or opened later, known by path and by what they held then."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posewright.errors import FileProblem, InvalidSetting, shown
from posewright.formats.budget import Budget

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Source:
    """Where something of the session came from."""

    role: str
    """What it is here: figure, clip, model, ..."""
    name: str
    """A file's name, or that of a built-in figure or clip."""
    path: Path | None = None
    """Absolute; None: it is built in."""
    size: int = 0
    """Bytes, when it was read."""
    sha256: str = ""
    """Of its bytes, when it was read."""

    @classmethod
    def of_file(cls, role: str, path: Path) -> Source:
        """A file as it is now.

        Raises:
            FileProblem: it cannot be read.
        """
        path = Path(os.path.abspath(path))
        size, digest = _digest(path)
        return cls(role, path.name, path, size, digest)

    def to_json(self, base: Path) -> dict[str, Any]:
        """As written in a file of a folder: the path as seen from there, if it is below."""
        path = None
        if self.path is not None:
            path = str(self.path.relative_to(base)) if self.path.is_relative_to(base) else str(self.path)
        return {"role": self.role, "name": self.name, "path": path, "size": self.size, "sha256": self.sha256}

    @classmethod
    def from_json(cls, given: Any, base: Path) -> Source:
        """What `to_json` wrote into a file of that folder.

        Raises:
            InvalidSetting: it is something else.
        """
        kinds = {"role": str, "name": str, "path": str | None, "size": int, "sha256": str}
        if not isinstance(given, dict) or given.keys() != kinds.keys():
            raise InvalidSetting(f"a source must have {', '.join(kinds)}; found {shown(given)}")
        for name, kind in kinds.items():
            if not isinstance(given[name], kind) or (isinstance(given[name], str) and "\0" in given[name]):
                raise InvalidSetting(f"the {name} of a source is {shown(given[name])}")
        path = None if given["path"] is None else Path(os.path.normpath(base / given["path"]))
        return cls(given["role"], given["name"], path, given["size"], given["sha256"])

    def is_at(self, path: Path) -> bool:
        """Whether a file is what it was: of its size and with its bytes."""
        try:
            return path.is_file() and path.stat().st_size == self.size and _digest(path)[1] == self.sha256
        except (OSError, FileProblem):
            return False


def of_item(name: str) -> str:
    """The role of what an item of the library came from."""
    return f"item {name}"


class Sources:
    """Looks sources up again, each once, only in folders that it was given; notes what has changed or is gone."""

    def __init__(self, folders: Iterable[Path], *, anywhere: bool = False) -> None:
        """Nothing looked up yet.

        Args:
            folders: where files may be read: below them.
            anywhere: whether a file is also read elsewhere, for sessions of this user.
        """
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._anywhere = anywhere
        self._found: dict[Source, Path | None] = {}
        self.notices: list[str] = []
        """What a user should know, a sentence each."""

    def find(self, source: Source) -> Path | None:
        """The file, if it is what it was."""
        if source.path is None:
            return None
        one = replace(source, role="")  # a file may be figure and clip
        if one not in self._found:
            self._found[one] = self._look(source, source.path)
        return self._found[one]

    def _look(self, source: Source, path: Path) -> Path | None:
        beside = [folder / source.name for folder in self._folders if Path(source.name).name == source.name]
        places = [place for place in dict.fromkeys([path, *beside]) if self._may_read(place)]
        for place in places:
            if source.is_at(place):
                return place
        there = next((place for place in places if place.is_file()), None)
        goes_on = "the session goes on with what it held then"
        if there is not None:
            self.notices.append(f"{there} is no longer as it was when this session read it; {goes_on}")
        else:
            self.notices.append(f"{source.path} is missing; {goes_on}")
        return None

    def _may_read(self, path: Path) -> bool:
        real = Path(os.path.realpath(path))
        return self._anywhere or any(real.is_relative_to(folder) for folder in self._folders)


def _digest(path: Path) -> tuple[int, str]:
    """Length and SHA-256 of a file."""
    found, size = hashlib.sha256(), 0
    try:
        Budget.of(path)
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
                size += len(block)
    except OSError as error:
        raise FileProblem.of_system(path, "cannot be read", error) from None
    return size, found.hexdigest()
