"""Compile the kernels of the solvers ahead of time, on all cores: once per machine and release.

Compilation uses one core, so each job has its own process; the shared cache ensures that no kernel is compiled twice.
Each job compiles what a small solve, or a drag, needs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from posewright.errors import MissingExtra
from posewright.kernels.compiling.jit import is_compiled
from posewright.solvers.registry import SOLVERS, solver_name


class _Job(NamedTuple):
    solver: str
    n_levels: int
    """Number of priorities of the problem."""
    file: str
    kernel: str
    """The kernel that is compiled last."""
    follows: bool = False
    """Whether the problem is followed instead of solved."""

    @property
    def label(self) -> str:
        return f"{self.solver}-{self.n_levels}{'-follow' * self.follows}"


_JOBS = (  # the longest first
    _Job("least_squares", 1, "dense.follow", "follow", follows=True),
    _Job("prioritized", 1, "dense.follow", "follow", follows=True),
    _Job("prioritized", 2, "dense.prioritized", "solve_prioritized"),
    _Job("least_squares", 1, "tree.least_squares", "solve_tree"),
    _Job("least_squares", 2, "dense.least_squares", "solve_dense"),
    _Job("active_set_bfgs", 1, "active_set.bfgs", "solve_active_set"),
    _Job("sequential_monte_carlo", 1, "sampling.sequential_monte_carlo", "solve_sampling"),
    _Job("scipy", 1, "dense.problem", "evaluate"),
    _Job("nlopt", 1, "dense.problem", "evaluate"),
)


def warm_up(solvers: Iterable[str] | None = None, *, progress: Callable[[str], None] | None = None) -> None:
    """Compile the kernels of solvers that are not in the cache yet, on all cores.

    Without this, the first solves compile what they need, one kernel after the other.

    Args:
        solvers: names of solvers as on the command line; default: all.
        progress: called with the name of a solver when its compilation starts.

    Raises:
        UnknownName: a solver does not exist.
    """
    names = tuple(map(solver_name, solvers or SOLVERS))
    missing = [job for job in _JOBS if job.solver in names and not is_compiled(job.file, job.kernel)]
    cores = min(os.cpu_count() or 1, len(missing)) if sys.executable else 1  # no executable inside other programs

    def compile_for(job: _Job) -> None:
        if not is_compiled(job.file, job.kernel):
            if progress is not None:
                progress(job.solver)
            _solve(job) if cores == 1 else _solve_beside(job)

    if cores <= 1:
        for job in missing:
            compile_for(job)
        return
    with ThreadPoolExecutor(cores) as pool:
        try:
            list(pool.map(compile_for, missing))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _solve_beside(job: _Job) -> None:
    """Solve in another process, which leaves compiled kernels in the cache."""
    package, inherited = str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")
    subprocess.run(
        [sys.executable, "-m", __name__, job.label],
        env={**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{inherited}" if inherited else package},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def _solve(job: _Job) -> None:
    from posewright.figures.catalogue import build
    from posewright.goals import Position
    from posewright.problem import Problem

    goals = [Position("left_hand", (0.3, 1.2, 0.4))]
    if job.n_levels == 2:
        goals.append(Position("right_hand", "left_hand", priority=2))
    with suppress(MissingExtra):
        solver, problem = SOLVERS[job.solver](), Problem(build("human40"), goals)
        if job.follows:
            solver.prepare(problem).follow()
        else:
            solver.solve(problem)


if __name__ == "__main__":
    _solve(next(job for job in _JOBS if job.label == sys.argv[1]))
