"""Limited hinges that get stuck: over these stretches, other angles are taken that give what is wanted.

A transfer follows angles from frame to frame. Three hinges with limits, such as a shoulder, can end in a corner of
their range while other angles would do, and then go over to those through postures that nobody wanted. Where that
happens, the best angles for the whole stretch are found (`kernels.motion.branches`), coarsely at first and finer around
what was found.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.kernels.motion.branches import best_path, find_stuck, near_path, total_fit, weigh
from posewright.kernels.tables import Row, Table
from posewright.motions.contacts import around, intervals
from posewright.motions.smoothing import gaussian
from posewright.motions.splines import ramp

_STUCK = 0.06
"""Share of the weights by which angles must be worse than others to count as stuck: a limb is 20 degrees off."""
_AROUND, _EASE = 0.4, 0.05
"""s before and after a stretch in which hinges may switch to other angles; s in which they blend into them."""
_STEPS = 20.0
"""Per second: moments at which a path first goes from cell to cell; twice as many on each finer grid."""
_CELL, _FINER = math.radians(12.0), 3.0
"""rad of the first grid; by how much each of the next is finer."""
_LEVELS, _NEAR = 4, 3
"""Number of grids; number of cells of the finer ones on either side of the path."""
_EFFORT = 0.01
"""Cost per (rad/s)² of moving faster than wanted."""
_CREEP = 1.0
"""rad/s without cost."""
_SOFT = 0.012
"""s: width of the filter that smooths a path."""
_FIRMNESS = 50.0
"""Cost per rad² of leaving the path."""


def unstuck(unit: Row, dofs: Table, wanted: Array, q: Array, fps: float) -> Array | None:
    """Angles (frames, 3) over stretches in which others are stuck, nan elsewhere; None: they never are.

    Args:
        unit: three hinges with limits (`kernels.motion.transfer.UNIT`).
        dofs: of the figure.
        wanted: (frames, 3, 3): the turn that is wanted of them.
        q: (frames, 3), rad: angles that follow it.
        fps: frames per second.
    """
    lower, upper = (dofs[unit["dofs"]][name] for name in ("lower", "upper"))
    limits = np.stack([np.maximum(lower, q.min(axis=0) - math.pi), np.minimum(upper, q.max(axis=0) + math.pi)], axis=1)
    grid, counts = _grid(limits)
    weighed, stuck = np.empty(wanted.shape), np.empty(len(q), np.bool_)
    weigh(unit, wanted, weighed)
    find_stuck(unit, weighed, q, grid, counts, max(1, round(fps / _STEPS)), _STUCK, stuck)
    if not stuck.any():
        return None
    stuck = around(stuck, round(_AROUND * fps))
    given, before_and_after = np.full(q.shape, np.nan), np.pad(q, ((1, 1), (0, 0)), constant_values=np.nan)
    for first, after in intervals(stuck).tolist():
        ends = before_and_after[[first, after + 1]]
        turns = _turned(wanted[first:after])
        path = _path(unit["axes"], limits, weighed[first:after], turns, ends, fps)
        near = np.empty_like(path)
        near_path(unit, dofs, wanted[first:after], np.clip(path, lower, upper), _FIRMNESS, near)
        eases = np.where(np.isnan(ends[:, 0]), 0.0, _EASE * fps)
        times, last = np.arange(after - first), after - first - 1
        share = ramp(times, eases[0], max(eases[0], last - eases[1]), ease_in=eases[0], ease_out=eases[1])
        near = q[first:after] + share[:, None] * (near - q[first:after])
        some = weighed[first:after]
        if total_fit(unit, some, near) > total_fit(unit, some, q[first:after]):
            given[first:after] = near
    return given


def _path(axes: Array, limits: Array, weighed: Array, turns: Array, ends: Array, fps: float) -> Array:
    """Angles (frames, 3) of the best path between ends (2, 3), for M (frames, 3, 3) that turn by so much (frames,)."""
    grid, counts = _grid(limits)
    frames, path, cell, window, rate = np.arange(len(weighed)), np.empty((0, 3)), _CELL, _NEAR, _STEPS
    for level in range(_LEVELS):
        step = max(1, round(fps / rate))
        some = np.unique([*range(0, len(weighed), step), len(weighed) - 1])
        if level == 0:
            grids = np.repeat(grid[None], len(some), axis=0)
        else:
            grids = path[some, :, None] + cell * np.arange(-_NEAR, _NEAR + 1.0)
            grids = np.clip(grids, limits[:, :1], limits[:, 1:])
        slack = _CREEP / rate + np.diff(np.cumsum(turns)[some], prepend=0.0) + 0.5 * cell
        found = np.empty((len(some), 3))
        best_path(axes, weighed[some], grids, counts, ends, slack, _EFFORT * (fps / step) ** 2, window, found)
        path = np.stack([np.interp(frames, some, angles) for angles in found.T], axis=1)
        cell, window, counts, rate = cell / _FINER, 2 * _NEAR, np.full(3, 2 * _NEAR + 1), 2.0 * rate
    return gaussian(path, max(0.5, _SOFT * fps))


def _grid(limits: Array) -> tuple[Array, IntArray]:
    """Angles (3, n) from one limit to the other, and how many there are of each hinge."""
    counts = 1 + np.ceil((limits[:, 1] - limits[:, 0]) / _CELL).astype(np.int64)
    grid = np.zeros((3, counts.max()))
    for k, count in enumerate(counts):
        grid[k, :count] = np.linspace(limits[k, 0], limits[k, 1], count)
    return grid, counts


def _turned(turns: Array) -> Array:
    """(frames,), rad: how far turns (frames, 3, 3) go in each frame."""
    cosines = 0.5 * (np.einsum("fij,fij->f", turns[1:], turns[:-1]) - 1.0)
    return np.concatenate([[0.0], np.arccos(np.clip(cosines, -1.0, 1.0))])
