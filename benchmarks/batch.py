"""Whole libraries: frames per second, what a second worker brings, what a clip costs beyond its work, memory.

    python benchmarks/batch.py DATA [--pairs 5] [--tiny 10000] [--target G1] [--ratio]

DATA holds `cmu/bvh`, `robots/unitree_g1` and `characters`. Times on the clock mean something on an otherwise idle
machine only; processor times are printed beside them. `--ratio` compares two workers with one and does nothing else.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from batch_samples import tiny_library

from posewright import batch
from posewright.batch.job import WorkerMemory
from posewright.batch.library import LibraryClip, clips_of

GMR = (35, 70)
"""Frames per second that GMR's authors state for a laptop."""
CMU = (2500, 4_000_000)
"""Clips and frames, at 120 a second, of about the whole database."""
SEED = (142_220, 142_220 * 600)
"""Of BONES-SEED, if a clip lasts 5 s at 120 frames a second."""


class Cost(NamedTuple):
    """What a run took."""

    clock: float
    """s"""
    processor: float
    """s, of this process and its workers"""
    frames: int


def processor() -> float:
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def cost(job: batch.Job, library: Sequence[str | Path], workers: int) -> Cost:
    with tempfile.TemporaryDirectory() as out:
        clock, spent = time.perf_counter(), processor()
        result = batch.run(job, list(library), out, workers=workers)
        return Cost(time.perf_counter() - clock, processor() - spent, result.counts["frames"])


def direct(job: batch.Job, files: Sequence[Path]) -> float:
    """Processor seconds of reading, doing and writing all clips in this process."""
    memory = WorkerMemory()
    with tempfile.TemporaryDirectory() as out:
        place = Path(out) / f"x{job.suffix}"
        job.run(LibraryClip(files[0], ""), place, 1, memory)  # kernels are loaded, the target is read
        spent = time.process_time()
        for file in files:
            job.run(LibraryClip(file, ""), place, 1, memory)
        return time.process_time() - spent


def libraries(data: Path, pairs: int, *, only: str = "", ratio_only: bool = False) -> None:
    files = sorted((data / "cmu" / "bvh").glob("*.bvh"))
    g1 = data / "robots" / "unitree_g1" / "g1_29dof_kinematics.urdf"
    targets = {"G1, csv": (g1, "csv"), "character, glb": (data / "characters" / "xbot.glb", "glb")}
    per_frame: tuple[float, ...] = ()
    for name, (target, form) in targets.items():
        if not name.startswith(only):
            continue
        job = batch.Retarget(to=str(target), format=form)
        batch.run(job, files[:2], tempfile.mkdtemp(), workers=1)  # kernels are compiled
        one, two = [], []
        for _ in range(pairs):
            one.append(cost(job, files, 1))
            two.append(cost(job, files, 2))
        ratio = median(a.clock / b.clock for a, b in zip(one, two, strict=True))
        by_work = 2.0 * median(a.processor / b.processor for a, b in zip(one, two, strict=True))
        told = f"{ratio:.2f} on the clock; {by_work:.2f} by the processor time they take"
        if ratio_only:
            print(f"{name}: 2 workers against 1, {pairs} alternating pairs: {told}")
            continue
        start = median(cost(job, files[:1], 1).processor for _ in range(3))
        bare = min(direct(job, files) for _ in range(3)) / len(files)
        spent = median(each.processor for each in one)
        over = (spent - start) / (len(files) - 1) - bare
        unmeasured = cost(replace(job, measures="none"), files, 1)
        print(f"{name}: {len(files)} clips, {one[0].frames} frames; GMR states {GMR[0]} to {GMR[1]} frames/s")
        for workers, runs in ((1, one), (2, two)):
            clock, work = median(each.clock for each in runs), median(each.processor for each in runs)
            rates = f"{runs[0].frames / clock:8.0f} on the clock, {runs[0].frames / work:8.0f} per second of processor"
            print(f"  {workers} workers, frames/s: {rates} ({work:.1f} s)")
        print(f"  2 workers against 1: {told}")
        print(f"  read, retarget, measure, write: {1e3 * bare:.1f} ms a clip; a batch adds {1e3 * over:.1f} ms")
        print(f"  without measures: {unmeasured.frames / unmeasured.processor:.0f} frames per second of processor")
        per_frame = per_frame or tuple((each - start) / one[0].frames for each in (spent, unmeasured.processor))
    if ratio_only or not per_frame:
        return
    print("Estimates from the processor time per frame of the first target; cores idle, files near, clips as here:")
    for name, clips, frames, cores in (("CMU", *CMU, 2), ("BONES-SEED", *SEED, 64)):
        with_them, without = (frames * each / cores / 60.0 for each in per_frame)
        told = f"{with_them:.1f} min, without measures {without:.1f}"
        print(f"  {name}, {clips:,} clips of {frames:,} frames in all, on {cores} cores: {told}")


def resident(pid: int | str = "self") -> float:
    """MB in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def tiny(count: int) -> None:
    """Many clips that take no time: what remains is ours."""
    with tempfile.TemporaryDirectory() as folder:
        library = tiny_library(Path(folder) / "library", count)
        seen: list[tuple[float, float, float]] = []

        def look(at: batch.Progress) -> None:
            if at.clips == 100 or at.clips % (count // 10) == 0:
                workers = sum(resident(child.pid or 0) for child in multiprocessing.active_children())
                seen.append((resident(), workers, time.process_time()))

        began = processor()
        batch.run(batch.Convert(), [library], Path(folder) / "out", workers=1, progress=look)
        spent = processor() - began
        first, last = seen[0], seen[-2]  # the worker has gone when the last clip is told
        print(f"{count} tiny clips: {1e3 * spent / count:.2f} ms of processor a clip")
        print(f"  memory of leader and worker: {first[0]:.0f} and {first[1]:.0f} MB after 100 clips, ", end="")
        print(f"{last[0]:.0f} and {last[1]:.0f} MB after nine tenths")
        tenths = [1e4 * (b[2] - a[2]) / count for a, b in itertools.pairwise(seen[1:])]
        print("  the leader's processor time a clip, by tenths: " + " ".join(f"{t:.2f} ms" for t in tenths))
        again = processor()
        batch.run(batch.Convert(), [library], Path(folder) / "out", workers=1)
        print(f"  finding that all is done: {processor() - again:.1f} s; {len(clips_of([str(library)]))} clips")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--tiny", type=int, default=10_000)
    parser.add_argument("--target", default="", help="G1 or character (default: both)")
    parser.add_argument("--ratio", action="store_true", help="only two workers against one")
    given = parser.parse_args()
    if not given.ratio and given.tiny:
        tiny(given.tiny)
    libraries(given.data, given.pairs, only=given.target, ratio_only=given.ratio)
