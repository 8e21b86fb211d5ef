"""Joints and their dofs: slides, then hinges in order or one ball (`docs/conventions.md` has the product)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from posewright.checks import must_be, require_number
from posewright.errors import InvalidFigure

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)

FARTHEST = 1e100
"""m or rad; squares of larger numbers overflow."""
_LETTER = {X: "x", Y: "y", Z: "z"}


@dataclass(frozen=True, kw_only=True)
class Dof:
    """One number of `q`: a `Slide` (m) or a `Hinge` (rad)."""

    axis: Vector
    """Unit vector."""
    label: str = ""
    """Last part of the dof's name. If empty: tx, ty, tz (rx, ry, rz), or t0, t1, ... (r0, ...) for another axis."""
    lower: float = -math.inf
    """Lower limit, m or rad."""
    upper: float = math.inf
    """Upper limit, m or rad."""
    rest: float = 0.0
    """Value in the rest pose, m or rad."""
    rigidity: float = 0.0
    """From 0 (moves freely) to 1 (does not move)."""
    max_speed: float = math.inf
    """Maximum speed in both directions, m/s or rad/s; robot files state it."""

    @cached_property
    def problem(self) -> str:
        """What is wrong with the values of this dof, or empty; computed once for all joints that share it."""
        if not self.max_speed > 0.0:
            return must_be("max_speed", "positive", self.max_speed)
        axis = tuple(self.axis)
        if axis not in _LETTER:
            if len(axis) != 3 or not all(map(math.isfinite, axis)):
                return must_be("axis", "three finite numbers", list(axis))
            if abs(math.hypot(*axis) - 1.0) > 1e-9:
                return f"axis {list(axis)} is not of unit length"
        return _bounds_problem(self.lower, self.upper, self.rest, self.rigidity)


@dataclass(frozen=True, kw_only=True)
class Slide(Dof):
    """One translation along an axis of the parent's frame."""


@dataclass(frozen=True, kw_only=True)
class Hinge(Dof):
    """One rotation about an axis of the joint's frame, after the hinges before it."""


@dataclass(frozen=True, kw_only=True)
class Ball:
    """Three rotational dofs as one rotation vector, without gimbal lock."""

    lower: Vector = (-math.inf, -math.inf, -math.inf)
    """Lower limits, rad. Finite limits must form a box inside the ball of radius pi."""
    upper: Vector = (math.inf, math.inf, math.inf)
    """Upper limits, rad."""
    rest: Vector = ORIGIN
    """Rotation vector in the rest pose, rad."""
    rigidity: Vector = ORIGIN
    """From 0 (moves freely) to 1 (does not move), per component."""
    hinges: tuple[Hinge, ...] = ()
    """The three hinges that this ball replaces, if any; `with_hinges` restores them."""


@dataclass(frozen=True, kw_only=True)
class Capsule:
    """A rounded cone on a segment, used for pictures and self-contact."""

    start: Vector
    """Centre of the sphere at the start, in the joint's frame, m."""
    end: Vector
    """Centre of the sphere at the end, in the joint's frame, m."""
    start_radius: float
    """Radius at the start, m."""
    end_radius: float
    """Radius at the end, m."""


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A joint and the segment that it moves."""

    name: str
    parent: str | None = None
    """Name of the parent joint; None for a root."""
    offset: Vector = ORIGIN
    """Position relative to the parent's origin, in the parent's frame, m."""
    rest: Quaternion = NO_TURN
    """Constant rotation (wxyz) that precedes the joint's own rotation."""
    slides: tuple[Slide, ...] = ()
    """Translational dofs, at most three."""
    slides_replace_offset: bool = False
    """Whether slides are measured from the parent's origin instead of from the offset, as most BVH position channels
    are. The offset then only counts along axes without a slide."""
    rotation: tuple[Hinge, ...] | Ball = ()
    """Rotational dofs: hinges in order, or one ball."""
    mass: float = 0.0
    """Mass of the segment, kg."""
    centre: Vector = ORIGIN
    """Centre of mass of the segment, in the joint's frame, m."""
    shape: tuple[Capsule, ...] = ()
    """Capsules of the segment; if empty, they are built to the children and tips (see `figures.capsules`)."""

    def __post_init__(self) -> None:
        where = f"joint {self.name!r}"
        if not isinstance(self.name, str) or not self.name or self.name != self.name.strip():
            raise InvalidFigure(f"{where}: a name must be text, not empty, without blanks at its ends")
        object.__setattr__(self, "offset", finite(self.offset, where, "offset"))
        object.__setattr__(self, "centre", finite(self.centre, where, "centre"))
        object.__setattr__(self, "rest", _unit_quaternion(self.rest, where))
        object.__setattr__(self, "slides", tuple(self.slides))
        if not isinstance(self.rotation, Ball):
            object.__setattr__(self, "rotation", tuple(self.rotation))
        if self.mass != 0.0:
            require_number(self.mass, f"{where}: mass", at_least=0.0, refusal=InvalidFigure)
        for dof, label in zip((*self.slides, *self.hinges), self.labels, strict=False):
            if dof.problem:
                raise InvalidFigure(f"{where}, {label}: {dof.problem}")
        if len(self.slides) > 3:
            raise InvalidFigure(f"{where} has {len(self.slides)} slides; at most 3 make sense")
        if len(set(self.labels)) != len(self.labels):
            raise InvalidFigure(f"{where} has two dofs with the same name: {', '.join(self.labels)}")
        if isinstance(self.rotation, Ball):
            _check_ball(self.rotation, where)
        for capsule in self.shape:
            finite(capsule.start, where, "capsule start")
            finite(capsule.end, where, "capsule end")
            if not (0.0 <= capsule.start_radius < math.inf and 0.0 <= capsule.end_radius < math.inf):
                raise InvalidFigure(f"{where}: capsule radii must be finite and not negative")

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The hinges in order; empty for a ball."""
        return () if isinstance(self.rotation, Ball) else self.rotation

    @property
    def ball(self) -> Ball | None:
        """The ball, or None if the joint has hinges or does not rotate."""
        return self.rotation if isinstance(self.rotation, Ball) else None

    @property
    def n_dofs(self) -> int:
        """Number of dofs of this joint."""
        return len(self.slides) + (3 if self.ball else len(self.hinges))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Last part of each dof's name, in the order of `q`."""
        return (*_labels(self.slides, self.hinges), *(("wx", "wy", "wz") if self.ball else ()))

    @property
    def bounds(self) -> tuple[tuple[float, float, float, float], ...]:
        """Lower, upper, rest and rigidity of each dof, in the order of `q`."""
        slides = [(s.lower, s.upper, s.rest, s.rigidity) for s in self.slides]
        if isinstance(self.rotation, Ball):
            ball = self.rotation
            return (*slides, *zip(ball.lower, ball.upper, ball.rest, ball.rigidity, strict=True))
        return (*slides, *[(h.lower, h.upper, h.rest, h.rigidity) for h in self.rotation])

    @property
    def max_speeds(self) -> tuple[float, ...]:
        """Maximum speed of each dof, in the order of `q`; infinite for a ball."""
        turning = (math.inf,) * 3 if self.ball else tuple(hinge.max_speed for hinge in self.hinges)
        return (*(slide.max_speed for slide in self.slides), *turning)


@lru_cache(4096)  # most joints of a figure have the same dofs
def _labels(slides: tuple[Slide, ...], hinges: tuple[Hinge, ...]) -> tuple[str, ...]:
    names = [s.label or "t" + _LETTER.get(s.axis, str(i)) for i, s in enumerate(slides)]
    plain = [_LETTER.get(h.axis, str(i)) for i, h in enumerate(hinges)]
    if len(set(plain)) < len(plain):  # Euler angles such as z-x-z turn twice about one letter: number the second
        before = [plain[:i].count(letter) for i, letter in enumerate(plain)]
        plain = [letter + str(n + 1) if n else letter for letter, n in zip(plain, before, strict=True)]
    return (*names, *[h.label or "r" + letter for h, letter in zip(hinges, plain, strict=True)])


def free_slides(rest: Sequence[float] = ORIGIN) -> tuple[Slide, ...]:
    """Three slides along x, y and z, such as a free root has."""
    return tuple(Slide(axis=axis, rest=float(r)) for axis, r in zip((X, Y, Z), rest, strict=True))


def finite(values: Sequence[float], where: str, what: str) -> Vector:
    """Convert to three finite floats; the error says what was expected and where."""
    if values is ORIGIN:
        return ORIGIN
    try:
        x, y, z = map(float, values)
    except (TypeError, ValueError):
        raise InvalidFigure(must_be(f"{where}: {what}", "three finite numbers", values)) from None
    if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST and abs(z) <= FARTHEST):
        accepted = f"three numbers up to {FARTHEST:g}" if math.isfinite(x + y + z) else "three finite numbers"
        raise InvalidFigure(f"{where}: {what} must be {accepted}, got {[x, y, z]}")
    return x, y, z


def _unit_quaternion(values: Sequence[float], where: str) -> Quaternion:
    if tuple(values) == NO_TURN:
        return NO_TURN
    w, x, y, z = map(float, values) if len(values) == 4 else (0.0,) * 4
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not abs(length - 1.0) <= 1e-6:
        raise InvalidFigure(f"{where}: rest rotation {list(values)} is not a unit quaternion wxyz")
    if abs(length - 1.0) < 1e-15:  # normalising again would change the last bits
        return w, x, y, z
    return w / length, x / length, y / length, z / length


def _bounds_problem(lower: float, upper: float, rest: float, rigidity: float) -> str:
    if math.isnan(lower) or math.isnan(upper) or lower > upper:
        return f"limits run from {lower:g} to {upper:g}; lower must not exceed upper"
    if not (abs(rest) <= FARTHEST and lower <= rest <= upper):
        return f"rest value {rest:g} must lie within the limits {lower:g} to {upper:g}"
    return "" if 0.0 <= rigidity <= 1.0 else f"rigidity {rigidity:g} must be between 0 and 1"


def _check_ball(ball: Ball, where: str) -> None:
    for letter, *bounds in zip("xyz", ball.lower, ball.upper, ball.rest, ball.rigidity, strict=True):
        if problem := _bounds_problem(*bounds):
            raise InvalidFigure(f"{where}, w{letter}: {problem}")
    corner = [max(abs(lo), abs(hi)) for lo, hi in zip(ball.lower, ball.upper, strict=True)]
    if all(map(math.isfinite, corner)) and math.hypot(*corner) > math.pi + 1e-12:
        raise InvalidFigure(
            f"{where}: the box of its rotation vector reaches {math.hypot(*corner):.3f} rad from zero; "
            "limits of a ball must stay within pi; use hinges for wider ones"
        )
