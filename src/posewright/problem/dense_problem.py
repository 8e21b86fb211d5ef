"""A lowered problem in the encoding that all dense searches read, and the work arrays of a point."""

from __future__ import annotations

import math

import numpy as np

from posewright.conventions import Array
from posewright.kernels.dense.problem import DenseProblem, Point
from posewright.kernels.goals.terms import RESULT
from posewright.kernels.tables import BALL, SLIDE, Table
from posewright.problem.lowered_problem import LoweredProblem


def dense_problem(lowered: LoweredProblem, *, floor: float = -1.0) -> DenseProblem:
    """The problem over x. Its arrays may be modified, except those of the figure."""
    space, region = lowered.problem.space, lowered.region
    columns = space.columns
    if space.offset[columns].any():  # a coordinate is its dof minus an offset
        columns = columns[:0]
    return DenseProblem(
        joints=lowered.joints,
        dofs=_dofs(lowered),
        terms=lowered.terms.copy(),
        space=np.column_stack([space.matrix, space.offset]),
        columns=columns,
        coordinates=np.stack([region.lower, region.upper, lowered.scale, region.units]),
        linear=np.column_stack([lowered.linear, lowered.linear_target]),
        posture=lowered.posture,
        constraints=region.rows,
        levels=lowered.levels,
        n_equal=region.n_equal,
        floor=floor,
    )


def _dofs(lowered: LoweredProblem) -> Table:
    """The problem's dofs, marked so that rotation vectors that goals compare are not wrapped by full turns.

    Dense steps take limits from the region. In this table, limits only mark balls whose vectors may be wrapped.
    """
    compared = lowered.linear.any(axis=0)
    if not compared.any():
        return lowered.dofs
    dofs = lowered.dofs.copy()
    dofs["lower"][compared], dofs["upper"][compared] = np.finfo(np.float64).min, np.finfo(np.float64).max
    return dofs


def point_of(problem: DenseProblem, *, jacobian: bool = True) -> Point:
    """Work arrays of the sizes that a problem needs."""
    n_joints, n_dofs, rows = len(problem.joints), len(problem.dofs), len(problem.levels) if jacobian else 0
    return Point(
        per_dof=np.zeros((6, n_dofs)),
        rotations=np.zeros((n_joints, 3, 3)),
        positions=np.zeros((n_joints, 3)),
        axes=np.zeros((n_dofs, 3)),
        screws=np.zeros((n_dofs, 6)),
        found=np.zeros((len(problem.terms), RESULT + 1, 6)),
        rho=np.zeros(rows),
        J=np.zeros((rows, problem.coordinates.shape[1])),
    )


def dof_ranges(lowered: LoweredProblem) -> Array:
    """Ranges of random restarts: lowest and highest value of each dof (2, dofs).

    Ranges keep limits; rotations without limits stay within half a turn. Slides without limits and the rotation of a
    free root have no range and stay at the start, because they place the figure and do not bend it.
    """
    dofs, joints = lowered.dofs, lowered.joints[lowered.dofs["joint"]]
    low, high = dofs["lower"].copy(), dofs["upper"].copy()
    floats = (joints["parent"] < 0) & (joints["slides"] == 3)
    turns = (dofs["kind"] != SLIDE) & ~floats
    half = np.where(dofs["kind"] == BALL, 0.5 * math.pi, math.pi)  # three numbers of a ball turn further than one
    high = np.where(turns & np.isinf(high), np.where(np.isinf(low), half, low + 2.0 * half), high)
    low = np.where(turns & np.isinf(low), np.minimum(-half, high - 2.0 * half), low)
    frozen = dofs["scale"] == 0.0
    return np.stack([np.where(frozen, -np.inf, low), np.where(frozen, np.inf, high)])


def coordinate_ranges(lowered: LoweredProblem) -> Array:
    """Ranges of the coordinates (2, coordinates): what the driven dofs allow if a coordinate moves alone."""
    region, space = lowered.region, lowered.problem.space
    dof_low, dof_high = dof_ranges(lowered)
    rows, driving = (space.columns, np.arange(len(space.names))) if len(space.columns) else np.nonzero(space.matrix)
    ends = np.stack([dof_low[rows], dof_high[rows]]) - space.offset[rows]
    ends = np.sort(ends / space.matrix[rows, driving], axis=0)
    low, high = region.lower.copy(), region.upper.copy()
    np.maximum.at(low, driving, ends[0])
    np.minimum.at(high, driving, ends[1])
    bounded = np.isfinite(region.lower) & np.isfinite(region.upper)
    low, high = np.where(bounded, region.lower, low), np.where(bounded, region.upper, high)
    frozen = (lowered.scale == 0.0) | (low > high)
    return np.stack([np.where(frozen, -np.inf, low), np.where(frozen, np.inf, high)])
