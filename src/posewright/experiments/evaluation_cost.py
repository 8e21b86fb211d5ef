"""What an evaluation and an iteration cost against dofs and goals (Zhao & Badler 1994, appendix): experiment 1-G."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Experiment, Outcome, Progress
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_frames
from posewright.goals import Position
from posewright.kernels.goals.repeated_evaluation import repeat_evaluation
from posewright.problem import Problem
from posewright.problem.lowering import lower
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.active_set_bfgs import ActiveSetBfgs
from posewright.solvers.active_set_tables import free_region, search_work, space_entries, weighted_tables
from posewright.solvers.dense_prepared import dense_work

DOFS, GOALS = (10, 20, 40, 80, 160, 320), (1, 2, 4, 8, 16, 32)
_FIXED_DOFS, _FIXED_GOALS = 320, 1
_SLOPE = 1.2
_ROUNDS = 15


@dataclass(frozen=True)
class Sweep:
    """Microseconds against a count."""

    what: str
    counts: Sequence[int]
    evaluations: Array
    iterations: Array
    """Of a search, its evaluations included."""

    def slope(self, times: Array) -> float:
        """Of the log-log line through the upper half, where fixed costs count least."""
        half = len(self.counts) // 2
        return float(np.polyfit(np.log(self.counts[half:]), np.log(times[half:]), 1)[0])


def evaluation_cost(progress: Progress, dofs: Sequence[int] = DOFS, goals: Sequence[int] = GOALS) -> Outcome:
    """1-G: chains of hinges with position goals along them."""
    cases = [(n, _FIXED_GOALS) for n in dofs] + [(min(_FIXED_DOFS, dofs[-1]), m) for m in goals]
    found = []
    for done, (n, m) in enumerate(cases):
        progress(done / len(cases))
        found.append(_microseconds(n, m))
    times = np.array(found)
    sweeps = (
        Sweep("dofs", dofs, times[: len(dofs), 0], times[: len(dofs), 1]),
        Sweep("goals", goals, times[len(dofs) :, 0], times[len(dofs) :, 1]),
    )
    rows, failures = [], []
    names = [f"{n} dofs, {m} goal{'s' * (m > 1)}" for n, m in cases]
    for sweep, labels in zip(sweeps, (names[: len(dofs)], names[len(dofs) :]), strict=True):
        for label, evaluation, iteration in zip(labels, sweep.evaluations, sweep.iterations, strict=True):
            rows.append((label, "-", f"{evaluation:.2f} µs, {iteration:.1f} µs", "told"))
        slope = sweep.slope(sweep.evaluations)
        rows.append((f"slope of an evaluation in {sweep.what}", "1", f"{slope:.2f}", f"<= {_SLOPE}"))
        if not slope <= _SLOPE:
            failures.append(f"an evaluation grows with {sweep.what} to the power {slope:.2f}")
    rows.append(("slope of an iteration in dofs", "2", f"{sweeps[0].slope(sweeps[0].iterations):.2f}", "told"))
    notes = (
        "the paper counts dofs times goals for an evaluation; summing forces over the tree makes it dofs plus goals",
        "slopes are of the upper half of each range",
    )
    columns = ("chain", "paper", "ours: an evaluation, an iteration", "accepted if")
    return Outcome(columns, tuple(rows), tuple(failures), notes, draw=lambda: _plot(sweeps))


def _microseconds(n: int, m: int) -> tuple[float, float]:
    """Of one evaluation, and of one iteration of a search."""
    figure = chain(n, length=2.0, joints="hinge")
    wanted = np.random.default_rng(n).uniform(-0.3, 0.3, n)
    joints = [f"segment{k}" for k in np.linspace(1, n, m + 1).astype(int)[1:]]
    points = 2.5 * site_frames(figure, wanted, joints).points  # out of reach: searches go on for as long as wanted
    problem = Problem(
        figure,
        [
            Position(joint, tuple(p.tolist()), name=f"{k}")
            for k, (joint, p) in enumerate(zip(joints, points, strict=True))
        ],
    )
    lowered = lower(problem)
    tables, entries = weighted_tables(lowered), space_entries(problem.space.matrix)
    forces, _, _ = search_work(tables, free_region(lowered))
    x, work, errors = np.full(n, 0.1), dense_work(tables), np.empty(len(lowered.terms))
    times = max(10, 20_000 // n)
    repeat_evaluation(times, tables, entries, lowered.targets, x, x, work, forces, errors)
    evaluations = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        repeat_evaluation(times, tables, entries, lowered.targets, x, x, work, forces, errors)
        evaluations.append((time.perf_counter() - began) / times)
    searches = []
    for allowed in (5, 25):  # the difference leaves out what a call costs
        prepared = ActiveSetBfgs(max_iterations=allowed, restarts=0, gradient_tolerance=1e-300).prepare(problem)
        seconds = []
        for _ in range(_ROUNDS):
            began = time.perf_counter()
            result = prepared.solve()
            seconds.append(time.perf_counter() - began)
        searches.append((result.iterations, float(np.min(seconds))))
    (few, short), (many, long) = searches
    return 1e6 * float(np.min(evaluations)), 1e6 * (long - short) / max(many - few, 1)


def _plot(sweeps: Sequence[Sweep]) -> Picture:
    plots = [
        Plot(
            content=[
                Curve(x=sweep.counts, y=sweep.evaluations, label="an evaluation", style="both"),
                Curve(x=sweep.counts, y=sweep.iterations, label="an iteration", style="both"),
                Curve(
                    x=sweep.counts,
                    y=[sweep.evaluations[-1] * count / sweep.counts[-1] for count in sweep.counts],
                    label="slope 1",
                    colour="slate",
                    style="dashed",
                ),
            ],
            title=f"time against {sweep.what}",
            x_label=sweep.what,
            y_label="time (µs)",
            log_x=True,
            log_y=True,
        )
        for sweep in sweeps
    ]
    return plot_picture(*plots, width=470, height=360)


EVALUATION_COST = Experiment(
    id="1-G",
    title="Cost of an evaluation against dofs and goals",
    accepts="the log-log slope of an evaluation is at most 1.2, in dofs and in goals",
    run=evaluation_cost,
)
