"""Exports the record of a batch: one line of JSON or one row of a Parquet table per clip."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from posewright.batch.record import Entry, read_record
from posewright.checks import require_extra
from posewright.errors import FileProblem, suggestion
from posewright.formats.atomic import replacing

_SUFFIXES = (".jsonl", ".parquet")
_AT_ONCE = 4096
"""Rows of a Parquet table held in memory."""
_PLAIN = {
    **dict.fromkeys(("name", "source", "state", "digest", "settings", "versions"), str),
    "frames": int,
    "fps": float,
    "passed": bool,
    "refused": str,
    "error": str,
    "seconds": float,
    "attempts": int,
    "worker": str,
}


def export(out: str | Path, path: str | Path) -> int:
    """Write the record of an output folder as .jsonl or .parquet; returns the number of clips.

    In JSON lines, measures are as printed by `check --json`. In Parquet every measure is a column with the same name
    as in `check --json`, next to the columns of the clip.

    Raises:
        FileProblem: there is no record, or the suffix is neither of the two.
        MissingExtra: Parquet needs pyarrow.
    """
    path = Path(path)
    if path.suffix.lower() not in _SUFFIXES:
        raise FileProblem(
            path, f"cannot write a record with suffix {path.suffix!r}{suggestion(path.suffix, _SUFFIXES)}"
        )
    with replacing(path) as temporary:
        write = _write_lines if path.suffix.lower() == ".jsonl" else _write_parquet
        return write(Path(out), temporary)


def _write_lines(out: Path, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for entry in read_record(out):
            file.write(json.dumps(entry.as_dict(), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(out: Path, path: Path) -> int:
    arrow = require_extra("pyarrow", "writing Parquet", "pyarrow", "batch")
    parquet = require_extra("pyarrow.parquet", "writing Parquet", "pyarrow", "batch")
    types = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), str: arrow.string()}
    measures = dict.fromkeys(name for entry in read_record(out) for name in entry.measured)
    schema = arrow.schema(
        [(name, types[kind]) for name, kind in _PLAIN.items()]
        + [("notes", arrow.list_(arrow.string()))]
        + [(name, arrow.float64()) for name in measures]
    )
    count, entries = 0, read_record(out)
    with parquet.ParquetWriter(path, schema) as file:
        while some := list(islice(entries, _AT_ONCE)):
            file.write_table(arrow.Table.from_pylist([_row(entry) for entry in some], schema))
            count += len(some)
    return count


def _row(entry: Entry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in _PLAIN}
    measured = {name: each["value"] for name, each in entry.measured.items()}
    return {**measured, **values, "notes": json.loads(entry.notes)}
