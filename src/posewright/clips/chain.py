"""Chains of joints that are turned as one: a single joint, the spine, the neck and head, forearm and wrist."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures.figure import Figure
from posewright.kernels.kinematics.fit_rotation import fit_rotation_all
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Table


@dataclass(frozen=True, eq=False)
class Chain:
    """Joints, each the child of the one before, and the few coordinates that turn them."""

    indices: IntArray
    """(dofs,) which of the figure's dofs are turned, in order."""
    joints: Table
    dofs: Table
    matrix: Array
    """(dofs, coordinates)"""
    offset: Array
    lower: Array
    upper: Array
    start: Array

    def fit(self, bases: Array, targets: Array, q: Array) -> Array:
        """Write into `q` what turns the chain to `targets` (frames, 3, 3); return what is missing (frames, 3), rad."""
        missing = np.zeros((len(q), 3))
        if self.matrix.shape[1] == 0:
            return missing
        coordinates = np.empty((len(q), self.matrix.shape[1]))
        fit_rotation_all(
            self.joints, self.dofs, self.matrix, self.offset, self.lower, self.upper,
            np.ascontiguousarray(bases), np.ascontiguousarray(targets), self.start, coordinates, missing,
        )  # fmt: skip
        q[:, self.indices] = coordinates @ self.matrix.T + self.offset
        return missing

    def unbounded(self) -> Chain:
        """The same chain without limits: where it would have to go."""
        return replace(self, lower=np.full_like(self.lower, -np.inf), upper=np.full_like(self.upper, np.inf))


def chain_of(
    figure: Figure,
    joints: Sequence[int],
    *,
    skip: Mapping[int, int] | None = None,
    still: Collection[int] = (),
    shared: bool = False,
) -> Chain:
    """The chain of some joints.

    Dofs that a joint group of the figure drives follow the group's coordinates. Of the others, each is a coordinate
    of its own, or, if `shared`, all turn together: three coordinates, about the world's axes at rest, of which each
    dof takes a share as large as its range.

    Args:
        figure: whose joints.
        joints: their indices, each the child of the one before.
        skip: how many hinges to leave out at the beginning of a joint (already turned into the base).
        still: joints whose dofs stay at rest unless a group drives them.
        shared: whether the dofs outside groups turn together.
    """
    skip = skip or {}
    table = figure.tables.joints[list(joints)].copy()
    indices: list[int] = []
    for position, index in enumerate(joints):
        own = figure.dof_slice(index)
        first = own.start + len(figure.joints[index].slides) + skip.get(index, 0)
        table[position]["parent"], table[position]["first"] = position - 1, len(indices)
        table[position]["slides"] = 0
        table[position]["hinges"] -= skip.get(index, 0)
        if skip.get(index, 0):
            table[position]["turned"] = 0
        indices += range(first, own.stop)
    chosen = np.array(indices, dtype=np.int64)
    frozen = [index for joint in still for index in range(*figure.dof_slice(joint).indices(figure.n_dofs))]
    matrix, offset = _map(figure, indices, frozen, shared)
    lower, upper = _coordinate_limits(matrix, figure.lower[chosen] - offset, figure.upper[chosen] - offset)
    start = np.linalg.lstsq(matrix, figure.rest[chosen] - offset, rcond=None)[0] if matrix.size else np.zeros(0)
    return Chain(
        indices=chosen, joints=table, dofs=figure.tables.dofs[chosen].copy(), matrix=np.ascontiguousarray(matrix),
        offset=offset, lower=lower, upper=upper, start=np.clip(start, lower, upper),
    )  # fmt: skip


def _map(figure: Figure, indices: Sequence[int], frozen: Collection[int], shared: bool) -> tuple[Array, Array]:
    offset: Array = np.zeros(len(indices))
    columns: list[Array] = []
    row_of = {figure.dof_names[index]: row for row, index in enumerate(indices)}
    free = np.ones(len(indices), dtype=bool)
    for group in figure.groups:
        rows = [(row_of[member], m) for m, member in enumerate(group.members) if member in row_of]
        if not rows:
            continue
        block = np.zeros((len(indices), len(group.coordinates)))
        for row, member in rows:
            block[row], offset[row], free[row] = group.matrix[member], group.offset[member], False
        columns += [column for column in block.T if column.any()]
    for row, index in enumerate(indices):
        if free[row] and index in frozen:
            offset[row], free[row] = figure.rest[index], False
    own = np.diag(free.astype(np.float64))[:, free]
    if shared and free.any():
        chosen = np.asarray(indices)
        ranges = np.clip(figure.upper[chosen], None, 1.5) - np.clip(figure.lower[chosen], -1.5, None)
        axes = _rest_axes(figure, indices) * (free * ranges)[:, None]
        strength = np.abs(axes).sum(axis=0)
        own = axes[:, strength > 0.0] / strength[strength > 0.0]
        offset[free] = figure.rest[np.asarray(indices)][free]
    columns += list(own.T)
    return (np.stack(columns, axis=1) if columns else np.zeros((len(indices), 0))), offset


def _rest_axes(figure: Figure, indices: Sequence[int]) -> Array:
    """World axis (dofs, 3) of each dof, rounded to the nearest of the world's axes, at rest."""
    rotations, positions = np.empty((len(figure.joints), 3, 3)), np.empty((len(figure.joints), 3))
    axes = np.empty((figure.n_dofs, 3))
    place(*figure.tables, figure.rest.copy(), rotations, positions, axes)
    found = axes[np.asarray(indices)]
    nearest = np.argmax(np.abs(found), axis=1)
    rounded: Array = np.zeros((len(found), 3))
    rows = np.arange(len(found))
    rounded[rows, nearest] = np.sign(found[rows, nearest])
    return rounded


def _coordinate_limits(matrix: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The box of coordinates that keeps every dof that follows one of them alone within its limits."""
    n = matrix.shape[1]
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    for row, lo, hi in zip(matrix, lower, upper, strict=True):
        used = np.flatnonzero(row)
        if len(used) == 1:
            a, b = sorted((lo / row[used[0]], hi / row[used[0]]))
            low[used[0]], high[used[0]] = max(low[used[0]], a), min(high[used[0]], b)
    return low, high
