"""Strictly convex quadratic programs with linear rows and bounds, by the dual method of Goldfarb and Idnani (1983).

    minimise ½ xᵀ H x - gᵀ x   subject to   A x = b (the first rows),   A x <= b (the others),   lower <= x <= upper

The method starts from the unconstrained minimum and adds violated constraints one by one, so it needs no feasible
start, and it finds out when there is no feasible point: the rows in the way are then the conflict.

Symbols: L Cholesky factor of H, Q = L⁻ᵀ times an orthogonal matrix whose first columns belong to the active set, R the
triangle of the active normals in Q, u multipliers. A constraint is numbered: rows of A, then lower, then upper bounds.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Array

SOLVED: Final = 0
INFEASIBLE: Final = 1
FAILED: Final = 2
"""H is not positive definite, or rounding got in the way."""

_TINY = 1e-13


@kernel
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


@kernel
def solve_quadratic(
    H: Array,
    g: Array,
    A: Array,
    b: Array,
    n_equal: int,
    lower: Array,
    upper: Array,
    x: Array,
    active: npt.NDArray[np.int64],
    multipliers: Array,
) -> tuple[int, int]:
    """Solve; H is overwritten. Return (status, number of active constraints).

    On SOLVED, `active` (n + 1,) and `multipliers` (n + 1,) hold the active constraints and what each pushes with. On
    INFEASIBLE `active` holds those that conflict, the last being the one that could not be added.
    """
    n, m = H.shape[0], A.shape[0]
    if cholesky(H) != 0:
        return FAILED, 0
    Q = np.zeros((n, n))  # inverse transpose of L
    for j in range(n):
        Q[j, j] = 1.0 / H[j, j]
        for i in range(j + 1, n):
            total = 0.0
            for k in range(j, i):
                total -= H[i, k] * Q[j, k]
            Q[j, i] = total / H[i, i]
    R = np.zeros((n, n))
    d, z, r, normal = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    u = np.zeros(n + 1)
    skipped = np.zeros(m + 2 * n, np.int8)
    is_active = np.zeros(m + 2 * n, np.int8)
    for i in range(n):  # the unconstrained minimum, Q Qᵀ g
        d[i] = 0.0
        for k in range(i + 1):
            d[i] += Q[k, i] * g[k]
    for i in range(n):
        x[i] = 0.0
        for k in range(i, n):
            x[i] += Q[i, k] * d[k]
    count = 0
    next_equal = 0
    rounds = 0
    while True:
        # The next constraint to add: equalities in turn, then the most violated other.
        chosen = -1
        worst = 1e-12
        sign = 1.0
        if next_equal < n_equal:
            chosen = next_equal
            next_equal += 1
            gap = -b[chosen]
            for k in range(n):
                gap += A[chosen, k] * x[k]
            sign = 1.0 if gap >= 0.0 else -1.0
            worst = abs(gap)
        else:
            for c in range(n_equal, m + 2 * n):
                if is_active[c] or skipped[c]:
                    continue
                if c < m:
                    gap = -b[c]
                    for k in range(n):
                        gap += A[c, k] * x[k]
                elif c < m + n:
                    gap = lower[c - m] - x[c - m]
                else:
                    gap = x[c - m - n] - upper[c - m - n]
                if gap > worst:
                    worst = gap
                    chosen = c
        if chosen < 0:
            break
        # Its normal, pointing inward: normal·x must rise by `worst`.
        for k in range(n):
            normal[k] = -sign * A[chosen, k] if chosen < m else 0.0
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
                d[i] = 0.0
            for k in range(n):
                if normal[k] != 0.0:
                    for i in range(n):
                        d[i] += Q[k, i] * normal[k]
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
                if worst <= 1e-9:
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
                for i in range(n):
                    z[i] = 0.0
                    for k in range(count, n):
                        z[i] += Q[i, k] * d[k]
                for i in range(n):
                    x[i] += t * z[i]
                worst -= t * curvature
            if t == t_primal:
                u[count] = u_new
                active[count] = chosen
                if _add(Q, R, d, count):
                    is_active[chosen] = 1
                    count += 1
                else:
                    skipped[chosen] = 1
                break
            is_active[active[leaving]] = 0
            _drop(Q, R, u, active, leaving, count)
            count -= 1
    for k in range(count):
        multipliers[k] = u[k]
    return SOLVED, count


@kernel
def _add(Q: Array, R: Array, d: Array, count: int) -> bool:
    """Turn the free columns of Q so that the new normal lies along the first of them; append it to R."""
    n = Q.shape[0]
    for j in range(n - 1, count, -1):
        a, b = d[j - 1], d[j]
        h = math.hypot(a, b)
        if h == 0.0 or b == 0.0:
            continue
        c, s = a / h, b / h
        d[j - 1], d[j] = h, 0.0
        for k in range(n):
            p, q = Q[k, j - 1], Q[k, j]
            Q[k, j - 1] = c * p + s * q
            Q[k, j] = c * q - s * p
    for i in range(count + 1):
        R[i, count] = d[i]
    return bool(abs(d[count]) > 1e-15)


@kernel
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
            p, q = Q[k, j], Q[k, j + 1]
            Q[k, j] = c * p + s * q
            Q[k, j + 1] = c * q - s * p
