"""Terms: the residuals that goals are made of, as the solvers' tables want them.

A goal about sites is made of one or two `SiteTerm`s. Each kind of them is a class beside its goal, which also says what
else depends on the kind: what its target is, how it fades over time, and how recorded postures are compared with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import JointFrames
from posewright.goals.fields import Point, Target

Unit = Literal["m", "rad"]
Part = Literal["position", "orientation"]
"""What a term of a goal is about: where its site is, or how it is turned."""

NOWHERE: Point = (0.0, 0.0, 0.0)
POINT, X, Y = slice(0, 3), slice(3, 6), slice(6, 9)
"""Where a row of targets has what is wanted."""


class SiteTrack(NamedTuple):
    """Where a motion has a site: arrays (frames, 3)."""

    points: Array
    x: Array
    """The direction that the term is about, or the site's x axis."""
    y: Array


class SiteValues(Protocol):
    """Where postures have the sites of a figure, in the frame of the root: (postures, 3) each."""

    def values(self, site: str) -> Array:
        """Points, m."""

    def x_axes(self, site: str) -> Array:
        """Unit vectors."""

    def y_axes(self, site: str) -> Array:
        """Unit vectors."""


class Compared(NamedTuple):
    """Numbers by which postures are compared with what a term wants."""

    values: Array
    """(postures, numbers)"""
    wanted: Array
    """(numbers,)"""
    is_length: bool
    """In metres."""


@dataclass(frozen=True)
class SiteTerm:
    """One residual of one site, or of the centre of mass."""

    kind: ClassVar[int]
    """The code of `kernels.tables` that kernels switch on."""
    unit: ClassVar[Unit] = "m"
    part: ClassVar[Part] = "position"
    takes: ClassVar[tuple[Literal["point", "x", "y"], ...]] = ("point",)
    """What its target is made of."""
    fixes: ClassVar[bool] = False
    """Whether it leaves nothing of its part open: a point in all directions, or a whole rotation."""

    site: str | None
    """None: the centre of mass."""
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

    @property
    def partner(self) -> str | None:
        """The site of the same figure that is its target."""
        return self.like or (self.point if isinstance(self.point, str) else None)

    @property
    def target(self) -> Array:
        """(9,): its row of targets; a site that is the target is left out."""
        point = NOWHERE if isinstance(self.point, str) else self.point
        return np.array((*point, *self.x, *self.y))

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """Move targets (frames, 9) towards what a source does, where the activation (frames, 1) is below 1."""
        targets[:, POINT] = source.points + activation * (targets[:, POINT] - source.points)

    def nearest_point(self, target: Array, here: Array) -> Array | None:
        """Of the points (3,) that meet a target (9,) the one nearest to `here`; None: it is not about places."""
        return None

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """What postures are compared by; target (9,) in their frame, axis: components of `axis` in the site's axes.

        By nothing, unless a kind says by what.
        """
        return []


def difference(vectors: Callable[[str], Array], term: SiteTerm, wanted: Array, *, is_length: bool) -> Compared:
    """A site's vectors against those wanted, or against those of the site that is the target."""
    assert term.site is not None
    if term.partner is None:
        return Compared(vectors(term.site), wanted, is_length)
    return Compared(vectors(term.site) - vectors(term.partner), np.zeros(3), is_length)


def away(term: SiteTerm, target: Array, at: SiteValues) -> Array:
    """From the site to the point of a target, or to the site that is the target (postures, 3)."""
    assert term.site is not None
    there: Array = target[POINT] if term.partner is None else at.values(term.partner)
    return there - at.values(term.site)


def directions(at: SiteValues, site: str, axis: Point) -> Array:
    """A direction of a site (postures, 3) by its components along the site's x and y axes and their cross product."""
    if axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
        return at.x_axes(site) if axis[0] else at.y_axes(site)
    x, y = at.x_axes(site), at.y_axes(site)
    mixed: Array = axis[0] * x + axis[1] * y + axis[2] * np.cross(x, y)
    return mixed


def between(u: Array, v: Array, share: Array) -> Array:
    """Unit vectors (frames, 3) from u towards v, by a share (frames, 1) of the angle."""
    angle = np.arccos(np.clip((u * v).sum(axis=1, keepdims=True), -1.0, 1.0))
    sine = np.sin(angle)
    straight = sine < 1e-9
    arc = (np.sin((1.0 - share) * angle) * u + np.sin(share * angle) * v) / np.where(straight, 1.0, sine)
    mixed: Array = np.where(straight, u + share * (v - u), arc)
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    return mixed


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
