"""One least-squares step from a dense Jacobian: by the small dual system for few rows, or as a quadratic program.

For what the tree cannot carry: centre of mass, targets on the figure itself, joint groups and other affine spaces,
linear constraints, two strict priority levels, goals in Python.

The step minimises ‖ρ + J d‖² + Σ D_c d_c² + (lean) over lower <= x + d <= upper and rows A (x + d) <= b. With a second
level, it minimises that level's residual among the steps that change the first level's as its own best step does.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel, kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.qp_warm_start import solve_from_guess
from posewright.kernels.dense.quadratic import INFEASIBLE, SOLVED, cholesky, solve_quadratic
from posewright.kernels.tables import Array


@dot_kernel
def dual_step(J: Array, rho: Array, D: Array, x: Array, lower: Array, upper: Array, d: Array) -> int:
    """Bounds only, few rows: d = -D⁻¹Jᵀ(I + J D⁻¹ Jᵀ)⁻¹ρ over the coordinates that no bound blocks, then clamped."""
    m, n = J.shape
    inverse = np.empty(n)
    for c in range(n):
        slope = 0.0
        for i in range(m):
            slope += J[i, c] * rho[i]
        blocked = (x[c] <= lower[c] and slope > 0.0) or (x[c] >= upper[c] and slope < 0.0)
        inverse[c] = 0.0 if blocked else 1.0 / D[c]
    K = np.empty((m, m))
    JD = np.empty((m, n))
    y = np.empty(m)
    for i in range(m):
        for c in range(n):
            JD[i, c] = J[i, c] * inverse[c]
        for k in range(i + 1):
            total = 0.0
            for c in range(n):
                total += JD[i, c] * J[k, c]
            K[i, k] = total
        K[i, i] += 1.0
    if cholesky(K) != 0:
        return 1
    for i in range(m):
        total = rho[i]
        for k in range(i):
            total -= K[i, k] * y[k]
        y[i] = total / K[i, i]
    for i in range(m - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, m):
            total -= K[k, i] * y[k]
        y[i] = total / K[i, i]
    for c in range(n):
        d[c] = 0.0
    for i in range(m):
        for c in range(n):
            d[c] -= JD[i, c] * y[i]
    for c in range(n):
        d[c] = min(max(d[c], lower[c] - x[c]), upper[c] - x[c])
    return 0


@dot_kernel
def normal_equations(J: Array, rho: Array, levels: npt.NDArray[np.int64], level: int, H: Array, g: Array) -> None:
    """Add JᵀJ and -Jᵀρ of the rows of one level to H and g."""
    m, n = J.shape
    for i in range(m):
        if levels[i] != level:
            continue
        for a in range(n):
            v = J[i, a]
            if v != 0.0:
                g[a] -= v * rho[i]
                for c in range(n):
                    H[a, c] += v * J[i, c]


@kernel
def program_step(
    J: Array,
    rho: Array,
    levels: npt.NDArray[np.int64],
    two: bool,
    D: Array,
    lean_H: Array,
    lean_g: Array,
    A: Array,
    b: Array,
    n_equal: int,
    x: Array,
    lower: Array,
    upper: Array,
    held: npt.NDArray[np.int8],
    d: Array,
) -> int:
    """The step as one quadratic program per level, of which there are two if `two`; return the status of the last.

    `lean_H` (n, n) or empty and `lean_g` pull towards a reference on the last level; `held` (2, n) are the bounds that
    held each level's last step, and then those that hold this one.
    """
    n = J.shape[1]
    rows = A.shape[0]
    lo, hi, slack = np.empty(n), np.empty(n), np.empty(rows)
    for c in range(n):
        lo[c], hi[c] = lower[c] - x[c], upper[c] - x[c]
    for i in range(rows):
        slack[i] = b[i]
        for c in range(n):
            slack[i] -= A[i, c] * x[c]
    found = np.empty(n)
    H, g = np.empty((n, n)), np.empty(n)
    n_levels = 2 if two else 1
    fixed, values, n_fixed = A, slack, n_equal
    for level in range(1, n_levels + 1):  # one call of the program for both: it is compiled where it is called
        if level == 2:
            fixed, values, n_fixed = _fix_first_level(J, levels, d, A, slack, n_equal)
        for a in range(n):
            g[a] = 0.0
            for c in range(n):
                H[a, c] = D[a] if a == c else 0.0
        normal_equations(J, rho, levels, level, H, g)
        if level == n_levels and lean_H.shape[0] > 0:
            for a in range(n):
                g[a] += lean_g[a]
                for c in range(n):
                    H[a, c] += lean_H[a, c]
        status = solve_from_guess(H, g, fixed, values, n_fixed, lo, hi, held[level - 1], found)
        if status == SOLVED:
            copy_into(found, d)
        elif level == 1:
            return status
    return SOLVED  # without room for the second level, the first level's step stands


@kernel
def _fix_first_level(
    J: Array, levels: npt.NDArray[np.int64], d: Array, A: Array, slack: Array, n_equal: int
) -> tuple[Array, Array, int]:
    """The constraints with, as equalities, that the rows of the first level change as they do by d."""
    (m, n), rows = J.shape, A.shape[0]
    fixed, values = np.empty((m + rows, n)), np.empty(m + rows)
    count = 0
    for i in range(n_equal):
        copy_into(A[i], fixed[count])
        values[count] = slack[i]
        count += 1
    for i in range(m):
        size = 0.0
        for c in range(n):
            size += J[i, c] ** 2
        size = math.sqrt(size)
        if levels[i] != 1 or size < 1e-12:
            continue
        values[count] = 0.0
        for c in range(n):
            fixed[count, c] = J[i, c] / size
            values[count] += fixed[count, c] * d[c]
        count += 1
    n_fixed = count
    for i in range(n_equal, rows):
        copy_into(A[i], fixed[count])
        values[count] = slack[i]
        count += 1
    return fixed[:count], values[:count], n_fixed


@kernel
def project(
    A: Array, b: Array, n_equal: int, lower: Array, upper: Array, x: Array, active: npt.NDArray[np.int64]
) -> int:
    """Move x to the nearest point that keeps every row and bound; on INFEASIBLE `active` names a conflict.

    Returns the number of conflicting constraints, 0 if there is no conflict.
    """
    n = x.shape[0]
    broken = False
    for c in range(n):
        broken = broken or x[c] < lower[c] or x[c] > upper[c]
    for i in range(A.shape[0]):
        gap = -b[i]
        for c in range(n):
            gap += A[i, c] * x[c]
        broken = broken or gap > 1e-12 or (i < n_equal and gap < -1e-12)
    if not broken:
        return 0
    near, wanted, H = np.empty(n), np.empty(n), np.empty((n, n))
    copy_into(x, wanted)
    for a in range(n):
        for c in range(n):
            H[a, c] = 1.0 if a == c else 0.0
    status, count = solve_quadratic(H, wanted, A, b, n_equal, lower, upper, near, active, np.empty(n + 1))
    if status == INFEASIBLE:
        return count
    for c in range(n):
        x[c] = min(max(near[c], lower[c]), upper[c])
    return 0
