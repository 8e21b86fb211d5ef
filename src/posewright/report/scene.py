"""Scenes: figures in poses, ghosts of other moments, marks for goals, the ground, and colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType

import numpy as np

from posewright.checks import require, require_array, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting, suggestion
from posewright.figures import Pose
from posewright.figures.capsules import capsule_table
from posewright.figures.joint import Vector
from posewright.figures.kinematics import joint_frames
from posewright.figures.vectors import vector
from posewright.kernels.tables import CONE, Table

Rgb = tuple[float, float, float]

PALETTE: Mapping[str, str] = MappingProxyType(
    {
        "coral": "#e9714f",
        "teal": "#1f9e94",
        "indigo": "#5468d4",
        "sand": "#dba646",
        "plum": "#a4559b",
        "slate": "#6c7d92",
        "leaf": "#6aa84f",
        "sky": "#4aa3df",
        "white": "#f4f4f2",
        "ink": "#2d3540",
        "red": "#d8343f",
    }
)
"""Names of colours; figures take the first ones in turn."""


@cache
def linear_rgb(colour: str) -> Rgb:
    """Red, green and blue of a palette name or "#rrggbb", 0 to 1 in linear light (pictures use gamma 2)."""
    require(colour, str, "a colour", "text like '#e9714f' or 'coral'")
    word = PALETTE.get(colour.casefold(), colour)
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", word):
        raise InvalidSetting(f"{colour!r} is not a colour like '#e9714f'{suggestion(colour, PALETTE)}")
    r, g, b = ((int(word[k : k + 2], 16) / 255.0) ** 2 for k in (1, 3, 5))
    return r, g, b


def mixed(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """A colour mixed with a share of another."""
    r, g, b = ((1.0 - share) * a + share * o for a, o in zip(colour, other, strict=True))
    return r, g, b


TINTS = {"left": linear_rgb("#ffd9a0"), "right": linear_rgb("#2b3f8c")}
TINT_SHARE = 0.20
"""Share of these tints in the colour of a limb."""
FARTHEST = 1e12
"""m; further from the origin, rounding would spoil the picture and squares could overflow."""


@dataclass(frozen=True, kw_only=True)
class SceneBody:
    """A figure in a pose."""

    pose: Pose
    colour: str = "coral"
    """A palette name or "#rrggbb"."""
    opacity: float = 1.0
    """Below 1 the body is a ghost, transparent as a whole."""
    offset: Vector = (0.0, 0.0, 0.0)
    """m; displacement of the drawn body"""
    sides: bool = True
    """Whether left limbs are tinted warm and right limbs cool."""
    joint_colours: Mapping[str, str] = field(default_factory=dict)
    """Colours of single joints by name; everything else has the colour of the body."""

    def __post_init__(self) -> None:
        require(self.pose, Pose, "the pose of a body", "a Pose, such as Pose.rest(figure)")
        require_number(self.opacity, "the opacity of a body", above=0.0, at_most=1.0)
        for colour in (self.colour, *self.joint_colours.values()):
            linear_rgb(colour)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The mark of a goal: a ball at one point, a cross of three bars around it, or a line through several points."""

    points: tuple[Vector, ...]
    """m, in the world"""
    colour: str = "red"
    radius: float = 0.02
    """m; thin marks are drawn at least about a pixel wide"""
    cross: float = 0.0
    """m, half the length of the bars; 0: no bars"""
    opacity: float = 1.0

    @classmethod
    def point(cls, point: Vector, *, colour: str = "red", radius: float = 0.02) -> Mark:
        """A ball."""
        return cls(points=(point,), colour=colour, radius=radius)

    @classmethod
    def target(cls, point: Vector, *, colour: str = "red", radius: float = 0.02) -> Mark:
        """A ball with a cross through it, for a target."""
        return cls(points=(point,), colour=colour, radius=radius, cross=4.0 * radius)

    @classmethod
    def line(cls, points: Iterable[Vector], *, colour: str = "red", radius: float = 0.004) -> Mark:
        """A path."""
        return cls(points=tuple(points), colour=colour, radius=radius)

    def __post_init__(self) -> None:
        linear_rgb(self.colour)
        require_number(self.radius, "the radius of a mark", above=0.0, unit="metres")
        require_number(self.cross, "the cross of a mark", at_least=0.0, unit="metres")
        require_number(self.opacity, "the opacity of a mark", above=0.0, at_most=1.0)
        points = require_array(self.points, ("points", 3), "the points of a mark")
        if not len(points):
            raise InvalidSetting("a mark has no points; it needs at least one")
        object.__setattr__(self, "points", tuple(map(vector, points)))


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A floor with a grid."""

    height: float | None = None
    """m; None: 0, or the lowest point of the scene if that is far from 0"""
    colour: str = "#dde2e9"
    line: str = "#a7b3c2"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The contents of a picture."""

    bodies: tuple[SceneBody, ...] = ()
    marks: tuple[Mark, ...] = ()
    ground: Ground | None = field(default_factory=Ground)

    @classmethod
    def of(cls, *poses: Pose, marks: Iterable[Mark] = ()) -> Scene:
        """Poses, each in its own colour."""
        colours = list(PALETTE)
        bodies = tuple(SceneBody(pose=pose, colour=colours[k % 8]) for k, pose in enumerate(poses))
        return cls(bodies=bodies, marks=tuple(marks))

    def with_ghosts(self, poses: Iterable[Pose], *, colour: str = "slate", opacity: float = 0.3) -> Scene:
        """The same scene with transparent bodies."""
        ghosts = tuple(SceneBody(pose=pose, colour=colour, opacity=opacity) for pose in poses)
        return replace(self, bodies=(*self.bodies, *ghosts))


def scene_cones(scene: Scene) -> Table:
    """Everything solid in a scene, as rows for the ray-caster, opaque rows first."""
    parts = [_body_cones(body) for body in scene.bodies] + [_mark_cones(mark) for mark in scene.marks]
    layer = 0
    for part in parts:
        if part["alpha"].min(initial=1.0) < 1.0:
            layer += 1
            part["layer"] = layer
    cones = np.concatenate([np.zeros(0, CONE), *parts])
    return np.ascontiguousarray(cones[np.argsort(cones["layer"], kind="stable")])


def _body_cones(body: SceneBody) -> Table:
    figure = body.pose.figure
    capsules = capsule_table(figure)
    frames = joint_frames(figure, body.pose.q)
    rotations, positions = frames.rotations[capsules.joint], frames.positions[capsules.joint] + np.array(body.offset)
    starts = positions + np.einsum("nij,nj->ni", rotations, capsules.start)
    ends = positions + np.einsum("nij,nj->ni", rotations, capsules.end)
    colours = np.empty((len(starts), 3))
    for row, joint in enumerate(capsules.joint.tolist()):
        plain = linear_rgb(body.joint_colours.get(figure.joint_names[joint], body.colour))
        tint = TINTS.get(figure.anatomy.sides[joint]) if body.sides else None
        colours[row] = plain if tint is None else mixed(plain, tint, TINT_SHARE)
    return cone_rows(starts, ends, capsules.radii, colours, alpha=body.opacity, glow=0.0, casts=1.0)


def _mark_cones(mark: Mark) -> Table:
    points = np.array(mark.points)
    starts, ends = [points[:1], points[:-1]], [points[:1], points[1:]]
    radii = [mark.radius] * len(points)
    if mark.cross:
        bars = mark.cross * np.eye(3)
        starts.append(points[0] - bars)
        ends.append(points[0] + bars)
        radii += [0.25 * mark.radius] * 3
    both = np.repeat(np.array(radii)[:, np.newaxis], 2, axis=1)
    colours = np.tile(linear_rgb(mark.colour), (len(both), 1))
    return cone_rows(np.vstack(starts), np.vstack(ends), both, colours, alpha=mark.opacity, glow=0.35, casts=0.6)


def cone_rows(
    starts: Array, ends: Array, radii: Array, colours: Array, *, alpha: float, glow: float, casts: float
) -> Table:
    """Rows of the table CONE; where one end's sphere holds the other's, the larger sphere alone.

    Raises:
        InvalidSetting: a place or radius is beyond `FARTHEST`.
    """
    far = max(float(np.abs(lengths).max(initial=0.0)) for lengths in (starts, ends, radii))
    if not far <= FARTHEST:
        raise InvalidSetting(f"a picture would show a place or size of {far:g} m; it must be at most {FARTHEST:g} m")
    rows = np.zeros(len(starts), CONE)
    axes = ends - starts
    swallowed = np.linalg.norm(axes, axis=1) <= np.abs(radii[:, 0] - radii[:, 1])
    larger_end = swallowed & (radii[:, 1] > radii[:, 0])
    starts = np.where(larger_end[:, np.newaxis], ends, starts)
    axes = np.where(swallowed[:, np.newaxis], 0.0, axes)
    largest = radii.max(axis=1)
    rows["ax"], rows["ay"], rows["az"] = starts.T
    rows["ux"], rows["uy"], rows["uz"] = axes.T
    rows["ra"], rows["rb"] = np.where(swallowed, largest, radii[:, 0]), np.where(swallowed, largest, radii[:, 1])
    rows["red"], rows["green"], rows["blue"] = colours.T
    rows["alpha"], rows["glow"], rows["casts"] = alpha, glow, casts
    return rows
