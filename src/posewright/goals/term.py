"""Terms: the residuals that goals are made of, in the form that the solvers' tables need.

A goal about sites consists of one or more `SiteTerm`s. Each kind of term is a subclass in the file of its goal, which
also defines what its target is, how it fades over time, and how recorded postures are compared with it.
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
"""What a term is about: the position of its site or its orientation."""

NOWHERE: Point = (0.0, 0.0, 0.0)
POINT, X, Y = slice(0, 3), slice(3, 6), slice(6, 9)
"""Columns of a row of targets."""


class SiteTrack(NamedTuple):
    """The frames of a site over a motion: arrays (frames, 3)."""

    points: Array
    """Positions, m."""
    x: Array
    """The direction that the term is about, or the site's x axis."""
    y: Array
    """The site's y axis."""


class SiteValues(Protocol):
    """The frames of sites in recorded postures, relative to the root: arrays (postures, 3)."""

    def values(self, site: str) -> Array:
        """Points, m."""

    def x_axes(self, site: str) -> Array:
        """Unit vectors."""

    def y_axes(self, site: str) -> Array:
        """Unit vectors."""


class Compared(NamedTuple):
    """Numbers that compare postures with the target of a term."""

    values: Array
    """(postures, numbers)"""
    wanted: Array
    """(numbers,)"""
    is_length: bool
    """Whether the numbers are in metres."""


@dataclass(frozen=True)
class SiteTerm:
    """One residual of one site, or of the centre of mass."""

    kind: ClassVar[int]
    """The code of `kernels.tables` that kernels switch on."""
    unit: ClassVar[Unit] = "m"
    part: ClassVar[Part] = "position"
    takes: ClassVar[tuple[Literal["point", "x", "y"], ...]] = ("point",)
    """The parts of its target."""
    fixes: ClassVar[bool] = False
    """Whether it fixes its part completely: all three coordinates of a point, or a whole rotation."""

    site: str | None
    """Name of the site; None: the centre of mass."""
    point: Target = NOWHERE
    """The target point, if the kind has one."""
    x: Point = NOWHERE
    """The direction, the normal, or the wanted x axis."""
    y: Point = NOWHERE
    """The wanted y axis."""
    like: str | None = None
    """A site of the same figure whose directions are wanted."""
    axis: Point | Literal["x", "y"] = "x"
    """The direction of the site that the term is about: its x axis, its y axis, or a direction in its joint's frame."""
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""
    share: float = 1.0
    """Fraction of the goal's weight."""

    @property
    def partner(self) -> str | None:
        """The site of the same figure that is the target, or None."""
        return self.like or (self.point if isinstance(self.point, str) else None)

    @property
    def target(self) -> Array:
        """Its row of targets (9,), without a site that is the target."""
        point = NOWHERE if isinstance(self.point, str) else self.point
        return np.array((*point, *self.x, *self.y))

    def fade(self, targets: Array, activation: Array, source: SiteTrack) -> None:
        """Move targets (frames, 9) towards the motion of a source where the activation (frames, 1) is below 1."""
        targets[:, POINT] = source.points + activation * (targets[:, POINT] - source.points)

    def nearest_point(self, target: Array, here: Array) -> Array | None:
        """The point (3,) nearest to `here` that meets a target (9,); None if the term is not about a position."""
        return None

    def compare(self, target: Array, at: SiteValues, axis: Point) -> list[Compared]:
        """Numbers that compare postures with the term; by default none.

        Args:
            target: (9,), in the frame of the postures' roots.
            at: frames of the sites in the postures.
            axis: components of `self.axis` along the site's axes.
        """
        return []


def difference(vectors: Callable[[str], Array], term: SiteTerm, wanted: Array, *, is_length: bool) -> Compared:
    """Compare a site's vectors with the wanted ones, or with those of the site that is the target."""
    assert term.site is not None
    if term.partner is None:
        return Compared(vectors(term.site), wanted, is_length)
    return Compared(vectors(term.site) - vectors(term.partner), np.zeros(3), is_length)


def away(term: SiteTerm, target: Array, at: SiteValues) -> Array:
    """Vectors (postures, 3) from the site to the target point, or to the site that is the target."""
    assert term.site is not None
    there: Array = target[POINT] if term.partner is None else at.values(term.partner)
    return there - at.values(term.site)


def directions(at: SiteValues, site: str, axis: Point) -> Array:
    """A direction of a site (postures, 3), given by components along the site's x, y and z axes."""
    if axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
        return at.x_axes(site) if axis[0] else at.y_axes(site)
    x, y = at.x_axes(site), at.y_axes(site)
    mixed: Array = axis[0] * x + axis[1] * y + axis[2] * np.cross(x, y)
    return mixed


def between(u: Array, v: Array, share: Array) -> Array:
    """Unit vectors (frames, 3) between u and v, at a fraction `share` (frames, 1) of the angle."""
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
        """Number of rows of the residual."""
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
    """The goal of a lowered problem to which a site term belongs."""

    goal: int
    """Index among the enabled goals."""
    part: Part
    branch: int
    """Index of the alternative to which it belongs; 0 if there are none."""
