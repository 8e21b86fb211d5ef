"""What of a body is posed as one: chains of joints that are turned, and limbs of two bones whose ends are placed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.clips.curves import about
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import joint_frames
from posewright.kernels.kinematics.fit_rotation import fit_rotation_all
from posewright.kernels.kinematics.frames import place
from posewright.kernels.tables import Table
from posewright.rotations import matrix_from_axes, unit


@dataclass(frozen=True, eq=False)
class TurnedChain:
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

    @classmethod
    def of(
        cls,
        figure: Figure,
        joints: Sequence[int],
        *,
        skip: Mapping[int, int] | None = None,
        still: Collection[int] = (),
        shared: bool = False,
    ) -> TurnedChain:
        """The chain of some joints.

        Dofs that a joint group of the figure drives follow the group's coordinates. Of the others, each is a
        coordinate of its own, or, if `shared`, all turn together: three coordinates, about the world's axes at rest,
        of which each dof takes a share as large as its range.

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
        for row, index in zip(table, joints, strict=True):
            own, skipped = figure.dof_slice(index), skip.get(index, 0)
            row["first"], row["slides"], row["hinges"] = len(indices), 0, row["hinges"] - skipped
            if skipped:
                row["turned"] = 0
            indices += range(own.start + len(figure.joints[index].slides) + skipped, own.stop)
        table["parent"] = np.arange(len(joints)) - 1
        chosen = np.array(indices, dtype=np.int64)
        matrix, offset = _dof_map(figure, chosen, [figure.joints[index].name for index in still], shared)
        lower, upper = _coordinate_limits(matrix, figure.lower[chosen] - offset, figure.upper[chosen] - offset)
        start = np.linalg.lstsq(matrix, figure.rest[chosen] - offset, rcond=None)[0] if matrix.size else np.zeros(0)
        dofs = figure.tables.dofs[chosen].copy()
        return cls(chosen, table, dofs, matrix, offset, lower, upper, np.clip(start, lower, upper))

    def fit(self, bases: Array, targets: Array, q: Array) -> Array:
        """Write into `q` what turns the chain to `targets` (frames, 3, 3); return what is missing (frames, 3), rad."""
        missing = np.zeros((len(q), 3))
        if self.matrix.shape[1] == 0 or not len(q):
            return missing
        coordinates = np.empty((len(q), self.matrix.shape[1]))
        coordinates[0] = self.start
        limits, turns = np.stack([self.lower, self.upper]), np.stack([bases, targets])
        fit_rotation_all(self.joints, self.dofs, self.matrix, self.offset, limits, turns, coordinates, missing)
        q[:, self.indices] = coordinates @ self.matrix.T + self.offset
        return missing

    def unbounded(self) -> TurnedChain:
        """The same chain without limits: where it would have to go."""
        return replace(self, lower=np.full_like(self.lower, -np.inf), upper=np.full_like(self.upper, np.inf))


def _dof_map(figure: Figure, indices: IntArray, still: Collection[str], shared: bool) -> tuple[Array, Array]:
    """The matrix (dofs, coordinates) and offset (dofs,) by which coordinates drive dofs."""
    offset: Array = np.zeros(len(indices))
    columns: list[Array] = []
    row_of = {figure.dof_names[index]: row for row, index in enumerate(indices)}
    free = np.ones(len(indices), dtype=bool)
    for group in figure.groups:
        block = np.zeros((len(indices), len(group.coordinates)))
        for name, factors, constant in zip(group.members, group.matrix, group.offset, strict=True):
            if name in row_of:
                row = row_of[name]
                block[row], offset[row], free[row] = factors, constant, False
        columns += [column for column in block.T if column.any()]
    for name, row in row_of.items():
        if free[row] and name.rpartition(".")[0] in still:
            offset[row], free[row] = figure.rest[indices[row]], False
    own = np.diag(free.astype(np.float64))[:, free]
    if shared and free.any():
        ranges = np.clip(figure.upper[indices], None, 1.5) - np.clip(figure.lower[indices], -1.5, None)
        axes = _rest_axes(figure, indices) * (free * ranges)[:, None]
        strength = np.abs(axes).sum(axis=0)
        own = axes[:, strength > 0.0] / strength[strength > 0.0]
        offset[free] = figure.rest[indices][free]
    columns += list(own.T)
    return (np.stack(columns, axis=1) if columns else np.zeros((len(indices), 0))), offset


def _rest_axes(figure: Figure, indices: IntArray) -> Array:
    """World axis (dofs, 3) of each dof, rounded to the nearest of the world's axes, at rest."""
    rotations, positions = np.empty((len(figure.joints), 3, 3)), np.empty((len(figure.joints), 3))
    axes = np.empty((figure.n_dofs, 3))
    place(*figure.tables, figure.rest.copy(), rotations, positions, axes)
    nearest = np.abs(axes[indices]).argmax(axis=1)
    rounded: Array = np.eye(3)[nearest] * np.sign(axes[indices, nearest])[:, None]
    return rounded


def _coordinate_limits(matrix: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The box of coordinates that keeps every dof that follows one of them alone within its limits."""
    low, high = np.full(matrix.shape[1], -np.inf), np.full(matrix.shape[1], np.inf)
    for row, lo, hi in zip(matrix, lower, upper, strict=True):
        used = np.flatnonzero(row)
        if len(used) == 1:
            a, b = sorted((lo / row[used[0]], hi / row[used[0]]))
            low[used[0]], high[used[0]] = max(low[used[0]], a), min(high[used[0]], b)
    return low, high


@dataclass(frozen=True, eq=False)
class TwoBoneLimb:
    """Two bones and the hinge between them, whose end is placed in closed form.

    Symbols: a from the upper joint to the middle one, in the upper frame; P the middle joint's rest rotation, n
    its hinge axis and θ its angle, b from the middle joint to the end, in the middle frame. The end is at
    `v(θ) = a + P R_n(θ) b` in the upper frame, so `|v|² = |a|² + |b|² + 2 (k + A cos θ + B sin θ)` with c = Pᵀa,
    k = (c·n)(b·n), A = c·b - k, B = c·(n×b): one cosine gives θ. The upper frame is then turned so that v lies along
    the line to the target and the middle joint towards the pole. The turn about that line is taken from the hinge's
    axis and not from the middle joint's place, so a straight limb is no special case.
    """

    upper: int
    """Index of the joint that carries the limb: hip or shoulder."""
    middle: int
    """Index of knee or elbow."""
    angle_dof: int
    """Which number of `q` is the middle hinge."""
    a: Array
    rest: Array
    axis: Array
    b: Array
    limits: Array
    branch: float
    pole_sign: float
    longest: float
    """m, from the upper joint to the end with the hinge as straight as it goes."""

    @classmethod
    def of(cls, figure: Figure, upper: int, middle: int, end: int, end_point: Array) -> TwoBoneLimb:
        """The limb whose end is `end_point` (3,) m, in the frame of joint `end`; beyond the hinge all is at rest."""
        joint = figure.joints[middle]
        if not joint.hinges:
            raise InvalidFigure(f"figure {figure.name!r}: {joint.name!r} must begin with a hinge to bend as a limb")
        if figure.parents[middle] != upper or figure.parents[end] != middle:
            raise InvalidFigure(f"figure {figure.name!r}: {joint.name!r} must join two bones directly")
        angle_dof = figure.dof_slice(middle).start
        q = figure.rest.copy()
        q[angle_dof] = 0.0
        frames = joint_frames(figure, q)
        a, axis = np.array(joint.offset), np.array(joint.hinges[0].axis)
        rest = np.array(figure.tables.joints[middle]["rest"]).reshape(3, 3).copy()
        end_world = frames.positions[end] + frames.rotations[end] @ end_point
        b = (frames.rotations[upper] @ rest).T @ (end_world - frames.positions[middle])
        limits = np.array([figure.lower[angle_dof], figure.upper[angle_dof]])

        # |v(θ)| is longest at the straight angle; flexion goes to whichever side of it the limits allow more.
        c = rest.T @ a
        straight = np.arctan2(c @ np.cross(axis, b), c @ b - (c @ axis) * (b @ axis))
        branch = 1.0 if limits.clip(-np.pi, np.pi).mean() >= straight else -1.0
        line = unit(a + rest @ about(axis, straight + branch) @ b)
        pole_sign = float(np.sign((a - (a @ line) * line) @ np.cross(rest @ axis, line)))
        longest = float(np.linalg.norm(a + rest @ about(axis, float(np.clip(straight, *limits))) @ b))
        return cls(upper, middle, angle_dof, a, rest, axis, b, limits, branch, pole_sign, longest)

    @property
    def upper_length(self) -> float:
        """m, of the first bone."""
        return float(np.linalg.norm(self.a))

    @property
    def lower_length(self) -> float:
        """m, from the middle joint to the end."""
        return float(np.linalg.norm(self.b))

    def place(self, roots: Array, targets: Array, poles: Array) -> tuple[Array, Array, Array]:
        """World rotations (frames, 3, 3) of the upper segment, hinge angles (frames,), misses (frames,), m.

        Args:
            roots: (frames, 3) m, where the upper joint is.
            targets: (frames, 3) m, where the end should be.
            poles: (frames, 3) the direction in which the middle joint should lie; need not be unit.
        """
        c, n_b, hinge = self.rest.T @ self.a, self.axis @ self.b, self.rest @ self.axis
        k = (c @ self.axis) * n_b
        A, B = c @ self.b - k, c @ np.cross(self.axis, self.b)
        line = targets - roots
        distance = np.linalg.norm(line, axis=1)
        line = line / np.maximum(distance, 1e-12)[:, None]
        cosine = (distance**2 - (self.a @ self.a + self.b @ self.b + 2.0 * k)) / (2.0 * np.hypot(A, B))
        angles = np.arctan2(B, A) + self.branch * np.arccos(np.clip(cosine, -1.0, 1.0))
        angles = np.clip(angles, *self.limits)
        v = self.a + (self.rest @ about(self.axis, angles)) @ self.b
        reach = np.linalg.norm(v, axis=1)
        v = v / reach[:, None]
        across = np.cross(line, poles)
        on_line = np.linalg.norm(across, axis=1) < 1e-9  # the pole lies on the line: any turn about it is as good
        if on_line.any():
            across[on_line] = np.cross(line[on_line], np.roll(line[on_line], 1, axis=1))
        world, local = (line, self.pole_sign * unit(across)), (v, unit(hinge - (v @ hinge)[:, None] * v))
        world_axes, local_axes = (matrix_from_axes(x, y) for x, y in (world, local))
        return world_axes @ np.swapaxes(local_axes, 1, 2), angles, np.abs(reach - distance)

    def middle_rotations(self, upper_rotations: Array, angles: Array) -> Array:
        """World rotations (frames, 3, 3) just after the middle hinge."""
        turned: Array = upper_rotations @ self.rest @ about(self.axis, angles)
        return turned
