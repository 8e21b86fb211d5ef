"""Terms: the residuals that goals are made of, as the solvers' tables want them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, NamedTuple

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting, shown
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import JointFrames

Point = tuple[float, float, float]
Unit = Literal["m", "rad"]
Part = Literal["position", "orientation"]
"""What a term of a goal is about: where its site is, or how it is turned."""
Target = Point | str
"""A point in the world (m), or the name of a site of the same figure."""

NOWHERE: Point = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class SiteTerm:
    """One residual of one site, or of the centre of mass."""

    kind: int
    """A code of `kernels.tables`."""
    site: str | None
    """None: the centre of mass."""
    unit: Unit
    point: Target = NOWHERE
    """Where, if the kind asks for a point."""
    x: Point = NOWHERE
    """The direction, or normal, or wanted x axis."""
    y: Point = NOWHERE
    """The wanted y axis."""
    like: str | None = None
    """Directions are those of this site of the same figure."""
    axis: Point | Literal["x", "y"] = "x"
    """Which direction of the site is meant: its x axis, its y axis, or one in its joint's frame."""
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""
    share: float = 1.0
    """Part of the goal's weight."""
    part: Part = "position"


@dataclass(frozen=True, eq=False)
class LinearTerm:
    """A residual `matrix · q - target`, such as the difference of neighbouring joints."""

    matrix: Array
    """(rows, dofs)"""
    target: Array
    """(rows,)"""

    @property
    def rows(self) -> int:
        """How many rows of residual."""
        return len(self.target)


@dataclass(frozen=True, eq=False)
class PostureTerm:
    """Squared distance to a reference, dof by dof."""

    weights: Array
    """(dofs,)"""
    reference: Array | None
    """(dofs,) of the plain figure; None: the start of the solve."""


@dataclass(frozen=True, eq=False)
class PythonTerm:
    """A residual written in Python."""

    residual: Callable[[Pose], Array]
    jacobian: Callable[[Pose], Array] | None
    rows: int
    unit: Unit
    crowd: Callable[[Figure, Array, JointFrames], Array] | None = None


Term = SiteTerm | LinearTerm | PostureTerm | PythonTerm


class TermRef(NamedTuple):
    """Which goal of a lowered problem a term about a site belongs to."""

    goal: int
    """Position among the enabled goals."""
    part: Part
    branch: int
    """Which of the goal's alternatives it belongs to; 0 if there are none."""
    order: int
    """Position among the parts of that alternative."""

    def label(self, goal: str) -> str:
        """What results call it if they call the goal, or the alternative, so: the first part has the same name."""
        return goal + ("", ".turn", ".turn2")[self.order]


def is_number(value: object) -> bool:
    """Whether something is a real number, of Python or NumPy."""
    return isinstance(value, Real)


def is_whole(value: object) -> bool:
    """Whether something is an integer, of Python or NumPy."""
    return isinstance(value, Integral)


def checked_target(target: Target | Sequence[float], what: str) -> Target:
    """A site's name, or three finite numbers."""
    return target if isinstance(target, str) else checked_point(target, what)


def checked_point(values: Sequence[float], what: str) -> Point:
    """Three finite floats, or an error that says what they were wanted for."""
    try:
        x, y, z = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise InvalidSetting(f"{what} is {shown(values)}; it must be three finite numbers") from None
    if not math.isfinite(x * x + y * y + z * z):  # not even its length can be computed
        raise InvalidSetting(f"{what} is {[x, y, z]}; it must be three finite numbers below 1e150")
    return x, y, z


def checked_direction(values: Sequence[float], what: str) -> Point:
    """A unit vector along three finite numbers that are not all zero."""
    x, y, z = checked_point(values, what)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        raise InvalidSetting(f"{what} is zero; it must have a direction")
    return x / length, y / length, z / length


def checked_radius(radius: float | None, what: str) -> None:
    """None, or a positive number of metres per radian."""
    if radius is not None:
        require_number(radius, f"the radius of {what}", "a positive number of metres per radian")
    if radius is not None and not (math.isfinite(radius) and radius > 0.0):
        raise InvalidSetting(f"the radius of {what} is {radius}; it must be a positive number of metres per radian")
