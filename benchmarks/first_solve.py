"""How long a new process takes from `import posewright` to its first answers, with kernels cached and without."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

_WARM = """
import time
began = time.perf_counter()
import posewright as pw
from posewright.figure.catalogue import build
figure = build("human")
result = pw.LeastSquares().solve(pw.Problem(figure, [pw.PositionGoal("left_hand", (0.3, 1.2, 0.4))]))
seconds, of_cpu = time.perf_counter() - began, time.process_time()
assert result.reached, result
print(seconds, of_cpu)
"""

_ALL = """
import time
began = time.perf_counter()
import posewright as pw
from posewright.figure.catalogue import build
figure = build("human40")
reach = pw.PositionGoal("left_hand", (0.3, 1.2, 0.4))
clasp = pw.PositionGoal("right_hand", "left_hand", priority=2)
solvers = [getattr(pw, name) for name in ("LeastSquares", "Prioritized") if name in pw.__all__]
for solver in solvers:
    for goals in ([reach], [reach, clasp]):
        solver().solve(pw.Problem(figure, goals))
print(time.perf_counter() - began, time.process_time(), *(solver.__name__ for solver in solvers))
"""


def print_first_solves(cold: bool) -> None:
    """Two lines: warm, and cold over all solvers if wanted."""
    _run(_WARM)
    seconds, cpu = min(tuple(map(float, _run(_WARM).split())) for _ in range(5))
    print(f"first solve in a new process, kernels cached: {seconds:.2f} s with import ({cpu:.2f} s of CPU in all)")
    if cold:
        with tempfile.TemporaryDirectory() as folder:
            wall, of_cpu, *names = _run(_ALL, POSEWRIGHT_CACHE=folder).split()
        print(f"first solves of {', '.join(names)} (tree and dense), nothing cached: {float(wall):.1f} s "
              f"({float(of_cpu):.1f} s of CPU)")  # fmt: skip


def _run(code: str, **environment: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ).stdout
