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
    monkeypatch.setattr(module, "_solve_beside", lambda *_: pytest.fail("nothing to do"))
    pw.warm_up()


@pytest.mark.parametrize("cores", [1, 4])
def test_what_is_missing_is_compiled_once_and_said(monkeypatch, cores):
    done, told = [], []
    monkeypatch.setattr(module.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(module, "_solve" if cores == 1 else "_solve_beside", lambda job: done.append(job.label))
    monkeypatch.setattr(module, "is_compiled", lambda file, kernel: kernel == "evaluate")
    pw.warm_up(progress=told.append)
    assert sorted(done) == [
        "active_set_bfgs-1", "least_squares-1", "least_squares-1-follow", "least_squares-2", "prioritized-1-follow",
        "prioritized-2", "sequential_monte_carlo-1",
    ]  # fmt: skip
    assert sorted(told) == [label.partition("-")[0] for label in sorted(done)]


def test_a_process_beside_this_one_does_what_it_is_given(monkeypatch, tmp_path):
    """It finds the package, takes the job by its name, and ends well."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # a small solve of plain Python instead of seconds of compiling
    monkeypatch.setenv("POSEWRIGHT_CACHE", str(tmp_path / "cache"))
    ended = []
    run = module.subprocess.run
    monkeypatch.setattr(module.subprocess, "run", lambda *given, **how: ended.append(run(*given, **how)))
    module._solve_beside(next(job for job in module._JOBS if job.solver == "scipy"))
    assert [process.returncode for process in ended] == [0]


def test_an_unknown_solver_is_told():
    with pytest.raises(pw.errors.UnknownName, match="prioritized"):
        pw.warm_up(["priorities"])
