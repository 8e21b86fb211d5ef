"""Tracks: where a site is wanted in every frame of a motion, and how much it matters there."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures.kinematics import site_frames
from posewright.figures.pose import read_only
from posewright.goals import Goal, Orientation, Placement, Position
from posewright.goals.term import Point
from posewright.kernels.tables import TARGET_WIDTH
from posewright.motions import Motion

_ROUNDING = 1e-15
"""Directions are made unit and perpendicular once: again, as streams do, changes nothing."""


@dataclass(frozen=True, eq=False)
class Track:
    """A goal about one site with a target of its own in every frame."""

    site: str
    """A site, or a joint for its own origin and axes."""
    points: Array | None = None
    """(frames, 3), m, in the world; None leaves the place free."""
    x: Array | None = None
    """(frames, 3): wanted directions of the site's x axis; None leaves it free."""
    y: Array | None = None
    """(frames, 3): of its y axis."""
    _: KW_ONLY
    weight: float = 1.0
    """Multiplies the squared errors, of place and of direction alike."""
    priority: int = 1
    """1 is served first. If all goals have one priority, they share it with the example; if there are two, the first is
    strict and the example belongs to the second."""
    activation: Array | None = None
    """(frames,), from 0 (off) to 1: how much the track counts. A strict one is soft below 1, of weight a/(1 - a)."""
    tolerance: float | None = None
    """Largest error that counts as reached (m or rad); None: 1e-4 of the chain's reach, 0.1 degrees."""
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""
    name: str = ""
    """What results call it; empty: the site's name."""

    def __post_init__(self) -> None:
        for name in ("points", "x", "y"):
            if getattr(self, name) is not None:
                values = self._checked(name, (3,))
                if name != "points":
                    values = read_only(unit(values, f"the {name} directions of track {self.label!r}"))
                object.__setattr__(self, name, values)
        if self.activation is not None:
            values = self._checked("activation", ())
            if values.min(initial=0.0) < 0.0 or values.max(initial=1.0) > 1.0:
                raise InvalidSetting(f"the activation of track {self.label!r} must be from 0 to 1")
            object.__setattr__(self, "activation", values)
        if self.points is None and self.x is None and self.y is None:
            raise InvalidSetting(f"track {self.label!r} wants nothing; give it points, or directions x or y")
        lengths = {len(values) for values in (self.points, self.x, self.y, self.activation) if values is not None}
        if len(lengths) > 1:
            raise InvalidSetting(f"the arrays of track {self.label!r} have different lengths: {sorted(lengths)}")

    @classmethod
    def following(
        cls,
        motion: Motion,
        site: str,
        *,
        turned: bool = False,
        weight: float = 1.0,
        priority: int = 1,
        radius: float | None = None,
    ) -> Track:
        """The way of a site in a motion; `turned`: its orientation too."""
        frames = site_frames(motion.figure, motion.q, [site])
        x, y = (frames.x_axes[:, 0], frames.y_axes[:, 0]) if turned else (None, None)
        return cls(site, frames.points[:, 0], x, y, weight=weight, priority=priority, radius=radius)

    def __len__(self) -> int:
        """How many frames."""
        return next(len(values) for values in (self.points, self.x, self.y) if values is not None)

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or self.site

    def goal(self) -> Goal:
        """The goal of the first frame, which stands for all."""
        x, y = (None if values is None else _first(values) for values in (self.x, self.y))
        weight, priority, tolerance, name = self.weight, self.priority, self.tolerance, self.name
        if self.points is None:
            return Orientation(
                self.site,
                x=x,
                y=y,
                radius=self.radius,
                weight=weight,
                priority=priority,
                tolerance=tolerance,
                name=name,
            )
        point = _first(self.points)
        if x is None and y is None:
            return Position(self.site, point, weight=weight, priority=priority, tolerance=tolerance, name=name)
        return Placement(
            self.site, point, x=x, y=y, radius=self.radius,
            weight=2.0 * weight,  # place and direction have half of it each
            priority=priority, tolerance=tolerance, name=name,
        )  # fmt: skip

    def targets(self, first: int, last: int) -> list[Array]:
        """A row (frames, TARGET_WIDTH) for each term of `goal()`, in their order, of the frames from first to last."""
        found = []
        frames = slice(first, last)
        if self.points is not None:
            rows = np.zeros((last - first, TARGET_WIDTH))
            rows[:, :3] = self.points[frames]
            found.append(rows)
        directions = [values[frames] for values in (self.x, self.y) if values is not None]
        if directions:
            rows = np.zeros((last - first, TARGET_WIDTH))
            rows[:, 3:6] = directions[0]
            if len(directions) == 2:
                rows[:, 6:9] = across(directions[0], directions[1], f"track {self.label!r}", first)
            found.append(rows)
        return found

    def _checked(self, name: str, tail: tuple[int, ...]) -> Array:
        values = read_only(getattr(self, name), f"{name} of track {self.label!r}")
        if values.ndim != 1 + len(tail) or values.shape[1:] != tail:
            shape = "(frames, 3)" if tail else "(frames,)"
            raise InvalidSetting(f"{name} of track {self.label!r} has shape {values.shape}; it must be {shape}")
        if not np.isfinite(values).all():
            frame = int(np.argwhere(~np.isfinite(values))[0, 0])
            raise InvalidMotion(f"{name} of track {self.label!r} is not finite in frame {frame}")
        return values


def across(x: Array, y: Array, what: str, first: int = 0) -> Array:
    """The unit directions (frames, 3) nearest to y and perpendicular to the unit directions x."""
    along = np.sum(x * y, axis=1, keepdims=True)
    along[np.abs(along) < _ROUNDING] = 0.0
    return unit(y - along * x, f"the y directions of {what}, across x,", first)


def unit(values: Array, what: str, first: int = 0) -> Array:
    """Directions (frames, 3) of length 1, whose bits stay if they are; `first`: the number of the first frame."""
    length = np.linalg.norm(values, axis=1, keepdims=True)
    if length.min(initial=1.0) < 1e-9:
        raise InvalidSetting(f"{what} vanish in frame {first + int(length.argmin())}; they need a direction")
    length[np.abs(length - 1.0) < _ROUNDING] = 1.0
    directions: Array = values / length
    return directions


def _first(values: Array) -> Point:
    a, b, c = values[0].tolist()
    return a, b, c
