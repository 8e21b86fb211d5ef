"""What poses cost, many in one call: the weighted sum of squares of all goals, and whether each is within tolerance.

No derivatives: forward kinematics and residuals alone, so the cost of a call is linear in poses and in dofs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.rows import evaluate_terms, within_tolerance
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Array, Table


class CrowdTables(NamedTuple):
    """A problem over coordinates x with q = matrix · x + offset."""

    joints: Table
    dofs: Table
    terms: Table
    columns: npt.NDArray[np.int64]
    """(coordinates,): the dof that each coordinate is, where the space only selects dofs; else empty."""
    matrix: Array
    """(dofs, coordinates)"""
    offset: Array
    """(dofs,)"""
    linear: Table
    """ROW of `particles`: residuals Σ factor q[column] - bound."""
    linear_entries: Table
    posture: Array
    """(dofs,): weight of the squared distance to the reference; empty if there is none."""


class CrowdWork(NamedTuple):
    """Arrays that are used again from pose to pose."""

    q: Array
    rotations: Array
    positions: Array
    chosen: npt.NDArray[np.int8]
    rho: Array
    no_axes: Array
    no_screws: Array
    no_jacobian: Array


@kernel
def measure(
    tables: CrowdTables,
    targets: Array,
    reference: Array,
    x: Array,
    work: CrowdWork,
    costs: Array,
    met: npt.NDArray[np.int8],
    errors: Array,
) -> None:
    """Write the cost of each pose and whether all its terms are met.

    Args:
        tables: the problem.
        targets: (terms, TARGET_WIDTH).
        reference: (dofs,), of posture goals.
        x: (poses, coordinates).
        work: scratch.
        costs: (poses,), written: Σ weight‖ρ‖².
        met: (poses,), written.
        errors: (terms,), written: of the last pose, m or rad.
    """
    q = work.q
    selects = tables.columns.shape[0] > 0
    for i in range(x.shape[0]):
        for d in range(q.shape[0]):
            q[d] = tables.offset[d]
        for c in range(x.shape[1]):
            if selects:
                q[tables.columns[c]] = x[i, c]
            else:
                for d in range(q.shape[0]):
                    q[d] += tables.matrix[d, c] * x[i, c]
        place(tables.joints, tables.dofs, q, work.rotations, work.positions, work.no_axes)
        cost = evaluate_terms(
            tables.joints, tables.dofs, tables.terms, targets, work.rotations, work.positions, work.no_axes,
            work.no_screws, work.chosen, errors, work.rho, work.no_jacobian,
        )  # fmt: skip
        met[i] = 1 if within_tolerance(tables.terms, work.chosen, errors) else 0
        for k in range(tables.linear.shape[0]):
            row = tables.linear[k]
            total = -row["bound"]
            for e in range(row["entry"], row["entry_end"]):
                total += tables.linear_entries[e]["factor"] * q[tables.linear_entries[e]["column"]]
            cost += total * total
        for d in range(tables.posture.shape[0]):
            cost += tables.posture[d] * (q[d] - reference[d]) ** 2
        costs[i] = cost
