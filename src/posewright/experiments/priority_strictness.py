"""Strict priorities (Li et al.): of two goals that contradict each other, the one put first is met (5-G)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment
from posewright.figures.catalogue import chain, human40
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.problem.evaluation import GoalError, readable
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.solvers.solver import Solver

SOLVERS: tuple[Solver, ...] = (pw.Prioritized(), pw.LeastSquares())
_SEEDS = 10
_SPREAD = 0.7  # rad: how far random poses are from rest


@dataclass(frozen=True)
class Conflict:
    """Two goals that can each be met and that cannot be met together."""

    figure: pw.Figure
    words: str
    goals: tuple[pw.Position, pw.Position]

    @classmethod
    def between(cls, figure: pw.Figure, words: str, sites: tuple[str, str], points: tuple[Array, Array]) -> Conflict:
        """The first site wanted at the first point, the second at the second."""
        first, second = map(vector, points)
        return cls(
            figure, words, (pw.Position(sites[0], first, name="first"), pw.Position(sites[1], second, name="second"))
        )


def conflicts(rng: np.random.Generator) -> Sequence[Conflict]:
    """Four kinds of conflict."""
    person, rope = human40(), chain(12, length=2.0)
    return (
        _two_places(person, "right_hand", rng),
        _too_far_apart(person, ("left_hand", "right_hand"), 3.0, rng),
        _two_places(rope, "tip", rng),
        _opposite_sides(rope, ("tip", "segment8"), rng),
    )


def _two_places(figure: pw.Figure, site: str, rng: np.random.Generator) -> Conflict:
    """One site wanted at two places, each taken from a random pose."""
    first, second = (_random_points(figure, [site], rng)[0] for _ in range(2))
    return Conflict.between(figure, f"{site} at two places", (site, site), (first, second))


def _too_far_apart(figure: pw.Figure, sites: tuple[str, str], gap: float, rng: np.random.Generator) -> Conflict:
    """Two sites wanted further apart (m) than the figure can hold them."""
    middle = _random_points(figure, [sites[0]], rng)[0]
    away = rng.normal(size=3)
    other = middle + gap * away / np.linalg.norm(away)
    return Conflict.between(figure, f"{sites[0]} and {sites[1]} {gap:g} m apart", sites, (middle, other))


def _opposite_sides(figure: pw.Figure, sites: tuple[str, str], rng: np.random.Generator) -> Conflict:
    """The tip wanted where a random pose has it, and a joint between mirrored to the other side."""
    tip, inner = _random_points(figure, list(sites), rng)
    return Conflict.between(figure, f"{sites[0]} and {sites[1]} on opposite sides", sites, (tip, -inner))


def _random_points(figure: pw.Figure, sites: list[str], rng: np.random.Generator) -> Array:
    lower, upper = np.maximum(figure.lower, figure.rest - _SPREAD), np.minimum(figure.upper, figure.rest + _SPREAD)
    return site_frames(figure, rng.uniform(lower, upper), sites).points


@experiment(
    "5-G",
    "Priority strictness: contradictory levels 1 and 2",
    accepts="level 1 within tolerance in every solve, and swapping the priorities swaps the winner",
)
def priority_strictness(found: Outcome) -> None:
    """Contradictory levels 1 and 2, then swapped, over figures, solvers and seeds."""
    found.columns = ("conflict", "solver", "level 1 kept", "worst error", "tolerance", "level 2 lost", "median error",
                     "iterations")  # fmt: skip
    random = found.random("conflicts")
    kinds = list(zip(*(conflicts(random) for _ in range(_SEEDS)), strict=True))
    points: tuple[list[tuple[int, float]], ...] = ([], [])
    for row, (kind, solver) in enumerate(found.each([(kind, solver) for kind in kinds for solver in SOLVERS])):
        solves = [_solved(solver, conflict, first) for conflict in kind for first in (0, 1)]
        winners, losers, iterations = zip(*solves, strict=True)
        worst = max(winners, key=lambda error: error.value / error.tolerance)
        n, missed, met = len(solves), sum(not e.reached for e in winners), sum(e.reached for e in losers)
        words, name = f"{kind[0].figure.name}: {kind[0].words}", type(solver).__name__
        found.row(
            words, name, f"{n - missed}/{n}", readable(worst.value, "m"), readable(worst.tolerance, "m"),
            f"{n - met}/{n}", readable(float(np.median([error.value for error in losers])), "m"),
            f"{np.median(iterations):g}",
        )  # fmt: skip
        found.require(missed == 0, f"{words}, {name}: level 1 missed in {missed} of {n} solves")
        found.require(met == 0, f"{words}, {name}: level 2 met too in {met} of {n} solves, so that nobody won")
        for level, errors in zip(points, (winners, losers), strict=True):
            level += [(row, max(error.value, 1e-17)) for error in errors]
    for name, solver in (("ActiveSetBfgs", pw.ActiveSetBfgs()), ("SequentialMonteCarlo", pw.SequentialMonteCarlo())):
        kept = [_solved(solver, conflict, first)[0] for kind in kinds for conflict in kind[:2] for first in (0, 1)]
        worst = max(error.value for error in kept)
        found.beside(
            f"{name}, whose priorities are weights (100 per level): level 1 kept; worst error",
            f"{sum(error.reached for error in kept)} of {len(kept)}; {readable(worst, 'm')}",
        )
    curves = [
        Curve(x=[x for x, _ in level], y=[y for _, y in level], label=label, style="points")
        for level, label in zip(points[::-1], ("level 2", "level 1"), strict=True)
    ]
    title = "error of each goal, kinds of conflict in the order of the table"
    plot = Plot(content=curves, title=title, x_label="row", y_label="error (m)", log_y=True)
    found.draw = lambda: plot_picture(plot)


def _solved(solver: Solver, conflict: Conflict, first: int) -> tuple[GoalError, GoalError, int]:
    """Errors of the goal put first and of the other, and iterations."""
    goals = [replace(goal, priority=1 if i == first else 2) for i, goal in enumerate(conflict.goals)]
    result = solver.solve(pw.Problem(conflict.figure, goals))
    return result.errors[goals[first].label], result.errors[goals[1 - first].label], result.iterations
