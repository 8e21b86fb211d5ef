"""One least-squares step from a dense Jacobian: by the small dual system for few rows, or as a quadratic program.

For what the tree cannot carry: centre of mass, targets on the figure itself, joint groups and other affine spaces,
linear constraints, two strict priority levels, goals in Python.

The step minimises ‖ρ + J d‖² + Σ D_c d_c² + (pull) over lower <= x + d <= upper and rows A (x + d) <= b. With a second
level, it minimises that level's residual among the steps that change the first level's as its own best step does.

Programs are solved for the step over the unit of each coordinate, so that they look alike for figures of any size. A
step that no program gives is none, and a point that has left the rows goes back to where it came from: whatever fails,
no search leaves the feasible region.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import dot_kernel, kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import LOWER, UNIT, UPPER, DenseProblem, Point
from posewright.kernels.dense.qp_warm_start import solve_from_guess
from posewright.kernels.dense.quadratic import FAILED, INFEASIBLE, SOLVED, cholesky, solve_quadratic
from posewright.kernels.tables import Array

# Rows of what a search remembers of its coordinates, after those of `search_control`.
STEP: Final = 5
DAMPING: Final = 6
HELD: Final = 7
"""And the next: for each level, bounds that held its last step, as of `qp_warm_start`."""
N_PLACES: Final = 9

FAILED_TO_PROJECT: Final = -1
_INSIDE = 1e-12  # a row broken by less, over the unit or the largest number in it, is kept
_NEARLY = 1e-11  # a step that breaks one by less is taken as it is
_PASSES = 3  # of a projection: each works off what rounding left of the one before
_NO_SLOPE = 1e-12  # a row shorter than this, over the longest of its level, cannot be changed


@dot_kernel
def dual_step(problem: DenseProblem, point: Point, x: Array, places: Array) -> int:
    """Bounds only, few rows: d = -D⁻¹Jᵀ(I + J D⁻¹ Jᵀ)⁻¹ρ over the coordinates that no bound blocks, then clamped.

    Returns FAILED, with no step, where numbers have become so large or small that there is no answer.
    """
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
        for c in range(n):
            d[c] = 0.0
        return FAILED
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
    return SOLVED


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
    """Write the step as one quadratic program per level, of which there are two if `two`; return the first's status.

    Where the first level's program has no solution there is no step; without room for the second level, the first
    level's step stands.

    `pull` (n, n + 1) or, if there is none, (0, n + 1) is a quadratic form and its slope towards a reference, on the
    last level. HELD in `places` are the bounds that held each level's last step, and then those that hold this one.
    """
    J, rho, n, unit, step = point.J, point.rho, x.shape[0], problem.coordinates[UNIT], places[STEP]
    n_rows = problem.constraints.shape[0]
    bounds, rows = np.empty((2, n)), np.empty((n_rows, n + 1))
    _around(problem.constraints, problem.coordinates, x, bounds, rows)
    found = np.empty(n)
    H, g = np.empty((n, n)), np.empty(n)
    n_levels, n_equal = 2 if two else 1, problem.n_equal
    for c in range(n):
        step[c] = 0.0
    for level in range(1, n_levels + 1):  # one call of the program for both: it is compiled where it is called
        if level == 2:
            rows, n_equal = _fix_first_level(problem, J, step, rows)
        for a in range(n):
            g[a] = pull[a, n] if level == n_levels and pull.shape[0] > 0 else 0.0
            for c in range(n):
                H[a, c] = pull[a, c] if level == n_levels and pull.shape[0] > 0 else 0.0
            H[a, a] += places[DAMPING, a]
        normal_equations(J, rho, problem.levels, level, H, g)
        for a in range(n):
            g[a] *= unit[a]
            for c in range(n):
                H[a, c] *= unit[a] * unit[c]
        status = solve_from_guess(H, g, rows, n_equal, bounds, places[HELD + level - 1], found)
        if status == SOLVED:
            for c in range(n):
                step[c] = unit[c] * found[c]
        elif level == 1:
            return status
    return SOLVED


@kernel
def _around(constraints: Array, coordinates: Array, x: Array, bounds: Array, rows: Array) -> None:
    """Write the bounds (2, n) and rows (rows, n + 1) of a step from x, over the units of its coordinates."""
    n, unit = x.shape[0], coordinates[UNIT]
    for c in range(n):
        bounds[0, c], bounds[1, c] = (coordinates[LOWER, c] - x[c]) / unit[c], (coordinates[UPPER, c] - x[c]) / unit[c]
    for i in range(rows.shape[0]):
        rows[i, n] = constraints[i, n]
        for c in range(n):
            rows[i, n] -= constraints[i, c] * x[c]
            rows[i, c] = constraints[i, c] * unit[c]


@kernel
def _fix_first_level(problem: DenseProblem, J: Array, step: Array, rows: Array) -> tuple[Array, int]:
    """The constraints with, as equalities, that the rows of the first level change as they do by the step."""
    (m, n), n_equal, unit = J.shape, problem.n_equal, problem.coordinates[UNIT]
    fixed, sizes, longest = np.empty((m + rows.shape[0], n + 1)), np.zeros(m), 0.0
    for i in range(m):
        if problem.levels[i] == 1:
            for c in range(n):
                sizes[i] += (J[i, c] * unit[c]) * (J[i, c] * unit[c])
            sizes[i] = math.sqrt(sizes[i])
            longest = max(longest, sizes[i])
    for i in range(n_equal):
        copy_into(rows[i], fixed[i])
    count = n_equal
    for i in range(m):
        if not sizes[i] > _NO_SLOPE * longest:
            continue
        fixed[count, n] = 0.0
        for c in range(n):
            fixed[count, c] = J[i, c] * unit[c] / sizes[i]
            fixed[count, n] += fixed[count, c] * (step[c] / unit[c])
        count += 1
    n_fixed = count
    for i in range(n_equal, rows.shape[0]):
        copy_into(rows[i], fixed[count])
        count += 1
    return fixed[:count], n_fixed


@kernel
def rows_kept(rows: Array, n_equal: int, x: Array, allowed: float) -> bool:
    """Whether every row holds at x, up to a share of 1 or of the largest number in it."""
    n, kept = x.shape[0], True
    for i in range(rows.shape[0]):
        gap, size = -rows[i, n], max(1.0, abs(rows[i, n]))
        for c in range(n):
            part = rows[i, c] * x[c]
            gap += part
            size = max(size, abs(part))
        kept = kept and gap <= allowed * size and (i >= n_equal or gap >= -allowed * size)
    return kept


@kernel
def _is_inside(rows: Array, n_equal: int, coordinates: Array, x: Array) -> bool:
    inside = rows_kept(rows, n_equal, x, _INSIDE)
    for c in range(x.shape[0]):
        inside = inside and coordinates[LOWER, c] <= x[c] <= coordinates[UPPER, c]
    return inside


@kernel
def stay_inside(problem: DenseProblem, before: Array, x: Array) -> bool:
    """Put x, which is within its bounds, back onto rows that it has left, or back to `before` where that fails.

    Returns False if it is back at `before`.
    """
    rows, n_equal = problem.constraints, problem.n_equal
    if rows_kept(rows, n_equal, x, _NEARLY):
        return True
    if project(rows, n_equal, problem.coordinates, x, np.empty(x.shape[0] + 1, np.int64)) == 0:
        return True
    copy_into(before, x)
    return False


@kernel
def project(rows: Array, n_equal: int, coordinates: Array, x: Array, active: npt.NDArray[np.int64]) -> int:
    """Move x to the nearest point that keeps every row and bound; `coordinates` has rows LOWER, UPPER and UNIT.

    Returns 0 if x is there. Otherwise x is where it was: the number of conflicting constraints, which `active` (n + 1,)
    names; or FAILED_TO_PROJECT if rounding got in the way.
    """
    if _is_inside(rows, n_equal, coordinates, x):
        return 0
    n, m = x.shape[0], rows.shape[0]
    bounds, free, step, multipliers = np.empty((2, n)), np.empty((m, n + 1)), np.empty(n), np.empty(n + 1)
    near, none, H = x.copy(), np.zeros(n), np.empty((n, n))
    for _ in range(_PASSES):
        _around(rows, coordinates, near, bounds, free)
        H[:, :] = 0.0
        for a in range(n):
            H[a, a] = 1.0
        status, count = solve_quadratic(H, none, free, n_equal, bounds, step, active, multipliers)
        if status != SOLVED:
            return count if status == INFEASIBLE else FAILED_TO_PROJECT
        for c in range(n):
            moved = near[c] + coordinates[UNIT, c] * step[c]
            near[c] = min(max(moved, coordinates[LOWER, c]), coordinates[UPPER, c])
        if _is_inside(rows, n_equal, coordinates, near):
            break
    if not rows_kept(rows, n_equal, near, _NEARLY):
        return FAILED_TO_PROJECT
    copy_into(near, x)
    return 0
