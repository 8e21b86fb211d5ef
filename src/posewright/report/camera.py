"""Cameras: where a picture is taken from, and how to stand so that everything fits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from posewright.conventions import FORWARD, Array
from posewright.errors import InvalidSetting, suggestion
from posewright.figures.joint import Vector
from posewright.kernels.tables import Row


@dataclass(frozen=True, kw_only=True)
class Direction:
    """From which side something is looked at."""

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


FLATNESS = 2.5
"""A camera stands at least this many depths of what it sees away, else near things look huge; it zooms in instead."""

LONGEST_VIEW = 1e15
"""m; beyond, squares of lengths would overflow sooner or later."""

DIRECTIONS: Mapping[str, Direction] = MappingProxyType(
    {
        "three-quarter": Direction(),
        "front": Direction(azimuth=0.0, elevation=math.radians(6.0)),
        "side": Direction(azimuth=math.pi / 2, elevation=math.radians(6.0)),
        "back": Direction(azimuth=math.pi, elevation=math.radians(6.0)),
        "top": Direction(azimuth=0.0, elevation=math.pi / 2),
    }
)


@dataclass(frozen=True, kw_only=True)
class Camera:
    """An eye, what it looks at, and how wide it sees."""

    eye: Vector
    """m"""
    target: Vector
    """m; the middle of the picture, at the distance of what is shown"""
    right: Vector
    """Unit; what is horizontal in the picture."""
    half_height: float = math.tan(math.radians(13.0))
    """Tangent of half the vertical angle of view."""

    def __post_init__(self) -> None:
        away = math.dist(self.eye, self.target)
        if not 0.0 < away <= LONGEST_VIEW:
            raise InvalidSetting(
                f"a camera looks from {self.eye} at {self.target}; these must be two places, "
                f"at most {LONGEST_VIEW:g} m from each other"
            )

    def moved(self, by: Array) -> Camera:
        """The same view from elsewhere."""
        eye, target = (tuple((np.array(place) + by).tolist()) for place in (self.eye, self.target))
        return replace(self, eye=eye, target=target)

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """Unit vectors to the right, up, and ahead."""
        ahead = np.array(self.target) - np.array(self.eye)
        ahead = ahead / np.linalg.norm(ahead)
        right = np.array(self.right)
        return right, np.cross(right, ahead), ahead

    def seen_at(self, points: Array, width: int, height: int) -> Array:
        """Where points (points, 3) before the camera are in a picture: (points, 2), pixels from the upper left."""
        right, up, ahead = self.axes
        way = points - np.array(self.eye)
        scale = 0.5 * height / (self.half_height * (way @ ahead))
        places: Array = np.stack([0.5 * width + scale * (way @ right), 0.5 * height - scale * (way @ up)], axis=-1)
        return places


def frame_balls(
    centres: Array,
    radii: Array,
    direction: Direction,
    *,
    aspect: float,
    front: Array | None = None,
    margin: float = 0.10,
    half_height: float = Camera.half_height,
) -> Camera:
    """The nearest camera in a direction that sees all of some balls.

    Args:
        centres: (balls, 3), m
        radii: (balls,), m
        direction: from where to look.
        aspect: width of the picture over its height.
        front: (3,), horizontal unit vector that azimuth 0 faces; forward by default.
        margin: share of the picture left free on each side.
        half_height: tangent of half the vertical angle of view, at most.
    """
    fx, _, fz = FORWARD if front is None else front
    turn = direction.azimuth + math.atan2(fx, fz)
    away = np.array(
        [
            math.sin(turn) * math.cos(direction.elevation),
            math.sin(direction.elevation),
            math.cos(turn) * math.cos(direction.elevation),
        ]
    )
    right = np.array([math.cos(turn), 0.0, -math.sin(turn)])
    up = np.cross(away, right)
    depth = -(centres @ away)
    # A ball is inside a side plane of the pyramid of view where the plane's normal says so; the eye that is as near as
    # two opposite planes allow follows from the outermost ball at each.
    places, backs = [], []
    for axis, tangent in ((right, aspect * half_height), (up, half_height)):
        tangent *= 1.0 - 2.0 * margin
        cosine = 1.0 / math.hypot(1.0, tangent)
        sine = tangent * cosine
        along = centres @ axis
        high = float((along * cosine - depth * sine + radii).max())
        low = float((-along * cosine - depth * sine + radii).max())
        places.append((high - low) / (2.0 * cosine))
        backs.append(-(high + low) / (2.0 * sine))
    back = min(backs)
    deep = float((depth + radii).max() - (depth - radii).min())
    if 0.5 * float(depth.min() + depth.max()) - back < FLATNESS * deep:
        return frame_balls(
            centres, radii, direction, aspect=aspect, front=front, margin=margin, half_height=0.8 * half_height
        )
    eye = places[0] * right + places[1] * up - back * away
    target = eye - (0.5 * float(depth.min() + depth.max()) - back) * away
    return Camera(
        eye=tuple(eye.tolist()), target=tuple(target.tolist()), right=tuple(right.tolist()), half_height=half_height
    )


def aim_view(view: Row, camera: Camera, width: int, height: int) -> None:
    """Write a camera into the kernel's record VIEW for a picture of width x height pixels."""
    right, up, ahead = camera.axes
    pixel = 2.0 * camera.half_height / height
    corner = ahead - 0.5 * width * pixel * right + 0.5 * height * pixel * up
    for names, vector in (
        (("ox", "oy", "oz"), np.array(camera.eye)),
        (("fx", "fy", "fz"), corner),
        (("rx", "ry", "rz"), pixel * right),
        (("dx", "dy", "dz"), -pixel * up),
    ):
        for name, value in zip(names, vector, strict=True):
            view[name] = value
