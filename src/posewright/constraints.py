"""Constraints: linear relations between dofs that always hold (equalities, inequalities, couplings, polygons).

The shoulder polygon is from Zhao & Badler 1994, section 6; coupled finger joints from Courty & Arnaud 2008, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.checks import must_be, require_array, require_number
from posewright.errors import InvalidSetting

__all__ = ["LinearConstraint", "require_distinct"]


@dataclass(frozen=True, kw_only=True)
class LinearConstraint:
    """The constraint `lower <= Σ coefficient · dof <= upper`; an equality if both bounds are the same."""

    name: str
    coefficients: tuple[tuple[str, float], ...]
    """Pairs of dof name and coefficient; each name appears once."""
    lower: float = -math.inf
    """Lower bound, in the unit of the sum (rad or m)."""
    upper: float = math.inf
    """Upper bound, in the unit of the sum (rad or m)."""

    def __post_init__(self) -> None:
        try:
            names = [dof for dof, _ in self.coefficients]
        except (TypeError, ValueError):
            what = f"the coefficients of constraint {self.name!r}"
            raise InvalidSetting(must_be(what, "pairs of a dof and a factor", self.coefficients)) from None
        if not names or len(set(names)) != len(names):
            raise InvalidSetting(f"constraint {self.name!r} must name at least one dof, and none twice: {names}")
        for dof, factor in self.coefficients:
            require_number(factor, f"the factor of {dof!r} in constraint {self.name!r}", "finite and not zero", bool)
        for bound in (self.lower, self.upper):
            require_number(bound, f"a bound of constraint {self.name!r}", finite=False)
        if self.lower > self.upper:
            raise InvalidSetting(
                f"constraint {self.name!r} has bounds from {self.lower} to {self.upper}; lower must not exceed upper"
            )

    @classmethod
    def coupling(cls, name: str, follower: str, leader: str, ratio: float, offset: float = 0.0) -> LinearConstraint:
        """The constraint `follower = ratio · leader + offset`, for example for the last two joints of a finger."""
        require_number(ratio, f"the ratio of constraint {name!r}", "finite and not zero")
        return cls(name=name, coefficients=((follower, 1.0), (leader, -ratio)), lower=offset, upper=offset)

    @classmethod
    def polygon(
        cls, name: str, first: str, second: str, vertices: Sequence[tuple[float, float]]
    ) -> tuple[LinearConstraint, ...]:
        """Keep two dofs inside a convex polygon, given by its corners in counter-clockwise order (rad).

        Raises:
            InvalidSetting: there are fewer than three corners, they are clockwise, not convex, or repeat.
        """
        if first == second:
            raise InvalidSetting(f"polygon {name!r} names dof {first!r} twice; it needs two dofs")
        corners = require_array(vertices, ("corners", 2), f"polygon {name!r}")
        if len(corners) < 3:
            raise InvalidSetting(f"polygon {name!r} has {len(corners)} corners; it needs at least 3")
        edges = np.roll(corners, -1, axis=0) - corners
        after = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
        if (np.hypot(*edges.T) < 1e-12).any():
            raise InvalidSetting(f"polygon {name!r} has two equal corners in a row")
        if (turns < 0.0).all():
            raise InvalidSetting(f"the corners of polygon {name!r} run clockwise; list them counter-clockwise")
        around = np.arctan2(turns, (edges * after).sum(axis=1)).sum()  # 2 pi, unless the edges cross
        if (turns < 0.0).any() or not (turns > 0.0).any() or around > 3.0 * math.pi:
            raise InvalidSetting(f"polygon {name!r} is not convex")
        rows = []
        for i, ((u, v), (ex, ey)) in enumerate(zip(corners.tolist(), edges.tolist(), strict=True)):
            length = math.hypot(ex, ey)
            nx, ny = ey / length, -ex / length  # outward: the inside is on the left of each edge
            coefficients = tuple((dof, n) for dof, n in ((first, nx), (second, ny)) if n != 0.0)
            rows.append(cls(name=f"{name}[{i}]", coefficients=coefficients, upper=nx * u + ny * v))
        return tuple(rows)

    @property
    def is_equality(self) -> bool:
        """Whether this is an equality: both bounds are the same."""
        return self.lower == self.upper

    def value(self, dofs: Mapping[str, float]) -> float:
        """Value of the sum for the given dof values."""
        return sum(factor * dofs[name] for name, factor in self.coefficients)

    def renamed(self, prefix: str) -> LinearConstraint:
        """The same constraint with a prefix added to its name and to the names of its dofs."""
        renamed = tuple((prefix + dof, factor) for dof, factor in self.coefficients)
        return replace(self, name=prefix + self.name, coefficients=renamed)


def require_distinct(constraints: Iterable[LinearConstraint], beside: Iterable[LinearConstraint] = ()) -> None:
    """Refuse two different constraints with the same name, since results and errors could not tell them apart.

    Args:
        constraints: constraints given by the user. Exact repetitions are accepted.
        beside: constraints of the figure. Their names may be generated, so they are not compared with each other.

    Raises:
        InvalidSetting: two constraints share a name.
    """
    known = {constraint.name: constraint for constraint in beside}
    for constraint in constraints:
        if known.setdefault(constraint.name, constraint) != constraint:
            raise InvalidSetting(
                f"two constraints are called {constraint.name!r}, including those of the figure; rename one of them"
            )
