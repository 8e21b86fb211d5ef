"""Builds the posture database of a whole library, clip by clip in the order of names.

Which postures are distinct depends on the order. So workers only read clips, and the main process adds them in order.
The database is saved from time to time; a killed run continues from there and ends with the same database.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from posewright.batch.engine import Engine, engine_of
from posewright.batch.job import ClipOutcome, Job, WorkerMemory
from posewright.batch.jobs import measured_alone
from posewright.batch.library import LibraryClip, digest_of, stamp_of
from posewright.batch.opening import Opened, opened
from posewright.batch.record import Entry
from posewright.batch.rules import Rule, measures_for, reasons
from posewright.batch.run import BatchResult, Progress, tallied
from posewright.batch.worker import ClipTask, versions
from posewright.errors import PosewrightError
from posewright.formats import load_motion
from posewright.models.postures.builder import PostureBuilder
from posewright.models.postures.database import THRESHOLD, Postures, check_threshold
from posewright.motions import Motion

FILE = "postures.npz"
_PAUSE = 30.0
"""s between two saves; longer if saving takes long."""
_LONG = 2**28
"""Larger clips, in bytes, are not sent between processes."""


@dataclass(frozen=True, kw_only=True)
class CollectPostures(Job):
    """Collects the distinct postures of all clips; fields are the options of `posewright postures build`."""

    kind: ClassVar[str] = "postures"
    threshold: float = THRESHOLD
    measures: str = "none"
    """Measures of clips for the selection: "none", "motion" or "all"."""

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job with the measures needed by the rules."""
        return replace(self, measures=measures_for(rules, self.measures, beside="a clip that is collected has none"))

    def motion_of(self, clip: LibraryClip) -> Motion:
        """The clip, under its name in the library."""
        return replace(load_motion(clip.path, self.read), name=clip.name)

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read only; `collect` does the rest, and reads again what is too large to be sent."""
        motion = self.motion_of(clip)
        read = motion if motion.q.nbytes < _LONG else None
        return ClipOutcome(
            len(motion), motion.fps, notes=motion.notes, read=read, **measured_alone(motion, self.measures)
        )


def collect(
    job: CollectPostures | None,
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
    """Collect the postures of libraries in `out`/postures.npz; the same call again adds new clips.

    If a clip, the selection or (with `redo`) the settings have changed, the database is built again, because postures
    cannot be removed. Postures of clips that have vanished from the library stay until `redo`.

    Args:
        job: the settings; None: those in the record.
        libraries: as for `posewright.batch.run`.
        out: the folder for database and record.
        workers: processes on this machine that read clips (default: as many as cores).
        cluster: address of a running Dask scheduler, whose workers see the same files; instead of `workers`.
        select: rules over measures of clips, such as "penetration < 0.02"; clips that break one are left out. Default
            without a job: those in the record.
        redo: accept an output made with other settings, and make it again.
        attempts: how often a clip is tried if its worker dies.
        progress: called after each clip.
    """
    engine = engine_of(workers, cluster, attempts)
    if job is not None:
        check_threshold(job.threshold)
    with opened(job or CollectPostures, libraries, out, select=select, redo=redo) as run:
        return _Collection(run, redo=redo).go(engine, progress)


class _Collection:
    """A database being built, and the record of its clips."""

    def __init__(self, run: Opened[CollectPostures], *, redo: bool) -> None:
        self._run, self._record, self._versions = run, run.record, versions()
        self._file = run.record.folder / FILE
        known = self._record.stamps()
        if not (known and self._can_grow(known, redo=redo)):
            known = {}
            self._record.clear()
            self._file.unlink(missing_ok=True)
        self._todo = [clip for clip in run.clips if clip.name not in known]
        self._builder = (
            PostureBuilder.of(Postures.open(self._file)) if known else PostureBuilder(None, run.job.threshold)
        )
        self._unsaved: list[Entry] = []
        self._next_save = time.monotonic() + _PAUSE

    def go(self, engine: Engine, progress: Callable[[Progress], None] | None) -> BatchResult:
        run, began, frames, failures = self._run, time.monotonic(), 0, 0
        tasks = [ClipTask(clip.name, clip.path, None) for clip in self._todo]
        try:
            results = engine(tasks, run.job, run.settings, self._versions)
            for done, facts in enumerate(_in_order(results, tasks), start=1):
                entry = self._added(facts)
                self._unsaved.append(entry)
                frames, failures = frames + entry.frames, failures + (entry.state != "done")
                if progress is not None:
                    progress(Progress(done, len(tasks), frames, failures, time.monotonic() - began))
                if time.monotonic() > self._next_save:
                    self._save()
        finally:
            self._save()
        counts, vanished = tallied(self._record.entries(), run.clips)
        return BatchResult(self._record.folder, len(tasks), 0, time.monotonic() - began, vanished, counts)

    def _can_grow(self, known: Mapping[str, tuple[str, ...]], *, redo: bool) -> bool:
        """Whether the database is what its clips, read before all others, would give now, so that it can grow."""
        run, paths = self._run, {clip.name: clip.path for clip in self._run.clips}
        if not self._file.is_file() or not run.same_rules or (redo and any(name not in paths for name in known)):
            return False
        for name, (state, stamp, digest, settings, made_by) in known.items():
            if state == "broken" or (settings, made_by) != (run.settings, self._versions):
                return False
            if name in paths and stamp != stamp_of(paths[name]) and digest != digest_of(paths[name]):
                return False
        last = max((name for name, (state, *_) in known.items() if state == "done"), default="")
        return all(name in known or name > last for name in paths)

    def _added(self, facts: dict[str, Any]) -> Entry:
        """Add what a worker has read, unless the selection refuses it."""
        motion = facts.pop("read", None)
        entry = Entry(**facts)
        if entry.state != "done":
            return entry
        why = reasons(self._run.rules, entry.measured)
        if why:
            return replace(entry, refused=why)
        try:
            self._builder.add(motion or self._run.job.motion_of(LibraryClip(Path(entry.source), entry.name)))
        except PosewrightError as error:
            return replace(entry, state="failed", error=f"{entry.source}: {error}")
        return entry

    def _save(self) -> None:
        """Save the database first: clips that it has but the record has not are skipped when they are read again."""
        began = time.monotonic()
        if self._builder.sources:
            self._builder.database().save(self._file)
        for entry in self._unsaved:
            self._record.put(entry)
        self._unsaved.clear()
        ended = time.monotonic()
        self._next_save = ended + max(_PAUSE, 20.0 * (ended - began))


def _in_order(results: Iterator[dict[str, Any]], tasks: list[ClipTask]) -> Iterator[dict[str, Any]]:
    """Results in the order of their tasks; early ones are kept until their turn."""
    early: dict[str, dict[str, Any]] = {}
    for task in tasks:
        while task.name not in early:
            found = next(results)
            early[found["name"]] = found
        yield early.pop(task.name)
