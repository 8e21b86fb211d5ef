"""Files that pages bring: kept aside until they are opened, then copied into the folder."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from posewright.errors import InvalidSetting
from posewright.studio.files.folder import Folder
from posewright.studio.session.sources import Source

LARGEST: Final = 512 * 2**20
"""Bytes of one file, and of all that wait to be opened."""
_MOST = 64
"""Files that may wait."""


@dataclass(frozen=True)
class Upload:
    """A file that a page brought."""

    name: str
    path: Path
    """Where it is kept."""


class Uploads:
    """Those that wait to be opened."""

    def __init__(self) -> None:
        self._waiting: dict[str, Upload] = {}
        self._kept: tempfile.TemporaryDirectory[str] | None = None

    def place(self) -> Path:
        """Where to write a file that comes."""
        if self._kept is None:
            self._kept = tempfile.TemporaryDirectory(prefix="posewright-")
        return Path(self._kept.name, secrets.token_hex(8))

    def add(self, name: str, path: Path) -> str:
        """A file has come; what pages call it from now on.

        Raises:
            InvalidSetting: too much waits already.
        """
        waiting = sum(one.path.stat().st_size for one in self._waiting.values())
        if len(self._waiting) >= _MOST or waiting + path.stat().st_size > LARGEST:
            path.unlink()
            raise InvalidSetting(
                f"{name!r} is too much: at most {_MOST} files of {LARGEST // 2**20} MB wait to be opened"
            )
        self._waiting[path.name] = Upload(name, path)
        return path.name

    def take(self, names: Sequence[str]) -> list[Upload]:
        """Those of some names, which wait no longer.

        Raises:
            InvalidSetting: one is not there.
        """
        missing = [name for name in names if name not in self._waiting]
        if missing:
            raise InvalidSetting(f"no file was brought as {missing[0]!r}")
        return [self._waiting.pop(name) for name in dict.fromkeys(names)]

    def end(self) -> None:
        """Remove all."""
        self._waiting.clear()
        if self._kept is not None:
            self._kept.cleanup()
        self._kept = None


@contextmanager
def copied(uploads: Sequence[Upload], folder: Folder) -> Iterator[list[Path]]:
    """Their copies in a folder, which go again if the block does not end. Nothing is written over.

    A file that is there already, with the same name and bytes, is taken as it is. Several that come together stay
    together, since they may name one another: where a name is taken, all are in a new folder.
    """
    made: list[Path] = []
    try:
        yield _copies(uploads, folder, made)
    except BaseException:
        for path in reversed(made):
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise
    finally:
        for upload in uploads:
            upload.path.unlink(missing_ok=True)


def _copies(uploads: Sequence[Upload], folder: Folder, made: list[Path]) -> list[Path]:
    there = [folder.file(upload.name) for upload in uploads]
    same = [
        path.exists() and Source.of_file("", upload.path).is_at(path)
        for path, upload in zip(there, uploads, strict=True)
    ]
    if any(path.exists() and not alike for path, alike in zip(there, same, strict=True)):
        if len(uploads) == 1:
            there = [folder.free(there[0].stem, there[0].suffix)]
        else:
            new = folder.free(there[0].stem, "")
            new.mkdir()
            made.append(new)
            there = [new / path.name for path in there]
        same = [False] * len(uploads)
    for path, upload, alike in zip(there, uploads, same, strict=True):
        if not alike:
            made.append(path)
            with open(path, "xb") as copy, open(upload.path, "rb") as brought:
                shutil.copyfileobj(brought, copy)
    return there
