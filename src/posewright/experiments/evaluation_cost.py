"""What an evaluation and an iteration cost against dofs and goals (Zhao & Badler 1994, appendix): experiment 1-G."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment, seconds_in_turns
from posewright.figures.catalogue import chain
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.problem import DenseProblem, Point, cost_and_gradient
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import lower
from posewright.report.plots import Curve, Plot, plot_picture

DOFS, GOALS = (10, 20, 40, 80, 160, 320), (1, 2, 4, 8, 16, 32)
_MOST_DOFS = 320  # of the chains with several goals
_SLOPE = 1.5  # between growth as a number and as its square
_ROUNDS = 15


@experiment(
    "1-G",
    "Cost of an evaluation against dofs and goals",
    accepts="the time of an evaluation grows as dofs and as goals, not as their squares: log-log slopes of at most 1.5",
)
def evaluation_cost(found: Outcome, dofs: Sequence[int] = DOFS, goals: Sequence[int] = GOALS) -> None:
    """Chains of hinges with position goals along them."""
    found.columns = ("chain", "paper", "ours: an evaluation, an iteration", "accepted if")
    cases = [(n, 1) for n in dofs] + [(min(_MOST_DOFS, dofs[-1]), m) for m in goals]
    times = np.array([_microseconds(n, m, found) for n, m in found.each(cases)])
    sweeps = {"dofs": (dofs, times[: len(dofs)].T), "goals": (goals, times[len(dofs) :].T)}
    names = iter(cases)
    for what, (counts, (evaluations, iterations)) in sweeps.items():
        for evaluation, iteration in zip(evaluations, iterations, strict=True):
            n, m = next(names)
            label = f"{n} dofs, {m} goal{'s' * (m > 1)}"
            found.measure(label, "-", f"{evaluation:.2f} µs, {iteration:.1f} µs")
        slope = upper_slope(counts, evaluations)
        found.measure(f"slope of an evaluation in {what}", "1", f"{slope:.2f}", f"<= {_SLOPE}", slope <= _SLOPE)
    found.measure("slope of an iteration in dofs", "2", f"{upper_slope(dofs, sweeps['dofs'][1][1]):.2f}")
    balls = np.array([_microseconds(n, 1, found, "ball")[0] for n in dofs])
    found.beside("slope of an evaluation in dofs, chains of balls instead of hinges", f"{upper_slope(dofs, balls):.2f}")
    found.note(
        "the paper counts dofs times goals for an evaluation; summing forces over the tree makes it dofs plus goals",
        "slopes are of the upper half of each range",
    )
    plots = [_plot(what, counts, *curves) for what, (counts, curves) in sweeps.items()]
    found.draw = lambda: plot_picture(*plots, width=470, height=360)


def upper_slope(counts: Sequence[int], times: Array) -> float:
    """Of the log-log line through the upper half, where fixed costs count least."""
    half = len(counts) // 2
    return float(np.polyfit(np.log(counts[half:]), np.log(times[half:]), 1)[0])


def _microseconds(n: int, m: int, found: Outcome, kind: Literal["hinge", "ball"] = "hinge") -> tuple[float, float]:
    """Of one evaluation, and of one iteration of a search, of so many dofs and goals."""
    segments = n if kind == "hinge" else n // 3
    figure = chain(segments, length=2.0, joints=kind)
    wanted = found.random(f"{n} dofs").uniform(-0.3, 0.3, figure.n_dofs)
    joints = [f"segment{k}" for k in np.linspace(1, segments, m + 1).astype(int)[1:]]
    points = 2.5 * site_frames(figure, wanted, joints).points  # out of reach: searches go on for as long as allowed
    goals = [
        pw.Position(joint, vector(point), name=f"{k}")
        for k, (joint, point) in enumerate(zip(joints, points, strict=True))
    ]
    problem = pw.Problem(figure, goals)
    lowered = lower(problem)
    tables = dense_problem(lowered)
    x, point, wrenches = np.full(figure.n_dofs, 0.1), point_of(tables), np.zeros((segments + 1, 6))
    times = max(10, 20_000 // n)

    def evaluate() -> None:
        repeat_evaluation(times, tables, lowered.targets, x, point, wrenches, np.empty(figure.n_dofs))

    evaluate()
    searches = [
        pw.ActiveSetBfgs(max_iterations=allowed, restarts=0, gradient_tolerance=1e-300).prepare(problem)
        for allowed in (5, 25)  # the difference leaves out what a call costs
    ]
    few, many = (search.solve().iterations for search in searches)
    short, long = (float(seconds_in_turns(search.solve, turns=_ROUNDS).min()) for search in searches)
    evaluations = seconds_in_turns(evaluate, turns=_ROUNDS) / times
    return 1e6 * float(evaluations.min()), 1e6 * (long - short) / max(many - few, 1)


@kernel
def repeat_evaluation(
    times: int, problem: DenseProblem, targets: Array, x: Array, point: Point, wrenches: Array, by_x: Array
) -> float:
    """Evaluate cost and gradient at x so many times, without a call from Python around each; return the sum."""
    total = 0.0
    for _ in range(times):
        total += cost_and_gradient(problem, targets, x, 0, x, point, wrenches, by_x)
    return total


def _plot(what: str, counts: Sequence[int], evaluations: Array, iterations: Array) -> Plot:
    return Plot(
        content=[
            Curve(x=counts, y=evaluations, label="an evaluation", style="both"),
            Curve(x=counts, y=iterations, label="an iteration", style="both"),
            Curve(
                x=counts,
                y=evaluations[-1] * np.array(counts) / counts[-1],
                label="slope 1",
                colour="slate",
                style="dashed",
            ),
        ],
        title=f"time against {what}",
        x_label=what,
        y_label="time (µs)",
        log_x=True,
        log_y=True,
    )
