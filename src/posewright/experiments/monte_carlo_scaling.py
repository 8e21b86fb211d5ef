"""Sequential Monte Carlo (Courty & Arnaud 2008, figure 3): success against particles (3-C), cost against dofs (3-D)."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.sampling.prepared import SampledPrepared

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

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.share:.1f} ({100 * low:.1f}-{100 * high:.1f}) · {self.iterations:g}"


def random_targets(runs: int, rng: np.random.Generator) -> Array:
    """Points (runs, 3) at 2 m from the tip of a straight chain along x, 0.3 to 1.8 m from its root."""
    found: list[Array] = []
    while len(found) < runs:
        away = rng.normal(size=3)
        target = np.array([2.0, 0.0, 0.0]) + 2.0 * away / np.linalg.norm(away)
        if 0.3 < np.linalg.norm(target) < 1.8:
            found.append(target)
    return np.array(found)


def success_cell(dofs: int, particles: int, runs: int, seed: int = 0, *, threshold: float = THRESHOLD) -> Cell:
    """Run a straight chain of balls to random targets, each run with its own target and its own random numbers."""
    targets = random_targets(runs, np.random.default_rng(seed))
    problem = pw.Problem(chain(dofs // 3, length=2.0), [pw.Position("tip", (1.0, 1.0, 0.0), tolerance=threshold)])
    solver = pw.SequentialMonteCarlo(particles=particles, max_iterations=ITERATIONS, polish=False)

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


@experiment(
    "3-C",
    "Success against particles and dofs",
    accepts="at least 99 % of the runs from 30 particles on, for 6 to 90 dofs",
)
def success(
    found: Outcome,
    runs: int = 1000,
    dofs: Sequence[int] = (6, 15, 30, 90),
    particles: Sequence[int] = (5, 10, 20, 30, 50),
) -> None:
    """Chains of balls to random targets."""
    found.columns = ("", "paper", *(f"{d} dofs" for d in dofs))
    lines: dict[int, list[Cell]] = {}
    for n in found.each(particles):
        lines[n] = [success_cell(d, n, runs, found.seed) for d in dofs]
        found.row(f"{n} particles", PAPER.get(n, ""), *map(str, lines[n]))
        for cell in lines[n]:
            found.require(
                n < 30 or cell.share >= 0.99,
                f"{n} particles, {cell.dofs} dofs: {100 * cell.share:.1f} % is below 99 %",
            )
    for threshold in (0.01, 0.0001):
        cells = [success_cell(d, 30, max(1, runs // 5), found.seed, threshold=threshold) for d in dofs]
        words = " ".join(f"{100 * cell.share:.1f}" for cell in cells)
        found.beside(
            f"30 particles, within {threshold} instead of {THRESHOLD}, {', '.join(map(str, dofs))} dofs (%)", words
        )
    fewest = min(particles)
    least = [cell.share for cell in lines[fewest]]
    found.note(
        f"{runs} runs each: per cent within {THRESHOLD} of the target after at most {ITERATIONS} iterations, "
        "95 % interval, and median iterations",
        f"the paper finds that fewer particles are needed with more dofs; with {fewest} particles ours succeed "
        f"in {' '.join(f'{100 * share:.1f}' for share in least)} % for {', '.join(map(str, dofs))} dofs"
        + (": the other way round" if least[0] > least[-1] else ""),
    )
    found.draw = lambda: _success_picture(lines)


def _success_picture(lines: dict[int, list[Cell]]) -> Picture:
    shares, efforts = [], []
    for cells in zip(*lines.values(), strict=True):
        label = f"{cells[0].dofs} dofs"
        shares.append(Curve(x=list(lines), y=[100.0 * cell.share for cell in cells], label=label, style="both"))
        efforts.append(Curve(x=list(lines), y=[cell.iterations for cell in cells], label=label, style="both"))
    return plot_picture(
        Plot(content=shares, title="success", x_label="particles", y_label="runs within 0.001 (%)"),
        Plot(content=efforts, title="effort", x_label="particles", y_label="median iterations"),
        width=480, height=340,
    )  # fmt: skip


STEEP_FROM = 120
"""Dofs from which slopes are fitted: below, calls from Python cost as much as the mathematics."""
TARGET = (0.5, 0.9, 0.3)
_STEP, _DAMPING = 1e-6, 0.1

Iterations = Callable[[], int]
"""Runs some iterations and says how many."""


def _filter(figure: pw.Figure, particles: int) -> Iterations:
    solver = pw.SequentialMonteCarlo(particles=particles, max_iterations=40, polish=False)
    prepared = solver.prepare(pw.Problem(figure, [pw.Position("tip", TARGET, tolerance=1e-300)]))
    return lambda: prepared.solve().iterations


def _descent(figure: pw.Figure, jacobian: Callable[[pw.Figure, Array], Array], *, damped: bool) -> Iterations:
    q = 0.1 * np.random.default_rng(1).normal(size=figure.n_dofs)  # what a step costs does not depend on the pose

    def step() -> int:
        e = np.array(TARGET) - site_frames(figure, q, ["tip"]).points[0]
        J = jacobian(figure, q)
        if damped:
            change = J.T @ np.linalg.solve(J @ J.T + _DAMPING**2 * np.eye(3), e)
        else:
            back = J @ (J.T @ e)
            change = J.T @ e * float(e @ back) / max(float(back @ back), 1e-300)
        q[:] += change
        return 1

    return step


def by_differences(figure: pw.Figure, q: Array) -> Array:
    """The tip's Jacobian (3, dofs) from one forward kinematics per dof."""
    moved = np.vstack([q, q + _STEP * np.eye(len(q))])
    points = site_frames(figure, moved, ["tip"]).points[:, 0]
    return np.ascontiguousarray((points[1:] - points[0]).T / _STEP)


def by_formula(figure: pw.Figure, q: Array) -> Array:
    """The same, axis x lever: one pass down the chain."""
    return np.ascontiguousarray(site_jacobians(figure, q, ["tip"])[0, :3])


METHODS: dict[str, tuple[str, Callable[[pw.Figure], Iterations]]] = {
    "filter, 20 particles": ("at most", lambda figure: _filter(figure, 20)),
    "filter, 50 particles": ("at most", lambda figure: _filter(figure, 50)),
    "Jacobian transpose, differences": ("at least", lambda figure: _descent(figure, by_differences, damped=False)),
    "damped pseudo-inverse, differences": ("at least", lambda figure: _descent(figure, by_differences, damped=True)),
    "damped pseudo-inverse, analytic": ("", lambda figure: _descent(figure, by_formula, damped=True)),
}
"""By name: which side of HALFWAY its slope must be, and what prepares its iterations on a figure."""
HALFWAY = 1.5
"""Log-log slope between growth as dofs and as their square: 23 times for 8 times the dofs, where they are 8 and 64."""


@experiment(
    "3-D",
    "Time per iteration against dofs",
    accepts="the time grows as dofs for the filter and as their square for finite differences: log-log slopes of "
    "at most and of at least 1.5",
)
def iteration_cost(found: Outcome, dofs: Sequence[int] = (30, 60, 120, 240, 480, 960), repeats: int = 7) -> None:
    """Processor time of one iteration beside Jacobian methods, and its slope over dofs."""
    found.columns = ("method", "slope", "must be", *(f"{n} dofs" for n in dofs))
    figures = [chain(n // 3) for n in dofs]
    runs = [[prepare(figure) for figure in figures] for _, prepare in METHODS.values()]
    times = np.full((len(runs), len(dofs)), np.inf)
    for repeat in found.each(range(repeats)):  # in turns: whatever else the machine does slows all alike
        for row, column in np.ndindex(times.shape):
            if repeat == 0:
                runs[row][column]()  # compiles, and fills caches
            times[row, column] = min(times[row, column], _seconds(runs[row][column]))
    large = np.array(dofs) >= min(STEEP_FROM, sorted(dofs)[-2])
    for (name, (side, _)), line in zip(METHODS.items(), times, strict=True):
        slope = float(np.polyfit(np.log(np.array(dofs)[large]), np.log(line[large]), 1)[0])
        must = f"{side} {HALFWAY}" if side else ""
        found.row(name, f"{slope:.2f}", must, *map(_readable, line))
        holds = {"at most": slope <= HALFWAY, "at least": slope >= HALFWAY, "": True}[side]
        found.require(holds, f"{name}: slope {slope:.2f} must be {must}")
    hinges = [chain(n, joints="hinge") for n in dofs]
    own = [min(_seconds(_filter(figure, 20)) for _ in range(max(1, repeats // 3))) for figure in hinges]
    slope = float(np.polyfit(np.log(np.array(dofs)[large]), np.log(np.array(own)[large]), 1)[0])
    found.beside("slope of the filter with 20 particles on chains of hinges instead of balls", f"{slope:.2f}")
    found.note(
        f"processor time of one iteration, the best of {repeats}; slopes (log-log) from {STEEP_FROM} dofs on",
        'the paper calls the growth of Jacobian methods "exponential": with differences it is quadratic, and with an '
        "analytic Jacobian linear and cheaper than the filter",
    )
    curves = [Curve(x=dofs, y=1e3 * line, label=name, style="both") for name, line in zip(METHODS, times, strict=True)]
    plot = Plot(content=curves, title="one iteration", x_label="dofs", y_label="processor time (ms)",
                log_x=True, log_y=True)  # fmt: skip
    found.draw = lambda: plot_picture(plot, width=640, height=420)


def _seconds(run: Iterations) -> float:
    """Processor time of one iteration."""
    began, count = time.process_time(), 0
    while time.process_time() - began < 0.01 or count == 0:
        count += run()
    return (time.process_time() - began) / count


def _readable(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs" if seconds < 0.9995e-3 else f"{1e3 * seconds:.1f} ms"
