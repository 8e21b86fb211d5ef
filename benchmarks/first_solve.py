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
from posewright.figures.catalogue import build
figure = build("human")
result = pw.LeastSquares().solve(pw.Problem(figure, [pw.Position("left_hand", (0.3, 1.2, 0.4))]))
seconds, of_cpu = time.perf_counter() - began, time.process_time()
assert result.reached, result
print(seconds, of_cpu)
"""

_COLD = """
import resource, sys, time
began = time.perf_counter()
import posewright as pw
from posewright.figures.catalogue import build
from posewright.solvers.registry import SOLVERS
ahead = "ahead" in sys.argv
if ahead:
    sys.argv.remove("ahead")
    pw.warm_up()
figure = build("human40")
reach = pw.Position("left_hand", (0.3, 1.2, 0.4))
clasp = pw.Position("right_hand", "left_hand", priority=2)
for name in sys.argv[1:] or SOLVERS:
    for goals in ([reach], [reach, clasp]):
        SOLVERS[name]().solve(pw.Problem(figure, goals))
    beside = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(name, time.perf_counter() - began, time.process_time() + beside.ru_utime + beside.ru_stime)
"""


def print_first_solves(cold: bool) -> None:
    """Warm; and cold, if wanted: each solver in its own process, then all in one, compiled when needed or ahead."""
    _run(_WARM)
    seconds, cpu = min(tuple(map(float, _run(_WARM).split())) for _ in range(5))
    print(f"first solve in a new process, kernels cached: {seconds:.2f} s with import ({cpu:.2f} s of CPU in all)")
    if not cold:
        return
    print("first solves, nothing cached (one goal and two priorities each):")
    together = _cold_times()
    for name in together:
        alone = _cold_times(name)
        print(f"  {name:24} {_readable(*alone[name])}")
    print(f"  {'all in one process':24} {_readable(*list(together.values())[-1])}")
    print(f"  {'all after pw.warm_up()':24} {_readable(*list(_cold_times('ahead').values())[-1])}")


def _cold_times(*names: str) -> dict[str, tuple[float, float]]:
    """Seconds and seconds of CPU from the start of a process to the answers of each solver, all if none is named."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line.split() for line in _run(_COLD, *names, POSEWRIGHT_CACHE=folder).splitlines()]
    return {name: (float(seconds), float(of_cpu)) for name, seconds, of_cpu in lines}


def _readable(seconds: float, of_cpu: float) -> str:
    return f"{seconds:5.1f} s ({of_cpu:.1f} s of CPU)"


def _run(code: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ).stdout


if __name__ == "__main__":
    print_first_solves(cold=True)
