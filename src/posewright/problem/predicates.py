"""Predicates: yes/no tests of a pose (Courty & Arnaud 2008, section 4). Any function of a pose can be a predicate.

The built-in predicates are immutable values that test many poses in one call, as particle filters need.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import numpy as np

from posewright.checks import must_be, require, require_array, require_list, require_number
from posewright.conventions import FORWARD, UP, Array, BoolArray
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.capsules import CapsulePairs, capsule_pairs, capsule_table
from posewright.figures.joint_coordinates import turn_of
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.figures.vectors import vector
from posewright.goals import Goal, HalfSpace, Plane, Position
from posewright.goals.fields import (
    Direction,
    Metres,
    Point,
    Role,
    SiteName,
    Sites,
    WorldPoint,
    check_fields,
    checked_direction,
    checked_point,
)

Verdicts = BoolArray
"""One verdict per pose, with the leading axes (...) of `q`."""


@dataclass(frozen=True)
class PosePredicate(ABC):
    """Base class of the built-in predicates, which can test many poses in one call."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the predicate in results."""

    @abstractmethod
    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Whether poses `q` (..., dofs) pass; `frames` are their joint frames."""

    def goals(self) -> tuple[Goal, ...]:
        """Goals that bring a pose back to where the test passes; empty if there are none."""
        return ()

    def __post_init__(self) -> None:
        check_fields(self, type(self).__name__, only=("site", "sites"))  # what its name is made of
        check_fields(self, repr(self.name))

    def __call__(self, pose: Pose) -> bool:
        """Whether one pose passes."""
        return bool(self.holds(pose.figure, pose.q, joint_frames(pose.figure, pose.q)))


@dataclass(frozen=True)
class WithinLimits(PosePredicate):
    """Every dof is within its limits."""

    slack: float = 1e-9
    """Allowed excess, rad or m."""

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return "within limits"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Compare dofs with their limits."""
        inside = (q >= figure.lower - self.slack) & (q <= figure.upper + self.slack)
        return np.asarray(inside.all(axis=-1))


@dataclass(frozen=True)
class AbovePlane(PosePredicate):
    """Sites are on the side of a plane to which its normal points, such as hands above a table."""

    sites: Sites
    """Names of sites or joints."""
    point: WorldPoint = (0.0, 0.0, 0.0)
    """A point on the plane, m."""
    normal: Direction = UP
    """Normal of the plane; any length."""

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return f"{', '.join(self.sites)} above a plane"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Test the signed distance of each site."""
        return np.asarray((_heights(self, figure, frames) >= 0.0).all(axis=-1))

    def goals(self) -> tuple[Goal, ...]:
        """A half-space goal for each site, served by its limb."""
        return tuple(HalfSpace(s, self.point, self.normal, joints="limb", name=f"{s} above") for s in self.sites)


@dataclass(frozen=True)
class NearPlane(PosePredicate):
    """Sites are near a plane, such as feet that stay on the floor."""

    sites: Sites
    """Names of sites or joints."""
    band: Metres
    """Maximum distance from the plane on either side, m."""
    point: WorldPoint = (0.0, 0.0, 0.0)
    """A point on the plane, m."""
    normal: Direction = UP
    """Normal of the plane; any length."""

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return f"{', '.join(self.sites)} near a plane"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Test the distance of each site."""
        return np.asarray((np.abs(_heights(self, figure, frames)) <= self.band).all(axis=-1))

    def goals(self) -> tuple[Goal, ...]:
        """A plane goal for each site, served by its limb."""
        return tuple(
            Plane(s, self.point, self.normal, joints="limb", name=f"{s} on the plane", tolerance=0.2 * self.band)
            for s in self.sites
        )


def _points(values: Sequence[tuple[str, Point]], what: str) -> tuple[tuple[str, Point], ...]:
    require_list(values, what, "sites, each with its point")
    if not values:
        raise InvalidSetting(f"{what} are empty; at least one is needed")
    for pair in values:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InvalidSetting(must_be(f"one of {what}", "a site with its point", pair))
    return tuple((site, checked_point(point, f"the point of site {site!r}")) for site, point in values)


@dataclass(frozen=True)
class NearPoints(PosePredicate):
    """Sites are near points, such as planted feet."""

    points: Annotated[tuple[tuple[str, Point], ...], Role("sites", _points)]
    """Pairs of a site and its point, m."""
    band: Metres
    """Maximum distance of a site from its point, m."""

    @classmethod
    def at(cls, pose: Pose, sites: Sequence[str], band: float) -> NearPoints:
        """Sites stay within `band` (m) of where a pose has them."""
        require(pose, Pose, "where NearPoints are", "a Pose, such as Pose.rest(figure)")
        require_list(sites, "the sites of NearPoints", "names")
        return cls(tuple((site, vector(pose.point(site))) for site in sites), band)

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return f"{', '.join(site for site, _ in self.points)} near points"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Test the distance of each site."""
        world = _world(figure, frames, [site for site, _ in self.points])
        away = np.linalg.norm(world - np.array([point for _, point in self.points]), axis=-1)
        return np.asarray((away <= self.band).all(axis=-1))

    def goals(self) -> tuple[Goal, ...]:
        """A position goal for each site, served by its limb."""
        return tuple(
            Position(site, point, joints="limb", name=f"{site} in place", tolerance=0.2 * self.band)
            for site, point in self.points
        )


@dataclass(frozen=True)
class SwingTwist(PosePredicate):
    """A joint's rotation, split into a swing of the segment's axis and a twist about it, is within given ranges."""

    joint: SiteName
    """Name of the joint."""
    axis: Direction = FORWARD
    """Axis of the segment in the joint's frame; any length."""
    twist: tuple[float, float] = (-math.pi, math.pi)
    """Lowest and highest twist, rad."""
    swing: float = math.pi
    """Largest swing, rad: half the opening angle of the cone."""
    across: float | None = None
    """Largest swing about the direction perpendicular to `axis` and `side`, rad; the cone is then elliptic, and `swing`
    applies about `side`. None: the cone is circular."""
    side: Direction = UP
    """Direction about which `swing` is measured, made perpendicular to `axis`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        axis, side = np.array(self.axis), np.array(self.side)
        across = vector(side - (side @ axis) * axis)
        if self.across is not None:
            across = checked_direction(across, f"the side of {self.name!r} across its axis")
        object.__setattr__(self, "side", across)
        low, high = require_array(self.twist, (2,), f"the twist of {self.name!r}", finite=False).tolist()
        object.__setattr__(self, "twist", (low, high))
        if not low <= high:
            raise InvalidSetting(f"the twist of {self.name!r} runs from {low:g} to {high:g}")
        for angle in (self.swing, *(() if self.across is None else (self.across,))):
            require_number(angle, f"an angle of {self.name!r}", above=0.0, unit="radians", finite=False)

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return f"swing and twist of {self.joint}"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Split the joint's own rotation as q = swing · twist."""
        joint, where = figure.joint(self.joint), figure.dof_slice(self.joint)
        turn = turn_of(joint, np.asarray(q)[..., where.start + len(joint.slides) : where.stop])
        turn = np.where(turn[..., :1] < 0.0, -turn, turn)
        along = turn[..., 1:] @ np.array(self.axis)
        twist = 2.0 * np.arctan2(along, turn[..., 0])
        inside = (twist >= self.twist[0]) & (twist <= self.twist[1])
        # The swing turns about a direction across the axis: its vector part, the twist undone.
        w = np.sqrt(turn[..., 0] ** 2 + along**2)
        half = np.linalg.norm(turn[..., 1:] - along[..., None] * np.array(self.axis), axis=-1)
        angle = 2.0 * np.arctan2(half, w)
        if self.across is None:
            return np.asarray(inside & (angle <= self.swing))
        return np.asarray(inside & self._in_ellipse(turn, angle))

    def _in_ellipse(self, turn: Array, angle: Array) -> Verdicts:
        axis, side = np.array(self.axis), np.array(self.side)
        swung = _rotated(turn, axis)  # where the axis points now; the swing turns about axis x swung
        about = np.cross(axis, swung)
        length = np.linalg.norm(about, axis=-1)
        about = about * (angle / np.maximum(length, 1e-300))[..., None]
        first, second = about @ side, about @ np.cross(axis, side)
        inside: Verdicts = (first / self.swing) ** 2 + (second / (self.across or math.pi)) ** 2 <= 1.0
        return inside


@dataclass(frozen=True)
class NoSelfIntersection(PosePredicate):
    """No capsule of the body touches another, apart from neighbours in the tree (see `figures.capsules`)."""

    figure: Figure = field(repr=False)
    """The figure whose capsules are tested."""
    margin: float = 0.0
    """Distance that must remain between capsules, m."""

    def __post_init__(self) -> None:
        require(self.figure, Figure, "the figure of NoSelfIntersection", "a Figure, such as pw.figure('human40')")
        require_number(self.margin, "the margin of NoSelfIntersection", "a number of metres")
        if not len(capsule_table(self.figure)):
            raise InvalidSetting(f"figure {self.figure.name!r} has no body; its joints need a shape, children or tips")

    @property
    def name(self) -> str:
        """Name of the predicate in results."""
        return "no self-intersection"

    def holds(self, figure: Figure, q: Array, frames: JointFrames) -> Verdicts:
        """Test the smallest gap between pairs of capsules."""
        return np.asarray(self._pairs.nearest(frames).gap >= self.margin)

    @cached_property
    def _pairs(self) -> CapsulePairs:
        return capsule_pairs(self.figure, margin=self.margin)


def predicate_name(predicate: Callable[[Pose], bool]) -> str:
    """Name of a predicate in results: its `name`, or that of the function."""
    if isinstance(predicate, PosePredicate):
        return predicate.name
    return str(getattr(predicate, "__name__", type(predicate).__name__))


def _rotated(turn: Array, v: Array) -> Array:
    u = turn[..., 1:]
    across = np.cross(u, v)
    rotated: Array = v + 2.0 * (turn[..., :1] * across + np.cross(u, across))
    return rotated


def _heights(plane: AbovePlane | NearPlane, figure: Figure, frames: JointFrames) -> Array:
    """Signed distances (..., sites) of sites from the plane, m."""
    heights: Array = (_world(figure, frames, plane.sites) - np.array(plane.point)) @ np.array(plane.normal)
    return heights


def _world(figure: Figure, frames: JointFrames, names: Sequence[str]) -> Array:
    """Points (..., sites, 3) of sites, m."""
    sites = [figure.site(name) for name in names]
    joints = [figure.joint_index(site.joint) for site in sites]
    local = np.array([site.point for site in sites])
    turned = np.einsum("...sij,sj->...si", frames.rotations[..., joints, :, :], local)
    return np.asarray(frames.positions[..., joints, :] + turned)
