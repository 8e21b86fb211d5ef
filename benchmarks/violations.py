"""Whether any returned pose breaks a limit or a linear constraint: random solves over the figures that have some."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from tasks import Array

import posewright as pw
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames

ALLOWED = 1e-9
"""rad, m, or the unit of a constraint's sum"""
_BATCH = 2000


@dataclass(frozen=True)
class Case:
    """A figure, what its sites reach for, and how many of the solves it gets."""

    title: str
    figure: pw.Figure
    space: pw.Space
    sites: tuple[str, ...]
    share: float


def cases() -> tuple[Case, ...]:
    """Limits alone; coordinates that mix dofs or count from elsewhere; polygons; joint groups; coupled fingers."""
    human40, human, hand = build("human40"), build("human"), build("hand")
    rest, n = human40.rest, human40.n_dofs
    offset = pw.Space(human40, human40.dof_names, np.eye(n), rest + np.resize([0.5, -0.4, 0.3], n))
    mix = np.random.default_rng(7).normal(scale=0.4, size=(n, 15))
    mixed = pw.Space(human40, [f"mix{k}" for k in range(15)], mix, rest)
    ends = ("left_hand", "right_hand", "left_sole", "right_sole")
    tips = tuple(site.name for site in hand.sites if site.tip)
    return (
        Case("human40, limits", human40, pw.Space.of(human40), ends, 0.7),
        Case("human40, counted from elsewhere", human40, offset, ends, 0.05),
        Case("human40, an affine map to 15 numbers", human40, mixed, ends, 0.05),
        Case("human, shoulder polygons", human, pw.Space.of(human), ends, 0.05),
        Case("human, joint groups and polygons", human, pw.Space.grouped(human), ends, 0.05),
        Case("hand, coupled fingers", hand, pw.Space.of(hand), tips, 0.1),
    )


def print_violations(n: int, seed: int) -> None:
    """Solve and count. Half of the targets can be reached; starts are random and mostly break the constraints."""
    rng = np.random.default_rng(seed)
    solver = pw.LeastSquares(restarts=1, max_iterations=60)
    print(f"random solves, seed {seed}; broken means beyond {ALLOWED:g}")
    total = broken = 0
    for case in cases():
        goals = [pw.Position(site, (0.0, 0.0, 0.0)) for site in case.sites]
        prepared = solver.prepare(pw.Problem(case.space, goals))
        began, left, bad, reached, worst = time.perf_counter(), round(n * case.share), 0, 0, 0.0
        solves = left
        while left > 0:
            count = min(left, _BATCH)
            left -= count
            found = prepared.solve_many(*random_questions(case, count, rng))
            beyond = violations(case.figure, found.q)
            bad += int((beyond > ALLOWED).sum())
            worst = max(worst, float(beyond.max()))
            reached += int(found.reached.sum())
        total, broken = total + solves, broken + bad
        print(f"  {case.title:37} {solves:9,} solves, {100 * reached / max(solves, 1):5.1f} % reached, {bad} broken, "
              f"worst {worst:.1e}, {time.perf_counter() - began:.0f} s", flush=True)  # fmt: skip
    print(f"  {'all':37} {total:9,} solves, {broken} broken")


def random_questions(case: Case, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Targets (n, sites, 9) and starts (n, dofs)."""
    figure = case.figure
    low, high = np.maximum(figure.lower, -2.0), np.minimum(figure.upper, 2.0)
    poses = rng.uniform(low, high, (n, figure.n_dofs))
    targets = np.zeros((n, len(case.sites), 9))
    targets[:, :, :3] = site_frames(figure, poses, case.sites).points
    away = rng.random(n) < 0.5
    targets[away, :, :3] += rng.normal(scale=0.5, size=(int(away.sum()), len(case.sites), 3))
    starts = rng.uniform(low - 0.5, high + 0.5, (n, figure.n_dofs))
    return targets, starts


def violations(figure: pw.Figure, q: Array) -> Array:
    """(poses,): how far the worst limit or constraint is broken."""
    beyond = np.maximum(figure.lower - q, q - figure.upper).max(axis=1)
    for constraint in figure.constraints:
        total = sum(factor * q[:, figure.dof_index(name)] for name, factor in constraint.coefficients)
        beyond = np.maximum(beyond, np.maximum(constraint.lower - total, total - constraint.upper))
    return np.maximum(beyond, 0.0)
