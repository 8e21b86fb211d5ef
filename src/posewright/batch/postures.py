"""A posture database of a whole library, clip by clip in the order of names.

Which postures are unlike all before depends on the order, so workers only read clips, and the one who leads adds them
in order. What was added is saved from time to time, and a killed run goes on from there to the same database.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from posewright.batch.engine import engine_of
from posewright.batch.job import Job, Memory, Outcome
from posewright.batch.jobs import measured_alone
from posewright.batch.library import Clip, digest_of, stamp_of
from posewright.batch.opening import opened
from posewright.batch.record import Entry
from posewright.batch.rules import Rule, measures_for, reasons
from posewright.batch.run import BatchResult, Progress
from posewright.batch.worker import Task, versions
from posewright.errors import PosewrightError
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
    measures: str = "none"
    """Of clips, for a selection: "none", those of the "motion", or "all"."""

    def measuring(self, rules: Sequence[Rule]) -> Self:
        """The job with the measures that rules ask for."""
        return replace(self, measures=measures_for(rules, self.measures, beside="a clip that is collected has none"))

    def run(self, clip: Clip, out: Path | None, seed: int, memory: Memory) -> Outcome:
        """Read; `collect` goes on."""
        motion = replace(load_motion(clip.path, self.read), name=clip.name)
        measured = measured_alone(motion, self.measures)
        return Outcome(len(motion), motion.fps, notes=motion.notes, read=motion, **measured)


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
    """Collect the postures of libraries in `out`/postures.npz; the same call again adds clips that are new.

    Where a clip or the selection has changed, or settings have (`redo`), the database is made anew: postures cannot be
    taken out again. Those of clips that have vanished from the library stay, until `redo`.

    Args:
        job: the settings; None: those of the record.
        libraries: as for `posewright.batch.run`.
        out: the folder for database and record.
        workers: processes on this machine that read clips (default: as many as cores).
        cluster: address of a running Dask scheduler, whose workers see the same files; instead of `workers`.
        select: rules over measures of clips, such as "penetration < 0.02"; clips that break one are left out. With no
            job, those of the record.
        redo: accept an output that was made with other settings, and make it again.
        attempts: how often a clip is tried whose worker dies.
        progress: called after each clip.
    """
    engine = engine_of(workers, cluster, attempts)
    if job is not None:
        check_threshold(job.threshold)
    with opened(job or CollectPostures, libraries, out, select=select, redo=redo) as run:
        job, record, settings, clips, rules = run.job, run.record, run.settings, run.clips, run.rules
        began, made_by = time.monotonic(), versions()
        known = record.stamps()
        paths = {clip.name: clip.path for clip in clips}
        vanished = tuple(name for name in known if name not in paths)
        usable = run.same_rules and not (redo and vanished)
        usable = usable and all(
            state != "broken"
            and (other, by) == (settings, made_by)
            and (name not in paths or stamp == stamp_of(paths[name]) or digest == digest_of(paths[name]))
            for name, (state, stamp, digest, other, by) in known.items()
        )
        last = max((name for name, (state, *_) in known.items() if state == "done"), default="")
        database = record.folder / FILE
        # clips that come before what was read would have been read first
        if not usable or not database.is_file() or any(clip.name < last and clip.name not in known for clip in clips):
            known, vanished = {}, ()
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
                entry = _added(builder, facts, rules)
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
            if entry.name in paths:
                counts["clips"] += 1
                counts["frames"] += entry.frames
                counts["failed" if entry.state != "done" else "refused" if entry.refused else "kept"] += 1
        return BatchResult(record.folder, len(todo), 0, time.monotonic() - began, vanished, counts)


def _in_order(results: Iterator[dict[str, Any]], tasks: list[Task]) -> Iterator[dict[str, Any]]:
    """Results by the order of their tasks; those ahead of their turn wait."""
    early: dict[str, dict[str, Any]] = {}
    for task in tasks:
        while task.name not in early:
            found = next(results)
            early[found["name"]] = found
        yield early.pop(task.name)


def _added(builder: PostureBuilder, facts: dict[str, Any], rules: tuple[Rule, ...]) -> Entry:
    """Add what a worker has read, unless the selection refuses it."""
    motion = facts.pop("read", None)
    if motion is not None:
        why = reasons(rules, json.loads(facts["measures"]))
        if why:
            return Entry(**facts, refused=why)
        try:
            builder.add(motion)
        except PosewrightError as error:
            facts |= {"state": "failed", "error": f"{facts['source']}: {error}"}
    return Entry(**facts)
