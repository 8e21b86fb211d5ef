"""Turning a short chain of joints so that its last segment has a wanted orientation, in every frame.

The dofs are `matrix · c + offset`: the identity for a plain joint, few columns for a spine that bends as one. A
damped Gauss-Newton step solves `(JᵀJ + μ) dc = Jᵀ e`, e the rotation vector still missing; coordinates at a limit
that push outwards rest. Each frame starts from the last, which keeps angles continuous past any turn.
"""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.frames import place
from posewright.kernels.kinematics.rotations import log_vector, times_transposed, transposed_times
from posewright.kernels.tables import Array, Table

_DAMPING = 1e-7
_ITERATIONS = 60
_ENOUGH = 1e-11  # rad


@kernel
def solve_in_place(H: Array, g: Array, n: int) -> None:
    """Replace g (n,) by H⁻¹ g for a small symmetric positive definite H; both are overwritten."""
    for i in range(n):
        for j in range(i + 1, n):
            factor = H[j, i] / H[i, i]
            for k in range(i, n):
                H[j, k] -= factor * H[i, k]
            g[j] -= factor * g[i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            g[i] -= H[i, k] * g[k]
        g[i] /= H[i, i]


@kernel
def fit_rotation_all(
    joints: Table,
    dofs: Table,
    matrix: Array,
    offset: Array,
    limits: Array,
    turns: Array,
    coordinates: Array,
    missing: Array,
) -> None:
    """Coordinates (frames, n) that turn the chain's last joint as wanted, and what is missing (frames, 3), rad.

    Args:
        joints: the chain alone, each the child of the one before; its slides must be none.
        dofs: the dofs of those joints.
        matrix: (dofs, n).
        offset: (dofs,), rad.
        limits: (2, n), lower and upper, of the coordinates.
        turns: (2, frames, 3, 3), in the world: of the first joint's parent, and wanted of the last joint.
        coordinates: (frames, n) out; the first row is where the search starts.
        missing: (frames, 3) out: world rotation vector from what was reached to what was wanted.
    """
    n_joints, n_dofs, n = joints.shape[0], dofs.shape[0], limits.shape[1]
    lower, upper, bases, targets = limits[0], limits[1], turns[0], turns[1]
    rotations, positions, axes = np.empty((n_joints, 3, 3)), np.empty((n_joints, 3)), np.empty((n_dofs, 3))
    q, c = np.empty(n_dofs), coordinates[0].copy()
    J, H, g = np.empty((3, n)), np.empty((n, n)), np.empty(n)
    wanted, missed, e = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    free = np.empty(n, np.int64)
    for frame in range(targets.shape[0]):
        transposed_times(bases[frame], targets[frame], wanted)  # as seen from the base, on which the chain stands
        for iteration in range(_ITERATIONS + 1):
            for d in range(n_dofs):
                q[d] = offset[d]
                for k in range(n):
                    q[d] += matrix[d, k] * c[k]
            place(joints, dofs, q, rotations, positions, axes)
            times_transposed(wanted, rotations[n_joints - 1], missed)
            angle = log_vector(missed, e)
            if angle < _ENOUGH or iteration == _ITERATIONS:
                break
            n_free = 0
            for k in range(n):
                for i in range(3):
                    J[i, k] = 0.0
                    for d in range(n_dofs):
                        J[i, k] += axes[d, i] * matrix[d, k]
                slope = J[0, k] * e[0] + J[1, k] * e[1] + J[2, k] * e[2]
                if not ((c[k] <= lower[k] and slope < 0.0) or (c[k] >= upper[k] and slope > 0.0)):
                    free[n_free] = k
                    g[n_free] = slope
                    n_free += 1
            if n_free == 0:
                break
            for i in range(n_free):
                for j in range(n_free):
                    H[i, j] = _DAMPING if i == j else 0.0
                    for k in range(3):
                        H[i, j] += J[k, free[i]] * J[k, free[j]]
            solve_in_place(H, g, n_free)
            largest = 0.0
            for i in range(n_free):
                largest = max(largest, abs(g[i]))
            shrink = min(1.0, 0.5 / largest) if largest > 0.0 else 1.0
            moved = 0.0
            for i in range(n_free):
                k = free[i]
                before = c[k]
                c[k] = min(upper[k], max(lower[k], before + shrink * g[i]))
                moved = max(moved, abs(c[k] - before))
            if moved < 1e-11:
                break
        coordinates[frame] = c
        for i in range(3):
            missing[frame, i] = bases[frame, i, 0] * e[0] + bases[frame, i, 1] * e[1] + bases[frame, i, 2] * e[2]
