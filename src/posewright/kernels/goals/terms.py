"""The terms of a problem at one pose: residual, derivative by twists and error of each, written once for all who ask.

Jacobians, gradients and costs (`kernels.dense.problem`) are short sums over what is found here. Per term there is a
block of 7 x 6 numbers: the twist derivative of the residual, that by the twist of the site that is the target (if it is
on the figure), and a row of results. Twists are about the first joint's position; nothing is weighted yet.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import (
    DIRECTION,
    LINE,
    MASS_LINE,
    MASS_POINT,
    POSITION,
    ROTATION,
    site_error,
    site_residual,
)
from posewright.kernels.kinematics.frames import centre_of_mass, place, site_in_world
from posewright.kernels.tables import Array, Table

BY_PARTNER: Final = 3
"""First row of the derivative by the partner's twist."""
RESULT: Final = 6
"""Row of results: three residuals, then these."""
ERROR: Final = 3
"""m or rad"""
ROWS: Final = 4
"""How many of the residuals there are."""
CHOSEN: Final = 5
"""1, or 0 for an alternative that does not count."""


@kernel
def evaluate_terms(
    joints: Table, terms: Table, targets: Array, rotations: Array, positions: Array, found: Array
) -> None:
    """Write what each term is at a pose; `choose` says which alternatives count.

    Args:
        joints: the figure.
        terms: what is wanted.
        targets: (terms, TARGET_WIDTH).
        rotations: world frames at this pose, as are `positions`.
        positions: see above.
        found: (terms, 7, 6), see above.
    """
    vectors, target = np.empty((9, 3)), np.empty(9)
    r, ux, uy, x, scratch = vectors[0], vectors[1], vectors[2], vectors[3], vectors[8]
    pr, px, py, y = vectors[4], vectors[5], vectors[6], vectors[7]
    for k in range(terms.shape[0]):
        term = terms[k]
        kind, partner, radius = term["kind"], term["partner"], term["radius"]
        G, result = found[k, :BY_PARTNER], found[k, RESULT]
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
        rows = site_residual(kind, radius, target, r, ux, uy, x, result, G)
        result[ERROR] = site_error(kind, radius, target, r, ux, uy, scratch)
        result[ROWS] = rows
        if partner >= 0:
            _by_partner(kind, radius, y, px, rows, G, found[k, BY_PARTNER:RESULT])


@kernel
def _by_partner(kind: int, c: float, y: Array, px: Array, rows: int, G: Array, out: Array) -> None:
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
def choose(terms: Table, found: Array) -> None:
    """Of each disjunction let the alternative of least cost count, the first of equals; all other terms do."""
    n = terms.shape[0]
    for k in range(n):
        choice, best, best_cost, branch = terms[k]["choice"], terms[k]["branch"], math.inf, 0
        while choice >= 0:  # branches of one choice are numbered from 0
            exists, cost = False, 0.0
            for i in range(n):
                if terms[i]["choice"] == choice and terms[i]["branch"] == branch:
                    exists = True
                    cost += term_cost(terms, found, i)
            if not exists:
                break
            if cost < best_cost:
                best, best_cost = branch, cost
            branch += 1
        found[k, RESULT, CHOSEN] = 1.0 if terms[k]["branch"] == best else 0.0


@kernel
def term_cost(terms: Table, found: Array, k: int) -> float:
    """Weight times ‖ρ‖² of a term, whether it counts or not."""
    weight, total = float(terms[k]["weight"]), 0.0
    for m in range(int(found[k, RESULT, ROWS])):
        total += weight * found[k, RESULT, m] * found[k, RESULT, m]
    return total


@kernel
def within_tolerance(terms: Table, found: Array) -> bool:
    """Whether every term that counts is met."""
    met = True
    for k in range(terms.shape[0]):
        met = met and (found[k, RESULT, CHOSEN] == 0.0 or found[k, RESULT, ERROR] <= terms[k]["tolerance"])
    return met


@kernel
def clip_errors(
    joints: Table, dofs: Table, terms: Table, targets: Array, q: Array, errors: Array, chosen: Array
) -> None:
    """Write the errors (frames, terms), m or rad, at poses (frames, dofs), and 1 for the terms that count.

    Targets are (frames, terms, TARGET_WIDTH).
    """
    n = joints.shape[0]
    rotations, positions, no_axes = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((0, 3))
    found = np.empty((terms.shape[0], RESULT + 1, 6))
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions, no_axes)
        evaluate_terms(joints, terms, targets[frame], rotations, positions, found)
        choose(terms, found)
        for k in range(terms.shape[0]):
            errors[frame, k], chosen[frame, k] = found[k, RESULT, ERROR], found[k, RESULT, CHOSEN]
