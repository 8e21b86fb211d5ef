"""Batches on a real Dask scheduler with workers in processes of their own, on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from batch_samples import command, contents, leftovers, records, tiny_library

from posewright import batch
from posewright.clips import walk
from posewright.errors import InvalidSetting
from posewright.figures.catalogue import build

pytest.importorskip("distributed")


class Cluster:
    """A scheduler and workers that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()

    def scheduler(self) -> subprocess.Popen[bytes]:
        """Start one, and wait until it can be reached."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        started = self._start("dask_scheduler", *words)
        for _ in range(2400):
            if file.exists() and file.stat().st_size:
                break
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]
        return started

    def worker(self) -> subprocess.Popen[bytes]:
        """Start one of one thread."""
        words = ["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        return self._start("dask_worker", self.address, *words, "--local-directory", str(self.folder))

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{module}.log").open("ab")
        given = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        self.processes.append(subprocess.Popen(given, stdout=log, stderr=log))
        return self.processes[-1]

    def close(self) -> None:
        """End all of them."""
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "dask").mkdir()
    started = Cluster(tmp_path / "dask")
    yield started
    started.close()


def some_done(out: Path, count: int) -> None:
    for _ in range(6000):
        if sum(1 for _ in out.rglob("*.npz")) >= count:
            return
        time.sleep(0.02)
    raise AssertionError("nothing was done")


def test_the_bytes_are_those_of_a_local_run(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "library").mkdir()
    for k in range(4):
        walk(build("human40"), seed=k, fps=30.0)[: 15 + k].save(tmp_path / "library" / f"walk{k}.bvh")
    job = batch.Retarget(to="human40")
    batch.run(job, [tmp_path / "library"], tmp_path / "local", workers=1)
    cluster.scheduler()
    cluster.worker()
    cluster.worker()
    result = batch.run(job, [tmp_path / "library"], tmp_path / "out", cluster=cluster.address)
    assert result.counts["failed"] == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "local")
    assert records(tmp_path / "out") == records(tmp_path / "local")
    assert all(entry.worker.startswith("tcp://127.0.0.1") for entry in result.entries())
    postures = batch.CollectPostures()
    for name, engine in (("postures", {"workers": 1}), ("postures there", {"cluster": cluster.address})):
        assert batch.collect(postures, [tmp_path / "library"], tmp_path / name, **engine).counts["failed"] == 0
    here, there = ((tmp_path / name / "postures.npz").read_bytes() for name in ("postures", "postures there"))
    assert here == there


def test_a_killed_worker_and_then_a_killed_scheduler_lose_nothing(tmp_path: Path, cluster: Cluster) -> None:
    library, out = tiny_library(tmp_path / "library", 300, frames=60), tmp_path / "out"
    batch.run(batch.Convert(), [library], tmp_path / "local", workers=2)
    scheduler = cluster.scheduler()
    workers = [cluster.worker(), cluster.worker()]
    words = ("batch", "convert", library, "-o", out, "--no-report")
    started = subprocess.Popen(command(*words, "--cluster", cluster.address), stderr=subprocess.PIPE)
    some_done(out, 20)
    os.kill(workers[0].pid, signal.SIGKILL)
    some_done(out, 100)
    os.kill(scheduler.pid, signal.SIGKILL)
    _, told = started.communicate(timeout=120)
    assert started.returncode == 2
    assert b"was lost" in told
    assert told.strip().count(b"\n") == 0
    some = len(list(out.rglob("*.npz")))
    assert 100 <= some < 300
    cluster.close()
    cluster.scheduler()
    cluster.worker()
    again = command("batch", "convert", "--resume", "-o", out, "--no-report", "--cluster", cluster.address)
    assert subprocess.run(again, timeout=200, capture_output=True, check=False).returncode == 0
    assert contents(out) == contents(tmp_path / "local")
    assert records(out) == records(tmp_path / "local")
    assert not leftovers(out)


def test_a_worker_killed_during_a_run_loses_nothing(tmp_path: Path, cluster: Cluster) -> None:
    library, out = tiny_library(tmp_path / "library", 120, frames=60), tmp_path / "out"
    batch.run(batch.Convert(), [library], tmp_path / "local", workers=2)
    cluster.scheduler()
    workers = [cluster.worker(), cluster.worker()]
    words = command("batch", "convert", library, "-o", out, "--no-report", "--cluster", cluster.address)
    started = subprocess.Popen(words)
    some_done(out, 10)
    os.kill(workers[1].pid, signal.SIGKILL)
    assert started.wait(120) == 0
    assert contents(out) == contents(tmp_path / "local")
    assert records(out) == records(tmp_path / "local")


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posewright.batch.cluster._PATIENCE", 0.5)
    library = tiny_library(tmp_path / "library", 2)
    with pytest.raises(InvalidSetting, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        batch.run(batch.Convert(), [library], tmp_path / "out", cluster="tcp://127.0.0.1:9")
