"""Scenes: figures in poses, ghosts of other moments, marks for goals, and the ground they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from posewright.checks import read_only, require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.capsules import capsule_table
from posewright.figures.joint import Vector
from posewright.figures.kinematics import joint_frames
from posewright.kernels.tables import CONE, Row, Table
from posewright.report.colours import PALETTE, Rgb, linear_rgb, mixed

LEFT_TINT, RIGHT_TINT = linear_rgb("#ffd9a0"), linear_rgb("#2b3f8c")
TINT_SHARE = 0.20
"""How far left limbs lean to a warm, right limbs to a cool colour."""
FARTHEST = 1e12
"""m: what is farther from the origin is lost in rounding, and sooner or later squares of its place overflow."""


@dataclass(frozen=True, kw_only=True)
class SceneBody:
    """A figure in a pose."""

    pose: Pose
    colour: str = "coral"
    """A palette name or "#rrggbb"."""
    opacity: float = 1.0
    """Below 1 the body is a ghost, seen through as one."""
    offset: Vector = (0.0, 0.0, 0.0)
    """m; where the body is drawn, from where it is"""
    sides: bool = True
    """Whether left limbs are tinted warm and right limbs cool."""
    joint_colours: Mapping[str, str] = field(default_factory=dict)
    """Of what some joints move, by name; all else has the body's colour."""

    def __post_init__(self) -> None:
        require(self.pose, Pose, "the pose of a body", "a Pose, such as Pose.rest(figure)")
        require_number(self.opacity, "opacity", "above 0 and at most 1")
        for colour in (self.colour, *self.joint_colours.values()):
            linear_rgb(colour)
        if not 0.0 < self.opacity <= 1.0:
            raise InvalidSetting(f"opacity is {self.opacity:g}; it must be above 0 and at most 1")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A goal made visible: a ball at one point, a cross of three bars around it, or a line through several."""

    points: tuple[Vector, ...]
    """m, in the world"""
    colour: str = "red"
    radius: float = 0.02
    """m; a thin mark is drawn about a pixel wide at least"""
    cross: float = 0.0
    """m, half the length of the bars; 0 draws none"""
    opacity: float = 1.0

    @classmethod
    def point(cls, point: Vector, *, colour: str = "red", radius: float = 0.02) -> Mark:
        """A ball."""
        return cls(points=(point,), colour=colour, radius=radius)

    @classmethod
    def target(cls, point: Vector, *, colour: str = "red", radius: float = 0.02) -> Mark:
        """A ball with a cross through it, which shows how far the thing that should be there is away."""
        return cls(points=(point,), colour=colour, radius=radius, cross=4.0 * radius)

    @classmethod
    def line(cls, points: Iterable[Vector], *, colour: str = "red", radius: float = 0.004) -> Mark:
        """A path."""
        return cls(points=tuple(points), colour=colour, radius=radius)

    def __post_init__(self) -> None:
        linear_rgb(self.colour)
        places = read_only(self.points, "what a mark is drawn at")
        for name in ("radius", "cross", "opacity"):
            require_number(getattr(self, name), f"{name} of a mark", "a number")
        if places.ndim != 2 or places.shape[1:] != (3,) or not np.isfinite(places).all():
            raise InvalidSetting(
                f"the points of a mark are {list(self.points)}; they must be one or more of three finite numbers"
            )
        if not (self.radius > 0.0 and self.cross >= 0.0):
            raise InvalidSetting(
                f"a mark has radius {self.radius:g} m and cross {self.cross:g} m; "
                "the first must be positive, the other not negative"
            )
        if not 0.0 < self.opacity <= 1.0:
            raise InvalidSetting(f"the opacity of a mark is {self.opacity:g}; it must be above 0 and at most 1")
        object.__setattr__(self, "points", tuple(tuple(map(float, place)) for place in places))


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A floor with a grid."""

    height: float | None = None
    """m; None: 0, or the lowest point of what is shown where that is far from 0"""
    spacing: float | None = None
    """m between lines, every fourth is bold; None: fitting, 0.25 m for a human"""
    colour: str = "#dde2e9"
    line: str = "#a7b3c2"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a picture shows."""

    bodies: tuple[SceneBody, ...] = ()
    marks: tuple[Mark, ...] = ()
    ground: Ground | None = field(default_factory=Ground)
    horizon: str = "#edf0f4"
    zenith: str = "#b9c9dc"

    @classmethod
    def of(cls, *poses: Pose, marks: Iterable[Mark] = ()) -> Scene:
        """Poses, each in a colour of its own."""
        colours = list(PALETTE)
        bodies = tuple(SceneBody(pose=pose, colour=colours[k % 8]) for k, pose in enumerate(poses))
        return cls(bodies=bodies, marks=tuple(marks))

    def with_ghosts(self, poses: Iterable[Pose], *, colour: str = "slate", opacity: float = 0.3) -> Scene:
        """The same scene with see-through bodies."""
        ghosts = tuple(SceneBody(pose=pose, colour=colour, opacity=opacity) for pose in poses)
        return replace(self, bodies=(*self.bodies, *ghosts))


def scene_cones(scene: Scene) -> Table:
    """Everything solid in a scene, as the rows that the ray-caster reads, opaque rows first."""
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
    joints = capsules.joint.tolist()
    sides = [figure.anatomy.sides[joint] if body.sides else "" for joint in joints]
    names = [body.joint_colours.get(figure.joint_names[joint], body.colour) for joint in joints]
    shades = {name: _shades(name) for name in {*names, body.colour}}
    colours = np.array([shades[name][side] for name, side in zip(names, sides, strict=True)]).reshape(-1, 3)
    return cone_rows(starts, ends, capsules.radii, colours, alpha=body.opacity, glow=0.0, casts=1.0)


def _shades(colour: str) -> dict[str, Rgb]:
    """A colour plain, and as left and right limbs have it."""
    plain = linear_rgb(colour)
    return {"": plain, "left": mixed(plain, LEFT_TINT, TINT_SHARE), "right": mixed(plain, RIGHT_TINT, TINT_SHARE)}


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


def rgb_fields(row: Row, what: str, colour: Rgb) -> None:
    """Write a colour into the fields `what_r`, `what_g`, `what_b`."""
    for letter, value in zip("rgb", colour, strict=True):
        row[f"{what}_{letter}"] = value
