"""A problem over the coordinates of an affine space, and what it is at a point: Jacobian, gradient or cost alone.

The one encoding that all dense searches read (`problem.dense_problem` makes it). Layout of the residual: term k owns
the rows 3k to 3k + 2, of which those that it does not use, or all if it does not count, are zero; then linear rows,
then rows of goals in Python. Rows are scaled by the root of the weight, so the cost is ‖ρ‖².
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.goals.residuals import MASS_LINE, MASS_POINT
from posewright.kernels.goals.terms import (
    BY_PARTNER,
    CHOSEN,
    ERROR,
    RESULT,
    ROWS,
    choose,
    evaluate_terms,
    term_cost,
)
from posewright.kernels.kinematics.frames import place
from posewright.kernels.kinematics.jacobians import centre_of_mass_jacobian
from posewright.kernels.tables import ROWS_PER_TERM, Array, Table
from posewright.kernels.tree.elimination import screws

LOWER: Final = 0
"""Rows of `DenseProblem.coordinates`."""
UPPER: Final = 1
SCALE: Final = 2
"""Of the unit, 1 - rigidity: how far a coordinate goes for the effort that moves a plain dof by one."""
UNIT: Final = 3
"""What counts as one: a radian, or the unit of length where a coordinate only slides."""

Q: Final = 0
"""Rows of `Point.per_dof`: the pose, of several frames the last one's."""
BY_Q: Final = 1
"""Three rows of derivatives by q, of the term at hand."""
GRADIENT: Final = 4
STIFFNESS: Final = 5
"""Of the pull towards a reference, where a search has one."""


class DenseProblem(NamedTuple):
    """A problem over coordinates x with q = B x + b, of one frame or of several that share x."""

    joints: Table
    dofs: Table
    terms: Table
    space: Array
    """(frames x dofs, coordinates + 1): B, and b in the last column"""
    columns: npt.NDArray[np.int64]
    """(coordinates,): the dof that each coordinate is, where the space only selects dofs; else empty"""
    coordinates: Array
    """(4, coordinates): rows LOWER, UPPER, SCALE, UNIT"""
    linear: Array
    """(linear rows, dofs + 1), scaled by the root of the weight: residual linear · q - target, targets last"""
    posture: Array
    """(dofs,): weight of the squared distance to the reference"""
    constraints: Array
    """(constraints, coordinates + 1): A x = b in the first `n_equal` rows, A x <= b in the others; b is last"""
    levels: npt.NDArray[np.int64]
    """(rows,): priority of each row of the residual, from 1"""
    n_equal: int
    floor: float
    """Cost at which the first of two levels counts as met; negative if there is one level only"""


class Point(NamedTuple):
    """What is known of a problem at a point, reused from point to point."""

    per_dof: Array
    """(6, dofs): rows Q, BY_Q (3), GRADIENT, STIFFNESS"""
    rotations: Array
    positions: Array
    axes: Array
    screws: Array
    found: Array
    """(terms, 7, 6), as of `goals.terms`"""
    rho: Array
    """(rows,)"""
    J: Array
    """(rows, coordinates)"""

    @property
    def q(self) -> Array:
        """(dofs,)"""
        return np.asarray(self.per_dof[Q])

    @property
    def errors(self) -> Array:
        """(terms,), m or rad"""
        return np.asarray(self.found[:, RESULT, ERROR])

    @property
    def chosen(self) -> npt.NDArray[np.bool_]:
        """(terms,): which terms count"""
        return np.asarray(self.found[:, RESULT, CHOSEN] != 0.0)


@kernel
def evaluate(problem: DenseProblem, targets: Array, x: Array, point: Point) -> None:
    """Write residual, Jacobian by x and errors of all terms and linear rows at x."""
    joints, dofs, terms = problem.joints, problem.dofs, problem.terms
    rotations, positions, J, rho, found = point.rotations, point.positions, point.J, point.rho, point.found
    n_dofs, n_terms, n_linear = dofs.shape[0], terms.shape[0], problem.linear.shape[0]
    q, by_q = point.per_dof[Q], point.per_dof[BY_Q:GRADIENT]
    for i in range(ROWS_PER_TERM * n_terms):
        rho[i] = 0.0
    end = 0
    for frame in range(problem.space.shape[0] // max(n_dofs, 1)):
        first = end
        while end < n_terms and terms[end]["block"] == frame:
            end += 1
        decode(problem, frame, x, q)
        place(joints, dofs, q, rotations, positions, point.axes)
        screws(joints, dofs, positions, point.axes, point.screws)
        evaluate_terms(joints, terms[first:end], targets[first:end], rotations, positions, found[first:end])
        choose(terms[first:end], found[first:end])
        for k in range(first, end):
            by_q[:, :] = 0.0
            rows = int(found[k, RESULT, ROWS] * found[k, RESULT, CHOSEN])
            if terms[k]["kind"] in (MASS_POINT, MASS_LINE):
                add_mass(problem, point, k, rows)
            else:
                add_chain(joints, terms[k]["joint"], point.screws, found[k, :BY_PARTNER], rows, by_q)
            if terms[k]["partner"] >= 0:
                add_chain(joints, terms[k]["partner"], point.screws, found[k, BY_PARTNER:RESULT], rows, by_q)
            scale = math.sqrt(terms[k]["weight"])
            for m in range(ROWS_PER_TERM):
                if m < rows:
                    rho[ROWS_PER_TERM * k + m] = scale * found[k, RESULT, m]
                by_coordinates(problem, frame, scale, by_q[m], J[ROWS_PER_TERM * k + m])
    for i in range(n_linear):
        row = problem.linear[i]
        total = -row[n_dofs]
        for d in range(n_dofs):
            total += row[d] * q[d]
        rho[ROWS_PER_TERM * n_terms + i] = total
        by_coordinates(problem, 0, 1.0, row, J[ROWS_PER_TERM * n_terms + i])


@kernel
def decode(problem: DenseProblem, frame: int, x: Array, q: Array) -> None:
    """Write the pose of a frame."""
    space, columns, n_dofs, n = problem.space, problem.columns, q.shape[0], x.shape[0]
    selects = columns.shape[0] > 0
    for d in range(n_dofs):
        row = space[frame * n_dofs + d]
        q[d] = row[n]
        for c in range(0 if selects else n):
            q[d] += row[c] * x[c]
    for c in range(columns.shape[0]):
        q[columns[c]] = x[c]


@kernel
def by_coordinates(problem: DenseProblem, frame: int, scale: float, by_q: Array, by_x: Array) -> None:
    """Write what a derivative (dofs,) by the q of a frame, times `scale`, is by x (coordinates,)."""
    space, columns, n_dofs = problem.space, problem.columns, problem.dofs.shape[0]
    for c in range(by_x.shape[0]):
        by_x[c] = scale * by_q[columns[c]] if columns.shape[0] > 0 else 0.0
    for d in range(0 if columns.shape[0] > 0 else n_dofs):
        if by_q[d] != 0.0:
            row, factor = space[frame * n_dofs + d], scale * by_q[d]
            for c in range(by_x.shape[0]):
                by_x[c] += factor * row[c]


@kernel
def add_chain(joints: Table, joint: int, S: Array, G: Array, rows: int, by_q: Array) -> None:
    """Add the rows of a twist derivative to the columns of the dofs from the joint up to its root."""
    j = joint
    while j >= 0 and rows > 0:
        low = joints[j]["first"]
        high = low + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for d in range(low, high):
            for m in range(rows):
                by_q[m, d] += (G[m, 0] * S[d, 0] + G[m, 1] * S[d, 1] + G[m, 2] * S[d, 2]) + (
                    G[m, 3] * S[d, 3] + G[m, 4] * S[d, 4] + G[m, 5] * S[d, 5]
                )
        j = joints[j]["parent"]


@kernel
def add_mass(problem: DenseProblem, point: Point, k: int, rows: int) -> None:
    """The derivative of a term about the centre of mass, which every dof may move."""
    n_dofs, G, by_q = problem.dofs.shape[0], point.found[k], point.per_dof[BY_Q:GRADIENT]
    mass_J = np.zeros((3, n_dofs))
    centre_of_mass_jacobian(problem.joints, problem.dofs, point.rotations, point.positions, point.axes, mass_J)
    for m in range(rows):
        for i in range(3):
            for d in range(n_dofs):
                by_q[m, d] += G[m, 3 + i] * mass_J[i, d]


@kernel
def cost_and_gradient(
    problem: DenseProblem,
    targets: Array,
    reference: Array,
    held: int,
    x: Array,
    point: Point,
    wrenches: Array,
    by_x: Array,
) -> float:
    """Write the gradient (coordinates,) of all goals of one frame at x; return the cost. Levels do not count.

    No Jacobian is made, so the time is linear in dofs and goals: every term pulls its joint by a wrench Gᵀρ, wrenches
    add up from the tips to the root, and the slope along a dof is its screw times the wrench that arrives at its joint
    (Zhao & Badler 1994, section 9, in one pass over the tree).

    Args:
        problem: of one frame.
        targets: (terms, TARGET_WIDTH).
        reference: (dofs,) of the posture.
        held: not 0 keeps the alternatives that count; else the cheapest are chosen.
        x: (coordinates,).
        point: frames and terms are written into it.
        wrenches: (joints, 6), scratch.
        by_x: the gradient.
    """
    joints, dofs, terms, found = problem.joints, problem.dofs, problem.terms, point.found
    posture, linear, n_dofs = problem.posture, problem.linear, problem.dofs.shape[0]
    q, by_q = point.per_dof[Q], point.per_dof[GRADIENT]
    decode(problem, 0, x, q)
    place(joints, dofs, q, point.rotations, point.positions, point.axes)
    screws(joints, dofs, point.positions, point.axes, point.screws)
    evaluate_terms(joints, terms, targets, point.rotations, point.positions, found)
    if held == 0:
        choose(terms, found)
    cost = _gather_wrenches(problem, point, wrenches)
    for d in range(n_dofs):
        total, j = 0.0, dofs[d]["joint"]
        for i in range(6):
            total += point.screws[d, i] * wrenches[j, i]
        off = q[d] - reference[d]
        cost += posture[d] * off * off
        by_q[d] = 2.0 * (total + posture[d] * off)
    for i in range(linear.shape[0]):
        row = linear[i]
        rho = -row[n_dofs]
        for d in range(n_dofs):
            rho += row[d] * q[d]
        cost += rho * rho
        for d in range(n_dofs):
            by_q[d] += 2.0 * rho * row[d]
    by_coordinates(problem, 0, 1.0, by_q, by_x)
    return cost


@kernel
def _gather_wrenches(problem: DenseProblem, point: Point, wrenches: Array) -> float:
    """Write the wrench that arrives at each joint from the terms that count; return what these cost."""
    joints, terms, found = problem.joints, problem.terms, point.found
    force = np.zeros(3)  # on the centre of mass
    wrenches[:, :] = 0.0
    cost, pulled = 0.0, False
    for k in range(terms.shape[0]):
        if found[k, RESULT, CHOSEN] == 0.0:
            continue
        cost += term_cost(terms, found, k)
        joint, partner = terms[k]["joint"], terms[k]["partner"]
        of_mass = terms[k]["kind"] in (MASS_POINT, MASS_LINE)
        pulled = pulled or of_mass
        for m in range(int(found[k, RESULT, ROWS])):
            pull = terms[k]["weight"] * found[k, RESULT, m]
            for i in range(6):
                if not of_mass:
                    wrenches[joint, i] += pull * found[k, m, i]
                elif i >= 3:
                    force[i - 3] += pull * found[k, m, i]
                if partner >= 0:
                    wrenches[partner, i] += pull * found[k, BY_PARTNER + m, i]
    if pulled:
        _share_force(joints, point.rotations, point.positions, force, wrenches)
    for j in range(joints.shape[0] - 1, -1, -1):
        parent = joints[j]["parent"]
        if parent >= 0:
            for i in range(6):
                wrenches[parent, i] += wrenches[j, i]
    return cost


@kernel
def _share_force(joints: Table, rotations: Array, positions: Array, force: Array, wrenches: Array) -> None:
    """Let every segment carry its share of a force on the centre of mass, at its own centre."""
    whole, f0, f1, f2 = 0.0, force[0], force[1], force[2]
    x = np.empty(3)
    for j in range(joints.shape[0]):
        whole += joints[j]["mass"]
    for j in range(joints.shape[0]):
        share, c, R = joints[j]["mass"] / whole, joints[j]["centre"], rotations[j]
        for i in range(3):
            x[i] = positions[j, i] - positions[0, i] + R[i, 0] * c[0] + R[i, 1] * c[1] + R[i, 2] * c[2]
            wrenches[j, 3 + i] += share * force[i]
        wrenches[j, 0] += share * (x[1] * f2 - x[2] * f1)
        wrenches[j, 1] += share * (x[2] * f0 - x[0] * f2)
        wrenches[j, 2] += share * (x[0] * f1 - x[1] * f0)


@kernel
def cost_at(problem: DenseProblem, targets: Array, reference: Array, x: Array, point: Point) -> float:
    """What a point x (coordinates,) costs, without derivatives."""
    joints, dofs, terms, posture, linear = problem.joints, problem.dofs, problem.terms, problem.posture, problem.linear
    q, n_dofs = point.per_dof[Q], problem.dofs.shape[0]
    decode(problem, 0, x, q)
    place(joints, dofs, q, point.rotations, point.positions, point.axes[:0])
    evaluate_terms(joints, terms, targets, point.rotations, point.positions, point.found)
    choose(terms, point.found)
    cost = 0.0
    for k in range(terms.shape[0]):
        if point.found[k, RESULT, CHOSEN] != 0.0:
            cost += term_cost(terms, point.found, k)
    for k in range(linear.shape[0]):
        row = linear[k]
        rho = -row[n_dofs]
        for d in range(n_dofs):
            rho += row[d] * q[d]
        cost += rho * rho
    for d in range(n_dofs):
        gap = q[d] - reference[d]
        cost += posture[d] * gap * gap
    return cost


@kernel
def copy_errors(found: Array, errors: Array) -> None:
    """Write the errors (terms,) out of `Point.found`."""
    for k in range(errors.shape[0]):
        errors[k] = found[k, RESULT, ERROR]


@kernel
def freeze(problem: DenseProblem, start: Array) -> None:
    """Hold every coordinate of scale 0 at its start."""
    coordinates = problem.coordinates
    for c in range(start.shape[0]):
        if coordinates[SCALE, c] == 0.0:
            coordinates[LOWER, c], coordinates[UPPER, c] = start[c], start[c]
