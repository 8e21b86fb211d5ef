"""Local workers: each process gets one clip at a time, so it is known which clip made one die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from typing import Any

from posewright.batch.job import Job
from posewright.batch.worker import ClipTask, broken, done

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Limits libraries to one thread, because each worker has one core."""
_LOADED = (
    "numba.cpython.mathimpl",
    "numba.cpython.unicode",
    "numba.np.arrayobj",
    "posewright.batch.worker",
    "posewright.formats.bvh.to_figure",
    "posewright.formats.gltf.reading",
    "posewright.formats.gltf.writing",
    "posewright.formats.npz.archive",
    "posewright.formats.robots.urdf",
    "posewright.kernels.compiling.dispatching",
    "posewright.solvers.motion.solving",
    "posewright.workflows.retargeting.hands",
    "posewright.workflows.retargeting.retarget",
    "posewright.workflows.retargeting.words",
)
"""What workers need and what is slow to load: numpy, Numba and most of Posewright."""
_READ_ON_LOADING = ("NUMBA_", "POSEWRIGHT_")
"""Prefixes of environment variables that affect these modules when they are loaded."""

_served: dict[str, str] | None = None
"""Those variables when the process was started from which workers are forked; None: not started yet."""


def load_early() -> ForkServerContext | SpawnContext:
    """Begin to load what workers need in a process from which all of them are forked; does not wait for it.

    If that is not possible, each worker loads it by itself.
    """
    global _served
    now = {name: value for name, value in os.environ.items() if name.startswith(_READ_ON_LOADING)}
    server = getattr(forkserver, "_forkserver", None)
    others = _served is None and getattr(server, "_forkserver_pid", None) is not None  # with other threads
    if sys.platform == "linux" and not others and _served in (None, now):
        forkserver.set_forkserver_preload(list(_LOADED))
        with _one_thread(), suppress(OSError):  # there may be no place for its socket
            forkserver.ensure_running()
            _served = now
            return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")


class _Worker:
    def __init__(self, number: int, job: Job, settings: str, versions: str) -> None:
        self.number, self.task = number, None
        context = load_early()
        self.pipe, theirs = context.Pipe()
        with _one_thread():
            arguments = (theirs, job, settings, versions, f"process {number}", dict(os.environ))
            self.process = context.Process(target=_serve, args=arguments, daemon=True)
            self.process.start()
        theirs.close()

    task: ClipTask | None

    def give(self, task: ClipTask) -> None:
        self.task = task
        self.pipe.send(task)

    def end(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()


def run_locally(
    tasks: Iterable[ClipTask], job: Job, settings: str, versions: str, *, workers: int, most_attempts: int
) -> Iterator[dict[str, Any]]:
    """Yield the fields of an entry for each task as it is done.

    A clip whose worker dies is given to another worker, at most `most_attempts` times.
    """
    waiting, again = iter(tasks), deque[ClipTask]()
    team: list[_Worker] = []

    def next_task() -> ClipTask | None:
        return again.popleft() if again else next(waiting, None)

    try:
        while len(team) < workers and (task := next_task()) is not None:
            team.append(_Worker(len(team) + 1, job, settings, versions))
            team[-1].give(task)
        while team:
            ready = wait([worker.pipe for worker in team])
            for worker in [each for each in team if each.pipe in ready]:
                task = worker.task
                assert task is not None
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    team.remove(worker)
                    if task.attempt < most_attempts:
                        again.append(replace(task, attempt=task.attempt + 1))
                    else:
                        yield _lost(task, worker, settings, versions)
                    if (following := next_task()) is not None:
                        team.append(_Worker(worker.number, job, settings, versions))
                        team[-1].give(following)
                    continue
                following = next_task()
                if following is None:
                    worker.end()
                    team.remove(worker)
                else:
                    worker.give(following)
                yield result
    finally:
        for worker in team:
            worker.end()


def _lost(task: ClipTask, worker: _Worker, settings: str, versions: str) -> dict[str, Any]:
    code = worker.process.exitcode or 0
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    why = f"its worker died {task.attempt} times, the last time by {how}"
    return broken(task, settings, versions, f"process {worker.number}", why)


def _serve(
    pipe: Connection[Any, Any], job: Job, settings: str, versions: str, name: str, environment: dict[str, str]
) -> None:
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            pipe.send(done(pipe.recv(), job, settings, versions, name))
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """Let the workers of a killed run end, as nobody wants their results."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
