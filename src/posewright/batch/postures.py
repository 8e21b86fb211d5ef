"""A posture database of a whole library, clip by clip in the order of names.

Which postures are unlike all before depends on the order, so workers only read clips, and the one who leads adds them
in order. What was added is saved from time to time, and a killed run goes on from there to the same database.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from posewright.batch.engine import engine_of
from posewright.batch.job import Job, Memory, Outcome
from posewright.batch.jobs import require_job
from posewright.batch.library import Clip, clips_of, digest_of, stamp_of
from posewright.batch.record import Entry, LastRun, Record
from posewright.batch.run import BatchResult, Progress
from posewright.batch.worker import Task, versions
from posewright.errors import InvalidSetting, PosewrightError
from posewright.formats import load_motion
from posewright.models.postures.builder import PostureBuilder
from posewright.models.postures.database import THRESHOLD, Postures, check_threshold

FILE = "postures.npz"
_PAUSE = 30.0
"""s between two saves; more where saving takes long."""


@dataclass(frozen=True, kw_only=True)
class CollectPostures(Job):
    """The distinct postures of all clips; fields are the options of `posewright postures build`."""

    kind: ClassVar[str] = "postures"
    threshold: float = THRESHOLD

    def run(self, clip: Clip, out: Path | None, seed: int, memory: Memory) -> Outcome:
        """Read; `collect` goes on."""
        motion = replace(load_motion(clip.path, self.read), name=clip.name)
        return Outcome(len(motion), motion.fps, notes=motion.notes, read=motion)


def collect(
    job: CollectPostures | None,
    libraries: Sequence[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    redo: bool = False,
    attempts: int = 3,
    progress: Callable[[Progress], None] | None = None,
) -> BatchResult:
    """Collect the postures of libraries in `out`/postures.npz; the same call again adds clips that are new.

    Where a clip has changed or vanished, or settings have (`redo`), the database is made anew: postures cannot be
    taken out again.

    Args:
        job: the settings; None: those of the record.
        libraries: as for `posewright.batch.run`.
        out: the folder for database and record.
        workers: processes on this machine that read clips (default: as many as cores).
        cluster: address of a running Dask scheduler, whose workers see the same files; instead of `workers`.
        redo: accept an output that was made with other settings, and make it again.
        attempts: how often a clip is tried whose worker dies.
        progress: called after each clip.
    """
    place = Path(os.path.abspath(out))
    engine = engine_of(workers, cluster, attempts)
    if job is not None:
        require_job(job)
        check_threshold(job.threshold)
        clips_of([str(given) for given in libraries], job.read.layout, leave_out=place)
    with Record(place) as record:
        before = record.last()
        if job is None:
            if before is None or before.job.get("kind") != CollectPostures.kind:
                raise InvalidSetting(f"{place} has no record of postures to resume; name a library")
            found = Job.from_json(before.job)
            assert isinstance(found, CollectPostures)
            job, libraries = found, libraries or before.libraries
        settings = job.digest()
        if before is not None and before.settings != settings and not redo:
            raise InvalidSetting(f"{place} was made with other settings; give --redo to make it again")
        named = [os.path.abspath(given) if Path(given).exists() else str(given) for given in libraries]
        clips = clips_of(named, job.read.layout, leave_out=place)
        record.begin(LastRun(job.to_json(), settings, named, ""))
        began, made_by = time.monotonic(), versions()
        known = {entry.name: entry for entry in record.entries()}
        paths = {clip.name: clip.path for clip in clips}
        usable = all(
            name in paths
            and entry.state != "broken"
            and (entry.settings, entry.versions) == (settings, made_by)
            and (entry.stamp == stamp_of(paths[name]) or entry.digest == digest_of(paths[name]))
            for name, entry in known.items()
        )
        last = max((name for name, entry in known.items() if entry.state == "done"), default="")
        database = place / FILE
        # clips that come before what was read would have been read first
        if not usable or not database.is_file() or any(clip.name < last and clip.name not in known for clip in clips):
            known = {}
            record.clear()
            database.unlink(missing_ok=True)
        builder = PostureBuilder.of(Postures.open(database)) if known else PostureBuilder(threshold=job.threshold)
        todo = [clip for clip in clips if clip.name not in known]
        unsaved: list[Entry] = []
        saved, pause, frames, failures = time.monotonic(), _PAUSE, 0, 0

        def save() -> None:
            """The database first: clips that it has and the record has not are skipped when read again."""
            if builder.sources:
                builder.database().save(database)
            for entry in unsaved:
                record.put(entry)
            unsaved.clear()

        try:
            tasks = [Task(clip.name, clip.path, None) for clip in todo]
            for k, facts in enumerate(_in_order(engine(tasks, job, settings, made_by), tasks)):
                entry = _added(builder, facts)
                unsaved.append(entry)
                frames, failures = frames + entry.frames, failures + (entry.state != "done")
                if progress is not None:
                    progress(Progress(k + 1, len(todo), frames, failures, time.monotonic() - began))
                if time.monotonic() - saved > pause:
                    start = time.monotonic()
                    save()
                    saved = time.monotonic()
                    pause = max(_PAUSE, 20.0 * (saved - start))
        finally:
            save()
        counts = dict.fromkeys(("clips", "kept", "refused", "failed", "over_limit", "frames"), 0)
        for entry in record.entries():
            counts["clips"] += 1
            counts["frames"] += entry.frames
            counts["kept" if entry.state == "done" else "failed"] += 1
        return BatchResult(place, len(todo), 0, time.monotonic() - began, (), counts)


def _in_order(results: Iterator[dict[str, Any]], tasks: list[Task]) -> Iterator[dict[str, Any]]:
    """Results by the order of their tasks; those ahead of their turn wait."""
    early: dict[str, dict[str, Any]] = {}
    for task in tasks:
        while task.name not in early:
            found = next(results)
            early[found["name"]] = found
        yield early.pop(task.name)


def _added(builder: PostureBuilder, facts: dict[str, Any]) -> Entry:
    """Add what a worker has read."""
    motion = facts.pop("read", None)
    if motion is not None:
        try:
            builder.add(motion)
        except PosewrightError as error:
            facts |= {"state": "failed", "error": f"{facts['source']}: {error}"}
    return Entry(**facts)
