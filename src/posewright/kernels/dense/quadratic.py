"""Strictly convex quadratic programs with linear rows and bounds, by the dual method of Goldfarb and Idnani (1983).

    minimise ½ xᵀ H x - gᵀ x   subject to   A x = b (the first rows),   A x <= b (the others),   lower <= x <= upper

The method starts from the unconstrained minimum and adds violated constraints one by one, so it needs no feasible
start, and it finds out when there is no feasible point: the rows in the way are then the conflict.

Symbols: L Cholesky factor of H, Q = L⁻¹ turned by an orthogonal matrix so that its first rows belong to the active set,
R the triangle of the active normals in Q, u multipliers. A constraint is numbered: rows of A, then lower, then upper
bounds. Long loops run along rows, where vector instructions reach.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel
from posewright.kernels.tables import Array

SOLVED: Final = 0
INFEASIBLE: Final = 1
FAILED: Final = 2
"""H is not positive definite, or rounding got in the way."""

_TINY = 1e-13
_BROKEN = 1e-12  # a constraint is broken beyond this; variables are counted in units that make 1 a large step
_ROUNDING = 1e-14  # and beyond this share of the longest variable


@dot_kernel
def cholesky(H: Array) -> int:
    """Overwrite the lower triangle of H with its factor; return 0, or 1 if H is not positive definite."""
    n = H.shape[0]
    for j in range(n):
        for i in range(j, n):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            if i == j:
                if not total > 0.0:
                    return 1
                H[j, j] = math.sqrt(total)
            else:
                H[i, j] = total / H[j, j]
    return 0


@dot_kernel
def solve_quadratic(
    H: Array,
    g: Array,
    rows: Array,
    n_equal: int,
    bounds: Array,
    x: Array,
    active: npt.NDArray[np.int64],
    multipliers: Array,
) -> tuple[int, int]:
    """Solve; H is overwritten. Return (status, number of active constraints).

    `rows` (m, n + 1) are A and, in the last column, b; `bounds` (2, n) are lower and upper.

    On SOLVED, `active` (n + 1,) and `multipliers` (n + 1,) hold the active constraints and what each pushes with,
    against its normal; for a row of A the solution has H x - g + Aᵀ multipliers = 0 where no bound is active. On
    INFEASIBLE `active` holds those that conflict, the last being the one that could not be added.
    """
    n, m = H.shape[0], rows.shape[0]
    if cholesky(H) != 0:
        return FAILED, 0
    Q = np.zeros((n, n))  # inverse of L
    for i in range(n):
        for k in range(i):
            factor = H[i, k]
            if factor != 0.0:
                for j in range(k + 1):
                    Q[i, j] -= factor * Q[k, j]
        scale = 1.0 / H[i, i]
        Q[i, i] = 1.0
        for j in range(i + 1):
            Q[i, j] *= scale
    R = np.zeros((n, n))
    d, r, normal = np.zeros(n), np.zeros(n), np.zeros(n)
    u, signs = np.zeros(n + 1), np.ones(n_equal)
    is_active = np.zeros(m + 2 * n, np.int8)
    for i in range(n):
        x[i] = 0.0
    for k in range(n):  # the unconstrained minimum, Qᵀ Q g
        total = 0.0
        for i in range(k + 1):
            total += Q[k, i] * g[i]
        for i in range(k + 1):
            x[i] += Q[k, i] * total
    count = 0
    next_equal = 0
    rounds = 0
    while True:
        # The next constraint to add: equalities in turn, then the most violated other.
        chosen = -1
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(x[k]))
        worst = max(_BROKEN, _ROUNDING * largest)
        sign = 1.0
        if next_equal < n_equal:
            chosen = next_equal
            next_equal += 1
            gap = -rows[chosen, n]
            for k in range(n):
                gap += rows[chosen, k] * x[k]
            sign = 1.0 if gap >= 0.0 else -1.0
            signs[chosen] = sign
            worst = abs(gap)
        else:
            for c in range(n_equal, m + 2 * n):
                if is_active[c]:
                    continue
                if c < m:
                    gap = -rows[c, n]
                    for k in range(n):
                        gap += rows[c, k] * x[k]
                elif c < m + n:
                    gap = bounds[0, c - m] - x[c - m]
                else:
                    gap = x[c - m - n] - bounds[1, c - m - n]
                if gap > worst:
                    worst = gap
                    chosen = c
        if chosen < 0:
            break
        # Its normal, pointing inward: normal·x must rise by `worst`.
        for k in range(n):
            normal[k] = -sign * rows[chosen, k] if chosen < m else 0.0
        if m <= chosen < m + n:
            normal[chosen - m] = 1.0
        elif chosen >= m + n:
            normal[chosen - m - n] = -1.0
        size = 0.0
        for k in range(n):
            size = max(size, abs(normal[k]))
        u_new = 0.0
        while True:
            rounds += 1
            if rounds > 50 * (n + m) + 1000:
                return FAILED, count
            for i in range(n):
                total = 0.0
                if chosen < m:
                    for k in range(n):
                        total += Q[i, k] * normal[k]
                elif chosen < m + n:
                    total = Q[i, chosen - m]
                else:
                    total = -Q[i, chosen - m - n]
                d[i] = total
            curvature = 0.0  # z·normal, the squared length of d beyond the active part
            whole = 0.0
            for i in range(n):
                whole += d[i] * d[i]
                if i >= count:
                    curvature += d[i] * d[i]
            for i in range(count - 1, -1, -1):
                total = d[i]
                for k in range(i + 1, count):
                    total -= R[i, k] * r[k]
                r[i] = total / R[i, i]
            independent = curvature > 1e-22 * max(whole, 1e-300) and curvature > 1e-30 * size * size
            if chosen < n_equal and not independent:
                # A row that follows from those before it: consistent, or a contradiction.
                if worst <= 1e-9 * max(1.0, largest):
                    break
                active[count] = chosen
                return INFEASIBLE, count + 1
            t_dual, leaving = math.inf, -1
            for k in range(count):
                if active[k] >= n_equal and r[k] > _TINY and u[k] / r[k] < t_dual:
                    t_dual = u[k] / r[k]
                    leaving = k
            t_primal = worst / curvature if independent else math.inf
            t = min(t_dual, t_primal)
            if t == math.inf:
                active[count] = chosen
                kept = 0
                for k in range(count):  # those that push back are the conflict
                    if abs(r[k]) > 1e-9:
                        active[kept] = active[k]
                        kept += 1
                active[kept] = chosen
                return INFEASIBLE, kept + 1
            for k in range(count):
                u[k] -= t * r[k]
            u_new += t
            if independent:
                for k in range(count, n):
                    factor = t * d[k]
                    for i in range(n):
                        x[i] += factor * Q[k, i]
                worst -= t * curvature
            if t == t_primal:
                u[count] = u_new
                active[count] = chosen
                _add(Q, R, d, count)
                is_active[chosen] = 1
                count += 1
                break
            is_active[active[leaving]] = 0
            _drop(Q, R, u, active, leaving, count)
            count -= 1
    for k in range(count):
        multipliers[k] = u[k] * (signs[active[k]] if active[k] < n_equal else 1.0)
    return SOLVED, count


@dot_kernel
def _add(Q: Array, R: Array, d: Array, count: int) -> None:
    """Turn the free rows of Q so that the new normal lies along the first of them; append it to R."""
    n = Q.shape[0]
    for j in range(n - 1, count, -1):
        a, b = d[j - 1], d[j]
        h = math.hypot(a, b)
        if h == 0.0 or b == 0.0:
            continue
        c, s = a / h, b / h
        d[j - 1], d[j] = h, 0.0
        for k in range(n):
            p, q = Q[j - 1, k], Q[j, k]
            Q[j - 1, k] = c * p + s * q
            Q[j, k] = c * q - s * p
    for i in range(count + 1):
        R[i, count] = d[i]


@dot_kernel
def _drop(Q: Array, R: Array, u: Array, active: npt.NDArray[np.int64], leaving: int, count: int) -> None:
    """Take constraint number `leaving` out of the active set and make R triangular again."""
    n = Q.shape[0]
    for k in range(leaving, count - 1):
        active[k] = active[k + 1]
        u[k] = u[k + 1]
        for i in range(n):
            R[i, k] = R[i, k + 1]
    for i in range(n):
        R[i, count - 1] = 0.0
    for j in range(leaving, count - 1):
        a, b = R[j, j], R[j + 1, j]
        h = math.hypot(a, b)
        if h == 0.0 or b == 0.0:
            continue
        c, s = a / h, b / h
        for k in range(j, count - 1):
            p, q = R[j, k], R[j + 1, k]
            R[j, k] = c * p + s * q
            R[j + 1, k] = c * q - s * p
        for k in range(n):
            p, q = Q[j, k], Q[j + 1, k]
            Q[j, k] = c * p + s * q
            Q[j + 1, k] = c * q - s * p
