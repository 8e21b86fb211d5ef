"""Processes one clip in one process: the same function for local workers and for those of a cluster."""

from __future__ import annotations

import json
import platform
import threading
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from posewright import __version__
from posewright.batch.job import Job, WorkerMemory
from posewright.batch.library import LibraryClip, digest_of, stamp_of
from posewright.errors import FileProblem, PosewrightError

_memory = threading.local()


@dataclass(frozen=True)
class ClipTask:
    """A clip to be processed."""

    name: str
    source: Path
    out: Path | None
    attempt: int = 1


def versions() -> str:
    """Versions of everything that affects the resulting bits."""
    parts = [f"{name} {version(name)}" for name in ("numpy", "scipy", "numba")]
    return ", ".join([f"posewright {__version__}", *parts, f"python {platform.python_version()}", platform.machine()])


def done(task: ClipTask, job: Job, settings: str, versions: str, worker: str) -> dict[str, Any]:
    """Process a clip; returns the fields of its `Entry`, whatever happens short of the end of the process."""
    if getattr(_memory, "value", None) is None or _memory.value.settings != settings:
        _memory.value = WorkerMemory(settings)
    began = time.perf_counter()
    facts: dict[str, Any] = {
        "name": task.name,
        "source": str(task.source),
        "settings": settings,
        "versions": versions,
        "attempts": task.attempt,
        "worker": worker,
        "digest": "",
        "stamp": "",
    }
    try:
        clip = LibraryClip(task.source, task.name)
        others = job.beside(clip)
        facts["stamp"], facts["digest"] = stamp_of(task.source, *others), digest_of(task.source, *others)
        if task.out is not None:
            task.out.parent.mkdir(parents=True, exist_ok=True)
        made = job.run(clip, task.out, int(facts["digest"][:8], 16), _memory.value)
        facts |= {
            "state": "done",
            "frames": made.frames,
            "fps": made.fps,
            "measures": json.dumps(made.measures, sort_keys=True),
            "passed": made.passed,
            "notes": json.dumps(made.notes),
        }
        if made.read is not None:
            facts["read"] = made.read
    except PosewrightError as error:
        # a full disk or a read-only folder is not the fault of the clip
        machine = isinstance(error.__cause__, OSError)
        sentence = str(error) if isinstance(error, FileProblem) else f"{task.source}: {error}"
        facts |= {"state": "broken" if machine else "failed", "error": sentence}
    except MemoryError:
        facts |= {"state": "broken", "error": f"{task.source}: there is not enough memory for this clip"}
    except OSError as error:
        facts |= {"state": "broken", "error": f"{task.source}: {(error.strerror or str(error)).lower()}"}
    except Exception as error:  # a bug of ours must not end the run; it is reported with its place
        at = error.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        where = "" if at is None else f" ({Path(at.tb_frame.f_code.co_filename).name}, line {at.tb_lineno})"
        facts |= {"state": "failed", "error": f"{task.source}: {type(error).__name__}: {error}{where}"}
    return facts | {"seconds": time.perf_counter() - began}


def broken(task: ClipTask, settings: str, versions: str, worker: str, why: str) -> dict[str, Any]:
    """The fields of the `Entry` of a clip whose workers died."""
    return {
        "name": task.name,
        "source": str(task.source),
        "state": "broken",
        "digest": "",
        "stamp": "",
        "settings": settings,
        "versions": versions,
        "attempts": task.attempt,
        "worker": worker,
        "error": f"{task.source}: {why}",
    }
