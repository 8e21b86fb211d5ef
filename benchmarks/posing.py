"""Posing, timed beside other libraries in the same run: `python benchmarks/posing.py [--quick] [--no-peers]`.

The tasks are those of `tasks`: a human of 55 dofs reaching with hands, head and feet (t1, t1x held out, t1m half the
range), a chain of 90 dofs, an arm of 7, and 4096 independent solves (t4). Ours goes through the public API, prepared
once and solved again and again from rest, limits hard. Every answer, ours and theirs, is scored by the kinematics of
`tasks`. Rounds take turns, so that what else the machine does meets all alike: trust the ratios, which are medians over
rounds, more than the times.
"""

from __future__ import annotations

import argparse
import os
import platform
import secrets
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import tasks
from figures import problem_of, q_of, states_of, targets_of
from first_solve import print_first_solves
from peers.environments import PEERS, NotInstalled, Running
from tasks import Array, Task
from timing import readable

import posewright as pw
from posewright.kernels.solves import Solves

TASKS = ("t1", "t1x", "t1m", "chain", "arm")
REFERENCE = Path(os.environ.get("POSEWRIGHT_BENCH", Path(__file__).parents[2] / "shared" / "bench")) / "common.py"


@dataclass
class Rounds:
    """What one library did on one task, round by round."""

    success: float = 0.0
    violation: float = 0.0
    medians: list[float] = field(default_factory=list)
    p95s: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)

    def add(self, seconds: Array, success: float, violation: float) -> None:
        """One more round; answers are the same each time."""
        self.success, self.violation = success, violation
        self.medians.append(float(np.median(seconds)))
        self.p95s.append(float(np.percentile(seconds, 95)))
        self.means.append(float(np.mean(seconds)))


class Ours:
    """LeastSquares prepared for the body of a task."""

    version = pw.__version__

    def __init__(self, task: Task) -> None:
        self.task, self.targets = task, targets_of(task)
        self.prepared = pw.LeastSquares().prepare(problem_of(task.body))
        self.prepared.solve(self.targets[0])

    def solve_all(self) -> tuple[Array, Array]:
        """Seconds and answers (solves, dofs) of every solve, through the public API."""
        clock, prepared = time.perf_counter, self.prepared
        seconds, answers = np.empty(len(self.task)), []
        for k, target in enumerate(self.targets):
            began = clock()
            result = prepared.solve(target)
            seconds[k] = clock() - began
            answers.append(result.q)
        return seconds, np.array(answers)

    def kernel_only(self) -> Array:
        """Seconds of every solve with all arrays at hand: what is left is the kernel call."""
        clock, prepared = time.perf_counter, self.prepared
        rest = np.array(prepared.lowered.problem.figure.rest)[np.newaxis]
        blank = Solves.of(prepared.local(rest), self.targets[:1], rest)
        seconds = np.empty(len(self.task))
        for k in range(len(self.task)):
            asked = blank._replace(targets=self.targets[k : k + 1])
            began = clock()
            prepared.run(asked)
            seconds[k] = clock() - began
        return seconds

    def round(self, rounds: Rounds) -> None:
        """One more round."""
        seconds, answers = self.solve_all()
        found = tasks.score(self.task, states_of(self.task.body, answers))
        rounds.add(seconds, found.success, found.worst_violation)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer solves and rounds; no cold start")
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--rounds", type=int, default=None, help="how often each takes its turn (5, quick 2)")
    chosen = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
          f"Python {platform.python_version()}, numpy {np.__version__}, {time.strftime('%Y-%m-%d')}, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    check_tasks()
    peers = [] if chosen.no_peers else start_peers()
    try:
        compare(peers, chosen.rounds or (2 if chosen.quick else 5), 100 if chosen.quick else 1000)
    finally:
        for peer in peers:
            peer.close()
    print_overhead()
    print_many(chosen.quick)
    print_fresh(secrets.randbits(32), 2_000 if chosen.quick else 20_000)
    print_first_solves(cold=not chosen.quick)


def start_peers() -> list[Running]:
    """The peers that can run here; the others are named with the reason."""
    found = []
    for peer in PEERS:
        try:
            found.append(Running(peer))
        except NotInstalled as reason:
            print(f"{peer.name}: not installed ({reason})")
    return found


def compare(peers: list[Running], rounds: int, count: int) -> None:
    """The table of all libraries over all tasks."""
    ours = {name: Ours(tasks.TASKS[name]().first(count)) for name in TASKS}
    known: dict[tuple[str, str], Rounds] = {}
    for number in range(rounds):
        for name in TASKS:
            ours[name].round(known.setdefault(("Posewright", name), Rounds()))
            for peer in peers:
                if name in peer.peer.tasks:
                    answer = peer.round(name, count)
                    row = known.setdefault((peer.peer.name, name), Rounds())
                    row.add(np.array(answer["seconds"]), answer["success"], answer["violation"])
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    versions = {"Posewright": Ours.version} | {peer.peer.name: peer.version for peer in peers}
    print(
        f"\n{'task':6} {'library':44} {'success':>8} {'median':>9} {'p95':>9} {'mean':>9} {'violation':>9}  slower by"
    )
    for name in TASKS:
        mine = known["Posewright", name]
        for library, version in versions.items():
            row = known.get((library, name))
            if row is None:
                continue
            ratio = statistics.median(b / a for a, b in zip(mine.medians, row.medians, strict=True))
            times = " ".join(readable(statistics.median(v)) for v in (row.medians, row.p95s, row.means))
            label = f"{library} {version}"
            print(f"{name:6} {label:44} {row.success:6.1f} % {times} {row.violation:9.1e} {ratio:7.1f} x")


def print_overhead() -> None:
    """What Python adds to a prepared solve."""
    print("\nPython per prepared solve (difference of the quietest rounds, which take turns):")
    for name in ("t1x", "chain", "arm"):
        ours = Ours(tasks.TASKS[name]().first(200))
        pairs = [(np.median(ours.solve_all()[0]), np.median(ours.kernel_only())) for _ in range(30)]
        whole, kernel = (min(times) for times in zip(*pairs, strict=True))
        print(f"  {name:6} {(whole - kernel) * 1e6:4.1f} µs, kernel {kernel * 1e6:5.1f} µs")


def print_many(quick: bool) -> None:
    """t4: independent solves on all cores."""
    task = tasks.TASKS["t4"]()
    problem, targets = problem_of(task.body), targets_of(task)
    solver = pw.LeastSquares()
    rates, by_cpu = [], []
    for _ in range(4 if quick else 12):
        began, cpu = time.perf_counter(), time.process_time()
        found = solver.solve_many(problem, targets)
        rates.append(len(task) / (time.perf_counter() - began))
        by_cpu.append(len(task) / (time.process_time() - cpu))
    success = tasks.score(task, states_of(task.body, found.q)).success
    print(f"\nt4: {len(task)} solves on {os.cpu_count()} cores, {success:.2f} %, "
          f"{statistics.median(rates):,.0f} solves/s (best of {len(rates)}: {max(rates):,.0f}), "
          f"{statistics.median(by_cpu):,.0f} per second of CPU")  # fmt: skip


def print_fresh(seed: int, n: int) -> None:
    """Success on poses that did not exist before this run."""
    task = tasks.fresh(seed, n)
    found = pw.LeastSquares().solve_many(problem_of(task.body), targets_of(task))
    score = tasks.score(task, states_of(task.body, found.q))
    print(f"fresh poses, seed {seed}: {int(score.reached.sum())} of {n} reached, "
          f"worst violation {score.worst_violation:.1e} rad")  # fmt: skip


def check_tasks() -> None:
    """That the tasks are those that figures were published for, where their source is present."""
    for name in TASKS:
        task = tasks.TASKS[name]()
        pose = pw.Pose(problem_of(task.body).figure, q_of(task.body, task.truth[:1])[0])
        apart = np.abs(states_of(task.body, pose.q[np.newaxis]) - task.truth[0]).max()
        assert apart < 1e-12, f"{name}: states differ by {apart} after a round trip"
    if not REFERENCE.is_file():
        print("reference tasks: not present")
        return
    print(f"tasks differ from the reference by at most {difference_from(REFERENCE):.1e}")


def difference_from(file: Path) -> float:
    """Largest difference of any target, answer, start or limit between `tasks` and the reference module in `file`."""
    reference = module_in(file)
    makers: dict[str, Callable[[], object]] = {
        "t1": reference.t1,
        "t1x": reference.t1_heldout,
        "t1m": lambda: reference.t1(spread=0.5),
        "chain": reference.t3_chain,
        "arm": reference.t3_arm,
        "t4": lambda: reference.t1(4096, seed=99),
    }
    worst = 0.0
    for name, make in makers.items():
        mine, theirs = tasks.TASKS[name](), make()
        limits = np.stack([theirs.fig.lo, theirs.fig.hi])
        pairs = ((mine.points, theirs.pos), (mine.rotations, theirs.rot), (mine.truth, theirs.q_true))
        for a, b in (*pairs, (mine.body.rest, theirs.start), (mine.body.limits, limits)):
            worst = max(worst, float(np.abs(a - b).max()))
    return worst


def module_in(file: Path) -> ModuleType:
    """The module in a file, imported without a trace."""
    spec = spec_from_file_location("reference_tasks", file)
    assert spec is not None
    assert spec.loader is not None
    reference = module_from_spec(spec)
    sys.modules[spec.name] = reference  # its dataclasses look themselves up there
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        spec.loader.exec_module(reference)
    finally:
        sys.dont_write_bytecode = before
    return reference


if __name__ == "__main__":
    main()
