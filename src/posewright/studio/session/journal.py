"""Journals: sessions as files. A project is one, and so is what is saved unasked.

A line of JSON each: first what it is and the first state, then what was done, in order. Lines are only ever added, so
that a program that was killed leaves at most half a line at the end, which is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array
from posewright.errors import FileProblem, InvalidSetting, PosewrightError, shown
from posewright.formats.budget import Budget
from posewright.formats.json_document import parse_json
from posewright.studio.session.clips.frames import read_frames, write_frames
from posewright.studio.session.codec import read_command, write_command
from posewright.studio.session.session import Entry, Session
from posewright.studio.session.sources import Sources
from posewright.studio.session.state import State
from posewright.studio.session.state_values import read_state, write_state

FORMAT: Final = "posewright-session"
VERSION: Final = 1
LARGEST: Final = 2 * 2**30
"""Bytes of a journal."""


def session_lines(session: Session, base: Path, about: dict[str, Any]) -> Iterator[str]:
    """A session, for a file of a folder; `about` is kept in its first line."""
    yield first_line(session.states[0], base, about)
    for number in range(len(session.entries)):
        yield entry_line(session, number, base)
    yield done_line(session.done)


def first_line(state: State, base: Path, about: dict[str, Any]) -> str:
    """What the file is, and the first state."""
    return _line({"format": FORMAT, "version": VERSION, "about": about, "state": write_state(state, base)})


def entry_line(session: Session, number: int, base: Path) -> str:
    """One thing that was done."""
    entry = session.entries[number]
    old, new = (session.states[k].clip for k in (number, number + 1))
    source = old.source if old is not None and new is not None and new.source is old.source else None
    return _line(
        {
            "command": write_command(entry.command),
            "start": None if entry.start is None else entry.start.tolist(),
            "q": entry.q.tolist(),
            "clip_q": None if entry.clip_q is None else write_frames(entry.clip_q, source),
            "state": None if entry.state is None else write_state(entry.state, base),
        }
    )


def done_line(done: int) -> str:
    """How many entries hold, after undo and redo."""
    return _line({"done": done})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


@dataclass(frozen=True, eq=False)
class Journal:
    """A session that was read."""

    session: Session
    about: dict[str, Any]
    marks: dict[str, Any]
    """What later lines say besides: such as that its program ended in order."""


def read_journal(path: Path, sources: Sources) -> Journal:
    """The session of a file; nothing is solved.

    Raises:
        FileProblem: it is none; the sentence says what is wrong, and in which line.
    """
    try:
        budget = Budget.of(path, most=LARGEST)
        with open(path, encoding="utf-8", newline="\n") as file:
            return _read(budget, file, sources)
    except OSError as error:
        raise FileProblem.of_system(path, "cannot be read", error) from None
    except UnicodeDecodeError:
        raise FileProblem(path, "is no Posewright session: it is not UTF-8 text") from None


def _read(budget: Budget, lines: Iterator[str], sources: Sources) -> Journal:
    path = budget.path
    head = _parsed(budget, next(lines, ""), 1)
    if head.get("format") != FORMAT or head.get("version") != VERSION:
        found = f"format {shown(head.get('format'))}, version {shown(head.get('version'))}"
        raise FileProblem(path, f"is no Posewright session: it has {found}, not {FORMAT!r}, version {VERSION}")
    about, marks = head.get("about"), {}
    session: Session | None = None
    number = 1
    try:
        session = Session.begin(read_state(head.get("state"), path, sources))
        for number, line in enumerate(lines, start=2):
            if not line.endswith("\n"):
                break  # cut short when its program was killed
            given = _parsed(budget, line, number)
            if "command" in given:
                entry = _entry(given, session.state, path, sources)
                session = session.with_entry(entry, entry.replayed(session.state))
            elif "done" in given:
                session = replace(session, done=_done(given["done"], session))
            else:
                marks.update(given)
    except FileProblem:
        raise
    except PosewrightError as error:
        raise FileProblem(path, f"is damaged: {error}", line=number) from None
    return Journal(session, about if isinstance(about, dict) else {}, marks)


def _parsed(budget: Budget, line: str, number: int) -> dict[str, Any]:
    found = parse_json(budget, line, f"line {number}", infinite=True) if line.strip() else {}
    if not isinstance(found, dict):
        raise FileProblem(budget.path, "is no Posewright session: a line holds no fields", line=number)
    return found


def _entry(given: dict[str, Any], state: State, path: Path, sources: Sources) -> Entry:
    kept = given.get("state")
    after = None if kept is None else read_state(kept, path, sources)
    n_dofs = (after or state).figure.n_dofs
    clip_q, clip = given.get("clip_q"), state.clip
    return Entry(
        read_command(given["command"]),
        None if given.get("start") is None else _pose(given["start"], state.figure.n_dofs),
        _pose(given.get("q"), n_dofs),
        None if clip_q is None else read_only(read_frames(clip_q, n_dofs, None if clip is None else clip.source)),
        after,
    )


def _pose(given: Any, n_dofs: int) -> Array:
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape != (n_dofs,) or not np.isfinite(found).all():
        raise InvalidSetting(f"a pose must be {n_dofs} finite numbers; found {shown(given)}")
    return read_only(found)


def _done(given: Any, session: Session) -> int:
    if type(given) is not int or not 0 <= given <= len(session.entries):
        raise InvalidSetting(f"{shown(given)} entries are done; there are {len(session.entries)}")
    return given
