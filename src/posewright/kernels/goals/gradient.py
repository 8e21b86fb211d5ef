"""The cost of a problem and its gradient over x, by forces: no Jacobian, and a time linear in dofs and goals.

Every term pulls its joint by a wrench Gᵀρ (torque and force about the first joint's position); wrenches add up from the
tips to the root, and the slope along a dof is its screw times the wrench that arrives at its joint (Zhao & Badler
1994, section 9, in one pass over the tree).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.goals.residuals import site_error, site_residual
from posewright.kernels.goals.rows import choose, partner_derivative, site_in_world
from posewright.kernels.kinematics.frames import centre_of_mass, place
from posewright.kernels.tables import (
    DIRECTION,
    LINE,
    MASS_LINE,
    MASS_POINT,
    POSITION,
    ROTATION,
    ROWS_PER_TERM,
    Array,
    Table,
)
from posewright.kernels.tree.elimination import screws

ENTRY: Final = np.dtype([("dof", "i8"), ("coordinate", "i8"), ("factor", "f8")], align=True)
"""One number of the matrix of a space: joint groups drive few dofs each, so most are zero."""


class WrenchWork(NamedTuple):
    """Arrays that evaluations reuse."""

    per_joint: Array
    """(joints, 6)"""
    per_term: Array
    """(terms, 12): what it pulls its joint by, and its partner."""
    by_q: Array
    """(dofs,): gradient by q"""
    by_x: Array
    """(coordinates,): the gradient"""


@kernel
def cost_and_gradient(
    tables: DenseTables,
    entries: Table,
    targets: Array,
    reference: Array,
    held: int,
    x: Array,
    point: DenseWork,
    work: WrenchWork,
    errors: Array,
) -> float:
    """Write the gradient (`work.by_x`) and errors of all terms at x; return the cost.

    Args:
        tables: the problem, as one level: weights are what counts.
        entries: what is not zero in the matrix of the space, as ENTRY.
        targets: (terms, TARGET_WIDTH).
        reference: (dofs,) of the posture.
        held: not 0 keeps the alternatives in `point.chosen`; else the cheapest are chosen, the first of equals.
        x: (coordinates,).
        point: frames are written into it.
        work: see above.
        errors: (terms,), m or rad.
    """
    joints, dofs, terms = tables.joints, tables.dofs, tables.terms
    n_dofs = dofs.shape[0]
    q, by_q, by_x = point.q, work.by_q, work.by_x
    copy_into(tables.offset, q)
    for k in range(entries.shape[0]):
        q[entries[k]["dof"]] += entries[k]["factor"] * x[entries[k]["coordinate"]]
    place(joints, dofs, q, point.rotations, point.positions, point.axes)
    screws(joints, dofs, point.positions, point.axes, point.screws)
    _pulls(joints, terms, targets, point.rotations, point.positions, point.rho, work.per_term, errors)
    if held == 0:
        point.chosen[:] = 1
        choose(terms, point.rho, point.chosen)
    cost = _gather(joints, terms, point, work)
    for j in range(joints.shape[0] - 1, -1, -1):
        parent = joints[j]["parent"]
        if parent >= 0:
            for i in range(6):
                work.per_joint[parent, i] += work.per_joint[j, i]
    for d in range(n_dofs):
        j = dofs[d]["joint"]
        total = 0.0
        for i in range(6):
            total += point.screws[d, i] * work.per_joint[j, i]
        off = q[d] - reference[d]
        cost += tables.posture[d] * off * off
        by_q[d] = 2.0 * (total + tables.posture[d] * off)
    for i in range(tables.linear.shape[0]):
        rho = -tables.linear_target[i]
        for d in range(n_dofs):
            rho += tables.linear[i, d] * q[d]
        cost += rho * rho
        for d in range(n_dofs):
            by_q[d] += 2.0 * rho * tables.linear[i, d]
    by_x[:] = 0.0
    for k in range(entries.shape[0]):
        by_x[entries[k]["coordinate"]] += entries[k]["factor"] * by_q[entries[k]["dof"]]
    return cost


@kernel
def _pulls(
    joints: Table,
    terms: Table,
    targets: Array,
    rotations: Array,
    positions: Array,
    rho: Array,
    pulls: Array,
    errors: Array,
) -> None:
    """Write error, residual and wrenches of every term; of one about the centre of mass, the force on it."""
    r, ux, uy, x, gap = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    pr, px, py, y = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    target, local, G, G_partner = np.empty(9), np.empty(3), np.zeros((3, 6)), np.zeros((3, 6))
    for k in range(terms.shape[0]):
        term = terms[k]
        kind, partner, scale = term["kind"], term["partner"], math.sqrt(term["weight"])
        for i in range(9):
            target[i] = targets[k, i]
        if partner >= 0:
            site_in_world(
                rotations, positions, partner, term["partner_point"], term["partner_x"], term["partner_y"], pr, px, py
            )
            for i in range(3):
                y[i] = pr[i] - positions[0, i]
                if kind != DIRECTION and kind != ROTATION:
                    target[i] = pr[i]
                else:
                    target[3 + i], target[6 + i] = px[i], py[i]
        if kind in (MASS_POINT, MASS_LINE):
            centre_of_mass(joints, rotations, positions, r)
            kind = POSITION if kind == MASS_POINT else LINE
        else:
            site_in_world(rotations, positions, term["joint"], term["point"], term["x_axis"], term["y_axis"], r, ux, uy)
        for i in range(3):
            x[i] = r[i] - positions[0, i]
        errors[k] = site_error(kind, term["radius"], target, r, ux, uy, gap)
        rows = site_residual(kind, term["radius"], target, r, ux, uy, x, local, G)
        for m in range(ROWS_PER_TERM):
            rho[term["first"] + m] = scale * local[m] if m < rows else 0.0
        if partner >= 0:
            partner_derivative(kind, term["radius"], y, px, rows, G, G_partner)
        for i in range(6):
            pulls[k, i], pulls[k, 6 + i] = 0.0, 0.0
            for m in range(rows):
                pulls[k, i] += term["weight"] * local[m] * G[m, i]
                if partner >= 0:
                    pulls[k, 6 + i] += term["weight"] * local[m] * G_partner[m, i]


@kernel
def _gather(joints: Table, terms: Table, point: DenseWork, work: WrenchWork) -> float:
    """Add the wrenches of the terms that count to their joints; return what those cost."""
    rotations, positions, per_joint = point.rotations, point.positions, work.per_joint
    per_joint[:, :] = 0.0
    f0, f1, f2 = 0.0, 0.0, 0.0  # on the centre of mass
    cost = 0.0
    for k in range(terms.shape[0]):
        if point.chosen[k] == 0:
            continue
        for m in range(ROWS_PER_TERM):
            cost += point.rho[terms[k]["first"] + m] ** 2
        partner = terms[k]["partner"]
        if terms[k]["kind"] in (MASS_POINT, MASS_LINE):
            f0, f1, f2 = f0 + work.per_term[k, 3], f1 + work.per_term[k, 4], f2 + work.per_term[k, 5]
        else:
            for i in range(6):
                per_joint[terms[k]["joint"], i] += work.per_term[k, i]
        if partner >= 0:
            for i in range(6):
                per_joint[partner, i] += work.per_term[k, 6 + i]
    if f0 != 0.0 or f1 != 0.0 or f2 != 0.0:  # every segment carries its share, at its own centre
        whole = 0.0
        for j in range(joints.shape[0]):
            whole += joints[j]["mass"]
        for j in range(joints.shape[0]):
            share, c = joints[j]["mass"] / whole, joints[j]["centre"]
            R = rotations[j]
            x = positions[j, 0] - positions[0, 0] + R[0, 0] * c[0] + R[0, 1] * c[1] + R[0, 2] * c[2]
            y = positions[j, 1] - positions[0, 1] + R[1, 0] * c[0] + R[1, 1] * c[1] + R[1, 2] * c[2]
            z = positions[j, 2] - positions[0, 2] + R[2, 0] * c[0] + R[2, 1] * c[1] + R[2, 2] * c[2]
            per_joint[j, 0] += share * (y * f2 - z * f1)
            per_joint[j, 1] += share * (z * f0 - x * f2)
            per_joint[j, 2] += share * (x * f1 - y * f0)
            per_joint[j, 3] += share * f0
            per_joint[j, 4] += share * f1
            per_joint[j, 5] += share * f2
    return cost
