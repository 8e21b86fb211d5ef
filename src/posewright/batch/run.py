"""Runs a workflow over a library: processes only what is missing or changed, and survives interruptions."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from posewright.batch.engine import Engine, engine_of
from posewright.batch.job import Job
from posewright.batch.library import LibraryClip, digest_of, stamp_of
from posewright.batch.opening import opened
from posewright.batch.record import Entry, Record, read_record
from posewright.batch.results import REFUSED
from posewright.batch.rules import Rule, reasons
from posewright.batch.worker import ClipTask, versions
from posewright.errors import FileProblem

_TEMPORARY = re.compile(r"\..{1,40}\.[0-9a-f]{12}(\.[^.]*)?")
"""Suffix of files that are not complete yet."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run."""

    clips: int
    """Clips done so far, of `total`."""
    total: int
    frames: int
    failures: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the current speed; None before the first clip."""
        return None if not self.clips else self.seconds * (self.total - self.clips) / self.clips


@dataclass(frozen=True)
class BatchResult:
    """The result of a run; the clips themselves are in the record."""

    out: Path
    made: int
    """Clips processed by this run; the others were up to date."""
    moved: int
    """Clips that the selection now judges differently."""
    seconds: float
    vanished: tuple[str, ...]
    """Clips in the record whose file is no longer in the library; their results are left alone."""
    counts: dict[str, int] = field(default_factory=dict)
    """Counts over all clips of the library: kept, refused, failed, over_limit, frames."""

    def entries(self) -> Iterator[Entry]:
        """All clips of the record, by name."""
        return read_record(self.out)

    @property
    def complete(self) -> bool:
        """Whether every clip was processed, meets its limits and is kept."""
        return not any(self.counts.get(name) for name in ("refused", "failed", "over_limit"))


def run(
    job: Job | type[Job] | None,
    libraries: Sequence[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    select: str | None = None,
    redo: bool = False,
    attempts: int = 3,
    progress: Callable[[Progress], None] | None = None,
) -> BatchResult:
    """Run a workflow over all clips of libraries.

    The result of a clip depends only on its bytes, the job and the versions; not on the number of workers, the order of
    clips or earlier runs. The same call again processes what is missing or has changed.

    Args:
        job: what to do with each clip, such as `Retarget(to="g1.urdf")`; None: the job in the record of `out`; a class,
            such as `Retarget`: the same, and it must be of that kind.
        libraries: folders, files, patterns, or lists of files (.txt); default without a job: those in the record.
        out: folder for results and record.
        workers: processes on this machine (default: as many as cores).
        cluster: address of a running Dask scheduler, whose workers see the same files; instead of `workers`.
        select: rules over measures, such as "penetration < 0.02"; clips that break one go to the folder `refused`.
            Default without a job: those in the record.
        redo: accept an output made with other settings, and make it again.
        attempts: how often a clip is tried if its worker dies.
        progress: called after each clip.

    Raises:
        InvalidSetting: the job or the rules are invalid, the output has other settings, or another run is using it.
        FileProblem: a library is empty, or the disk is full.
    """
    engine = engine_of(workers, cluster, attempts)
    with opened(Job if job is None else job, libraries, out, select=select, redo=redo) as run:
        return _Run(run.job, run.settings, run.clips, run.record, run.rules, progress).go(engine)


class _Run:
    def __init__(
        self,
        job: Job,
        settings: str,
        clips: list[LibraryClip],
        record: Record,
        rules: tuple[Rule, ...],
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._job, self._settings, self._record, self._rules = job, settings, record, rules
        self._clips, self._progress, self._versions = clips, progress, versions()
        self._out = record.folder

    def go(self, engine: Engine) -> BatchResult:
        self._sweep()
        began = time.monotonic()
        tasks = _shortest_last(self._tasks())
        done = frames = failures = 0
        for facts in engine(tasks, self._job, self._settings, self._versions):
            entry = Entry(**facts)
            self._enter(entry)
            done, frames, failures = done + 1, frames + entry.frames, failures + (entry.state != "done")
            if self._progress is not None:
                self._progress(Progress(done, len(tasks), frames, failures, time.monotonic() - began))
            if entry.state == "broken" and "no space left" in entry.error:
                raise FileProblem(self._out, "the disk is full; the record is complete, run the same command again")
        return self._result(done, time.monotonic() - began)

    def _tasks(self) -> list[ClipTask]:
        """Clips that are missing, or whose bytes, settings or versions have changed."""
        known, tasks = self._record.stamps(), []
        for clip in self._clips:
            state, stamp, digest, settings, made_by = known.get(clip.name, ("broken", "", "", "", ""))
            same = settings == self._settings and made_by == self._versions
            fresh = state == "failed" or (state == "done" and self._found(clip.name) is not None)
            if same and fresh:
                others = self._job.beside(clip)
                now = stamp_of(clip.path, *others)
                if now != stamp and digest_of(clip.path, *others) == digest:
                    self._record.restamp(clip.name, now)
                    continue
                if now == stamp:
                    continue
            tasks.append(ClipTask(clip.name, clip.path, self._place(clip.name)))
        return tasks

    def _enter(self, entry: Entry) -> None:
        """Move the result to its place, then record it."""
        if entry.state != "done":  # a result of older bytes must not pass for this one
            for kept in (True, False):
                _remove(self._place(entry.name, kept=kept))
            self._record.put(entry)
            return
        why = reasons(self._rules, entry.measured) if self._rules else ""
        if why:
            self._move(entry.name, kept=False)
        elif (old := self._place(entry.name, kept=False)) is not None:
            _remove(old)
        self._record.put(replace(entry, refused=why))

    def _place(self, name: str, *, kept: bool = True) -> Path | None:
        if self._job.suffix is None:
            return None
        return (self._out if kept else self._out / REFUSED) / f"{name}{self._job.suffix}"

    def _found(self, name: str) -> Path | None:
        """Path of the result of a clip; the output folder if nothing is written per clip."""
        if self._job.suffix is None:
            return self._out
        places = (self._place(name, kept=kept) for kept in (True, False))
        return next((place for place in places if place is not None and place.exists()), None)

    def _move(self, name: str, *, kept: bool) -> None:
        target, origin = self._place(name, kept=kept), self._place(name, kept=not kept)
        if target is None or origin is None or not origin.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove(target)
        origin.rename(target)

    def _result(self, made: int, seconds: float) -> BatchResult:
        """Judge all clips by the current rules, and count."""
        changed: list[Entry] = []
        counts, vanished = tallied(self._judged(changed), self._clips)
        for entry in changed:
            self._move(entry.name, kept=not entry.refused)
            self._record.refuse(entry.name, entry.refused)
        return BatchResult(self._out, made, len(changed), seconds, vanished, counts)

    def _judged(self, changed: list[Entry]) -> Iterator[Entry]:
        """All clips of the record; changed judgements are recorded."""
        names = {clip.name for clip in self._clips}
        for entry in self._record.entries():
            why = reasons(self._rules, entry.measured) if self._rules and entry.state == "done" else ""
            if entry.name in names and why != entry.refused:
                entry = replace(entry, refused=why)
                changed.append(entry)
            yield entry

    def _sweep(self) -> None:
        """Remove unfinished files of a killed run."""
        for folder, folders, files in os.walk(self._out):
            for name in [*folders, *files]:
                if _TEMPORARY.fullmatch(name):
                    _remove(Path(folder, name))


def _shortest_last(tasks: list[ClipTask]) -> list[ClipTask]:
    """The tasks, with the smallest quarter of the clips last, so that all workers finish at about the same time."""
    sizes = {task.name: task.source.stat().st_size if task.source.exists() else 0 for task in tasks}
    last = set(sorted(sizes, key=lambda name: sizes[name])[: len(tasks) // 4])
    return sorted(tasks, key=lambda task: (task.name in last, -sizes[task.name] if task.name in last else 0))


def tallied(entries: Iterable[Entry], clips: Sequence[LibraryClip]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Counts of clips by state, and the names of those that have vanished from the library."""
    names, vanished = {clip.name for clip in clips}, []
    counts = dict.fromkeys(("clips", "kept", "refused", "failed", "over_limit", "frames"), 0)
    for entry in entries:
        if entry.name not in names:
            vanished.append(entry.name)
            continue
        done = entry.state == "done"
        counts["clips"] += 1
        counts["frames"] += entry.frames
        counts["failed" if not done else "refused" if entry.refused else "kept"] += 1
        counts["over_limit"] += done and not entry.passed
    return counts, tuple(vanished)


def _remove(path: Path | None) -> None:
    if path is None:
        return
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
