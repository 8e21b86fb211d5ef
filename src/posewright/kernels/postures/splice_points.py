"""A whole splice for sites wanted at points or turned some way, among some thousand postures: one call per drag.

First the root is settled by the postures nearest to all that is wanted, points as seen from the floor, then the body is
divided by which limbs reach, then each part is combined from the postures nearest to what is wanted of it, as seen from
the root. The same as `models.splicing` does step by step for goals of any kind.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.postures.blending import blend, take_apart
from posewright.kernels.postures.few import Indices, Singles, nearest_rows
from posewright.kernels.postures.splicing import quaternion_of, rotation_vector, weigh
from posewright.kernels.rotations import exp_matrix, multiply
from posewright.kernels.tables import Array, Table

UNKNOWN: Final = -1
"""A division of the body that the tables do not have yet."""
MORE: Final = 3
"""Neighbours beyond those that the equations need."""


class PointTables(NamedTuple):
    """What does not depend on where the points are and where directions show; there are P and D of them."""

    columns: Singles
    """(columns, postures): where sites are over the floor (m), then the root if a goal places it, then axes of sites
    seen from the root, then where sites are seen from it; three columns each"""
    squares: Singles
    """(postures,) is scratch"""
    postures: Array
    """(postures, dofs)"""
    turns: Array
    """(postures, joints, 4): rotations of all joints, wxyz"""
    joints: Table
    dofs: Table
    root: Indices
    """(1,): the joint; three slides along the axes, then a ball or three hinges, each perpendicular to the next"""
    rows: Indices
    """(P + 1,): rows of targets; the last is of the goal that places the root, or -1"""
    ways: Indices
    """(D, 2): rows of targets, and where in the row the direction begins"""
    held: Array
    """(3,), m: the point of the root that this goal is about"""
    point: Array
    """(3,), m: where the root is in the start"""
    rotation: Array
    """(3, 3): how it is turned there"""
    turn: Array
    """(3, 3): its heading there"""
    scale: Singles
    """(columns,): of a length one over the figure's reach, of a direction 1"""
    bases: Array
    """(P, 2, 3), m: where limb and spine begin, seen from the root"""
    reaches: Array
    """(P, 2), m²: how far they reach, squared; negative: there is none"""
    levels: npt.NDArray[np.int8]
    """(P,): gets what reaches each point: 0 the limb, 1 limb and spine, 2 the whole body"""
    start: Array
    """(dofs,)"""
    kept: Indices
    """dofs that stay as in the start"""


class DivisionTables(NamedTuple):
    """The divisions of the body that have been needed so far."""

    levels: npt.NDArray[np.int8]
    """(divisions, P): what each is for"""
    ranges: Indices
    """(divisions, 4): its first part and the one after the last, its first dof in `rest` and the one after the last"""
    parts: Indices
    """(parts, 6): first and last, in the same way, in `points`, in `members` and in `ways`"""
    points: Indices
    ways: Indices
    """Directions."""
    members: Indices
    """Joints."""
    rest: Indices
    """dofs that follow the posture nearest to all points"""


@kernel
def splice_points(
    tables: PointTables,
    divisions: DivisionTables,
    targets: Array,
    q: Array,
    seen: Array,
    samples: Indices,
    weights: Array,
    found: Indices,
) -> int:
    """Splice for targets (terms, TARGET_WIDTH); return which division was made, or UNKNOWN after writing its levels.

    Args:
        tables: see there.
        divisions: see there.
        targets: of the problem.
        q: (dofs,) gets the posture; it holds the start.
        seen: (P + D, 3) gets the points, then the directions, seen from the root.
        samples: (all neighbours,) gets those of the root, then those of each part.
        weights: the same.
        found: (1 + parts,) gets how weights were found.
    """
    used = _settle_root(tables, targets, q, seen, samples, weights, found)
    division = _division(tables, divisions, seen)
    if division == UNKNOWN:
        return UNKNOWN
    first, last = divisions.ranges[division, 0], divisions.ranges[division, 1]
    for i in range(divisions.ranges[division, 2], divisions.ranges[division, 3]):
        q[divisions.rest[i]] = tables.postures[samples[0], divisions.rest[i]]
    n = tables.levels.shape[0]
    at, ahead = tables.columns.shape[0] - 3 * n, tables.columns.shape[0] - 3 * seen.shape[0]
    for part in range(first, last):
        points = divisions.points[divisions.parts[part, 0] : divisions.parts[part, 1]]
        members = divisions.members[divisions.parts[part, 2] : divisions.parts[part, 3]]
        ways = divisions.ways[divisions.parts[part, 4] : divisions.parts[part, 5]]
        m = points.shape[0] + ways.shape[0]
        chosen, wanted = np.empty(3 * m, np.int64), np.empty(3 * m, np.float32)
        for i in range(m):
            k = points[i] if i < points.shape[0] else n + ways[i - points.shape[0]]
            column = at + 3 * k if k < n else ahead + 3 * (k - n)
            for c in range(3):
                chosen[3 * i + c], wanted[3 * i + c] = column + c, seen[k, c]
        end = used + neighbours(tables, chosen.shape[0])
        found[1 + part - first] = _combine(tables, chosen, wanted, members, samples[used:end], weights[used:end], q)
        used = end
    for i in range(tables.kept.shape[0]):
        q[tables.kept[i]] = tables.start[tables.kept[i]]
    return division


@kernel
def neighbours(tables: PointTables, n_values: int) -> int:
    """How many postures are combined for so many values."""
    n_postures: int = tables.postures.shape[0]
    return min(n_values + 1 + MORE, n_postures)


@kernel
def _settle_root(
    tables: PointTables, targets: Array, q: Array, seen: Array, samples: Indices, weights: Array, found: Indices
) -> int:
    """Write the root's dofs and the points as seen from it; return how many neighbours it took."""
    n, turn = tables.levels.shape[0], tables.turn
    own = tables.rows[n]
    place, rotation, leaning = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    for a in range(3):
        place[a] = tables.point[a]
        if own >= 0:
            place[a] = targets[own, a]
            for b in range(3):
                place[a] -= tables.rotation[a, b] * tables.held[b]
    places = n + (1 if own >= 0 else 0)
    m = 3 * (places + tables.ways.shape[0])
    chosen, wanted = np.empty(m, np.int64), np.empty(m, np.float32)
    for i in range(m):
        chosen[i] = i
    for k in range(places):
        for c in range(3):
            total = 0.0
            for a in range(3):
                height = 0.0 if a == 1 else place[a]
                total += ((targets[tables.rows[k], a] if k < n else place[a]) - height) * turn[a, c]
            wanted[3 * k + c] = total
    _directions(tables, targets, tables.rotation, seen)
    for k in range(tables.ways.shape[0]):
        for c in range(3):
            wanted[3 * (places + k) + c] = seen[n + k, c]
    used = neighbours(tables, m)
    found[0] = _combine(tables, chosen, wanted, tables.root, samples[:used], weights[:used], q)
    first = tables.joints[tables.root[0]]["first"]
    _turn(tables, q, first + 3, leaning)
    for a in range(3):
        for b in range(3):
            rotation[a, b] = turn[a, 0] * leaning[0, b] + turn[a, 1] * leaning[1, b] + turn[a, 2] * leaning[2, b]
    x, y, z = q[first], q[first + 1], q[first + 2]
    for a in range(3):
        if own >= 0:
            place[a] = targets[own, a]
            for b in range(3):
                place[a] -= rotation[a, b] * tables.held[b]
        else:
            height = 0.0 if a == 1 else place[a]
            place[a] = turn[a, 0] * x + turn[a, 1] * y + turn[a, 2] * z + height
    for a in range(3):
        q[first + a] = place[a]
    if tables.joints[tables.root[0]]["ball"] != 0:
        rotation_vector(rotation, q[first + 3 : first + 6])
    else:
        w, x, y, z = quaternion_of(rotation)
        take_apart(tables.dofs, first + 3, w, x, y, z, q)
    for k in range(n):
        for c in range(3):
            seen[k, c] = 0.0
            for a in range(3):
                seen[k, c] += (targets[tables.rows[k], a] - place[a]) * rotation[a, c]
    _directions(tables, targets, rotation, seen)
    return used


@kernel
def _turn(tables: PointTables, q: Array, d: int, out: Array) -> None:
    """Write the rotation (3, 3) of the root, which turns by the dofs from d on."""
    if tables.joints[tables.root[0]]["ball"] != 0:
        exp_matrix(q[d : d + 3], out)
        return
    one, two, vector = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for k in range(3):
        for a in range(3):
            vector[a] = q[d + k] * tables.dofs[d + k]["axis"][a]
        exp_matrix(vector, out if k == 0 else one)
        if k > 0:
            multiply(out, one, two)
            for a in range(3):
                for b in range(3):
                    out[a, b] = two[a, b]


@kernel
def _directions(tables: PointTables, targets: Array, rotation: Array, seen: Array) -> None:
    """Write the directions wanted, as seen from a root that is turned so."""
    n = tables.levels.shape[0]
    for k in range(tables.ways.shape[0]):
        row, first = tables.ways[k, 0], tables.ways[k, 1]
        for c in range(3):
            seen[n + k, c] = 0.0
            for a in range(3):
                seen[n + k, c] += targets[row, first + a] * rotation[a, c]


@kernel
def _division(tables: PointTables, divisions: DivisionTables, seen: Array) -> int:
    """Write what reaches each point; return the division for it."""
    for k in range(tables.levels.shape[0]):
        tables.levels[k] = 2
        for level in range(1, -1, -1):
            square = 0.0
            for c in range(3):
                square += (seen[k, c] - tables.bases[k, level, c]) ** 2
            if square <= tables.reaches[k, level]:
                tables.levels[k] = level
    for division in range(divisions.levels.shape[0]):
        same = True
        for k in range(tables.levels.shape[0]):
            same = same and divisions.levels[division, k] == tables.levels[k]
        if same:
            return division
    return UNKNOWN


@kernel
def _combine(
    tables: PointTables,
    chosen: Indices,
    wanted: Singles,
    members: Indices,
    samples: Indices,
    weights: Array,
    q: Array,
) -> int:
    """Write the joints `members` of `q`, combined from the postures nearest to some values."""
    k = samples.shape[0]
    distances, away, near = np.empty(k), np.empty((k, chosen.shape[0])), np.empty((k, q.shape[0]))
    turns, scale = np.empty((k, members.shape[0], 4)), np.empty(chosen.shape[0], np.float32)
    for i in range(chosen.shape[0]):
        scale[i] = tables.scale[chosen[i]]
    nearest_rows(tables.columns, chosen, wanted, scale, tables.squares, samples, distances, away)
    for j in range(k):
        for d in range(q.shape[0]):
            near[j, d] = tables.postures[samples[j], d]
        for i in range(members.shape[0]):
            for c in range(4):
                turns[j, i, c] = tables.turns[samples[j], members[i], c]
    how = weigh(away, distances, weights)
    blend(tables.joints, tables.dofs, members, near, turns, weights, q)
    return how
