"""Libraries of tiny clips, jobs that end badly, and runs that are killed and continued."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posewright.batch.job import ClipOutcome, WorkerMemory
from posewright.batch.jobs import Convert
from posewright.batch.library import LibraryClip
from posewright.batch.postures import CollectPostures
from posewright.batch.record import read_record
from posewright.errors import FileProblem

_TINY = """HIERARCHY
ROOT Hips
{{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {{
    OFFSET 0 {length} 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {{
      OFFSET 0 50 0
    }}
  }}
}}
MOTION
Frames: {frames}
Frame Time: 0.0333333
{rows}
"""


def tiny_clip(path: Path, seed: int, frames: int = 4) -> Path:
    """A clip of two joints."""
    random_numbers = random.Random(seed)
    rows = "\n".join(" ".join(f"{random_numbers.uniform(-9, 9):.4f}" for _ in range(9)) for _ in range(frames))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_TINY.format(length=40 + seed % 3, frames=frames, rows=rows))
    return path


def tiny_library(folder: Path, count: int, frames: int = 4) -> Path:
    """Clips in two folders."""
    for k in range(count):
        tiny_clip(folder / f"part{k % 2}" / f"clip{k:05d}.bvh", k, frames)
    return folder


def contents(out: Path) -> dict[str, bytes]:
    """All motion files of an output by name."""
    return {
        str(file.relative_to(out)): file.read_bytes()
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.suffix in (".npz", ".bvh", ".glb", ".csv", ".pkl")
    }


def records(out: Path) -> list[dict[str, Any]]:
    """The record without what may differ: seconds, attempts, worker."""
    return [
        {name: value for name, value in entry.as_dict().items() if name not in ("seconds", "attempts", "worker")}
        for entry in read_record(out)
    ]


def leftovers(out: Path) -> list[Path]:
    """Files that are not complete."""
    return [file for file in out.rglob(".*") if file.name != ".running"]


class Unsent(CollectPostures):
    """All clips are too long to be sent from process to process."""

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Read, and keep it."""
        return replace(super().run(clip, out, seed, memory), read=None)


@dataclass(frozen=True, kw_only=True)
class Deadly(Convert):
    """Ends its process on clips of some name, as often as files are left to remove from a folder of marks."""

    marks: str = ""
    name: str = "clip00002"

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Perhaps die."""
        left = sorted(Path(self.marks).iterdir()) if clip.path.stem == self.name else []
        if left:
            left[0].unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(clip, out, seed, memory)


class Surroundings(Convert):
    """Notes an environment variable that it finds."""

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Convert, and look."""
        found = [f"{name}={os.environ.get(name)}" for name in ("POSEWRIGHT_SAMPLE", "SAMPLE", "OPENBLAS_NUM_THREADS")]
        return replace(super().run(clip, out, seed, memory), notes=tuple(found))


@dataclass(frozen=True, kw_only=True)
class DiskFull(Convert):
    """Finds the disk full as long as a file is there."""

    mark: str = ""

    def run(self, clip: LibraryClip, out: Path | None, seed: int, memory: WorkerMemory) -> ClipOutcome:
        """Perhaps fail."""
        if clip.path.stem == "clip00002" and Path(self.mark).exists():
            error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            raise FileProblem(clip.path, "could not be written: no space left on device") from error
        return super().run(clip, out, seed, memory)


def command(*words: str | Path) -> list[str]:
    """The words of `posewright`, for a process of its own."""
    return [sys.executable, "-m", "posewright", *map(str, words)]


def killed_run(words: list[str], seconds: float) -> bool:
    """Start a run and kill it and all its workers after some time; whether it was still at work."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def killed_again_and_again(words: list[str], out: Path, kills: int, seed: int, longest: float) -> int:
    """Kill runs at random moments, each continued by the next; how many were at work when killed.

    Whenever a run ends by itself, its output is left and the count goes on with some of it removed.
    """
    moments = random.Random(seed)
    hit = 0
    for _ in range(kills):
        done = contents(out) if out.exists() else {}
        for name in moments.sample(sorted(done), len(done) // 2) if moments.random() < 0.5 else []:
            (out / name).unlink()
        hit += killed_run(words, moments.uniform(0.2, longest))
        time.sleep(0.05)
    last = subprocess.run(words, capture_output=True, timeout=300, check=False)
    assert last.returncode in (0, 1), last.stderr
    return hit
