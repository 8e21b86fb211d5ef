"""All terms of a problem at one pose: residuals, errors, and the dense Jacobian by `q` where it is wanted.

Layout: term k owns the rows `first` to `first + ROWS_PER_TERM` of the residual; rows that it does not use, and all
rows of an alternative that is not chosen, are zero. Rows are scaled by the root of the weight, so the cost is ‖ρ‖².
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import site_error, site_residual
from posewright.kernels.kinematics.frames import centre_of_mass
from posewright.kernels.kinematics.jacobians import centre_of_mass_jacobian
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


@kernel
def evaluate_terms(
    joints: Table,
    dofs: Table,
    terms: Table,
    targets: Array,
    rotations: Array,
    positions: Array,
    axes: Array,
    S: Array,
    chosen: npt.NDArray[np.int8],
    errors: Array,
    rho: Array,
    J: Array,
) -> float:
    """Write residual (rows,), errors (terms,) and, unless J is empty, J (rows, dofs); return Σ weight‖ρ‖².

    Args:
        joints: the figure.
        dofs: the figure.
        terms: what is wanted.
        targets: (terms, TARGET_WIDTH).
        rotations: world frames at this pose, as are `positions` and `axes`.
        positions: see above.
        axes: see above.
        S: screws (dofs, 6) about the first joint's position.
        chosen: (terms,), written: whether a term counts, which of alternatives only the nearest does.
        errors: (terms,), m or rad.
        rho: (rows,).
        J: (rows, dofs) or empty.
    """
    n_terms, n_dofs = terms.shape[0], dofs.shape[0]
    wanted = J.shape[0] > 0
    r, ux, uy, x, gap = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    pr, px, py, y = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    target, local, G, G_partner = np.empty(9), np.empty(3), np.zeros((3, 6)), np.zeros((3, 6))
    mass_J = np.empty((0, 0))
    rho[:] = 0.0
    if wanted:
        J[:, :] = 0.0
    total = 0.0
    for k in range(n_terms):
        term = terms[k]
        kind = term["kind"]
        for i in range(9):
            target[i] = targets[k, i]
        partner = term["partner"]
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
        on_mass = kind in (MASS_POINT, MASS_LINE)
        if on_mass:
            centre_of_mass(joints, rotations, positions, r)
            kind = POSITION if kind == MASS_POINT else LINE
        else:
            site_in_world(rotations, positions, term["joint"], term["point"], term["x_axis"], term["y_axis"], r, ux, uy)
        for i in range(3):
            x[i] = r[i] - positions[0, i]
        errors[k] = site_error(kind, term["radius"], target, r, ux, uy, gap)
        rows = site_residual(kind, term["radius"], target, r, ux, uy, x, local, G)
        scale = math.sqrt(term["weight"])
        first = term["first"]
        for m in range(rows):
            rho[first + m] = scale * local[m]
        chosen[k] = 1
        if not wanted or rows == 0:
            continue
        if on_mass:
            if mass_J.shape[0] == 0:
                mass_J = np.zeros((3, n_dofs))
                centre_of_mass_jacobian(joints, dofs, rotations, positions, axes, mass_J)
            for m in range(rows):
                for d in range(n_dofs):
                    for i in range(3):
                        J[first + m, d] += scale * G[m, 3 + i] * mass_J[i, d]
        else:
            _add_chain(joints, term["joint"], S, scale, G, rows, first, J)
        if partner >= 0:
            partner_derivative(kind, term["radius"], y, px, rows, G, G_partner)
            _add_chain(joints, partner, S, scale, G_partner, rows, first, J)
    choose(terms, rho, chosen)
    for k in range(n_terms):
        first = terms[k]["first"]
        if not chosen[k]:
            rho[first : first + ROWS_PER_TERM] = 0.0
            if wanted:
                J[first : first + ROWS_PER_TERM] = 0.0
        for m in range(ROWS_PER_TERM):
            total += rho[first + m] ** 2
    return total


@kernel
def site_in_world(
    rotations: Array, positions: Array, j: int, p: Array, u: Array, v: Array, r: Array, ux: Array, uy: Array
) -> None:
    """Write the point and the two directions of a site that rides on joint j."""
    for i in range(3):
        r0, r1, r2 = rotations[j, i, 0], rotations[j, i, 1], rotations[j, i, 2]
        r[i] = positions[j, i] + r0 * p[0] + r1 * p[1] + r2 * p[2]
        ux[i] = r0 * u[0] + r1 * u[1] + r2 * u[2]
        uy[i] = r0 * v[0] + r1 * v[1] + r2 * v[2]


@kernel
def _add_chain(joints: Table, joint: int, S: Array, scale: float, G: Array, rows: int, first: int, J: Array) -> None:
    """Add the rows of a twist derivative to the columns of the dofs from the joint up to its root."""
    j = joint
    while j >= 0:
        low = joints[j]["first"]
        high = low + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for d in range(low, high):
            for m in range(rows):
                J[first + m, d] += scale * (
                    (G[m, 0] * S[d, 0] + G[m, 1] * S[d, 1] + G[m, 2] * S[d, 2])
                    + (G[m, 3] * S[d, 3] + G[m, 4] * S[d, 4] + G[m, 5] * S[d, 5])
                )
        j = joints[j]["parent"]


@kernel
def partner_derivative(kind: int, c: float, y: Array, px: Array, rows: int, G: Array, out: Array) -> None:
    """Derivative by the partner's twist: what the site's own motion does, the partner's undoes."""
    for m in range(rows):
        if kind == ROTATION:  # turning the wanted axes: by the inverse left Jacobian, the transposed right one
            for i in range(3):
                out[m, i], out[m, 3 + i] = -G[i, m], 0.0
        elif kind == DIRECTION:
            for i in range(6):
                out[m, i] = 0.0
        else:
            a0, a1, a2 = -G[m, 3], -G[m, 4], -G[m, 5]
            out[m, 0], out[m, 1], out[m, 2] = y[1] * a2 - y[2] * a1, y[2] * a0 - y[0] * a2, y[0] * a1 - y[1] * a0
            out[m, 3], out[m, 4], out[m, 5] = a0, a1, a2
    if kind == DIRECTION:  # ρ = c (u - px)
        out[0, 1], out[0, 2] = -c * px[2], c * px[1]
        out[1, 0], out[1, 2] = c * px[2], -c * px[0]
        out[2, 0], out[2, 1] = -c * px[1], c * px[0]


@kernel
def choose(terms: Table, rho: Array, chosen: npt.NDArray[np.int8]) -> None:
    """Of each disjunction keep the alternative of least cost, the first of equals."""
    n = terms.shape[0]
    for k in range(n):
        choice = terms[k]["choice"]
        if choice < 0:
            continue
        best, best_cost = 0, math.inf
        branch = 0
        while True:  # branches of one choice are numbered from 0
            found, cost = False, 0.0
            for i in range(n):
                if terms[i]["choice"] == choice and terms[i]["branch"] == branch:
                    found = True
                    first = terms[i]["first"]
                    for m in range(ROWS_PER_TERM):
                        cost += rho[first + m] ** 2
            if not found:
                break
            if cost < best_cost:
                best, best_cost = branch, cost
            branch += 1
        chosen[k] = 1 if terms[k]["branch"] == best else 0


@kernel
def within_tolerance(terms: Table, chosen: npt.NDArray[np.int8], errors: Array) -> bool:
    """Whether every term that counts is met."""
    met = True
    for k in range(terms.shape[0]):
        met = met and (chosen[k] == 0 or errors[k] <= terms[k]["tolerance"])
    return met
