"""A quadratic program solved again and again with little change: bounds that held the last solution are tried first.

A variable at a bound leaves the program, which becomes smaller, and has its constraint satisfied from the beginning. If
a bound turns out to pull instead of to push, its variable is set free and the rest solved again; after a few rounds the
guess is given up. The solution is that of `quadratic`, for there is only one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel
from posewright.kernels.dense.quadratic import SOLVED, solve_quadratic
from posewright.kernels.tables import Array

_ROUNDS = 4
_ZERO = 1e-12  # a pull this small, relative to the largest gradient, is none


@dot_kernel
def solve_from_guess(H: Array, g: Array, rows: Array, n_equal: int, bounds: Array, held: Array, x: Array) -> int:
    """Solve `quadratic`'s program; return its status. H and g are kept.

    Args:
        H: (n, n)
        g: (n,)
        rows: (rows, n + 1)
        n_equal: of the rows.
        bounds: (2, n)
        held: (n,): -1 or 1 for a variable that is believed to lie at its lower or upper bound, else 0; the solution's
            are written.
        x: (n,), the solution.
    """
    n, m = H.shape[0], rows.shape[0]
    lower, upper = bounds[0], bounds[1]
    free = np.empty(n, np.int64)
    active, multipliers = np.empty(n + 1, np.int64), np.empty(n + 1)
    rounds = 0
    while True:
        rounds += 1
        count, guessed = 0, 0
        for c in range(n):
            fixed = lower[c] >= upper[c]
            if rounds > _ROUNDS and not fixed:
                held[c] = 0
            if fixed or held[c] != 0:
                guessed += 0 if fixed else 1
                x[c] = upper[c] if held[c] > 0 else lower[c]
            else:
                x[c] = 0.0
                free[count] = c
                count += 1
        rest, wanted, room = np.empty((count, count)), np.empty(count), np.empty((m, count + 1))
        box, found = np.empty((2, count)), np.empty(count)
        for a in range(count):
            line = H[free[a]]
            total = g[free[a]]
            for c in range(n):
                total -= line[c] * x[c]
            wanted[a] = total
            box[0, a], box[1, a] = lower[free[a]], upper[free[a]]
            for c in range(count):
                rest[a, c] = line[free[c]]
        for i in range(m):
            total = rows[i, n]
            for c in range(n):
                total -= rows[i, c] * x[c]
            room[i, count] = total
            for c in range(count):
                room[i, c] = rows[i, free[c]]
        status, n_active = solve_quadratic(rest, wanted, room, n_equal, box, found, active, multipliers)
        if status != SOLVED:
            if guessed == 0:
                return status
            rounds = _ROUNDS
            continue
        for a in range(count):
            x[free[a]] = found[a]
        if guessed == 0 or _pushing(H, g, rows, bounds, x, active[:n_active], multipliers, held):
            break
    for k in range(n_active):
        if active[k] >= m + count:
            held[free[active[k] - m - count]] = 1
        elif active[k] >= m:
            held[free[active[k] - m]] = -1
    return SOLVED


@dot_kernel
def _pushing(
    H: Array,
    g: Array,
    rows: Array,
    bounds: Array,
    x: Array,
    active: npt.NDArray[np.int64],
    multipliers: Array,
    held: Array,
) -> bool:
    """Whether every held bound pushes back; those that do not are set free."""
    n, m = H.shape[0], rows.shape[0]
    zero = 0.0
    for c in range(n):
        zero = max(zero, _ZERO * abs(g[c]))
    right = True
    for c in range(n):
        if held[c] == 0 or bounds[0, c] >= bounds[1, c]:
            continue
        slope = -g[c]
        for k in range(n):
            slope += H[c, k] * x[k]
        for k in range(active.shape[0]):
            if active[k] < m:
                slope += multipliers[k] * rows[active[k], c]
        if slope * held[c] > zero:
            held[c] = 0
            right = False
    return right
