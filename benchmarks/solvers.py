"""Every solver of the registry, timed: `python benchmarks/solvers.py [--quick]`.

- the tube task of Zhao & Badler (experiments 1-A and 1-B) with 22 and 70 coordinates;
- what an evaluation costs against dofs and against goals, and the slope of the log-log line through it;
- what an iteration costs against dofs: ours beside Jacobian methods with finite differences and with analytic
  derivatives, as in figure 3 of Courty & Arnaud; particle filters against particles too, and a chain of 90 dofs;
- how soon a solve returns after Ctrl-C.

Solvers join by being in the registry. Times of solves are medians; those of evaluations and iterations are of the
quietest round, and slopes are fitted to the larger half of the counts.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import statistics
import threading
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from jacobian_ik import baselines
from timing import readable, seconds_of

import posewright as pw
from posewright.experiments.torso_tasks import TUBE, random_tubes
from posewright.figures.catalogue import chain, human22, human70
from posewright.kernels.dense.problem import evaluate
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import lower
from posewright.solvers.registry import SOLVERS

SMC = "sequential_monte_carlo"
FAR = (1.5, 2.5, 1.0)  # m: out of reach of chains of 2 m, so that every search goes on
TUBE_LIMITS = {22: 5e-3, 70: 20e-3}  # s
PARTICLE_RATE = 2000.0  # iterations per second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer tubes, smaller chains")
    chosen = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
          f"Python {platform.python_version()}, numpy {np.__version__}, {time.strftime('%Y-%m-%d')}, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    names = [name for name in SOLVERS if name != "nlopt" or find_spec("nlopt")]
    print_tubes(names, 5 if chosen.quick else 50)
    print_evaluations(5 if chosen.quick else 25)
    print_iterations(names, (6, 15, 30, 90) if chosen.quick else (6, 15, 30, 90, 180, 360, 720))
    if SMC in SOLVERS:
        print_particles(chosen.quick)
    print_interrupts()


def print_tubes(names: Sequence[str], count: int) -> None:
    """One line per solver and figure: how many tubes it looks into from standing upright, and how fast."""
    tubes = random_tubes(count, np.random.default_rng(1))
    limits = ", ".join(f"{readable(limit).strip()} for {n} coordinates" for n, limit in TUBE_LIMITS.items())
    print(f"\nthe tube of the pictures, and {count} random ones; in time: {limits}")
    print(f"{'coordinates':>11} {'solver':24} {'tube':>8} {'median':>10} {'in time':>8}  random: reached, median, p95")
    for figure in (human22(), human70()):
        for name in names:
            prepared = SOLVERS[name]().prepare(TUBE.problem(figure))
            n = len(prepared.lowered.problem.space.names)
            result = prepared.solve()
            median = float(np.median(seconds_of(prepared.solve, rounds=15)))
            found, kept = "reached" if result.reached else "missed", "yes" if median <= TUBE_LIMITS[n] else "no"
            random = random_tube_words(name, figure, tubes)
            print(f"{n:11} {name:24} {found:>8} {readable(median)} {kept:>8}  {random}")


def random_tube_words(name: str, figure: pw.Figure, tubes: Sequence[Any]) -> str:
    seconds, reached = [], 0
    for tube in tubes:
        result = SOLVERS[name]().prepare(tube.problem(figure)).solve()
        seconds.append(result.seconds)
        reached += result.reached
        if sum(seconds) > 30.0:
            break
    p95 = float(np.percentile(seconds, 95))
    return f"{reached}/{len(seconds)}, {readable(statistics.median(seconds))}, {readable(p95)}"


def print_evaluations(rounds: int) -> None:
    """Residuals and Jacobian of all goals at a pose, against dofs with one goal and against goals on 96 dofs."""
    print("\none evaluation: residuals and Jacobian of position goals")
    dofs, goals = (12, 24, 48, 96, 192, 384), (1, 2, 4, 8, 16, 32)
    sweeps = {
        "dofs": (dofs, [evaluation_seconds(n, 1, rounds) for n in dofs]),
        "goals": (goals, [evaluation_seconds(96, m, rounds) for m in goals]),
    }
    for what, (counts, seconds) in sweeps.items():
        listed = ", ".join(f"{n}: {readable(s).strip()}" for n, s in zip(counts, seconds, strict=True))
        print(f"  {what:6} {listed}; slope {slope(counts, seconds):.2f}")


def evaluation_seconds(n_dofs: int, n_goals: int, rounds: int) -> float:
    """Goals sit along the chain, the last at its tip."""
    figure = chain(n_dofs // 3, length=2.0)
    at = np.linspace(0, len(figure.joints) - 1, n_goals + 1)[1:].astype(int)
    joints = [figure.joint_names[i] for i in at]
    goals = [pw.Position(joint, FAR, name=f"goal {k}") for k, joint in enumerate(joints)]
    lowered = lower(pw.Problem(figure, goals))
    tables = dense_problem(lowered)
    point, x = point_of(tables), np.full(figure.n_dofs, 0.05)
    times = 200

    def many() -> None:
        for _ in range(times):
            evaluate(tables, lowered.targets, x, point)

    return float(seconds_of(many, rounds=rounds).min()) / times


def print_iterations(names: Sequence[str], dofs: Sequence[int]) -> None:
    """One row per method: time of an iteration against dofs, and the slope."""
    print("\none iteration on a chain of balls with a point for its tip (figure 3 of Courty & Arnaud)")
    print(f"{'':44}" + "".join(f"{n:>10}" for n in dofs) + "   slope")
    rows: dict[str, list[float]] = {}
    for n in dofs:
        figure = chain(n // 3, length=2.0)
        for words, step in baselines(figure, "tip", np.array(FAR)).items():
            q = np.full(figure.n_dofs, 0.05)
            seconds = seconds_of(lambda step=step, q=q: step(q), rounds=50)
            rows.setdefault(words, []).append(float(seconds.min()))
        for name in names:
            for particles in (20, 50) if name == SMC else (None,):
                words = name if particles is None else f"{name}, {particles} particles"
                rows.setdefault(words, []).append(iteration_seconds(name, figure, particles))
    for words, seconds in rows.items():
        print(f"{words:44}" + "".join(readable(s, 7) for s in seconds) + f"  {slope(dofs, seconds):6.2f}")


def iteration_seconds(name: str, figure: pw.Figure, particles: int | None = None, iterations: int = 40) -> float:
    settings: dict[str, Any] = {} if particles is None else {"particles": particles, "polish": False}
    solver = SOLVERS[name](**settings).stopping_after(iterations)
    prepared = solver.prepare(pw.Problem(figure, [pw.Position("tip", FAR)]))
    found = []
    began = time.perf_counter()
    while len(found) < 3 or (time.perf_counter() - began < 0.2 and len(found) < 100):
        result = prepared.solve()
        found.append(result.seconds / max(result.iterations, 1))
    return min(found)


def print_particles(quick: bool) -> None:
    """Iterations per second of the chain of the paper, and how they grow with particles."""
    figure = chain(30, length=2.0)
    rate = 1.0 / iteration_seconds(SMC, figure, 30, iterations=200)
    kept = "yes" if rate >= PARTICLE_RATE else "no"
    print(f"\n90 dofs, 30 particles: {rate:,.0f} iterations per second; at least {PARTICLE_RATE:,.0f}: {kept}")
    counts = (10, 20, 40, 80) if quick else (10, 20, 40, 80, 160, 320)
    seconds = [iteration_seconds(SMC, figure, count) for count in counts]
    listed = ", ".join(f"{n}: {readable(s).strip()}" for n, s in zip(counts, seconds, strict=True))
    print(f"against particles, 90 dofs: {listed}; slope {slope(counts, seconds):.2f}")


def print_interrupts() -> None:
    """How long after Ctrl-C a compiled search, which would go on for minutes, hands back its best pose."""
    figure = chain(30, length=2.0)
    solver = pw.LeastSquares(max_iterations=10**9, restarts=10**9)
    prepared = solver.prepare(pw.Problem(figure, [pw.Position("tip", FAR)]))
    late = []
    for _ in range(5):
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.3, interrupt).start()
        result = prepared.solve()
        late.append(time.perf_counter() - sent[0])
        assert result.stopped == "interrupted"
        time.sleep(1.0)  # two in a row would mean to leave
    print(f"\nCtrl-C to answer: median {statistics.median(late) * 1e3:.1f} ms, longest {max(late) * 1e3:.1f} ms")


def slope(counts: Sequence[int], seconds: Sequence[float]) -> float:
    """Of the log-log line through the larger half of the counts."""
    half = len(counts) // 2
    return float(np.polyfit(np.log(counts[half:]), np.log(seconds[half:]), 1)[0])


if __name__ == "__main__":
    main()
