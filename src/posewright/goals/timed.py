"""Goals in time: the same goal at a frame, over a range of frames, or along a path.

How much a goal counts in a frame is its *activation*, from 0 (off) to 1 (in full). In between, what is wanted lies that
share of the way from what the motion would do anyway to the goal. Lowering decides how (`problem.motion_lowering`): the
target itself slides along that way, or, where goals are weighed against the example, a strict goal is soft and weighs
a/(1 - a), whose balance with a weight of 1 is the same point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import index

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures.kinematics import site_frames
from posewright.goals.fields import Point, checked_matrices
from posewright.goals.goal import Goal
from posewright.goals.orientation import Orientation
from posewright.goals.placement import Placement
from posewright.goals.position import Position
from posewright.motions.motion import Motion
from posewright.motions.splines import KochanekBartels, ramp

Path = KochanekBartels | npt.ArrayLike
Ease = float | tuple[float, float]

_ROUNDING = 1e-15
"""Directions are made unit and perpendicular once: again, as streams do, changes nothing."""


@dataclass(frozen=True, eq=False)
class Timed:
    """A goal in time; made by `Goal.at`, `Goal.during`, `Goal.along` and `follow`."""

    goal: Goal
    start: int = 0
    """First frame at which it counts in full; negative counts from the end."""
    end: int = -1
    """Last one."""
    points: KochanekBartels | Array | None = None
    """m: a spline whose times are frames, or (frames, 3) from `start` to `end`; of a goal about another site, on the
    joint of that site. None: the goal's own point."""
    x: Array | None = None
    """(frames, 3): wanted directions of the site's x axis; None: the goal's own."""
    y: Array | None = None
    """(frames, 3): of its y axis."""
    ease_in: float | None = 0.0
    """Frames before `start` over which it fades in; 0: at once; None, for a single frame: as many as the space needs to
    keep the motion smooth, which is none in a motion model and a quarter of the motion otherwise."""
    ease_out: float | None = 0.0
    """Frames after `end` over which it fades out."""
    activation: Array | None = None
    """(frames,) from `start` to `end`, from 0 to 1; None: 1."""

    def __post_init__(self) -> None:
        require(self.goal, Goal, "a goal in time", "of one of the kinds of goals, such as Position")
        for name in ("start", "end"):
            try:
                object.__setattr__(self, name, index(getattr(self, name)))
            except TypeError:
                given = getattr(self, name)
                raise InvalidSetting(
                    f"{self.goal.label!r} is at no frame: a frame is a whole number, not {given!r}"
                ) from None
        for name in ("ease_in", "ease_out"):
            if getattr(self, name) is not None:
                require_number(
                    getattr(self, name),
                    f"{name} of {self.label!r}",
                    "a number of frames, at least 0",
                    ok=lambda value: math.isfinite(value) and value >= 0.0,
                )
        if self.points is not None:
            self._check_point()
        for name in ("points", "x", "y"):
            if getattr(self, name) is not None and not isinstance(getattr(self, name), KochanekBartels):
                values = self._checked(name, (3,))
                if name != "points":
                    values = read_only(unit(values, f"the {name} directions of {self.label!r}"))
                object.__setattr__(self, name, values)
        if self.activation is not None:
            values = self._checked("activation", ())
            if values.min(initial=0.0) < 0.0 or values.max(initial=1.0) > 1.0:
                raise InvalidSetting(f"the activation of {self.label!r} must be from 0 to 1")
            object.__setattr__(self, "activation", values)
        if len(self._lengths()) > 1:
            raise InvalidSetting(f"the arrays of {self.label!r} have different lengths: {sorted(self._lengths())}")

    @property
    def label(self) -> str:
        """What results call it."""
        if self.start == self.end:
            return f"{self.goal.label} at frame {self.start}"
        if self.whole:
            return self.goal.label
        return f"{self.goal.label} from frame {self.start} to {self.end}"

    @property
    def whole(self) -> bool:
        """Whether it is about all frames."""
        return self.start == 0 and self.end == -1

    @property
    def has_path(self) -> bool:
        """Whether frames have targets of their own."""
        return any(values is not None for values in (self.points, self.x, self.y))

    @property
    def is_key(self) -> bool:
        """Whether it is about one frame and leaves open how far it reaches to either side."""
        return self.start == self.end and self.ease_in is None

    def range(self, n_frames: int) -> tuple[int, int]:
        """The first and the last frame, counted from 0, in a motion of so many.

        Raises:
            InvalidSetting: they are outside the motion, in the wrong order, or not as many as its arrays have rows.
        """
        for frame in (self.start, self.end):
            if not -n_frames <= frame < n_frames:
                raise InvalidSetting(f"{self.label!r} is outside the motion, whose frames are 0 to {n_frames - 1}")
        start, end = self.start % n_frames, self.end % n_frames
        if end < start:
            raise InvalidSetting(f"{self.label!r} ends before it begins")
        for length in self._lengths():
            if length != end - start + 1:
                raise InvalidSetting(
                    f"{self.label!r} has targets for {length} frames; from frame {start} to {end} there are "
                    f"{end - start + 1}"
                )
        return start, end

    def activations(self, n_frames: int) -> Array:
        """(frames,) in a motion of so many."""
        start, end = self.range(n_frames)
        shares = ramp(np.arange(n_frames), start, end, ease_in=self.ease_in or 0.0, ease_out=self.ease_out or 0.0)
        if self.activation is not None:
            shares[: start + 1] *= self.activation[0]
            shares[start : end + 1] = self.activation
            shares[end + 1 :] *= self.activation[-1]
        return shares

    def _lengths(self) -> set[int]:
        arrays = (self.points, self.x, self.y, self.activation)
        return {len(values) for values in arrays if values is not None and not isinstance(values, KochanekBartels)}

    def _check_point(self) -> None:
        target = self.goal.place
        if target is None:
            raise InvalidSetting(f"{self.goal} has no point that could follow a path; leave the path out")

    def _checked(self, name: str, tail: tuple[int, ...]) -> Array:
        values = read_only(getattr(self, name), f"{name} of {self.label!r}")
        if values.ndim != 1 + len(tail) or values.shape[1:] != tail:
            shape = "(frames, 3)" if tail else "(frames,)"
            raise InvalidSetting(f"{name} of {self.label!r} has shape {values.shape}; it must be {shape}")
        if not np.isfinite(values).all():
            frame = int(np.argwhere(~np.isfinite(values))[0, 0])
            raise InvalidMotion(f"{name} of {self.label!r} is not finite in frame {frame}")
        return values


def follow(
    site: str,
    path: Motion | npt.ArrayLike | None = None,
    x: npt.ArrayLike | None = None,
    y: npt.ArrayLike | None = None,
    *,
    turned: bool = False,
    weight: float = 1.0,
    priority: int = 1,
    tolerance: float | None = None,
    radius: float | None = None,
    activation: npt.ArrayLike | None = None,
    name: str = "",
) -> Timed:
    """A site that goes along a path in every frame of a motion.

    Args:
        site: a site, or a joint for its own origin and axes.
        path: (frames, 3), m, in the world; or a motion, for where it has the site; None leaves the place free.
        x: (frames, 3): wanted directions of the site's x axis; None leaves it free.
        y: (frames, 3): of its y axis.
        turned: whether the site is turned as in the motion that is the path.
        weight: multiplies the squared errors, of place and of direction alike.
        priority: 1 is served first. If all goals have one priority, they share it with the example; if there are two,
            the first is strict and the example belongs to the second.
        tolerance: largest error that counts as reached (m or rad); None: 1e-4 of the chain's reach, 0.1 degrees.
        radius: metres that one radian counts as; None: the reach of the chain.
        activation: (frames,), from 0 to 1: how much it counts; None: in full.
        name: what results call it; empty: the site's name.
    """
    if isinstance(path, Motion):
        frames = site_frames(path.figure, path.q, [site])
        path = frames.points[:, 0]
        if turned:
            x, y = frames.x_axes[:, 0], frames.y_axes[:, 0]
    label = name or site
    points, along, across_ = (
        None if values is None else _rows(values, f"{what} of {label!r}")
        for what, values in (("points", path), ("x", x), ("y", y))
    )
    first = [None if values is None else _first(values) for values in (points, along, across_)]
    goal: Goal
    if points is None and along is None and across_ is None:
        raise InvalidSetting(f"{label!r} follows nothing; give it points, or directions x or y")
    if first[0] is None:
        goal = Orientation(
            site, x=first[1], y=first[2], radius=radius,
            weight=weight, priority=priority, tolerance=tolerance, name=name,
        )  # fmt: skip
    elif first[1] is None and first[2] is None:
        goal = Position(site, first[0], weight=weight, priority=priority, tolerance=tolerance, name=name)
    else:
        goal = Placement(
            site, first[0], x=first[1], y=first[2], radius=radius,
            weight=2.0 * weight,  # place and direction have half of it each
            priority=priority, tolerance=tolerance, name=name,
        )  # fmt: skip
    given = None if activation is None else np.asarray(activation, dtype=np.float64)
    return Timed(goal, points=points, x=along, y=across_, activation=given)


def at(goal: Goal, frame: int, ease: Ease | None) -> Timed:
    """See `Goal.at`."""
    before, after = (None, None) if ease is None else _both(ease)
    return Timed(goal, frame, frame, ease_in=before, ease_out=after)


def during(goal: Goal, start: int, end: int, ease: Ease) -> Timed:
    """See `Goal.during`."""
    before, after = _both(ease)
    return Timed(goal, start, end, ease_in=before, ease_out=after)


def along(
    goal: Goal,
    path: Path | None,
    x: npt.ArrayLike | None,
    y: npt.ArrayLike | None,
    rotations: npt.ArrayLike | None,
    start: int | None,
    end: int | None,
    ease: Ease,
    activation: npt.ArrayLike | None,
) -> Timed:
    """See `Goal.along`."""
    if path is not None and isinstance(getattr(goal, "target", None), str):
        raise InvalidSetting(f"{goal} is about another site and cannot follow a path as well")
    before, after = _both(ease)
    points = path if isinstance(path, KochanekBartels) or path is None else _rows(path, f"the path of {goal.label!r}")
    if rotations is not None:
        x, y = _axes(rotations, goal.label)
    directions = [None if v is None else _rows(v, f"the directions of {goal.label!r}") for v in (x, y)]
    first, last = 0, -1
    if isinstance(points, KochanekBartels):
        first, last = round(points.times[0]), round(points.times[-1])
    elif start is not None and end is None:
        lengths = [len(values) for values in (points, *directions) if values is not None]
        last = start + lengths[0] - 1 if lengths else -1
    return Timed(
        goal,
        first if start is None else start,
        last if end is None else end,
        points,
        directions[0],
        directions[1],
        ease_in=before,
        ease_out=after,
        activation=None if activation is None else np.asarray(activation, dtype=np.float64),
    )


def across(x: Array, y: Array, what: str, first: int = 0) -> Array:
    """The unit directions (frames, 3) nearest to y and perpendicular to the unit directions x."""
    shares = np.sum(x * y, axis=1, keepdims=True)
    shares[np.abs(shares) < _ROUNDING] = 0.0
    return unit(y - shares * x, f"the y directions of {what}, across x,", first)


def unit(values: Array, what: str, first: int = 0) -> Array:
    """Directions (frames, 3) of length 1, whose bits stay if they are; `first`: the number of the first frame."""
    length = np.linalg.norm(values, axis=1, keepdims=True)
    if length.min(initial=1.0) < 1e-9:
        raise InvalidSetting(f"{what} vanish in frame {first + int(length.argmin())}; they need a direction")
    length[np.abs(length - 1.0) < _ROUNDING] = 1.0
    directions: Array = values / length
    return directions


def _both(ease: Ease) -> tuple[float, float]:
    return ease if isinstance(ease, tuple) else (ease, ease)


def _axes(rotations: npt.ArrayLike, label: str) -> tuple[Array, Array]:
    """The x and y axes (frames, 3) of rotations (frames, 4) wxyz or (frames, 3, 3)."""
    matrices = checked_matrices(rotations, f"the rotations of {label!r}")
    return matrices[..., 0], matrices[..., 1]


def _rows(values: npt.ArrayLike, what: str) -> Array:
    rows = read_only(values, what)
    if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows):
        raise InvalidSetting(f"{what} has shape {rows.shape}; it must be (frames, 3), or a KochanekBartels")
    return rows


def _first(values: Array) -> Point:
    a, b, c = values[0].tolist()
    return a, b, c
