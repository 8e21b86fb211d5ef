"""Where clips are processed: in processes on this machine or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from posewright.batch.job import Job
from posewright.batch.processes import load_early, run_locally
from posewright.batch.worker import ClipTask
from posewright.checks import require_number

Engine = Callable[[list[ClipTask], Job, str, str], Iterator[dict[str, Any]]]
"""Takes tasks, a job, its digest and the versions; yields the fields of an entry for each task as it is done."""


def engine_of(workers: int | None, cluster: str | None, attempts: int) -> Engine:
    """The requested engine; its processes begin to load.

    Args:
        workers: processes on this machine (default: as many as cores).
        cluster: address of a running Dask scheduler; instead of `workers`.
        attempts: how often a clip is tried if its worker dies.

    Raises:
        InvalidSetting: a number is out of range.
    """
    if workers is not None:
        require_number(workers, "workers", "a whole number, at least 1", at_least=1, whole=True)
    require_number(attempts, "attempts", "a whole number, at least 1", at_least=1, whole=True)

    if cluster is None:
        load_early()

    def engine(tasks: list[ClipTask], job: Job, settings: str, versions: str) -> Iterator[dict[str, Any]]:
        if not tasks:
            return iter(())
        if cluster is not None:
            from posewright.batch.cluster import run_on_cluster

            return run_on_cluster(tasks, job, settings, versions, address=cluster)
        count = min(workers or os.cpu_count() or 1, len(tasks))
        return run_locally(tasks, job, settings, versions, workers=count, most_attempts=attempts)

    return engine
