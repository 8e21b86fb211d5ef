"""Spaces: what a solver searches. Coordinates `x` give a pose `q = matrix · x + offset` in a chart of the ball joints.

A space over several frames of a motion has one block per frame, q_k = B_k x + b_k, and all frames share x.

The rotation of a ball is `rest · reference · exp(w)`. In a plain figure every reference is the identity. A space may
have other references (its *chart*), such as the mean rotations of a motion model, because an affine map of rotation
vectors is meaningful in one chart only. Only `decode` and `encode` change charts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.checks import read_only, require, require_list
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.figure import kept_with_figure
from posewright.figures.reach import dof_units, length_unit
from posewright.figures.tables import FigureTables
from posewright.kernels.kinematics.rotations import turn_before
from posewright.rotations import matrix_from_quaternion, quaternion_conjugate

_OF, _A_FIGURE = "what a space is of", "a Figure, such as pw.figure('human40')"


@dataclass(frozen=True, eq=False, repr=False)
class Space:
    """An affine space of poses of a figure: `q = matrix · x + offset`. It may cover several frames of a motion."""

    figure: Figure
    names: tuple[str, ...]
    """Names of the coordinates."""
    matrix: Array
    """(dofs, coordinates); for several frames (frames x dofs, coordinates), or given as (frames, dofs, coordinates)."""
    offset: Array
    """(dofs,), rad or m, in this space's chart; for several frames (frames x dofs,), or given as (frames, dofs)."""
    chart: tuple[tuple[str, tuple[float, float, float, float]], ...] = ()
    """Pairs of a ball joint's name and its reference rotation (wxyz); other balls have none."""
    bounds: tuple[Array, Array] | None = None
    """Lower and upper bounds (coordinates,) of the coordinates, in addition to the limits of dofs."""

    def __post_init__(self) -> None:
        require(self.figure, Figure, _OF, _A_FIGURE)
        require_list(self.names, "the names of a space", "names, one per coordinate")
        for what in ("matrix", "offset"):
            given = read_only(getattr(self, what), f"the {what} of a space", "an array of numbers")
            object.__setattr__(self, what, given)
        n = self.figure.n_dofs
        if self.matrix.ndim == 3 and self.offset.shape == self.matrix.shape[:2]:
            object.__setattr__(self, "matrix", self.matrix.reshape(self.offset.size, self.matrix.shape[2]))
            object.__setattr__(self, "offset", self.offset.reshape(-1))
        rows = n * max(1, self.offset.size // max(n, 1))
        if self.matrix.shape != (rows, len(self.names)) or self.offset.shape != (rows,):
            raise InvalidSetting(
                f"a space of {len(self.names)} coordinates over the {n} dofs of figure {self.figure.name!r} needs a "
                f"matrix of {n} x {len(self.names)} and an offset of {n}, "
                f"got {self.matrix.shape} and {self.offset.shape}"
            )
        if not (np.isfinite(self.matrix).all() and np.isfinite(self.offset).all()):
            raise InvalidSetting("the matrix and the offset of a space must be finite")
        for joint, _ in self.chart:
            if self.figure.joint(joint).ball is None:
                raise InvalidSetting(
                    f"only ball joints have a chart; joint {joint!r} of {self.figure.name!r} is not one"
                )

    def __repr__(self) -> str:
        return f"<Space of figure {self.figure.name}: {len(self.names)} coordinates, {len(self.chart)} charts>"

    # Ways to make one.

    @classmethod
    def of(cls, figure: Figure) -> Space:
        """The space of all poses of a figure; every dof is a coordinate."""
        require(figure, Figure, _OF, _A_FIGURE)
        return _of_all_dofs(figure)

    @classmethod
    def chain(cls, figure: Figure, joints: Sequence[str], at: Pose | None = None) -> Space:
        """The space of poses in which only some joints move; the others stay as in `at` (default: rest)."""
        require(figure, Figure, _OF, _A_FIGURE)
        require_list(joints, "what a chain is made of", "joints")
        require(at, Pose | None, "what a chain is at", "a Pose, such as Pose.rest(figure)")
        if at is not None and at.figure.dof_names != figure.dof_names:
            raise InvalidSetting(f"a chain of {figure.name!r} cannot be at a pose of {at.figure.name!r}")
        wanted = {figure.joint_index(name) for name in joints}
        columns = [d for j in sorted(wanted) for d in range(figure.dof_slice(j).start, figure.dof_slice(j).stop)]
        fixed = np.array((at or Pose.rest(figure)).q)
        fixed[columns] = 0.0
        return cls(figure, tuple(figure.dof_names[d] for d in columns), np.eye(figure.n_dofs)[:, columns], fixed)

    @classmethod
    def grouped(cls, figure: Figure) -> Space:
        """The space whose coordinates are those of the figure's joint groups, and all dofs outside groups."""
        require(figure, Figure, _OF, _A_FIGURE)
        return _grouped(figure)

    def with_chart(self, references: Mapping[str, Sequence[float]]) -> Space:
        """The same affine map in another chart; `references` are rotations (wxyz) by ball joint."""
        chart = tuple((joint, _quaternion(wxyz, joint)) for joint, wxyz in references.items())
        found = Space(self.figure, self.names, self.matrix, self.offset, chart, self.bounds)
        for known in {"is_identity", "selects_dofs", "columns", "driven", "units", "_pseudo_inverse"} & vars(
            self
        ).keys():
            vars(found)[known] = vars(self)[known]  # motions change charts in every frame
        return found

    @property
    def n_frames(self) -> int:
        """Number of frames that the coordinates drive; 1 for a space of poses."""
        return max(1, len(self.offset) // max(self.figure.n_dofs, 1))

    # Coordinates to poses and back.

    def decode(self, x: Array) -> Array:
        """Convert coordinates (..., coordinates) to `q` (..., dofs); for several frames (..., frames, dofs)."""
        if self.is_identity:
            return self.out_of_chart(np.array(x, dtype=np.float64))
        q: Array = np.asarray(x) @ self.matrix.T + self.offset
        if self.n_frames > 1:
            q = q.reshape(*q.shape[:-1], self.n_frames, self.figure.n_dofs)
        return self.out_of_chart(q)

    def encode(self, q: Array) -> Array:
        """Coordinates of the pose nearest to `q`, which has the shape that `decode` returns; exact within the space.

        Distances count slides in the figure's unit of length (1 m for people) and rotations in radians.
        """
        if self.is_identity:
            return np.array(self.in_chart(q))
        own = self.in_chart(q)
        if self.n_frames > 1:
            own = own.reshape(*own.shape[:-2], len(self.offset))
        x: Array = (own - self.offset) @ self._pseudo_inverse.T
        return x

    def in_chart(self, q: Array) -> Array:
        """Convert the rotation vectors of `q` (..., dofs) from the plain figure's chart to this space's."""
        if not self.chart:
            return np.asarray(q, dtype=np.float64)
        columns, references = self.charted
        return recharted(np.array(q, dtype=np.float64), columns, quaternion_conjugate(references))

    def out_of_chart(self, q: Array) -> Array:
        """The inverse of `in_chart`; it may modify `q`."""
        return recharted(q, *self.charted) if self.chart else q

    @cached_property
    def is_identity(self) -> bool:
        """Whether the coordinates are the dofs themselves."""
        n = self.figure.n_dofs
        return self.matrix.shape == (n, n) and bool((self.matrix == np.eye(n)).all() and not self.offset.any())

    @cached_property
    def selects_dofs(self) -> bool:
        """Whether each coordinate is a different dof of one pose, so that limits of dofs are limits of coordinates."""
        if self.n_frames > 1:
            return False
        ones = self.matrix == 1.0
        return bool(((ones | (self.matrix == 0.0)).all()) and (ones.sum(0) == 1).all() and (ones.sum(1) <= 1).all())

    @cached_property
    def columns(self) -> IntArray:
        """Index (coordinates,) of the dof that each coordinate is, if the space selects dofs; otherwise empty."""
        return np.nonzero(self.matrix.T)[1].astype(np.int64) if self.selects_dofs else np.zeros(0, np.int64)

    @cached_property
    def driven(self) -> BoolArray:
        """(dofs,): whether any coordinate moves each dof in any frame."""
        return np.asarray(self.matrix.any(axis=1).reshape(self.n_frames, -1).any(axis=0))

    @cached_property
    def units(self) -> Array:
        """Units of the coordinates (coordinates,): the figure's unit of length if they only slide, otherwise 1."""
        units = np.tile(dof_units(self.figure), self.n_frames)
        turns = self.matrix[units == 1.0].any(axis=0)
        return np.where(turns, 1.0, np.where(self.matrix.any(axis=0), length_unit(self.figure), 1.0))

    @cached_property
    def tables(self) -> FigureTables:
        """The figure's tables, with the chart included in the rest rotations."""
        joints = self.figure.tables.joints.copy()
        if self.chart:
            columns, references = self.charted
            rows = self.figure.tables.dofs["joint"][columns[:, 0]]
            rests = joints["rest"][rows].reshape(-1, 3, 3) @ matrix_from_quaternion(references)
            joints["rest"][rows] = rests.reshape(-1, 9)
            joints["turned"][rows] = 1
        return FigureTables(joints, self.figure.tables.dofs)

    @cached_property
    def charted(self) -> tuple[IntArray, Array]:
        """Columns (balls, 3) of rotation vectors that have a reference, and these references (balls, 4)."""
        ends = [self.figure.dof_slice(joint).stop for joint, _ in self.chart]
        columns = np.array([range(end - 3, end) for end in ends], dtype=np.int64).reshape(-1, 3)
        return columns, np.array([wxyz for _, wxyz in self.chart]).reshape(-1, 4)

    @cached_property
    def _pseudo_inverse(self) -> Array:
        if self.selects_dofs:
            return np.ascontiguousarray(self.matrix.T)
        units = np.tile(dof_units(self.figure), self.n_frames)
        return np.asarray(np.linalg.pinv(self.matrix / units[:, None]) / units, dtype=np.float64)


@kept_with_figure
def _of_all_dofs(figure: Figure) -> Space:
    return Space(figure, figure.dof_names, np.eye(figure.n_dofs), np.zeros(figure.n_dofs))


@kept_with_figure
def _grouped(figure: Figure) -> Space:
    driven = {member for group in figure.groups for member in group.members}
    names = [name for name in figure.dof_names if name not in driven]
    columns = [np.eye(figure.n_dofs)[:, figure.dof_index(name)] for name in names]
    offset = np.zeros(figure.n_dofs)
    for group in figure.groups:
        rows = [figure.dof_index(member) for member in group.members]
        offset[rows] = group.offset
        for k, coordinate in enumerate(group.coordinates):
            column = np.zeros(figure.n_dofs)
            column[rows] = [row[k] for row in group.matrix]
            columns.append(column)
            names.append(f"{group.name}.{coordinate}")
    return Space(figure, tuple(names), np.stack(columns, axis=1), offset)


def recharted(q: Array, columns: IntArray, turns: Array) -> Array:
    """Put rotations `turns` (balls, 4) before the rotation vectors in columns (balls, 3) of poses (..., dofs)."""
    flat = np.ascontiguousarray(q).reshape(-1, q.shape[-1])
    turn_before(flat, columns, turns)
    return flat.reshape(q.shape)


def _quaternion(wxyz: Sequence[float], joint: str) -> tuple[float, float, float, float]:
    length = math.hypot(*wxyz)
    if len(wxyz) != 4 or not 0.999 < length < 1.001:
        raise InvalidSetting(f"the chart of joint {joint!r} is {list(wxyz)}; it must be a unit quaternion wxyz")
    w, x, y, z = (float(value) / length for value in wxyz)
    return w, x, y, z
