"""Courty & Arnaud 2008, figure 3b: time per iteration against dofs, beside Jacobian methods (3-D)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, Progress
from posewright.figures import Figure
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.goals import Position
from posewright.problem.problem import Problem
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

DOFS = (30, 60, 120, 240, 480, 960)
STEEP_FROM = 120
"""Dofs from which slopes are fitted: below, calls from Python cost as much as the mathematics."""
TARGET = (0.5, 0.9, 0.3)
_STEP, _DAMPING = 1e-6, 0.1


class Method(NamedTuple):
    """A way to solve whose iterations are timed."""

    name: str
    slope: str
    """What must be shown."""
    prepare: Callable[[Figure], Callable[[], int]]
    """Makes a function that runs some iterations and says how many."""


def _filter(particles: int) -> Callable[[Figure], Callable[[], int]]:
    def prepare(figure: Figure) -> Callable[[], int]:
        solver = SequentialMonteCarlo(particles=particles, max_iterations=40, polish=False)
        prepared = solver.prepare(Problem(figure, [Position("tip", TARGET, tolerance=1e-300)]))
        return lambda: prepared.solve().iterations

    return prepare


def _descent(jacobian: Callable[[Figure, Array], Array], damped: bool) -> Callable[[Figure], Callable[[], int]]:
    def prepare(figure: Figure) -> Callable[[], int]:
        q = 0.1 * np.random.default_rng(1).normal(size=figure.n_dofs)

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

    return prepare


def by_differences(figure: Figure, q: Array) -> Array:
    """The tip's Jacobian (3, dofs) from one forward kinematics per dof."""
    moved = np.vstack([q, q + _STEP * np.eye(len(q))])
    points = site_frames(figure, moved, ["tip"]).points[:, 0]
    return np.ascontiguousarray((points[1:] - points[0]).T / _STEP)


def by_formula(figure: Figure, q: Array) -> Array:
    """The same, axis x lever: one pass down the chain."""
    return np.ascontiguousarray(site_jacobians(figure, q, ["tip"])[0, :3])


METHODS = (
    Method("filter, 20 particles", "at most 1.1", _filter(20)),
    Method("filter, 50 particles", "at most 1.1", _filter(50)),
    Method("Jacobian transpose, differences", "at least 1.7", _descent(by_differences, damped=False)),
    Method("damped pseudo-inverse, differences", "at least 1.7", _descent(by_differences, damped=True)),
    Method("damped pseudo-inverse, analytic", "", _descent(by_formula, damped=True)),
)


def iteration_cost(progress: Progress, dofs: Sequence[int] = DOFS, repeats: int = 15) -> Outcome:
    """3-D: processor time of one iteration, and its slope over dofs."""
    figures = [chain(n // 3) for n in dofs]
    runs = [[method.prepare(figure) for figure in figures] for method in METHODS]
    times = np.full((len(METHODS), len(dofs)), np.inf)
    for repeat in range(repeats):  # in turns: what else the machine does then hits all alike
        for row, column in np.ndindex(times.shape):
            if repeat == 0:
                runs[row][column]()  # compiles, and fills caches
            times[row, column] = min(times[row, column], _seconds(runs[row][column]))
            progress((repeat * times.size + row * len(dofs) + column + 1) / (repeats * times.size))
    large = np.array(dofs) >= min(STEEP_FROM, sorted(dofs)[-2])
    rows, failures = [], []
    for method, line in zip(METHODS, times, strict=True):
        slope = float(np.polyfit(np.log(np.array(dofs)[large]), np.log(line[large]), 1)[0])
        rows.append((method.name, f"{slope:.2f}", method.slope, *(_readable(seconds) for seconds in line)))
        steep, flat = method.slope.startswith("at least"), method.slope.startswith("at most")
        if (flat and slope > 1.1) or (steep and slope < 1.7):
            failures.append(f"{method.name}: slope {slope:.2f} must be {method.slope}")
    notes = (
        f"processor time of one iteration, the best of {repeats}; slopes (log-log) from {STEEP_FROM} dofs on",
        'the paper calls the growth of Jacobian methods "exponential": with differences it is quadratic, and with an '
        "analytic Jacobian linear and cheaper than the filter",
    )
    columns = ("method", "slope", "must be", *(f"{n} dofs" for n in dofs))
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _cost_picture(dofs, times))


def _seconds(run: Callable[[], int]) -> float:
    """Processor time of one iteration."""
    began, count = time.process_time(), 0
    while time.process_time() - began < 0.01 or count == 0:
        count += run()
    return (time.process_time() - began) / count


def _readable(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs" if seconds < 0.9995e-3 else f"{1e3 * seconds:.1f} ms"


def _cost_picture(dofs: Sequence[int], times: Array) -> Picture:
    curves = [
        Curve(x=dofs, y=1e3 * line, label=method.name, style="both")
        for method, line in zip(METHODS, times, strict=True)
    ]
    plot = Plot(content=curves, title="one iteration", x_label="dofs", y_label="processor time (ms)",
                log_x=True, log_y=True)  # fmt: skip
    return plot_picture(plot, width=640, height=420)
