"""What is saved unasked: every session keeps a journal in the user's state folder, one line per thing done.

A journal is locked as long as its program lives. One that nobody locks is of a program that ended or was killed, and
can be recovered.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posewright.errors import FileProblem
from posewright.studio.files.project import SUFFIX
from posewright.studio.session.journal import Journal, done_line, entry_line, first_line, read_journal
from posewright.studio.session.session import Session
from posewright.studio.session.sources import Sources

if sys.platform != "win32":
    import fcntl

_MOST_KEPT = 20
"""Journals of sessions that ended; older ones are removed."""
_ENDED = "ended"
_PROJECT = "project"
_LAST = 4096
"""Bytes at the end of a journal that hold its last line, unless that is an entry."""


def state_folder() -> Path:
    """Where programs keep what is neither settings nor cache: XDG_STATE_HOME, or ~/.local/state."""
    kept = os.environ.get("XDG_STATE_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    try:
        home = Path.home()
    except RuntimeError:  # a user without one, as in containers: nothing is kept, and the page says so
        home = Path(os.devnull)
    return Path(kept or home / ".local" / "state", "posewright", "studio")


class Autosave:
    """The journal of one session, written as it goes."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        """Nothing is written until something is done.

        Args:
            folder: usually `state_folder()`.
            about: what the session began with; a later start that begins with the same goes on with it.
        """
        self._folder, self._about = folder, about
        self._file: int | None = None
        self._path: Path | None = None
        self._kept: Session | None = None

    def keep(self, session: Session) -> None:
        """Write what was done since the last time.

        Raises:
            FileProblem: it cannot be written.
        """
        if session is self._kept:
            return
        try:
            before = self._kept
            if before is None or before.states[0] is not session.states[0]:
                self._begin(session)
                before = Session.begin(session.states[0])
            shared, both = 0, min(len(before.entries), len(session.entries))
            while shared < both and before.entries[shared] is session.entries[shared]:
                shared += 1
            more = shared < len(session.entries)
            lines = [done_line(shared)] if more and shared != before.done else []
            lines += [entry_line(session, number, self._folder) for number in range(shared, len(session.entries))]
            self._append("".join((*lines, done_line(session.done))))
            self._kept = session
        except OSError as error:
            raise FileProblem.of_system(self._folder, "the session cannot be kept here", error) from None

    @property
    def begun(self) -> bool:
        """Whether something was written."""
        return self._file is not None

    def saved(self, session: Session, path: Path, sha256: str) -> None:
        """A session is in a project, too: if nothing was done since, nothing would be lost now."""
        if self._kept is not None:
            since = "" if session is self._kept else done_line(self._kept.done)
            self._append(json.dumps({_PROJECT: [str(path), sha256]}) + "\n" + since)

    def end(self, *, needed: bool) -> None:
        """The program ends in order, or goes on with another session; what is not needed any more is removed."""
        if self._file is None or self._path is None:
            return
        if needed:
            self._append(json.dumps({_ENDED: time.time()}) + "\n")
        else:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = self._path = self._kept = None

    def _begin(self, session: Session) -> None:
        self.end(needed=True)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = self._folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}{SUFFIX}"
        self._file = locked(self._path)
        self._append(first_line(session.states[0], self._folder, {**self._about, "began": time.time()}))

    def _append(self, text: str) -> None:
        assert self._file is not None
        rest = memoryview(text.encode())
        while rest:
            rest = rest[os.write(self._file, rest) :]


@dataclass(frozen=True)
class Recovery:
    """A session whose program is gone without a word, or before its work was saved."""

    name: str
    """Of its journal."""
    about: dict[str, Any]
    when: float
    """s since 1970: when it was last written"""
    crashed: bool
    """Whether its program was killed."""
    saved: bool
    """Whether all of it is in a project: only pages that are still open need it."""


def recoveries(folder: Path) -> tuple[Recovery, ...]:
    """What can be recovered, newest first; more than a few are removed, oldest first."""
    try:
        paths = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return ()
    found: list[Recovery] = []
    for path in paths:
        if is_in_use(path):
            continue
        if len(found) >= _MOST_KEPT:
            path.unlink(missing_ok=True)
            continue
        try:
            with open(path, "rb") as file:
                about = json.loads(file.readline()).get("about", {})
            last = _last_mark(path)
            found.append(Recovery(path.name, about, path.stat().st_mtime, last != _ENDED, last == _PROJECT))
        except (OSError, ValueError, AttributeError):
            continue  # cut short before its first line was whole: nothing was done yet
    return tuple(found)


def _last_mark(path: Path) -> str:
    """What the last line says; empty: it is an entry, or cut short."""
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST))
        last = file.read().splitlines(keepends=True)[-1]
    try:
        return str(next(iter(json.loads(last)), ""))
    except (ValueError, TypeError):
        return ""


def recovered(folder: Path, name: str) -> tuple[Journal, tuple[str, ...]]:
    """A session as it was, and what has become of its files meanwhile, a sentence each.

    Raises:
        FileProblem: its journal cannot be read.
    """
    sources = Sources((), anywhere=True)
    return read_journal(_journal(folder, name), sources), tuple(sources.notices)


def discard(folder: Path, name: str) -> None:
    """Remove what could be recovered.

    Raises:
        FileProblem: there is no such journal.
    """
    _journal(folder, name).unlink(missing_ok=True)


def _journal(folder: Path, name: str) -> Path:
    path = folder / name
    if Path(name).name != name or path.suffix != SUFFIX or not path.is_file() or is_in_use(path):
        raise FileProblem(name, "there is no such session to recover")
    return path


def locked(path: Path) -> int:
    """The descriptor of a new file that only its user can read and that this program holds until it ends."""
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, 0o600)
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


def is_in_use(path: Path) -> bool:
    """Whether a program that runs holds it."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
