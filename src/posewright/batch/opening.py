"""The beginning of a run: the job, the clips, and the record."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from posewright.batch.job import Job
from posewright.batch.jobs import require_job
from posewright.batch.library import LibraryClip, clips_of
from posewright.batch.record import FILE, LastRun, Record, read_last
from posewright.batch.rules import Rule, parsed
from posewright.errors import InvalidSetting

Kind = TypeVar("Kind", bound=Job)


@dataclass(frozen=True)
class Opened(Generic[Kind]):
    """A run that has begun; no other run writes to its folder."""

    record: Record
    job: Kind
    settings: str
    """Digest of the job."""
    clips: list[LibraryClip]
    rules: tuple[Rule, ...]
    same_rules: bool
    """Whether the selection is the same as in the previous run, if there was one."""


@contextmanager
def opened(
    job: Kind | type[Kind], libraries: Sequence[str | Path], out: str | Path, *, select: str | None, redo: bool
) -> Iterator[Opened[Kind]]:
    """Begin a run.

    Args:
        job: what to do with each clip; a class: the job of the record, which must be of that kind.
        libraries: as for `posewright.batch.run`; default without a job: those of the record.
        out: folder for results and record.
        select: rules over measures; default without a job: those of the record.
        redo: accept an output made with other settings, and make it again.
    """
    place = Path(os.path.abspath(out))
    if isinstance(job, Job):  # errors are reported before a folder is created
        job = job.measuring(parsed(select or ""))
        require_job(job)
        clips_of([str(given) for given in libraries], job.read.layout, leave_out=place)
    else:
        parsed(select or "")
        _require_record(place)
    with Record(place) as record:
        before = record.last()
        if not isinstance(job, Job):
            assert before is not None
            found = _recorded_job(place, before, job)
            select, libraries = before.rules if select is None else select, libraries or before.libraries
            job = found.measuring(parsed(select))
            require_job(job)
        select, settings = select or "", job.digest()
        if before is not None and before.settings != settings and not redo:
            raise InvalidSetting(
                f"{place} was made with other settings ({_difference(before.job, job.to_json())}); "
                "give --redo to make it again, or name another folder"
            )
        named = [os.path.abspath(given) if Path(given).exists() else str(given) for given in libraries]
        clips = clips_of(named, job.read.layout, leave_out=place)
        record.begin(LastRun(job.to_json(), settings, named, select))
        same_rules = before is None or before.rules == select
        yield Opened(record, job, settings, clips, parsed(select), same_rules)


def _require_record(folder: Path) -> None:
    """Raise an error if no run was begun there."""
    if not (folder / FILE).is_file() or read_last(folder) is None:
        raise InvalidSetting(f"{folder} has no record to resume; name a library and what to do with it")


def _recorded_job(folder: Path, last: LastRun, kind: type[Kind]) -> Kind:
    """The job of a record.

    Raises:
        InvalidSetting: the job is of another kind.
    """
    job = Job.from_json(last.job)
    if not isinstance(job, kind):
        raise InvalidSetting(f"{folder} is a record of {job.kind}, not of {kind.kind}; write batch {job.kind} --resume")
    return job


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The settings in which two jobs differ, in words."""
    if old["kind"] != new["kind"]:
        return f"by {old['kind']}, not {new['kind']}"
    flat = [_flat(old), _flat(new)]
    changed = [name for name in flat[1] if flat[0].get(name) != flat[1][name]]
    words = [f"{name} {flat[0].get(name)}, not {flat[1][name]}" for name in changed[:3]]
    return "; ".join(words) + ("; ..." if len(changed) > 3 else "") if words else "a file that they name has changed"


_PARTS = {
    "read": "{} of clips",
    "read_target": "{} of the target",
    "read_source": "{} of sources",
    "limits": "limit of {}",
}
"""Names of settings within settings."""


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with nested ones, such as options for reading, on one level."""
    found: dict[str, Any] = {}
    for name, given in settings.items():
        inside = given if name in _PARTS else {name: given}
        found |= {_PARTS.get(name, "{}").format(inner): value for inner, value in inside.items()}
    return found
