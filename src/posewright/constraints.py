"""What must hold: linear relations between dofs by name, as equalities, inequalities, couplings and polygons.

The shoulder polygon is Zhao & Badler 1994, section 6; coupled finger joints Courty & Arnaud 2008, section 5.
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
    """`lower <= Σ coefficient · dof <= upper`; an equality when both bounds are the same."""

    name: str
    coefficients: tuple[tuple[str, float], ...]
    """Dof name and factor, each name once."""
    lower: float = -math.inf
    """In the unit of the sum (rad or m)."""
    upper: float = math.inf

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
                f"constraint {self.name!r} asks for a sum from {self.lower} to {self.upper}; "
                "lower must not exceed upper"
            )

    @classmethod
    def coupling(cls, name: str, follower: str, leader: str, ratio: float, offset: float = 0.0) -> LinearConstraint:
        """`follower = ratio · leader + offset`, as of the last two joints of a finger."""
        require_number(ratio, f"the ratio of constraint {name!r}", "finite and not zero")
        return cls(name=name, coefficients=((follower, 1.0), (leader, -ratio)), lower=offset, upper=offset)

    @classmethod
    def polygon(
        cls, name: str, first: str, second: str, vertices: Sequence[tuple[float, float]]
    ) -> tuple[LinearConstraint, ...]:
        """Keep two dofs inside a convex polygon, given by its corners counter-clockwise (rad).

        Raises:
            InvalidSetting: fewer than three corners, clockwise, not convex, or two equal corners in a row.
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
        """Whether only one value of the sum is allowed."""
        return self.lower == self.upper

    def value(self, dofs: Mapping[str, float]) -> float:
        """The sum for given dof values."""
        return sum(factor * dofs[name] for name, factor in self.coefficients)

    def renamed(self, prefix: str) -> LinearConstraint:
        """The same relation over dofs whose joints got a prefix."""
        renamed = tuple((prefix + dof, factor) for dof, factor in self.coefficients)
        return replace(self, name=prefix + self.name, coefficients=renamed)


def require_distinct(constraints: Iterable[LinearConstraint], beside: Iterable[LinearConstraint] = ()) -> None:
    """Refuse two constraints of one name: results and errors could not say which of them is meant.

    Args:
        constraints: what a person wrote. The same constraint once more changes nothing, and passes.
        beside: those of the figure, whose names may be generated: they are not compared with each other.

    Raises:
        InvalidSetting: two share a name.
    """
    known = {constraint.name: constraint for constraint in beside}
    for constraint in constraints:
        if known.setdefault(constraint.name, constraint) != constraint:
            raise InvalidSetting(
                f"two constraints are called {constraint.name!r}, those of the figure counted; "
                "give one of them another name"
            )
