"""Key postures by prioritized IK and posture splicing (Li et al.): the experiments of this method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.experiments.experiment import Experiment, Outcome, Progress
from posewright.figures import Figure
from posewright.figures.catalogue import chain, human40
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.goals import Position
from posewright.problem.evaluation import GoalError, readable
from posewright.problem.problem import Problem
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver

_SEEDS = 10
_SPREAD = 0.7  # rad: how far random poses are from rest


@dataclass(frozen=True)
class Conflict:
    """Two goals that can each be met and that cannot be met together."""

    figure: Figure
    words: str
    goals: tuple[Position, Position]


def _two_places(figure: Figure, site: str, rng: np.random.Generator) -> Conflict:
    """One site wanted at two places, each taken from a random pose."""
    first, second = (_random_points(figure, [site], rng)[0] for _ in range(2))
    goals = Position(site, vector(first), name="first"), Position(site, vector(second), name="second")
    return Conflict(figure, f"{site} at two places", goals)


def _too_far_apart(figure: Figure, sites: tuple[str, str], gap: float, rng: np.random.Generator) -> Conflict:
    """Two sites wanted further apart (m) than the figure can hold them."""
    middle = _random_points(figure, [sites[0]], rng)[0]
    away = rng.normal(size=3)
    other = middle + gap * away / np.linalg.norm(away)
    goals = Position(sites[0], vector(middle), name="first"), Position(sites[1], vector(other), name="second")
    return Conflict(figure, f"{sites[0]} and {sites[1]} {gap:g} m apart", goals)


def _conflicts(seed: int) -> Sequence[Conflict]:
    rng = np.random.default_rng(seed)
    person, rope = human40(), chain(12, length=2.0)
    return (
        _two_places(person, "right_hand", rng),
        _too_far_apart(person, ("left_hand", "right_hand"), 3.0, rng),
        _two_places(rope, "tip", rng),
        _nested(rope, rng),
    )


def _nested(figure: Figure, rng: np.random.Generator) -> Conflict:
    """The tip wanted where a random pose has it, and a joint on the way there mirrored to the other side."""
    points = _random_points(figure, ["tip", "segment8"], rng)
    goals = (
        Position("tip", vector(points[0]), name="first"),
        Position("segment8", vector(-points[1]), name="second"),
    )
    return Conflict(figure, "tip and segment8 on opposite sides", goals)


@dataclass(frozen=True)
class Contests:
    """What one solver made of one kind of conflict, over all seeds and both orders."""

    words: str
    solver: str
    winners: tuple[GoalError, ...]
    """Of the goals put first."""
    losers: tuple[GoalError, ...]
    iterations: tuple[int, ...]

    def row(self) -> tuple[str, ...]:
        """Of the table."""
        worst = max(self.winners, key=lambda error: error.value / error.tolerance)
        return (
            self.words,
            self.solver,
            f"{sum(error.reached for error in self.winners)}/{len(self.winners)}",
            readable(worst.value, "m"),
            readable(worst.tolerance, "m"),
            f"{sum(not error.reached for error in self.losers)}/{len(self.losers)}",
            readable(float(np.median([error.value for error in self.losers])), "m"),
            f"{np.median(self.iterations):g}",
        )

    def failures(self) -> list[str]:
        """What is not as it must be."""
        missed = sum(not error.reached for error in self.winners)
        met = sum(error.reached for error in self.losers)
        found = [f"level 1 missed in {missed} of {len(self.winners)} solves"] * (missed > 0)
        found += [f"level 2 met too in {met} of {len(self.losers)} solves, so that nobody won"] * (met > 0)
        return [f"{self.words}, {self.solver}: {failure}" for failure in found]


_COLUMNS = (
    "conflict",
    "solver",
    "level 1 kept",
    "worst error",
    "tolerance",
    "level 2 lost",
    "median error",
    "iterations",
)


def priority_strictness(progress: Progress) -> Outcome:
    """5-G: contradictory levels 1 and 2, then the other way round, over figures, solvers and seeds."""
    solvers: tuple[Solver, ...] = (Prioritized(), LeastSquares())
    by_seed = [_conflicts(seed) for seed in range(_SEEDS)]
    pairs = [(solver, kind) for kind in zip(*by_seed, strict=True) for solver in solvers]
    found = []
    for done, (solver, kind) in enumerate(pairs):
        progress(done / len(pairs))
        found.append(_contests(solver, kind))
    failures = [failure for contests in found for failure in contests.failures()]
    rows = tuple(contests.row() for contests in found)
    return Outcome(_COLUMNS, rows, tuple(failures), draw=lambda: _errors_by_level(found))


def _errors_by_level(found: Sequence[Contests]) -> Picture:
    """Every solve as two points: the error of the goal put first, and of the other."""
    first = [(k, error.value) for k, contests in enumerate(found) for error in contests.winners]
    second = [(k, error.value) for k, contests in enumerate(found) for error in contests.losers]
    curves = [
        Curve(x=[k for k, _ in points], y=[max(value, 1e-17) for _, value in points], label=label, style="points")
        for points, label in ((second, "level 2"), (first, "level 1"))
    ]
    title = "error of each goal, kinds of conflict in the order of the table"
    return plot_picture(Plot(content=curves, title=title, x_label="row", y_label="error (m)", log_y=True))


def _contests(solver: Solver, conflicts: Sequence[Conflict]) -> Contests:
    runs = [_contest(solver, conflict, first) for conflict in conflicts for first in (0, 1)]
    winners, losers, iterations = zip(*runs, strict=True)
    words = f"{conflicts[0].figure.name}: {conflicts[0].words}"
    return Contests(words, type(solver).__name__, winners, losers, iterations)


def _contest(solver: Solver, conflict: Conflict, first: int) -> tuple[GoalError, GoalError, int]:
    """Errors of the goal put first and of the other, and iterations."""
    goals = [replace(goal, priority=1 if i == first else 2) for i, goal in enumerate(conflict.goals)]
    result = solver.solve(Problem(conflict.figure, goals))
    errors = result.errors
    return errors[goals[first].label], errors[goals[1 - first].label], result.iterations


def _random_points(figure: Figure, sites: list[str], rng: np.random.Generator) -> Array:
    lower, upper = np.maximum(figure.lower, figure.rest - _SPREAD), np.minimum(figure.upper, figure.rest + _SPREAD)
    return site_frames(figure, rng.uniform(lower, upper), sites).points


PRIORITY_STRICTNESS = Experiment(
    id="5-G",
    title="Priority strictness: contradictory levels 1 and 2",
    accepts="level 1 within tolerance in every solve, and swapping the priorities swaps the winner",
    run=priority_strictness,
)
