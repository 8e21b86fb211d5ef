"""A recorded clip of 96 dofs from file to file, an hour of it, and an endless stream: times, where they go, memory.

Called by `retargeting.py --end-to-end` and `--hour`. Needs the recordings (`POSEWRIGHT_DATA`).
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import posewright as pw
from posewright.figures.transforms.balls import BallsToHinges
from posewright.matching import JointMatch, PoseTransfer, Scaling
from posewright.workflows.retargeting.feet import Feet
from posewright.workflows.retargeting.key_points import FindKeyPoints, FindSourceFeet

DATA = Path(os.environ.get("POSEWRIGHT_DATA", Path(__file__).parents[2] / "shared" / "data"))
CLIP, TARGETS = "14_07", {"another person": "cmu/bvh/07_01.bvh", "human40": "human40"}
ROBOT = "robots/unitree_g1/g1_29dof_kinematics.urdf"
SHORT = "02_01"
HOUR = 432_000  # frames at 120 per second
STREAM = (10_000, 100_000)

STAGES: dict[str, tuple[Any, str]] = {
    "match joints": (JointMatch, "between"),
    "find the floor": (Scaling, "between"),
    "find contacts": (pw.Motion, "contacts"),
    "transfer postures": (PoseTransfer, "__call__"),
    "place feet and hands": (FindKeyPoints, "over"),
    "place the source's feet": (FindSourceFeet, "over"),
    "plan feet": (Feet, "paths"),
    "solve": (pw.LeastSquares, "solve"),
    "back to hinges": (BallsToHinges, "__call__"),
}
"""What is timed inside `retarget`, none of it inside another."""


def print_end_to_end(rounds: int) -> None:
    """Frames per second of CPU and wall-clock time, and the shares of stages in CPU time, best of some rounds."""
    if not (DATA / "cmu").is_dir():
        print(f"no recordings in {DATA}; set POSEWRIGHT_DATA")
        return
    for clip in (CLIP, SHORT):
        for name, where in {**TARGETS, "G1": ROBOT}.items():
            _print_one(clip, name, where, rounds)


def _print_one(clip: str, name: str, where: str, rounds: int) -> None:
    path, target = DATA / "cmu" / "bvh" / f"{clip}.bvh", _target(where)
    pw.retarget(pw.motion(path)[1:50], target)
    best: dict[str, float] = {}
    wall, n = np.inf, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            spent: dict[str, float] = defaultdict(float)
            began, busy = time.perf_counter(), time.process_time()
            with _timed(spent):
                motion = _within(spent, "read", lambda: pw.motion(path))
                made = _within(spent, "retarget", lambda m=motion: pw.retarget(m, target))
                out = Path(folder) / ("out.bvh" if where != ROBOT else "out.csv")
                _within(spent, "write", lambda m=made, to=out: m.motion.save(to))
            spent["all"], n = time.process_time() - busy, len(motion)
            wall = min(wall, time.perf_counter() - began)
            best = dict(spent) if not best or spent["all"] < best["all"] else best
    whole = best.pop("all")
    best["other preparation"] = best.pop("retarget") - sum(best[stage] for stage in STAGES if stage in best)
    print(f"{clip}, {n} frames of {motion.figure.n_dofs} dofs, to {name} of {target.n_dofs}: {n / whole:,.0f} frames "
          f"per CPU second, {n / wall:,.0f} per second; {made.iterations / n:.1f} steps each")  # fmt: skip
    for stage, seconds in sorted(best.items(), key=lambda item: -item[1]):
        print(f"    {stage:22} {1e3 * seconds:7.1f} ms {seconds / whole:5.0%} {1e6 * seconds / n:7.1f} µs per frame")


def print_hour() -> None:
    """Peak memory of an hour in one call, and of a stream as it goes on; run it in a process of its own."""
    if not (DATA / "cmu").is_dir():
        print(f"no recordings in {DATA}; set POSEWRIGHT_DATA")
        return
    target = _target(TARGETS["another person"])
    motion = pw.motion(DATA / "cmu" / "bvh" / f"{CLIP}.bvh")
    there_and_back = np.concatenate([motion.q, motion.q[::-1]])
    live, made = pw.Retargeter(motion, target), 0
    for frames in STREAM:
        busy, first = time.process_time(), made
        for made in range(first, frames):
            live.frame(there_and_back[made % len(there_and_back)])
        rate = (frames - first) / (time.process_time() - busy)
        print(f"stream, after {frames:,} frames: {_memory():,.0f} MB at most, {rate:,.0f} frames per CPU second")
    hour = np.resize(there_and_back, (HOUR, motion.figure.n_dofs))
    hour.flags.writeable = False
    clip = pw.Motion(motion.figure, hour, motion.fps)
    before, busy = _memory(), time.process_time()
    pw.retarget(clip, target)
    rate = HOUR / (time.process_time() - busy)
    print(f"an hour, {HOUR:,} frames of {clip.figure.n_dofs} dofs ({hour.nbytes / 1e6:,.0f} MB): {_memory():,.0f} MB "
          f"at most, {before:,.0f} before; {rate:,.0f} frames per CPU second")  # fmt: skip


def _target(where: str) -> pw.Figure:
    loaded = pw.formats.load(DATA / where) if "/" in where else pw.figure(where)
    return loaded if isinstance(loaded, pw.Figure) else loaded.with_standing_rest().figure


def _memory() -> float:
    """Peak of this process, in MB of 1e6 bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


@contextlib.contextmanager
def _timed(spent: dict[str, float]) -> Iterator[None]:
    """Add the CPU seconds of stages while inside."""
    originals = {stage: owner.__dict__.get(name) for stage, (owner, name) in STAGES.items()}  # None: inherited
    for stage, (owner, name) in STAGES.items():
        setattr(owner, name, _clocked(spent, stage, getattr(owner, name)))
    try:
        yield
    finally:
        for stage, (owner, name) in STAGES.items():
            if originals[stage] is None:
                delattr(owner, name)
            else:
                setattr(owner, name, originals[stage])


def _clocked(spent: dict[str, float], stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def clocked(*given: Any, **named: Any) -> Any:
        return _within(spent, stage, lambda: function(*given, **named))

    return clocked


def _within(spent: dict[str, float], stage: str, work: Callable[[], Any]) -> Any:
    busy = time.process_time()
    try:
        return work()
    finally:
        spent[stage] += time.process_time() - busy
