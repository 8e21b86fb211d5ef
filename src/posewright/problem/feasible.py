"""The feasible region of a problem over the coordinates of its space: bounds and rows, each with a name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posewright.constraints import LinearConstraint
from posewright.conventions import Array, IntArray
from posewright.errors import Infeasible, InvalidSetting
from posewright.figures.reach import dof_units
from posewright.problem.problem import Problem
from posewright.problem.space import Space

_FILE_ROUNDING = 1e-6
"""Of a unit: so far frozen dofs give way to constraints, which a start read from a file keeps to a few digits only."""
_SAME = 1e-9
"""Of a unit: so far bounds that say the same may contradict each other."""
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class FeasibleRegion:
    """`A x = b` for the first `n_equal` rows, `A x <= b` for the others, `lower <= x <= upper`."""

    A: Array
    """(rows, coordinates), each of length 1 if coordinates are counted in their units"""
    b: Array
    n_equal: int
    names: tuple[str, ...]
    """Of the rows."""
    lower: Array
    """(coordinates,)"""
    upper: Array
    units: Array
    """What counts as one (coordinates,), as of `Space.units`."""
    coordinate_names: tuple[str, ...]
    bound_names: tuple[tuple[str, ...], tuple[str, ...]]
    """What each coordinate's upper, then lower bound comes from: a limit, or a constraint on it alone."""

    def name_of(self, constraint: int) -> str:
        """What a constraint is called: a row, or a limit of a coordinate (numbered as in `kernels.quadratic`)."""
        rows, n = len(self.A), len(self.lower)
        if constraint < rows:
            return self.names[constraint]
        return self.bound_names[constraint < rows + n][(constraint - rows) % n]

    def projected(self, x: Array, held: npt.NDArray[np.bool_] | None = None) -> Array:
        """The nearest feasible point; of those whose `held` coordinates are as in x, within their limits, if any are.

        Raises:
            Infeasible: there is none; the rows that conflict are named.
        """
        if self._is_box:
            return np.minimum(np.maximum(x, self.lower), self.upper)  # quicker than np.clip
        if held is None or not held.any():
            near, conflict = self._nearest(x, self.lower, self.upper)
            if conflict:
                raise Infeasible(tuple(map(self.name_of, conflict)))
            return near
        still = np.minimum(np.maximum(x, self.lower), self.upper)
        near, conflict = self._nearest(x, np.where(held, still, self.lower), np.where(held, still, self.upper))
        if conflict:
            near = self.projected(x)
            if (np.abs(near - still) / self.units)[held].max() > _FILE_ROUNDING:
                n, rows = len(x), len(self.A)
                frozen = [c >= rows and bool(held[(c - rows) % n]) for c in conflict]
                names = [
                    f"{self.coordinate_names[(c - rows) % n]} (frozen)" if is_frozen else self.name_of(c)
                    for c, is_frozen in zip(conflict, frozen, strict=True)
                ]
                raise Infeasible(tuple(dict.fromkeys(names)))
        return near

    def _nearest(self, x: Array, lower: Array, upper: Array) -> tuple[Array, list[int]]:
        """The nearest point within bounds that keeps all rows, and the constraints that conflict if there is none."""
        from posewright.kernels.dense.step import FAILED_TO_PROJECT, project

        near = np.array(x, dtype=np.float64)
        active: IntArray = np.zeros(len(near) + 1, dtype=np.int64)
        conflict = project(self.rows, self.n_equal, np.stack([lower, upper, self.units, self.units]), near, active)
        if conflict == FAILED_TO_PROJECT:  # rows that can hardly be told apart, and ask for different things
            return near, [int(self.broken(near).argmax())]
        return near, active[:conflict].tolist()

    @cached_property
    def rows(self) -> Array:
        """(rows, coordinates + 1): A, and b in the last column."""
        return np.column_stack([self.A, self.b])

    @cached_property
    def _is_box(self) -> bool:
        """Whether there are limits and nothing else."""
        return not len(self.A) and bool((self.lower <= self.upper).all())

    def broken(self, x: Array) -> Array:
        """By how much each row is broken at points (..., coordinates), 0 if it is not: (..., rows).

        Over 1, or over the largest number in the row if that is larger.
        """
        gap = x @ self.A.T - self.b
        gap[..., : self.n_equal] = np.abs(gap[..., : self.n_equal])
        largest = np.abs(self.A * x[..., np.newaxis, :]).max(axis=-1, initial=1.0)
        found: Array = np.maximum(gap, 0.0) / np.maximum(largest, np.abs(self.b))
        return found

    def violation(self, x: Array) -> float:
        """By how much the worst row or bound is broken at x, over its unit or the size of the numbers; 0 if none is."""
        beyond = np.maximum(self.lower - x, x - self.upper) / np.maximum(self.units, np.abs(x))
        return float(max(self.broken(x).max(initial=0.0), beyond.max(initial=0.0)))


def feasible_region(problem: Problem) -> FeasibleRegion:
    """The limits and linear constraints of a problem, over the coordinates of its space."""
    kept, name = vars(problem.space), f"{__name__}.requirements"
    if name not in kept:  # those of the figure, once per space
        kept[name] = _Requirements.of_figure(problem.space)
    own: _Requirements = kept[name]
    return own.region if not problem.constraints else own.with_constraints(problem.constraints).region


class _Requirements:
    """What coordinates must keep, collected one by one."""

    def __init__(self, space: Space) -> None:
        n = len(space.names)
        ends = (np.full(n, -np.inf), np.full(n, np.inf)) if space.bounds is None else space.bounds
        self._space = space
        self._lower, self._upper = np.array(ends[0]), np.array(ends[1])
        self._owners = [list(space.names) for _ in ("upper", "lower")]
        self._equal: list[tuple[Array, float, str]] = []
        self._below: list[tuple[Array, float, str]] = []

    @classmethod
    def of_figure(cls, space: Space) -> _Requirements:
        """The limits of the dofs, and the figure's constraints."""
        self, figure, turned = cls(space), space.figure, _turned(space)
        for d, name in enumerate(figure.dof_names):
            if np.isfinite(figure.lower[d]) or np.isfinite(figure.upper[d]):
                if d in turned:
                    joint = figure.joints[figure.tables.dofs[d]["joint"]].name
                    raise InvalidSetting(f"joint {joint!r} has limits, which a space with a chart for it cannot keep")
                for k in range(d, len(space.offset), figure.n_dofs):
                    least, most = figure.lower[d] - space.offset[k], figure.upper[d] - space.offset[k]
                    size = max(dof_units(figure)[d], abs(space.offset[k]))
                    self._require(space.matrix[k], least, most, name, size, limit=True)
        self._constrain(figure.constraints)
        return self

    def with_constraints(self, constraints: tuple[LinearConstraint, ...]) -> _Requirements:
        """These and more."""
        more = _Requirements(self._space)
        more._lower, more._upper = self._lower.copy(), self._upper.copy()
        more._owners = [owners.copy() for owners in self._owners]
        more._equal, more._below = self._equal.copy(), self._below.copy()
        more._constrain(constraints)
        return more

    @cached_property
    def region(self) -> FeasibleRegion:
        """All of them."""
        rows = [*self._equal, *self._below]
        return FeasibleRegion(
            A=np.array([row for row, _, _ in rows]).reshape(len(rows), len(self._lower)),
            b=np.array([bound for _, bound, _ in rows], dtype=np.float64),
            n_equal=len(self._equal),
            names=tuple(name for _, _, name in rows),
            lower=self._lower,
            upper=self._upper,
            units=self._space.units,
            coordinate_names=self._space.names,
            bound_names=(tuple(self._owners[0]), tuple(self._owners[1])),
        )

    def _constrain(self, constraints: tuple[LinearConstraint, ...]) -> None:
        space, figure = self._space, self._space.figure
        turned = _turned(space) if constraints else set()
        for constraint in constraints:
            columns = [figure.dof_index(dof) for dof, _ in constraint.coefficients]
            row = np.zeros(figure.n_dofs)
            row[columns] = [factor for _, factor in constraint.coefficients]
            if turned.intersection(columns):
                raise InvalidSetting(
                    f"constraint {constraint.name!r} involves a ball joint that has a chart in the space, "
                    "where rotation vectors have other values"
                )
            for first in range(0, len(space.offset), figure.n_dofs):
                matrix, offset = (
                    space.matrix[first : first + figure.n_dofs],
                    space.offset[first : first + figure.n_dofs],
                )
                over_x = row @ matrix
                over_x[np.abs(over_x) <= _ROUNDING * (np.abs(row) @ np.abs(matrix))] = 0.0  # what cancels out
                constant = float(row @ offset)
                size = float(np.abs(row) @ np.maximum(dof_units(figure), np.abs(offset)))
                self._require(over_x, constraint.lower - constant, constraint.upper - constant, constraint.name, size)

    def _require(self, row: Array, low: float, high: float, name: str, size: float, *, limit: bool = False) -> None:
        """`low <= row · x <= high`; `size` is what rounding of a row that no coordinate changes is relative to."""
        used = np.flatnonzero(row)
        if not len(used):
            if low > _SAME * size or high < -_SAME * size:
                raise Infeasible((f"{name} (the space cannot change it)",))
            return
        if len(used) == 1:
            self._bound(int(used[0]), low / row[used[0]], high / row[used[0]], name, limit=limit)
            return
        length = float(np.linalg.norm(row * self._space.units))
        if low == high:
            self._equal.append((row / length, high / length, name))
            return
        if np.isfinite(high):
            self._below.append((row / length, high / length, name))
        if np.isfinite(low):
            self._below.append((-row / length, -low / length, name))

    def _bound(self, c: int, one: float, other: float, name: str, *, limit: bool) -> None:
        lower, upper, owners = self._lower, self._upper, self._owners
        least, most = sorted((one, other))
        if least > lower[c]:
            lower[c], owners[1][c] = least, f"{name} (lower limit)" if limit else name
        if most < upper[c]:
            upper[c], owners[0][c] = most, f"{name} (upper limit)" if limit else name
        if lower[c] > upper[c] + _SAME * max(self._space.units[c], abs(upper[c])):
            raise Infeasible(tuple(dict.fromkeys((owners[1][c], owners[0][c]))))
        lower[c] = min(lower[c], upper[c])


def _turned(space: Space) -> set[int]:
    """The dofs of balls of which the space has a chart."""
    return set(space.charted[0].ravel().tolist())
