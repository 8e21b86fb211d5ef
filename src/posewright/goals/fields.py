"""Types of goal fields. A field's type declares once how it is checked and how task files state it.

For example, a field `target: Place` is checked when a goal is made, and task files state it as three numbers or as the
name of a site. User-defined goals declare their fields in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from posewright.checks import must_be, require, require_array, require_list, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.rotations import matrix_from_quaternion

Point = tuple[float, float, float]
Target = Point | str
"""A point in the world (m), or the name of a site of the same figure."""

ROUNDING = 1e-15
"""Directions this close to unit length or perpendicular are kept, so that normalising twice changes no bits."""
_UNIT = 1e-3
"""How far given quaternions and matrices may be from rotations; they are normalised."""


@dataclass(frozen=True)
class Role:
    """The meaning of a field."""

    word: str
    """Name of the meaning, for task files."""
    check: Callable[[Any, str], Any]
    """A function (given value, its name in messages) that returns the value to keep."""


def check_fields(value: Any, subject: str, *, only: Container[str] | None = None) -> None:
    """Check the declared fields of a frozen value and store what the checks return.

    Args:
        value: a goal or a predicate.
        subject: its name in messages.
        only: words of the roles to check; None: all.
    """
    kind: type = type(value)
    for name, (hint, role) in declared_fields(kind).items():
        given = getattr(value, name)
        optional = given is None and type(None) in get_args(hint)
        if role is not None and not optional and (only is None or role.word in only):
            object.__setattr__(value, name, role.check(given, f"the {name} of {subject}"))


@cache
def declared_fields(kind: type) -> Mapping[str, tuple[Any, Role | None]]:
    """The type and the role of each field of a goal class, including arguments of its constructor."""
    hints = get_type_hints(kind, include_extras=True)
    own = {name: getattr(hint, "type", hint) for name, hint in hints.items() if get_origin(hint) is not ClassVar}
    return {name: (hint, _role(hint)) for name, hint in own.items()}


def _role(hint: Any) -> Role | None:
    own = next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Role)), None)
    return own or next((found for part in get_args(hint) if (found := _role(part)) is not None), None)


def checked_point(values: Sequence[float], what: str) -> Point:
    """Three finite floats, small enough that their squares are finite too."""
    try:
        x, y, z = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise InvalidSetting(must_be(what, "three finite numbers", values)) from None
    if not math.isfinite(x * x + y * y + z * z):
        raise InvalidSetting(must_be(what, "three finite numbers below 1e150", [x, y, z]))
    return x, y, z


def checked_target(target: Target | Sequence[float], what: str) -> Target:
    """A site's name, or three finite numbers."""
    return target if isinstance(target, str) else checked_point(target, what)


def checked_direction(values: Sequence[float], what: str) -> Point:
    """A unit vector along three finite numbers that are not all zero."""
    x, y, z = checked_point(values, what)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        raise InvalidSetting(f"{what} is zero; it must have a direction")
    return (x, y, z) if abs(length - 1.0) < ROUNDING else (x / length, y / length, z / length)


def checked_directions(x: Sequence[float], y: Sequence[float], what: str) -> tuple[Point, Point]:
    """Two unit vectors at right angles; y is turned so that it is at a right angle to x."""
    a, b = checked_direction(x, f"the x direction of {what}"), checked_direction(y, f"the y direction of {what}")
    along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if abs(along) > 1.0 - 1e-9:
        raise InvalidSetting(f"the x and y directions of {what} are parallel")
    if abs(along) < ROUNDING:
        return a, b
    return a, checked_direction((b[0] - along * a[0], b[1] - along * a[1], b[2] - along * a[2]), what)


def checked_matrices(rotations: npt.ArrayLike, what: str) -> Array:
    """Rotation matrices (..., 3, 3), given as such or as unit quaternions wxyz (..., 4)."""
    given = np.asarray(rotations, dtype=np.float64) if not isinstance(rotations, str) else np.empty(0)
    if given.shape[-1:] == (4,):
        length = np.linalg.norm(given, axis=-1)
        if not (np.abs(length - 1.0) <= _UNIT).all():
            raise InvalidSetting(f"{what} must be a unit quaternion wxyz, got one of length {length.max():.3g}")
        return np.asarray(matrix_from_quaternion(given / length[..., np.newaxis]))
    if given.shape[-2:] != (3, 3):
        raise InvalidSetting(must_be(what, "a quaternion wxyz or a 3x3 matrix", rotations))
    square = given @ np.swapaxes(given, -1, -2)
    if not (
        np.isfinite(given).all() and np.abs(square - np.eye(3)).max() <= _UNIT and (np.linalg.det(given) > 0).all()
    ):
        raise InvalidSetting(
            f"{what} is not a rotation: its columns must be unit vectors at right angles, right-handed"
        )
    return given


def _rotation(value: npt.ArrayLike, what: str) -> tuple[Point, Point]:
    matrix = checked_matrices(value, what)
    if matrix.shape != (3, 3):
        raise InvalidSetting(must_be(what, "one rotation", value))
    return checked_directions(matrix[:, 0].tolist(), matrix[:, 1].tolist(), what)


def _quaternion(value: npt.ArrayLike, what: str) -> tuple[Point, Point]:
    return _rotation(require_array(value, (4,), what), what)


def _matrix(value: npt.ArrayLike, what: str) -> tuple[Point, Point]:
    return _rotation(require_array(value, (3, 3), what), what)


def _name(value: object, what: str) -> object:
    require(value, str, what, "a name")
    return value


def _names(values: Sequence[str], what: str) -> tuple[str, ...]:
    require_list(values, what, "names", str)
    return tuple(values)


def _some_names(values: Sequence[str], what: str) -> tuple[str, ...]:
    names = _names(values, what)
    if not names:
        raise InvalidSetting(f"{what} are empty; at least one is needed")
    return names


def _number(accepted: str = "", **bounds: Any) -> Callable[[float, str], float]:
    """A check that accepts the numbers that `require_number` accepts."""

    def check(value: float, what: str) -> float:
        require_number(value, what, accepted, **bounds)
        return value

    return check


SiteName = Annotated[str, Role("site", _name)]
"""Name of a site, or of a joint for its origin and axes."""
Place = Annotated[Target, Role("place", checked_target)]
"""World position, m, or the name of a site. Task files also accept `start`: the place in the start pose."""
PointOrSite = Annotated[Target, Role("point", checked_target)]
"""World position, m, or the name of a site."""
Direction = Annotated[Point, Role("direction", checked_direction)]
"""A direction; stored as a unit vector."""
LikeSite = Annotated[str, Role("like", _name)]
"""A site of the same figure that has the wanted directions."""
Quaternion = Annotated[Sequence[float], Role("wxyz", _quaternion)]
Matrix = Annotated[npt.ArrayLike, Role("matrix", _matrix)]
Radius = Annotated[float, Role("radius", _number("a positive number of metres per radian", above=0.0))]
"""Metres that one radian counts as."""
Share = Annotated[float, Role("share", _number(at_least=0.0, at_most=1.0))]
Joints = Annotated[tuple[str, ...], Role("joints", _names)]
Sites = Annotated[tuple[str, ...], Role("sites", _some_names)]
"""Names of one or more sites."""
WorldPoint = Annotated[Point, Role("world_point", checked_point)]
"""World position, m."""
Metres = Annotated[float, Role("metres", _number(above=0.0, unit="metres"))]
"""A positive length."""
