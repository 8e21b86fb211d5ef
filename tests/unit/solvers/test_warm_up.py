"""Compiling ahead: who does what. That it compiles what solvers need is timed in benchmarks/first_solve.py."""

import importlib

import pytest

import posewright as pw
from posewright.solvers import warm_up as module
from posewright.solvers.registry import SOLVERS


def test_every_solver_has_a_job_and_every_job_a_kernel():
    assert {job.solver for job in module._JOBS} == set(SOLVERS)
    for job in module._JOBS:
        assert callable(getattr(importlib.import_module(f"posewright.kernels.{job.file}"), job.kernel))


def test_where_all_is_compiled_nothing_is_started(monkeypatch):
    monkeypatch.setattr(module, "is_compiled", lambda *_: True)
    monkeypatch.setattr(module, "_work", lambda *_: pytest.fail("nothing to do"))
    pw.warm_up()


def test_jobs_that_another_process_has_taken_or_done_are_left_to_it(monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(module, "_solve", lambda job: done.append(job.label))
    monkeypatch.setattr(module, "is_compiled", lambda file, kernel: kernel == "evaluate")
    (tmp_path / "prioritized-2").touch()
    told = []
    module._work(tmp_path, module._JOBS, told.append)
    assert done == ["least_squares-1", "least_squares-2", "active_set_bfgs-1", "sequential_monte_carlo-1"]
    assert told == ["least_squares", "least_squares", "active_set_bfgs", "sequential_monte_carlo"]
    module._work(tmp_path, module._JOBS)
    assert len(done) == 4


def test_a_process_beside_this_one_does_what_it_is_given(monkeypatch, tmp_path):
    """It finds the package, takes the job by its name, and ends well."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # a small solve of plain Python instead of seconds of compiling
    monkeypatch.setenv("POSEWRIGHT_CACHE", str(tmp_path / "cache"))
    scipy = next(job for job in module._JOBS if job.solver == "scipy")
    assert module._helper(str(tmp_path), [scipy]).wait() == 0
    assert (tmp_path / "scipy-1").exists()


def test_an_unknown_solver_is_told():
    with pytest.raises(pw.errors.UnknownName, match="prioritized"):
        pw.warm_up(["priorities"])
