"""Cameras: the viewpoint of a picture, and how to place it so that everything fits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from posewright.conventions import FORWARD, Array
from posewright.errors import InvalidSetting, suggestion
from posewright.figures.joint import Vector
from posewright.figures.kinematics import joint_frames
from posewright.figures.vectors import vector
from posewright.report.scene import Scene, scene_cones


@dataclass(frozen=True, kw_only=True)
class Direction:
    """The direction from which something is seen."""

    azimuth: float = math.radians(35.0)
    """rad around the vertical: 0 sees the front of the figure, 90 degrees its left side"""
    elevation: float = math.radians(12.0)
    """rad above the horizon"""

    @classmethod
    def parse(cls, text: str) -> Direction:
        """A name of `DIRECTIONS`, or "AZIMUTH,ELEVATION" in degrees."""
        if text.casefold() in DIRECTIONS:
            return DIRECTIONS[text.casefold()]
        try:
            azimuth, elevation = (math.radians(float(word)) for word in text.split(","))
        except ValueError:
            known = suggestion(text, DIRECTIONS)
            raise InvalidSetting(
                f"camera {text!r} is neither AZIMUTH,ELEVATION in degrees, such as 35,12, nor a known view{known}"
            ) from None
        return cls(azimuth=azimuth, elevation=elevation)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.azimuth) and abs(self.elevation) <= math.pi / 2 + 1e-9):
            raise InvalidSetting(
                f"camera at azimuth {math.degrees(self.azimuth):g} and elevation {math.degrees(self.elevation):g} "
                "degrees; the elevation must be between -90 and 90"
            )


DIRECTIONS: Mapping[str, Direction] = MappingProxyType(
    {
        "three-quarter": Direction(),
        "front": Direction(azimuth=0.0, elevation=math.radians(6.0)),
        "side": Direction(azimuth=math.pi / 2, elevation=math.radians(6.0)),
        "back": Direction(azimuth=math.pi, elevation=math.radians(6.0)),
        "top": Direction(azimuth=0.0, elevation=math.pi / 2),
    }
)

FLATNESS = 2.5
"""Minimum distance of a camera, in depths of what it sees; nearer, perspective distorts, so it zooms in instead."""
MARGIN = 0.1
"""Share of a picture left free on each side."""
LONGEST_VIEW = 1e15
"""m; beyond this, squares of lengths could overflow."""


@dataclass(frozen=True, kw_only=True)
class Camera:
    """The position of a camera, the point it looks at, and its angle of view."""

    eye: Vector
    """m"""
    target: Vector
    """m; the middle of the picture, at the distance of the subject"""
    right: Vector
    """Unit vector that is horizontal in the picture."""
    half_height: float = math.tan(math.radians(13.0))
    """Tangent of half the vertical angle of view."""

    def __post_init__(self) -> None:
        if not 0.0 < math.dist(self.eye, self.target) <= LONGEST_VIEW:
            raise InvalidSetting(
                f"a camera looks from {self.eye} at {self.target}; these must be two points, "
                f"at most {LONGEST_VIEW:g} m from each other"
            )

    def moved(self, by: Array) -> Camera:
        """The same view from another place."""
        return replace(self, eye=vector(np.array(self.eye) + by), target=vector(np.array(self.target) + by))

    @property
    def axes(self) -> Array:
        """(3, 3): unit vectors to the right, up and forward."""
        ahead = np.array(self.target) - np.array(self.eye)
        ahead = ahead / np.linalg.norm(ahead)
        right = np.array(self.right)
        return np.array([right, np.cross(right, ahead), ahead])

    def seen_at(self, points: Array, width: int, height: int) -> Array:
        """Pixels (points, 2), from the upper left, of points (points, 3) in front of the camera."""
        x, y, depth = self.axes @ (points - np.array(self.eye)).T
        scale = 0.5 * height / (self.half_height * depth)
        places: Array = np.stack([0.5 * width + scale * x, 0.5 * height - scale * y], axis=-1)
        return places


@dataclass(frozen=True, kw_only=True)
class Extent:
    """The space occupied by scenes, at one moment or over a whole motion."""

    centres: Array
    """(balls, 3), m; centres of balls that contain everything"""
    radii: Array
    """(balls,), m"""
    front: Array
    """(3,), the direction in which the figures face"""

    @classmethod
    def of(cls, *scenes: Scene) -> Extent:
        """The space occupied at several moments together."""
        cones = np.concatenate([scene_cones(scene) for scene in scenes])
        starts = np.column_stack([cones["ax"], cones["ay"], cones["az"]])
        ends = starts + np.column_stack([cones["ux"], cones["uy"], cones["uz"]])
        centres, radii = np.vstack([starts, ends]), np.concatenate([cones["ra"], cones["rb"]])
        if not len(cones):
            centres, radii = np.zeros((1, 3)), np.ones(1)
        poses = [body.pose for scene in scenes for body in scene.bodies]
        fronts = [pose.figure.anatomy.facing(joint_frames(pose.figure, pose.q).positions) for pose in poses]
        front = np.sum(fronts, axis=0) if fronts else np.zeros(3)
        return cls(centres=centres, radii=radii, front=front if np.linalg.norm(front) >= 1e-6 else np.array(FORWARD))

    @property
    def size(self) -> float:
        """m, the longest side of the bounding box"""
        high, low = self.centres + self.radii[:, None], self.centres - self.radii[:, None]
        return max(float((high.max(axis=0) - low.min(axis=0)).max()), 1e-6)

    def floor(self) -> float:
        """m, height of the ground: 0, unless everything is far from it."""
        low = float((self.centres[:, 1] - self.radii).min())
        return 0.0 if -0.08 * self.size <= low <= 0.6 * self.size else low

    def camera(self, direction: Direction = DIRECTIONS["three-quarter"], *, aspect: float = 4.0 / 3.0) -> Camera:
        """The nearest camera that sees everything from a direction; `aspect` is width over height."""
        turn = direction.azimuth + math.atan2(self.front[0], self.front[2])
        level = math.cos(direction.elevation)
        away = np.array([math.sin(turn) * level, math.sin(direction.elevation), math.cos(turn) * level])
        right = np.array([math.cos(turn), 0.0, -math.sin(turn)])
        up = np.cross(away, right)
        depth = -(self.centres @ away)
        middle = 0.5 * float(depth.min() + depth.max())
        deep = float((depth + self.radii).max() - (depth - self.radii).min())
        half_height = Camera.half_height
        while True:
            # A ball is inside a side plane of the pyramid of view where the plane's normal says so; the eye that is as
            # near as two opposite planes allow follows from the outermost ball at each.
            places, backs = [], []
            for axis, tangent in ((right, aspect * half_height), (up, half_height)):
                tangent *= 1.0 - 2.0 * MARGIN
                cosine = 1.0 / math.hypot(1.0, tangent)
                sine = tangent * cosine
                along = self.centres @ axis
                high = float((along * cosine - depth * sine + self.radii).max())
                low = float((-along * cosine - depth * sine + self.radii).max())
                places.append((high - low) / (2.0 * cosine))
                backs.append(-(high + low) / (2.0 * sine))
            back = min(backs)
            if not middle - back < FLATNESS * deep:
                break
            half_height *= 0.8
        eye = places[0] * right + places[1] * up - back * away
        target = eye - (middle - back) * away
        return Camera(eye=vector(eye), target=vector(target), right=vector(right), half_height=half_height)
