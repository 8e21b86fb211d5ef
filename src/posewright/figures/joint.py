"""Joints and their freedom: slides, then hinges in order or one ball (the product is in `conventions`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from posewright.checks import must_be, require_number
from posewright.errors import InvalidFigure

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)

_LETTER = {X: "x", Y: "y", Z: "z"}
_UNBOUNDED = (-math.inf, math.inf, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Slide:
    """One translation along an axis of the parent's frame."""

    axis: Vector
    label: str = ""
    """Last part of the dof's name; empty means tx, ty, tz or, along another axis, t0, t1, ..."""
    lower: float = -math.inf
    """m"""
    upper: float = math.inf
    rest: float = 0.0
    rigidity: float = 0.0
    """0 moves freely, 1 not at all."""
    max_speed: float = math.inf
    """m/s, in both directions; files of robots state it."""


@dataclass(frozen=True, kw_only=True)
class Hinge:
    """One rotation about an axis of the joint's frame, after the hinges before it."""

    axis: Vector
    label: str = ""
    """Last part of the dof's name; empty means rx, ry, rz or, about another axis, r0, r1, ..."""
    lower: float = -math.inf
    """rad"""
    upper: float = math.inf
    rest: float = 0.0
    rigidity: float = 0.0
    max_speed: float = math.inf
    """rad/s"""


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
            raise InvalidFigure(f"{where}: a name must be text, not empty, that does not begin or end with a blank")
        object.__setattr__(self, "offset", finite(self.offset, f"{where}: offset"))
        object.__setattr__(self, "centre", finite(self.centre, f"{where}: centre"))
        object.__setattr__(self, "rest", _unit_quaternion(self.rest, where))
        object.__setattr__(self, "slides", tuple(self.slides))
        if not isinstance(self.rotation, Ball):
            object.__setattr__(self, "rotation", tuple(self.rotation))
        require_number(self.mass, f"{where}: mass", at_least=0.0, refusal=InvalidFigure)
        axes = [slide.axis for slide in self.slides] + [hinge.axis for hinge in self.hinges]
        for axis, label in zip(axes, self.labels, strict=False):
            if tuple(axis) not in _LETTER:
                _check_axis(axis, f"{where}, {label}")
        if len(self.slides) > 3:
            raise InvalidFigure(f"{where} has {len(self.slides)} slides; at most 3 make sense")
        if len(set(self.labels)) != len(self.labels):
            raise InvalidFigure(f"{where} has two dofs of one name: {', '.join(self.labels)}")
        for label, bounds in zip(self.labels, self.bounds, strict=True):
            if bounds != _UNBOUNDED:
                _check_bounds(*bounds, f"{where}, {label}")
        for speed in self.max_speeds:
            if not speed > 0.0:
                raise InvalidFigure(must_be(f"{where}: the greatest speed of a dof", "positive", speed))
        if isinstance(self.rotation, Ball):
            _check_ball(self.rotation, where)
        for capsule in self.shape:
            finite(capsule.start, f"{where}: capsule start")
            finite(capsule.end, f"{where}: capsule end")
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
        slides = [s.label or "t" + _LETTER.get(s.axis, str(i)) for i, s in enumerate(self.slides)]
        if self.ball:
            return (*slides, "wx", "wy", "wz")
        plain = [_LETTER.get(h.axis, str(i)) for i, h in enumerate(self.hinges)]
        if len(set(plain)) < len(plain):  # Euler angles such as z-x-z turn twice about one letter: number the second
            before = [plain[:i].count(letter) for i, letter in enumerate(plain)]
            plain = [letter + str(n + 1) if n else letter for letter, n in zip(plain, before, strict=True)]
        return (*slides, *[h.label or "r" + letter for h, letter in zip(self.hinges, plain, strict=True)])

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


def free_slides(rest: Sequence[float] = ORIGIN) -> tuple[Slide, ...]:
    """Three slides along x, y, z, as of a free root."""
    return tuple(Slide(axis=axis, rest=float(r)) for axis, r in zip((X, Y, Z), rest, strict=True))


def finite(values: Sequence[float], where: str) -> Vector:
    """Three finite floats, or an error that says where they were wanted."""
    try:
        x, y, z = map(float, values)
    except (TypeError, ValueError):
        raise InvalidFigure(must_be(where, "three finite numbers", values)) from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise InvalidFigure(must_be(where, "three finite numbers", list(values)))
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


def _check_axis(axis: Sequence[float], where: str) -> None:
    x, y, z = finite(axis, f"{where}: axis")
    if abs(math.sqrt(x * x + y * y + z * z) - 1.0) > 1e-9:
        raise InvalidFigure(f"{where}: axis {list(axis)} is not of unit length")


def _check_bounds(lower: float, upper: float, rest: float, rigidity: float, where: str) -> None:
    if math.isnan(lower) or math.isnan(upper) or lower > upper:
        raise InvalidFigure(f"{where}: limits run from {lower:g} to {upper:g}; lower must not exceed upper")
    if not (math.isfinite(rest) and lower <= rest <= upper):
        raise InvalidFigure(f"{where}: rest value {rest:g} must lie within the limits {lower:g} to {upper:g}")
    if not 0.0 <= rigidity <= 1.0:
        raise InvalidFigure(f"{where}: rigidity {rigidity:g} must be between 0 and 1")


def _check_ball(ball: Ball, where: str) -> None:
    corner = [max(abs(lo), abs(hi)) for lo, hi in zip(ball.lower, ball.upper, strict=True)]
    if all(map(math.isfinite, corner)) and math.hypot(*corner) > math.pi + 1e-12:
        raise InvalidFigure(
            f"{where}: the box of its rotation vector reaches {math.hypot(*corner):.3f} rad from zero; "
            "limits of a ball must stay within pi, use hinges for wider ones"
        )
