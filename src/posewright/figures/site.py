"""Sites: named points with axes on the segments of a figure. Most goals are about a site."""

from __future__ import annotations

import math
from dataclasses import dataclass

from posewright.errors import InvalidFigure
from posewright.figures.joint import ORIGIN, Vector, X, Y, finite


@dataclass(frozen=True, kw_only=True)
class Site:
    """A named point with an x and a y axis, fixed to the segment of a joint."""

    name: str
    joint: str
    """Name of the joint whose segment carries the site."""
    point: Vector = ORIGIN
    """Position in the joint's frame, m."""
    x_axis: Vector = X
    """Unit vector in the joint's frame: the direction in which the site points."""
    y_axis: Vector = Y
    """Unit vector in the joint's frame; made perpendicular to `x_axis`."""
    tip: bool = False
    """Whether the segment's shape ends here, as at a fingertip or an End Site of a BVH file."""

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
