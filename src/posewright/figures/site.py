"""Sites: named points on segments, with two directions. What goals speak of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from posewright.errors import InvalidFigure
from posewright.figures.joint import ORIGIN, Vector, X, Y, finite


@dataclass(frozen=True, kw_only=True)
class Site:
    """A point and two unit directions, fixed to the segment of a joint."""

    name: str
    joint: str
    point: Vector = ORIGIN
    """m, in the joint's frame."""
    x_axis: Vector = X
    """Unit; what "pointing" means for this site."""
    y_axis: Vector = Y
    """Unit, made perpendicular to `x_axis`."""
    tip: bool = False
    """Whether the segment's shape ends here (an End Site of a BVH file, a fingertip)."""

    def __post_init__(self) -> None:
        where = f"site {self.name!r}"
        object.__setattr__(self, "point", finite(self.point, where, "point"))
        if self.x_axis is X and self.y_axis is Y:
            return
        x = _unit(finite(self.x_axis, where, "x_axis"), f"{where}: x_axis is zero")
        y = finite(self.y_axis, where, "y_axis")
        along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
        y = _unit(
            (y[0] - along * x[0], y[1] - along * x[1], y[2] - along * x[2]),
            f"{where}: y_axis is zero or parallel to x_axis",
        )
        object.__setattr__(self, "x_axis", x)
        object.__setattr__(self, "y_axis", y)


def _unit(v: Vector, problem: str) -> Vector:
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if length < 1e-9:
        raise InvalidFigure(problem)
    if abs(length - 1.0) < 1e-15:
        return v
    return v[0] / length, v[1] / length, v[2] / length
