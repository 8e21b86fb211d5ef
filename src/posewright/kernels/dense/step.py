"""One least-squares step from a dense Jacobian: by the small dual system for few rows, or as a quadratic program.

For what the tree cannot carry: centre of mass, targets on the figure itself, joint groups and other affine spaces,
linear constraints, two strict priority levels, goals in Python.

The step minimises ‖ρ + J d‖² + Σ D_c d_c² + (pull) over lower <= x + d <= upper and rows A (x + d) <= b. With a second
level, it minimises that level's residual among the steps that change the first level's as its own best step does.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel, kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import LOWER, UPPER, DenseProblem, Point
from posewright.kernels.dense.qp_warm_start import solve_from_guess
from posewright.kernels.dense.quadratic import INFEASIBLE, SOLVED, cholesky, solve_quadratic
from posewright.kernels.tables import Array

# Rows of what a search remembers of its coordinates, after those of `search_control`.
STEP: Final = 5
DAMPING: Final = 6
HELD: Final = 7
"""And the next: for each level, bounds that held its last step, as of `qp_warm_start`."""
N_PLACES: Final = 9


@dot_kernel
def dual_step(problem: DenseProblem, point: Point, x: Array, places: Array) -> int:
    """Bounds only, few rows: d = -D⁻¹Jᵀ(I + J D⁻¹ Jᵀ)⁻¹ρ over the coordinates that no bound blocks, then clamped."""
    J, rho, D, d = point.J, point.rho, places[DAMPING], places[STEP]
    lower, upper = problem.coordinates[LOWER], problem.coordinates[UPPER]
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
def program_step(problem: DenseProblem, point: Point, two: bool, pull: Array, x: Array, places: Array) -> int:
    """Write the step as one quadratic program per level, of which there are two if `two`; return the last status.

    `pull` (n, n + 1) or, if there is none, (0, n + 1) is a quadratic form and its slope towards a reference, on the
    last level. HELD in `places` are the bounds that held each level's last step, and then those that hold this one.
    """
    J, rho, n = point.J, point.rho, x.shape[0]
    n_rows = problem.constraints.shape[0]
    bounds, rows = np.empty((2, n)), np.empty((n_rows, n + 1))
    for c in range(n):
        bounds[0, c], bounds[1, c] = problem.coordinates[LOWER, c] - x[c], problem.coordinates[UPPER, c] - x[c]
    for i in range(n_rows):
        copy_into(problem.constraints[i], rows[i])
        for c in range(n):
            rows[i, n] -= rows[i, c] * x[c]
    found = np.empty(n)
    H, g = np.empty((n, n)), np.empty(n)
    n_levels, n_equal = 2 if two else 1, problem.n_equal
    for level in range(1, n_levels + 1):  # one call of the program for both: it is compiled where it is called
        if level == 2:
            rows, n_equal = _fix_first_level(problem, J, places[STEP], rows)
        for a in range(n):
            g[a] = pull[a, n] if level == n_levels and pull.shape[0] > 0 else 0.0
            for c in range(n):
                H[a, c] = pull[a, c] if level == n_levels and pull.shape[0] > 0 else 0.0
            H[a, a] += places[DAMPING, a]
        normal_equations(J, rho, problem.levels, level, H, g)
        status = solve_from_guess(H, g, rows, n_equal, bounds, places[HELD + level - 1], found)
        if status == SOLVED:
            copy_into(found, places[STEP])
        elif level == 1:
            return status
    return SOLVED  # without room for the second level, the first level's step stands


@kernel
def _fix_first_level(problem: DenseProblem, J: Array, d: Array, rows: Array) -> tuple[Array, int]:
    """The constraints with, as equalities, that the rows of the first level change as they do by d."""
    (m, n), n_equal = J.shape, problem.n_equal
    fixed = np.empty((m + rows.shape[0], n + 1))
    for i in range(n_equal):
        copy_into(rows[i], fixed[i])
    count = n_equal
    for i in range(m):
        size = 0.0
        for c in range(n):
            size += J[i, c] * J[i, c]
        size = math.sqrt(size)
        if problem.levels[i] != 1 or size < 1e-12:
            continue
        fixed[count, n] = 0.0
        for c in range(n):
            fixed[count, c] = J[i, c] / size
            fixed[count, n] += fixed[count, c] * d[c]
        count += 1
    n_fixed = count
    for i in range(n_equal, rows.shape[0]):
        copy_into(rows[i], fixed[count])
        count += 1
    return fixed[:count], n_fixed


@kernel
def project(rows: Array, n_equal: int, bounds: Array, x: Array, active: npt.NDArray[np.int64]) -> int:
    """Move x to the nearest point that keeps every row and bound.

    Returns the number of conflicting constraints, which `active` (n + 1,) names; 0 if there is no conflict.
    """
    n = x.shape[0]
    broken = False
    for c in range(n):
        broken = broken or x[c] < bounds[0, c] or x[c] > bounds[1, c]
    for i in range(rows.shape[0]):
        gap = -rows[i, n]
        for c in range(n):
            gap += rows[i, c] * x[c]
        broken = broken or gap > 1e-12 or (i < n_equal and gap < -1e-12)
    if not broken:
        return 0
    near, wanted, H = np.empty(n), np.empty(n), np.zeros((n, n))
    copy_into(x, wanted)
    for a in range(n):
        H[a, a] = 1.0
    status, count = solve_quadratic(H, wanted, rows, n_equal, bounds, near, active, np.empty(n + 1))
    if status == INFEASIBLE:
        return count
    for c in range(n):
        x[c] = min(max(near[c], bounds[0, c]), bounds[1, c])
    return 0
