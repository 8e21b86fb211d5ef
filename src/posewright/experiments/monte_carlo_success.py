"""Courty & Arnaud 2008, figure 3a: how often the filter succeeds, against particles and dofs (3-C)."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, Progress
from posewright.figures.catalogue import chain
from posewright.goals import Position
from posewright.problem.problem import Problem
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.sampling.prepared import SampledPrepared
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

DOFS = (6, 15, 30, 90)
PARTICLES = (5, 10, 20, 30, 50)
THRESHOLD, ITERATIONS = 0.001, 200
"""m for a start distance of 2 m, and how many iterations it may take: as in the paper."""
PAPER = {30: "almost always 100 %"}
"""What the text says; the figure is not in it."""


class Cell(NamedTuple):
    """What came of all runs with so many particles and dofs."""

    dofs: int
    particles: int
    successes: int
    runs: int
    iterations: float
    """Median of those that succeeded."""

    @property
    def share(self) -> float:
        """Of successes."""
        return self.successes / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, with 95 % confidence (Wilson 1927)."""
        z, n, p = 1.959964, self.runs, self.share
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def random_targets(runs: int, rng: np.random.Generator) -> Array:
    """Points (runs, 3) at 2 m from the tip of a straight chain along x, 0.3 to 1.8 m from its root."""
    found: list[Array] = []
    while len(found) < runs:
        away = rng.normal(size=3)
        target = np.array([2.0, 0.0, 0.0]) + 2.0 * away / np.linalg.norm(away)
        if 0.3 < np.linalg.norm(target) < 1.8:
            found.append(target)
    return np.array(found)


def success_cell(dofs: int, particles: int, runs: int, seed: int = 0) -> Cell:
    """Run a straight chain of balls to random targets, each run with its own target and its own random numbers."""
    targets = random_targets(runs, np.random.default_rng(seed))
    problem = Problem(chain(dofs // 3, length=2.0), [Position("tip", (1.0, 1.0, 0.0), tolerance=THRESHOLD)])
    solver = SequentialMonteCarlo(particles=particles, max_iterations=ITERATIONS, alpha=0.7, polish=False)

    def work(first: int) -> list[int]:
        prepared, counts = solver.prepare(problem), []
        assert isinstance(prepared, SampledPrepared)
        for run in range(first, runs, workers):
            prepared.reseed(runs * seed + run)
            result = prepared.solve(targets={"tip": targets[run].tolist()})
            counts.append(result.iterations if result.reached else -1)
        return counts

    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        counts = np.concatenate([np.array(c) for c in pool.map(work, range(workers))])
    good = counts[counts >= 0]
    return Cell(dofs, particles, len(good), runs, float(np.median(good)) if len(good) else math.nan)


def success(
    progress: Progress, runs: int = 1000, dofs: Sequence[int] = DOFS, particles: Sequence[int] = PARTICLES
) -> Outcome:
    """3-C: success against particles and dofs."""
    cells: list[Cell] = []
    work = [(n, d) for n in particles for d in dofs]
    for n, d in work:
        cells.append(success_cell(d, n, runs))
        progress(sum(cell.dofs * cell.particles for cell in cells) / sum(a * b for a, b in work))
    rows, failures = [], []
    for n in particles:
        line = [cell for cell in cells if cell.particles == n]
        rows.append((f"{n} particles", PAPER.get(n, ""), *(_words(cell) for cell in line)))
        failures += [
            f"{n} particles, {cell.dofs} dofs: {100 * cell.share:.1f} % is below 99 %"
            for cell in line
            if n >= 30 and cell.share < 0.99
        ]
    least = [cell for cell in cells if cell.particles == min(particles)]
    trend = " ".join(f"{100 * cell.share:.1f}" for cell in least)
    notes = (
        f"{runs} runs each: per cent within {THRESHOLD} of the target after at most {ITERATIONS} iterations, "
        "95 % interval, and median iterations",
        f"the paper finds that fewer particles are needed with more dofs; with {min(particles)} particles ours succeed "
        f"in {trend} % for {', '.join(map(str, dofs))} dofs"
        + (": the other way round" if least[0].share > least[-1].share else ""),
    )
    columns = ("", "paper", *(f"{d} dofs" for d in dofs))
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _success_picture(cells))


def _words(cell: Cell) -> str:
    low, high = cell.interval
    return f"{100 * cell.share:.1f} ({100 * low:.1f}-{100 * high:.1f}) · {cell.iterations:g}"


def _success_picture(cells: Sequence[Cell]) -> Picture:
    def curves(value: str) -> list[Curve]:
        found = []
        for dofs in dict.fromkeys(cell.dofs for cell in cells):
            line = [cell for cell in cells if cell.dofs == dofs]
            y = [100.0 * cell.share if value == "share" else cell.iterations for cell in line]
            found.append(Curve(x=[cell.particles for cell in line], y=y, label=f"{dofs} dofs", style="both"))
        return found

    return plot_picture(
        Plot(content=curves("share"), title="success", x_label="particles", y_label="runs within 0.001 (%)"),
        Plot(content=curves("iterations"), title="effort", x_label="particles", y_label="median iterations"),
        width=480, height=340,
    )  # fmt: skip
