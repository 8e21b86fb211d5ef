"""Three hinges with limits over a stretch of frames: the angles that are best for all of it, by dynamic programming.

Hinges that follow what is near get stuck at a limit where other angles would give what is wanted; going over to those
takes them through postures that nobody wanted. Here each frame has a grid of angles. A path through the grids costs
what its frames lack, Σ_i w_i - trace(Xᵀ M) (symbols: `transfer`), and the squares of how much faster than wanted its
hinges go. The price of a step is a sum over the hinges, so the best step to each cell is found one hinge at a time.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.hinge_chain import follow_damped, hinge_fit
from posewright.kernels.kinematics.rotations import log_vector, multiply, times_transposed, turn_matrix
from posewright.kernels.tables import Array, Row, Table

Ints = npt.NDArray[np.int64]

_HELD = 100.0  # per rad²: what an end that is given costs to leave


@kernel
def best_path(
    axes: Array, wanted: Array, grids: Array, counts: Ints, ends: Array, slack: Array, effort: float, window: int,
    path: Array,
) -> None:  # fmt: skip
    """Write the angles (steps, 3) of the best path.

    Args:
        axes: (3, 3): row per hinge.
        wanted: (steps, 3, 3): M.
        grids: (steps, 3, n), rad: angles of each hinge that are tried.
        counts: (3,): how many.
        ends: (2, 3), rad: where the path begins and ends; nan: anywhere.
        slack: (steps,), rad: how far hinges may go since the step before at no cost.
        effort: per rad²: what further costs.
        window: cells by which an angle changes at most in a step.
        path: out.
    """
    n = counts[0] * counts[1] * counts[2]
    inner = np.array([counts[1] * counts[2], counts[2], 1])
    steps = wanted.shape[0]
    lack, values, passed = np.empty(n), np.empty(n), np.empty(n)
    back = np.empty((steps, 3, n), np.int8)
    work = np.empty((4, 3, 3))
    for t in range(steps):
        _lacks(axes, wanted[t], grids[t], counts, work, lack)
        for end in range(2):
            if t == end * (steps - 1) and not math.isnan(ends[end, 0]):
                _hold(grids[t], counts, ends[end], lack)
        if t > 0:
            for k in range(3):
                room = slack[t], effort
                _step(grids[t, k], grids[t - 1, k], counts[k], inner[k], room, window, values, passed, back[t, k])
                for i in range(n):
                    values[i] = passed[i]
        for i in range(n):
            values[i] = lack[i] if t == 0 else values[i] + lack[i]
    at = np.argmin(values)
    for t in range(steps - 1, -1, -1):
        for k in range(3):
            path[t, k] = grids[t, k, (at // inner[k]) % counts[k]]
        for k in range(2, -1, -1):
            if t > 0:
                at += (back[t, k, at] - (at // inner[k]) % counts[k]) * inner[k]


@kernel
def weigh(unit: Row, wanted: Array, out: Array) -> None:
    """Write the M (frames, 3, 3) of turns that are wanted (frames, 3, 3) of a unit."""
    W, work = unit["weights"], np.empty((3, 3, 3))
    multiply(unit["after"], unit["frame"], work[0])
    for i in range(3):
        for j in range(3):
            work[1, i, j] = work[0, i, j] * W[j]
    times_transposed(work[1], work[0], work[2])
    for frame in range(wanted.shape[0]):
        multiply(wanted[frame], work[2], out[frame])


@kernel
def find_stuck(
    unit: Row, wanted: Array, q: Array, grid: Array, counts: Ints, step: int, bound: float, stuck: npt.NDArray[np.bool_]
) -> None:
    """Write in which frames (frames,) angles `q` (frames, 3) lack by a bound more of M than others of a grid (3, n).

    Only each `step`th frame is looked at.
    """
    W, lack = unit["weights"], np.empty(counts[0] * counts[1] * counts[2])
    work = np.empty((8, 3, 3))
    found = False
    for frame in range(q.shape[0]):
        if frame % step == 0:
            own = -hinge_fit(unit, wanted[frame], q[frame], work)
            found = own + W[0] + W[1] + W[2] > bound
            if found:
                _lacks(unit["axes"], wanted[frame], grid, counts, work, lack)
                found = own > lack.min() + bound
        stuck[frame] = found


@kernel
def total_fit(unit: Row, wanted: Array, q: Array) -> float:
    """The sum of trace(Xᵀ M) over frames of M (frames, 3, 3) and angles (frames, 3)."""
    work, total = np.empty((8, 3, 3)), 0.0
    for frame in range(q.shape[0]):
        total += hinge_fit(unit, wanted[frame], q[frame], work)
    return total


@kernel
def near_path(unit: Row, dofs: Table, wanted: Array, path: Array, firmness: float, out: Array) -> None:
    """Write angles (frames, 3) near a path that give the rotations `wanted` (frames, 3, 3), where they nearly do."""
    work = np.empty((8, 3, 3))
    for frame in range(wanted.shape[0]):
        _product(unit["axes"], path[frame], work)
        times_transposed(wanted[frame], work[0], work[1])
        missing = log_vector(work[1], work[2, 0])
        follow_damped(unit, dofs, wanted[frame], firmness * missing * missing, path[frame], out[frame], work)


@kernel
def _lacks(axes: Array, M: Array, grid: Array, counts: Ints, work: Array, out: Array) -> None:
    """Write -trace(Xᵀ M) of all cells."""
    u, v, w = axes[0], axes[1], axes[2]
    first, second, turn = work[0], work[1], work[2]
    sines, cosines = np.sin(grid[2]), np.cos(grid[2])
    at = 0
    for a in range(counts[0]):
        turn_matrix(u, -grid[0, a], turn)
        multiply(turn, M, first)
        for b in range(counts[1]):
            turn_matrix(v, -grid[1, b], turn)
            multiply(turn, first, second)
            along = 0.0
            for i in range(3):
                for j in range(3):
                    along += w[i] * second[i, j] * w[j]
            across = second[0, 0] + second[1, 1] + second[2, 2] - along
            about = (
                w[0] * (second[2, 1] - second[1, 2])
                + w[1] * (second[0, 2] - second[2, 0])
                + w[2] * (second[1, 0] - second[0, 1])
            )
            for c in range(counts[2]):
                out[at] = -(along + across * cosines[c] + about * sines[c])
                at += 1


@kernel
def _hold(grid: Array, counts: Ints, end: Array, lack: Array) -> None:
    """Add what it costs to be elsewhere than at the end (3,) of a path."""
    at = 0
    for a in range(counts[0]):
        for b in range(counts[1]):
            for c in range(counts[2]):
                off = (grid[0, a] - end[0]) ** 2 + (grid[1, b] - end[1]) ** 2 + (grid[2, c] - end[2]) ** 2
                lack[at] += _HELD * off
                at += 1


@kernel
def _step(
    now: Array, before: Array, n: int, inner: int, room: tuple[float, float], window: int, values: Array,
    passed: Array, back: npt.NDArray[np.int8],
) -> None:  # fmt: skip
    """Write the least cost of a step to each cell along one hinge, and the angle it comes from.

    Args:
        now: (n,), rad: angles of the hinge in this step.
        before: (n,), rad: those in the step before.
        n: how many.
        inner: cells from one of them to the next.
        room: rad that cost nothing, and what more costs per rad².
        window: cells.
        values: (cells,), costs so far.
        passed: (cells,), out.
        back: (cells,), out.
    """
    slack, effort = room
    for outer in range(0, values.shape[0], n * inner):
        for i in range(n):
            to = outer + i * inner
            for r in range(inner):
                passed[to + r] = math.inf
            for j in range(max(0, i - window), min(n, i + window + 1)):
                more = max(0.0, abs(now[i] - before[j]) - slack)
                price, come = effort * more * more, outer + j * inner
                for r in range(inner):
                    cost = values[come + r] + price
                    if cost < passed[to + r]:
                        passed[to + r] = cost
                        back[to + r] = j


@kernel
def _product(axes: Array, angles: Array, work: Array) -> None:
    """Write into work[0] the product of three hinges."""
    turn_matrix(axes[0], angles[0], work[0])
    for k in range(1, 3):
        turn_matrix(axes[k], angles[k], work[1])
        multiply(work[0], work[1], work[2])
        for i in range(3):
            for j in range(3):
                work[0, i, j] = work[2, i, j]
