"""How particles may move in the space of a problem: what is drawn together, what follows, what is drawn again.

See `kernels.sampling.particles` for the meaning of atoms, blocks, tied coordinates and rows.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures.reach import reach
from posewright.kernels.sampling.particles import ATOM, BALL, FIRST_ROW, NUMBER, TIED, Freedom
from posewright.kernels.tables import SLIDE
from posewright.problem.lowered_problem import LoweredProblem

SLIDE_SHARE = 0.3
"""Metres that a slide moves where a joint turns a radian, over the longest chain: the lever of a joint half-way."""


def freedom_of(lowered: LoweredProblem, spread: float, *, all_that_moves: bool = False) -> Freedom:
    """The tables for a problem; `spread` (rad) is that of a figure with one joint, shared by the root of their number.

    Coordinates that nothing may move are in no atom, nor, unless all are asked for, those that no goal depends on.
    Of a ball with a frozen or tied component the others are drawn as numbers, so that the component keeps its
    value exactly.
    """
    region = lowered.region
    moving = lowered.moving.copy()
    if not all_that_moves:
        moving &= lowered.useful
    pivots, ties = _tied(region.A[: region.n_equal], moving, region.units)
    free = moving.copy()
    free[pivots] = False
    balls = _balls(lowered, free)
    in_ball = np.zeros(len(free), np.bool_)
    for c in balls:
        in_ball[c : c + 3] = True
    atoms = sorted([(c, BALL) for c in balls] + [(int(c), NUMBER) for c in np.flatnonzero(free & ~in_ball)])
    inequalities = [row for row in region.rows[region.n_equal :] if (row[:-1][moving] != 0.0).any()]
    held_together = [np.flatnonzero((row[:-1] != 0.0) & moving) for row in inequalities]
    group = _groups(len(free), balls, pivots, ties, held_together)

    table: list[tuple[int, ...]] = []
    rows: list[Array] = []
    for leader in dict.fromkeys(group[c] for c, _ in atoms):
        tied = [(pivot, tie) for pivot, tie in zip(pivots, ties, strict=True) if group[pivot] == leader]
        own = [(c, kind, -1) for c, kind in atoms if group[c] == leader]
        own += [(pivot, TIED, FIRST_ROW + len(rows) + k) for k, (pivot, _) in enumerate(tied)]
        rows += [np.append(tie, 0.0) for _, tie in tied]
        first_row = FIRST_ROW + len(rows)
        rows += [row for row, held in zip(inequalities, held_together, strict=True) if group[int(held[0])] == leader]
        end = len(table) + len(own)
        table += [(*atom, end, first_row, FIRST_ROW + len(rows)) for atom in own]
    deviation = spread * lowered.scale / region.units * _units(lowered) / math.sqrt(max(1, _n_joints(lowered, atoms)))
    ranges = np.stack([np.append(row, 0.0) for row in (region.lower, region.upper, deviation, region.units)])
    return Freedom(np.array(table, ATOM), np.concatenate([ranges, np.array(rows).reshape(-1, len(free) + 1)]))


def _tied(equalities: Array, moving: BoolArray, units: Array) -> tuple[list[int], list[Array]]:
    """Coordinates that equalities leave no choice, and how each follows the free ones (Gauss-Jordan)."""
    left = equalities * moving  # what may not move adds a constant only
    pivots: list[int] = []
    rows: list[Array] = []
    for i in range(len(left)):
        row = left[i].copy()
        pivot = int(np.abs(row * units).argmax()) if row.size else 0
        if not row.size or abs(row[pivot]) * units[pivot] < 1e-10:
            continue  # says what rows before it say
        row /= row[pivot]
        left[i + 1 :] -= np.outer(left[i + 1 :, pivot], row)
        for known in rows:
            known -= known[pivot] * row
        pivots.append(pivot)
        rows.append(row)
    return pivots, [_without(-row, pivots) for row in rows]


def _without(row: Array, columns: list[int]) -> Array:
    row[columns] = 0.0
    return row


def _balls(lowered: LoweredProblem, free: BoolArray) -> list[int]:
    """First coordinate of each ball whose three numbers are free coordinates of their own, side by side."""
    space = lowered.problem.space
    if not space.selects_dofs:
        return []
    dofs = space.matrix.argmax(axis=0)
    column = {int(d): c for c, d in enumerate(dofs)}
    found = []
    for joint in lowered.joints[lowered.joints["ball"] == 1]:
        first = int(joint["first"] + joint["slides"])
        c = column.get(first, -1)
        if c >= 0 and all(column.get(first + k, -1) == c + k and free[c + k] for k in range(3)):
            found.append(c)
    return found


def _groups(n: int, balls: list[int], pivots: list[int], ties: list[Array], rows: list[IntArray]) -> list[int]:
    """For each coordinate the first of those that something holds together with it."""
    group = list(range(n))

    def join(members: list[int]) -> None:
        leaders = {group[c] for c in members}
        first = min(leaders, default=0)
        for c in range(n):
            if group[c] in leaders:
                group[c] = first

    for c in balls:
        join([c, c + 1, c + 2])
    for pivot, tie in zip(pivots, ties, strict=True):
        join([pivot, *map(int, np.flatnonzero(tie))])
    for row in rows:
        join(list(map(int, row)))
    return group


def _units(lowered: LoweredProblem) -> Array:
    """Per coordinate: 1, or for those that only slide the metres that count as a radian."""
    slides = lowered.dofs["kind"] == SLIDE
    matrix = lowered.problem.space.matrix != 0.0
    only = matrix.any(axis=0) & ~(matrix & ~slides[:, None]).any(axis=0)
    return np.where(only, SLIDE_SHARE * reach(lowered.problem.figure, None), 1.0)


def _n_joints(lowered: LoweredProblem, atoms: list[tuple[int, int]]) -> int:
    """How many joints move, or coordinates if those are no dofs."""
    space = lowered.problem.space
    if not space.selects_dofs:
        return len(atoms)
    dofs = space.matrix.argmax(axis=0)
    return len({int(lowered.dofs["joint"][dofs[c]]) for c, _ in atoms})
