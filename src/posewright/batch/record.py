"""The record of a batch: one SQLite file in the output folder, to which only the main process of the run writes.

Every clip is committed separately, so however a run ends, its results are known. A clip that was written but not
recorded is processed again, with the same bytes as result.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

from posewright.errors import FileProblem, InvalidSetting, UnknownName

FILE = "record.sqlite"
_LOCK = ".running"
State = Literal["done", "failed", "broken"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A clip in the record."""

    name: str
    source: str
    """The file from which it was read."""
    state: State
    """"done"; "failed": the clip cannot be used and is not tried again; "broken": it is tried again next time."""
    digest: str
    """Digest of the clip's bytes."""
    stamp: str
    """Sizes and times of its files."""
    settings: str
    """Digest of the job."""
    versions: str
    frames: int = 0
    fps: float = 0.0
    measures: str = "{}"
    """Measures as in `check --json`, in JSON."""
    passed: bool = True
    """Whether its limits are met."""
    refused: str = ""
    """The rules of the selection that it breaks, in words; empty if it is kept."""
    notes: str = "[]"
    error: str = ""
    """Why it failed, in one sentence."""
    seconds: float = 0.0
    """Seconds of work."""
    attempts: int = 1
    worker: str = ""

    @property
    def measured(self) -> dict[str, dict[str, Any]]:
        """The measures by name."""
        found: dict[str, dict[str, Any]] = json.loads(self.measures)
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = asdict(self)
        return plain | {"measures": json.loads(self.measures), "notes": json.loads(self.notes)}


@dataclass(frozen=True)
class LastRun:
    """The settings of a run."""

    job: dict[str, Any]
    """The job as written by `Job.to_json`."""
    settings: str
    """Digest of the job."""
    libraries: list[str]
    rules: str
    """The selection, in words."""


_COLUMNS = tuple(each.name for each in fields(Entry))
_TABLES = f"""
create table if not exists run
  (id integer primary key check (id = 1), job text, settings text, libraries text, rules text);
create table if not exists clips (name text primary key, {", ".join(name for name in _COLUMNS if name != "name")});
"""
_PUT = f"insert or replace into clips ({', '.join(_COLUMNS)}) values ({', '.join('?' * len(_COLUMNS))})"


class Record:
    """The record in an output folder, locked against other runs while it is open."""

    def __init__(self, folder: Path) -> None:
        """Open the record, or begin one.

        Raises:
            InvalidSetting: another run is using this folder.
            FileProblem: the record cannot be created, or is damaged.
        """
        self.folder, self.path = folder, folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(folder / _LOCK)
        except OSError as error:
            raise FileProblem(folder, f"cannot write here: {(error.strerror or str(error)).lower()}") from error
        try:
            self._sql = sqlite3.connect(self.path, isolation_level=None)
            self._sql.execute("pragma journal_mode = wal")
            self._sql.execute("pragma synchronous = normal")
            self._sql.executescript(_TABLES)
        except sqlite3.Error as error:
            self._sql.close()
            self._lock.close()
            raise FileProblem(self.path, f"cannot be used as a record: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._sql.close()
        self._lock.close()

    def last(self) -> LastRun | None:
        """The last run; None before the first."""
        return _last(self._sql)

    def begin(self, now: LastRun) -> None:
        """Record the settings of a run."""
        values = (json.dumps(now.job, sort_keys=True), now.settings, json.dumps(now.libraries), now.rules)
        self._write("insert or replace into run values (1, ?, ?, ?, ?)", values)

    def entries(self) -> Iterator[Entry]:
        """All clips, by name."""
        yield from map(_entry, self._sql.execute(f"select {', '.join(_COLUMNS)} from clips order by name"))

    def stamps(self) -> dict[str, tuple[str, ...]]:
        """By clip: state, stamp, digest, settings and versions, which together decide whether it is processed again."""
        rows = self._sql.execute("select name, state, stamp, digest, settings, versions from clips order by name")
        return {name: tuple(rest) for name, *rest in rows}

    def put(self, entry: Entry) -> None:
        """Record a clip.

        Raises:
            FileProblem: the disk is full.
        """
        self._write(_PUT, [getattr(entry, name) for name in _COLUMNS])

    def clear(self) -> None:
        """Remove all clips."""
        self._write("delete from clips")

    def refuse(self, name: str, why: str) -> None:
        """Record why the selection refuses a clip; empty if it is kept."""
        self._write("update clips set refused = ? where name = ?", (why, name))

    def restamp(self, name: str, stamp: str) -> None:
        """Record the new file times of a clip with unchanged bytes."""
        self._write("update clips set stamp = ? where name = ?", (stamp, name))

    def _write(self, statement: str, values: Sequence[Any] = ()) -> None:
        try:
            self._sql.execute(statement, values)
        except sqlite3.Error as error:
            raise FileProblem(self.path, f"could not be written: {error}; run the same command again") from None


def read_record(folder: str | Path) -> Iterator[Entry]:
    """All clips of a record, one at a time and ordered by name; a run may be at work.

    Raises:
        FileProblem: there is no record, or it is damaged.
    """
    with _opened(Path(folder)) as sql:
        yield from map(_entry, sql.execute(f"select {', '.join(_COLUMNS)} from clips order by name"))


def read_clip(folder: Path, name: str) -> tuple[Entry, LastRun]:
    """A clip of a record, and the last run.

    Raises:
        FileProblem: there is no record, or it is damaged.
        UnknownName: it has no such clip.
    """
    with _opened(folder) as sql:
        row = sql.execute(f"select {', '.join(_COLUMNS)} from clips where name = ?", (name,)).fetchone()
        last = _last(sql)
        if row is None or last is None:
            raise UnknownName("clip", name, [found for (found,) in sql.execute("select name from clips order by name")])
        return _entry(row), last


def read_last(folder: Path) -> LastRun | None:
    """The last run, which may be still at work."""
    with _opened(folder) as sql:
        return _last(sql)


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / FILE
    if not path.is_file():
        raise FileProblem(path, "no such record; name the output folder of a batch")
    sql = sqlite3.connect(path)
    try:
        yield sql
    except sqlite3.Error as error:
        raise FileProblem(path, f"is not a record of a batch: {error}") from None
    finally:
        sql.close()


def _last(sql: sqlite3.Connection) -> LastRun | None:
    row = sql.execute("select job, settings, libraries, rules from run").fetchone()
    return None if row is None else LastRun(json.loads(row[0]), row[1], json.loads(row[2]), row[3])


def _entry(row: tuple[Any, ...]) -> Entry:
    values: Mapping[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    return Entry(**{**values, "passed": bool(values["passed"])})


def _locked(path: Path) -> IO[bytes]:
    """An open file that no other process has locked; the lock ends with the process."""
    file = path.open("ab")
    try:
        try:
            import fcntl
        except ImportError:  # Windows
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InvalidSetting(
            f"another batch is running in {path.parent}; wait until it has finished, or use another folder"
        ) from None
    return file
