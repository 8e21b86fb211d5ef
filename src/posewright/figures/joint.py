"""Joints and their freedom: slides, then hinges in order or one ball (the product is in `conventions`)."""

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
"""m or rad: squares of what is larger overflow."""
_LETTER = {X: "x", Y: "y", Z: "z"}


@dataclass(frozen=True, kw_only=True)
class Dof:
    """One number of `q`: a `Slide` (m) or a `Hinge` (rad)."""

    axis: Vector
    label: str = ""
    """Last part of the dof's name; empty: tx, ty, tz (rx, ry, rz) or, for another axis, t0, t1, ... (r0, ...)."""
    lower: float = -math.inf
    """m or rad"""
    upper: float = math.inf
    rest: float = 0.0
    rigidity: float = 0.0
    """0 moves freely, 1 not at all."""
    max_speed: float = math.inf
    """m/s or rad/s, in both directions; files of robots state it."""

    @cached_property
    def problem(self) -> str:
        """What is wrong with the numbers of this dof, looked for once for all joints that have it; or empty."""
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
    """Three rotations as one rotation vector: no gimbal lock."""

    lower: Vector = (-math.inf, -math.inf, -math.inf)
    """rad; a finite box must lie inside the ball of radius pi."""
    upper: Vector = (math.inf, math.inf, math.inf)
    rest: Vector = ORIGIN
    rigidity: Vector = ORIGIN
    hinges: tuple[Hinge, ...] = ()
    """The three hinges that this ball stands for, if it came from some: `with_hinges` brings them back."""


@dataclass(frozen=True, kw_only=True)
class Capsule:
    """A rounded cone on a segment, for pictures and contact."""

    start: Vector
    """m, in the joint's frame"""
    end: Vector
    start_radius: float
    """m"""
    end_radius: float


@dataclass(frozen=True, kw_only=True)
class Joint:
    """An articulation and the segment that it moves."""

    name: str
    parent: str | None = None
    """None for a root."""
    offset: Vector = ORIGIN
    """m, from the parent's origin, in the parent's frame."""
    rest: Quaternion = NO_TURN
    """wxyz, constant rotation before the joint's own."""
    slides: tuple[Slide, ...] = ()
    slides_replace_offset: bool = False
    """Whether the slides are measured from the parent's origin (as BVH position channels mostly are), so that
    the offset only counts along axes without a slide."""
    rotation: tuple[Hinge, ...] | Ball = ()
    mass: float = 0.0
    """kg"""
    centre: Vector = ORIGIN
    """m, centre of mass of the segment in the joint's frame."""
    shape: tuple[Capsule, ...] = ()
    """Empty: capsules are drawn to the children and tips (see `figure.capsules`)."""

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
        """The hinges, in order; none for a ball."""
        return () if isinstance(self.rotation, Ball) else self.rotation

    @property
    def ball(self) -> Ball | None:
        """The ball, if that is how this joint turns."""
        return self.rotation if isinstance(self.rotation, Ball) else None

    @property
    def n_dofs(self) -> int:
        """How many numbers of `q` belong to this joint."""
        return len(self.slides) + (3 if self.ball else len(self.hinges))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Last part of the name of each dof, in the order of `q`."""
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
        """Greatest speed of each dof, in the order of `q`; a ball has none."""
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
    """Three slides along x, y, z, as of a free root."""
    return tuple(Slide(axis=axis, rest=float(r)) for axis, r in zip((X, Y, Z), rest, strict=True))


def finite(values: Sequence[float], where: str, what: str) -> Vector:
    """Three finite floats, or an error that says what they were wanted for, and where."""
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
