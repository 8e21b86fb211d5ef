"""Running a batch on a Dask cluster: a running scheduler, whose workers see the same files."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

from posewright.batch.job import Job
from posewright.batch.worker import ClipTask, broken, done, versions
from posewright.checks import require_extra
from posewright.errors import InvalidSetting

_WAITING = 4
"""Clips per thread that are handed out ahead, to keep the cluster busy."""
_PATIENCE = 20.0
"""s to wait for the scheduler."""


def run_on_cluster(
    tasks: Iterable[ClipTask], job: Job, settings: str, made_by: str, *, address: str
) -> Iterator[dict[str, Any]]:
    """Yield the fields of an entry for each task as it is done; Dask reassigns the tasks of a dead worker.

    Raises:
        MissingExtra: Dask is not installed.
        InvalidSetting: the scheduler does not answer, or was lost.
    """
    distributed = require_extra("distributed", "running on a cluster", "distributed", "batch")
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidSetting(f"no Dask scheduler answers at {address!r} ({type(error).__name__})") from None
    with _quiet(), client:
        waiting = iter(tasks)
        given: dict[Any, ClipTask] = {}

        def submit(task: ClipTask) -> Any:
            future = client.submit(_done, task, job, settings, made_by, pure=False)
            given[future.key] = task
            return future

        room = max(8, _WAITING * sum(client.nthreads().values()))
        ready = distributed.as_completed([submit(task) for task in islice(waiting, room)], loop=client.loop)
        for future in ready:
            task = given.pop(future.key)
            try:
                result = future.result()
            except distributed.KilledWorker as error:
                lost = getattr(getattr(error, "last_worker", None), "address", "")
                result = broken(task, settings, made_by, str(lost), "its workers on the cluster died again and again")
            except (distributed.client.FutureCancelledError, OSError, TimeoutError) as error:
                raise InvalidSetting(
                    f"the Dask scheduler at {address} was lost ({type(error).__name__}); what was done is recorded: "
                    "the same command goes on from there"
                ) from None
            future.release()
            for following in islice(waiting, 1):
                ready.add(submit(following))
            yield result


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's own messages about what is reported here in one sentence."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client", "distributed.core")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def _done(task: ClipTask, job: Job, settings: str, made_by: str) -> dict[str, Any]:
    """Process one clip on a worker of the cluster."""
    here, name = versions(), import_module("distributed").get_worker().address
    if here != made_by:
        raise InvalidSetting(f"worker {name} has {here}, this run {made_by}; all must have the same versions")
    return done(task, job, settings, made_by, name)
