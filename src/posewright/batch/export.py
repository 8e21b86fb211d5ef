"""The record of a batch for other programs: one line of JSON or one row of a Parquet table per clip."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from posewright.batch.record import Entry, read_record
from posewright.errors import FileProblem, MissingExtra, suggestion
from posewright.formats.atomic import replacing

_SUFFIXES = (".jsonl", ".parquet")
_PLAIN = ("name", "source", "state", "digest", "settings", "versions", "frames", "fps", "passed", "refused", "error",
          "seconds", "attempts", "worker")  # fmt: skip


def export(out: str | Path, path: str | Path) -> int:
    """Write the record of an output folder as .jsonl or .parquet; how many clips it has.

    In JSON lines, measures are as `check --json` prints them. In Parquet each measure is a column with its value,
    called as in `check --json`, beside the columns of the clip.

    Raises:
        FileProblem: there is no record, or the suffix is another.
        MissingExtra: Parquet, without pyarrow.
    """
    path = Path(path)
    if path.suffix.lower() not in _SUFFIXES:
        raise FileProblem(
            path, f"cannot write a record with suffix {path.suffix!r}{suggestion(path.suffix, _SUFFIXES)}"
        )
    entries = read_record(Path(out))
    with replacing(path) as temporary:
        if path.suffix.lower() == ".jsonl":
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(entry.as_dict(), ensure_ascii=False) + "\n" for entry in entries)
        else:
            _write_parquet(entries, temporary)
    return len(entries)


def _write_parquet(entries: list[Entry], path: Path) -> None:
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("writing Parquet", "pyarrow", "batch") from None
    measures = [entry.measured for entry in entries]
    columns: dict[str, list[Any]] = {name: [getattr(entry, name) for entry in entries] for name in _PLAIN}
    columns["notes"] = [json.loads(entry.notes) for entry in entries]
    for name in dict.fromkeys(name for each in measures for name in each):
        columns[name] = [each.get(name, {}).get("value") for each in measures]
    parquet.write_table(arrow.table(columns), path)
