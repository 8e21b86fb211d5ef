"""The feasible region of a problem over the coordinates of its space: bounds and rows, each with a name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posewright.constraints import LinearConstraint
from posewright.conventions import Array, IntArray
from posewright.errors import Infeasible, InvalidSetting
from posewright.problem.problem import Problem

_FILE_ROUNDING = 1e-6
"""rad or m: so far frozen dofs give way to constraints, which a start read from a file keeps to a few digits only."""
_SAME = 1e-9
"""rad or m: so far bounds that say the same may contradict each other."""
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class FeasibleRegion:
    """`A x = b` for the first `n_equal` rows, `A x <= b` for the others, `lower <= x <= upper`."""

    A: Array
    """(rows, coordinates), each of unit length"""
    b: Array
    n_equal: int
    names: tuple[str, ...]
    """Of the rows."""
    lower: Array
    """(coordinates,)"""
    upper: Array
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
            if np.abs(near - still)[held].max() > _FILE_ROUNDING:
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
        from posewright.kernels.dense.step import project

        near = np.array(x, dtype=np.float64)
        active: IntArray = np.zeros(len(near) + 1, dtype=np.int64)
        conflict = project(self.rows, self.n_equal, np.stack([lower, upper]), near, active)
        return near, active[:conflict].tolist()

    @cached_property
    def rows(self) -> Array:
        """(rows, coordinates + 1): A, and b in the last column."""
        return np.column_stack([self.A, self.b])

    @cached_property
    def _is_box(self) -> bool:
        """Whether there are limits and nothing else."""
        return not len(self.A) and bool((self.lower <= self.upper).all())

    def violation(self, x: Array) -> float:
        """By how much the worst row or bound is broken at x (rad or m), 0 if none is."""
        gap = self.A @ x - self.b
        gap[: self.n_equal] = np.abs(gap[: self.n_equal])
        worst: float = max(gap.max(initial=0.0), (self.lower - x).max(initial=0.0), (x - self.upper).max(initial=0.0))
        return max(worst, 0.0)


def feasible_region(problem: Problem) -> FeasibleRegion:
    """The limits and linear constraints of a problem, over the coordinates of its space."""
    figure, space = problem.figure, problem.space
    n = len(space.names)
    lower, upper = (
        (np.full(n, end) for end in (-np.inf, np.inf)) if space.bounds is None else map(np.array, space.bounds)
    )
    turned = set(space.charted[0].ravel().tolist())
    owners = [list(space.names) for _ in ("upper", "lower")]
    equal: list[tuple[Array, float, str]] = []
    below: list[tuple[Array, float, str]] = []

    def require(row: Array, low: float, high: float, name: str, *, limit: bool = False) -> None:
        used = np.flatnonzero(row)
        if not len(used):
            if low > 1e-9 or high < -1e-9:
                raise Infeasible((f"{name} (the space cannot change it)",))
            return
        if len(used) == 1:
            c = int(used[0])
            least, most = sorted((low / row[c], high / row[c]))
            if least > lower[c]:
                lower[c], owners[1][c] = least, f"{name} (lower limit)" if limit else name
            if most < upper[c]:
                upper[c], owners[0][c] = most, f"{name} (upper limit)" if limit else name
            if lower[c] > upper[c] + _SAME:
                raise Infeasible(tuple(dict.fromkeys((owners[1][c], owners[0][c]))))
            lower[c] = min(lower[c], upper[c])
            return
        length = float(np.linalg.norm(row))
        if low == high:
            equal.append((row / length, high / length, name))
            return
        if np.isfinite(high):
            below.append((row / length, high / length, name))
        if np.isfinite(low):
            below.append((-row / length, -low / length, name))

    for d, name in enumerate(figure.dof_names):
        if np.isfinite(figure.lower[d]) or np.isfinite(figure.upper[d]):
            if d in turned:
                joint = figure.joints[figure.tables.dofs[d]["joint"]].name
                raise InvalidSetting(f"joint {joint!r} has limits, which a space with a chart of it cannot keep")
            for k in range(d, len(space.offset), figure.n_dofs):
                least, most = figure.lower[d] - space.offset[k], figure.upper[d] - space.offset[k]
                require(space.matrix[k], least, most, name, limit=True)
    for constraint in (*figure.constraints, *problem.constraints):
        row = _over_dofs(problem, constraint)
        if turned.intersection(np.flatnonzero(row).tolist()):
            raise InvalidSetting(
                f"constraint {constraint.name!r} is about a ball joint of which the space has a chart: "
                "rotation vectors are other numbers there"
            )
        for first in range(0, len(space.offset), figure.n_dofs):
            block = slice(first, first + figure.n_dofs)
            over_x = row @ space.matrix[block]
            over_x[np.abs(over_x) <= _ROUNDING * (np.abs(row) @ np.abs(space.matrix[block]))] = 0.0  # what cancels out
            constant = float(row @ space.offset[block])
            require(over_x, constraint.lower - constant, constraint.upper - constant, constraint.name)
    rows = [*equal, *below]
    return FeasibleRegion(
        A=np.array([row for row, _, _ in rows]).reshape(len(rows), n),
        b=np.array([bound for _, bound, _ in rows], dtype=np.float64),
        n_equal=len(equal),
        names=tuple(name for _, _, name in rows),
        lower=lower,
        upper=upper,
        coordinate_names=space.names,
        bound_names=(tuple(owners[0]), tuple(owners[1])),
    )


def _over_dofs(problem: Problem, constraint: LinearConstraint) -> Array:
    row = np.zeros(problem.figure.n_dofs)
    for dof, factor in constraint.coefficients:
        row[problem.figure.dof_index(dof)] = factor
    return row
