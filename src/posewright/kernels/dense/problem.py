"""A problem over the coordinates of an affine space: its tables, the arrays of a search, and its evaluation at a point.

What the dense searches share (`least_squares_dense`, `prioritized`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.goals.rows import evaluate_terms
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Table
from posewright.kernels.tree.elimination import screws


class DenseTables(NamedTuple):
    """A problem over coordinates x with q = matrix · x + offset, of one frame or of several that share x."""

    joints: Table
    dofs: Table
    terms: Table
    matrix: Array
    """(frames x dofs, coordinates)"""
    offset: Array
    """(frames x dofs,)"""
    columns: npt.NDArray[np.int64]
    """(coordinates,): the dof that each coordinate is, where the space only selects dofs; else empty."""
    levels: npt.NDArray[np.int64]
    """(rows,): from 1; rows of terms, then of `linear`, then of goals in Python."""
    linear: Array
    """(linear rows, dofs), scaled by the root of the weight: residual linear · q - linear_target."""
    linear_target: Array
    posture: Array
    """(dofs,): weight of the squared distance to the reference."""
    A: Array
    """(constraints, coordinates): equalities first, rows of unit length."""
    b: Array
    n_equal: int
    lower: Array
    """(coordinates,)"""
    upper: Array
    ranges: Array
    """(2, coordinates): of random restarts."""
    scale: Array
    """(coordinates,): 1 - rigidity."""
    floor: float
    """Cost of the first level at which it counts as met."""


class DenseWork(NamedTuple):
    """Arrays that a search reuses from iteration to iteration."""

    q: Array
    rotations: Array
    positions: Array
    axes: Array
    screws: Array
    chosen: npt.NDArray[np.int8]
    rho: Array
    J_q: Array
    J: Array
    start: Array
    best: Array
    saved: Array
    d: Array
    D: Array
    held: npt.NDArray[np.int8]
    """(2, coordinates): bounds that held the last step of each level, as of `held_bounds`."""


@kernel
def evaluate(tables: DenseTables, targets: Array, x: Array, work: DenseWork, errors: Array) -> None:
    """Write residual, Jacobian by x and errors of all terms and linear rows at x; `work.q` is the last frame's."""
    n_dofs, n, n_terms = tables.dofs.shape[0], tables.matrix.shape[1], tables.terms.shape[0]
    q, J_q, J, rho = work.q, work.J_q, work.J, work.rho
    selects = tables.columns.shape[0] == n
    first, end = 0, 0
    for frame in range(tables.offset.shape[0] // max(n_dofs, 1)):
        block = frame * n_dofs
        copy_into(tables.offset[block : block + n_dofs], q)
        for c in range(n):
            if selects:
                q[tables.columns[c]] = x[c]
            else:
                for d in range(n_dofs):
                    q[d] += tables.matrix[block + d, c] * x[c]
        while end < n_terms and tables.terms[end]["block"] == frame:
            end += 1
        place(tables.joints, tables.dofs, q, work.rotations, work.positions, work.axes)
        screws(tables.joints, tables.dofs, work.positions, work.axes, work.screws)
        evaluate_terms(
            tables.joints, tables.dofs, tables.terms[first:end], targets[first:end], work.rotations, work.positions,
            work.axes, work.screws, work.chosen[first:end], errors[first:end], rho[3 * first : 3 * end],
            J_q[3 * first : 3 * end],
        )  # fmt: skip
        for i in range(3 * first, 3 * end):
            _by_coordinates(tables, block, J_q[i], J[i])
        first = end
    rows = 3 * n_terms
    for i in range(tables.linear.shape[0]):
        total = -tables.linear_target[i]
        for d in range(n_dofs):
            total += tables.linear[i, d] * q[d]
            J_q[rows + i, d] = tables.linear[i, d]
        rho[rows + i] = total
        _by_coordinates(tables, 0, J_q[rows + i], J[rows + i])


@kernel
def _by_coordinates(tables: DenseTables, block: int, by_q: Array, by_x: Array) -> None:
    """Write what a derivative (dofs,) by the q of a frame is by x (coordinates,)."""
    n_dofs, n = by_q.shape[0], by_x.shape[0]
    for c in range(n):
        if tables.columns.shape[0] == n:
            by_x[c] = by_q[tables.columns[c]]
        else:
            total = 0.0
            for d in range(n_dofs):
                total += by_q[d] * tables.matrix[block + d, c]
            by_x[c] = total


@kernel
def freeze(tables: DenseTables, start: Array) -> None:
    """Hold every coordinate of scale 0 at its start."""
    for c in range(start.shape[0]):
        if tables.scale[c] == 0.0:
            tables.lower[c], tables.upper[c] = start[c], start[c]
            tables.ranges[0, c] = -np.inf
