"""Goals in time: a goal at a frame, over a range of frames, or along a path.

The *activation* a of a goal, from 0 (off) to 1 (full), says how much it counts in a frame. With an activation in
between, the site should be at a fraction a of the way from where the motion has it to the target. Solvers do this in
one of two ways. If all goals are strict, the target moves (`problem.fading`). If goals are weighed against the example,
a strict goal becomes a soft one with weight a/(1 - a), which balances a weight of 1 at the same point
(`problem.motion_lowering.Weighing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require, require_array, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import site_frames
from posewright.goals.fields import ROUNDING, Point, checked_matrices
from posewright.goals.goal import Goal
from posewright.goals.orientation import Orientation
from posewright.goals.placement import Placement
from posewright.goals.position import Position
from posewright.motions.motion import Motion
from posewright.motions.splines import KochanekBartels, ramp

Path = KochanekBartels | npt.ArrayLike
Ease = float | tuple[float, float]


@dataclass(frozen=True, eq=False)
class Timed:
    """A goal in time; made by `Goal.at`, `Goal.during`, `Goal.along` and `follow`."""

    goal: Goal
    start: int = 0
    """First frame in which the goal counts in full; negative frames count from the end."""
    end: int = -1
    """Last frame in which the goal counts in full."""
    points: KochanekBartels | Array | None = None
    """Target points, m: a spline whose times are frames, or an array (frames, 3) from `start` to `end`. If the goal's
    target is a site, they are in the frame of that site's joint. None: the goal's own target."""
    x: Array | None = None
    """Wanted directions (frames, 3) of the site's x axis; None: the goal's own."""
    y: Array | None = None
    """Wanted directions (frames, 3) of the site's y axis; None: the goal's own."""
    ease_in: float | None = 0.0
    """Number of frames before `start` over which the goal fades in; 0: none. None: in `edit` as many as keep the motion
    smooth (for a single frame in a motion model: none), otherwise none."""
    ease_out: float | None = 0.0
    """Number of frames after `end` over which the goal fades out; None as for `ease_in`."""
    activation: Array | None = None
    """Activation (frames,) from `start` to `end`, from 0 to 1; None: 1."""

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
                require_number(getattr(self, name), f"{name} of {self.label!r}", at_least=0.0, unit="frames")
        if self.points is not None and self.goal.place is None:
            raise InvalidSetting(f"{self.goal} has no point that could follow a path; leave the path out")
        turning = [name for name in ("x", "y") if getattr(self, name) is not None]
        turned = [name for name in ("x", "y") if getattr(self.goal, name, None) is not None]
        if turning and turning != turned:
            has = f"has {' and '.join(turned)}" if turned else "has no directions"
            raise InvalidSetting(f"{self.goal} {has}; a path of {' and '.join(turning)} is for a goal with just these")
        for name in ("points", "x", "y", "activation"):
            given = getattr(self, name)
            if given is None or isinstance(given, KochanekBartels):
                continue
            what = f"{name} of {self.label!r}"
            values = require_array(given, ("frames",) if name == "activation" else ("frames", 3), what)
            if name in ("x", "y"):
                values = read_only(unit(values, f"the {name} directions of {self.label!r}"))
            object.__setattr__(self, name, values)
        if self.activation is not None and not ((self.activation >= 0.0) & (self.activation <= 1.0)).all():
            raise InvalidSetting(f"the activation of {self.label!r} must be from 0 to 1")
        if len(self._lengths()) > 1:
            raise InvalidSetting(f"the arrays of {self.label!r} have different lengths: {sorted(self._lengths())}")

    @property
    def label(self) -> str:
        """Name of the goal, with frames counted from 0."""
        return self.called(0)

    def called(self, first_frame: int) -> str:
        """Name of the goal in results, with frames counted from the file's number of the first frame."""
        start, end = (frame if frame < 0 else first_frame + frame for frame in (self.start, self.end))
        if self.start == self.end:
            return f"{self.goal.label} at frame {start}"
        if self.whole:
            return self.goal.label
        return f"{self.goal.label} from frame {start} to {end}"

    @property
    def whole(self) -> bool:
        """Whether the goal holds in all frames."""
        return self.start == 0 and self.end == -1

    @property
    def has_path(self) -> bool:
        """Whether the target differs from frame to frame."""
        return any(values is not None for values in (self.points, self.x, self.y))

    @property
    def is_key(self) -> bool:
        """Whether the goal is at a single frame without a stated ease."""
        return self.start == self.end and self.ease_in is None

    def range(self, n_frames: int) -> tuple[int, int]:
        """The first and the last frame, counted from 0, in a motion of `n_frames`.

        Raises:
            InvalidSetting: the frames are outside the motion, in the wrong order, or do not match the arrays.
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
        """Activation in every frame (frames,) of a motion of `n_frames`."""
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
    """A goal for a site to follow a path in every frame of a motion.

    Args:
        site: name of a site, or of a joint for its origin and axes.
        path: world positions (frames, 3), m, or a motion whose site to follow; None leaves the position free.
        x: wanted directions (frames, 3) of the site's x axis; None leaves it free.
        y: wanted directions (frames, 3) of the site's y axis; None leaves it free.
        turned: if the path is a motion, whether the site follows the orientation too.
        weight: factor of the squared errors of position and of direction.
        priority: 1 is served first. If all goals have one priority, they share it with the example. If there are two,
            the first is strict, and the example belongs to the second.
        tolerance: largest error that counts as reached, m or rad; None: 1e-4 of the chain's reach, or 0.1 degrees.
        radius: metres that one radian counts as; None: the reach of the chain.
        activation: (frames,), from 0 to 1: how much the goal counts; None: in full.
        name: name of the goal in results; empty: the site's name.
    """
    if isinstance(path, Motion):
        frames = site_frames(path.figure, path.q, [site])
        path = frames.points[:, 0]
        if turned:
            x, y = frames.x_axes[:, 0], frames.y_axes[:, 0]
    label = name or site
    given = {"points": path, "x": x, "y": y}
    points, along, across = (
        None if values is None else require_array(values, ("frames", 3), f"{what} of {label!r}")
        for what, values in given.items()
    )
    if points is None and along is None and across is None:
        raise InvalidSetting(f"{label!r} follows nothing; give it points, or directions x or y")
    common: dict[str, Any] = {"priority": priority, "tolerance": tolerance, "name": name}
    turned_as: dict[str, Any] = {"x": _first(along), "y": _first(across), "radius": radius}
    goal: Goal
    target = _first(points)
    if target is None:
        goal = Orientation(site, weight=weight, **turned_as, **common)
    elif along is None and across is None:
        goal = Position(site, target, weight=weight, **common)
    else:  # place and direction have half of the weight each
        goal = Placement(site, target, weight=2.0 * weight, **turned_as, **common)
    return Timed(goal, 0, -1, points, along, across, activation=_numbers(activation, f"the activation of {label!r}"))


def along(
    goal: Goal,
    path: Path | None,
    x: npt.ArrayLike | None,
    y: npt.ArrayLike | None,
    rotations: npt.ArrayLike | None,
    start: int | None,
    end: int | None,
    ease: Ease | None,
    activation: npt.ArrayLike | None,
) -> Timed:
    """See `Goal.along`."""
    if path is not None and isinstance(getattr(goal, "target", None), str):
        raise InvalidSetting(f"{goal} is about another site and cannot follow a path as well")
    if rotations is not None:
        matrices = checked_matrices(rotations, f"the rotations of {goal.label!r}")
        x, y = matrices[..., 0], matrices[..., 1]
    first, last = 0, -1
    given = [values for values in (path, x, y, activation) if values is not None]
    if isinstance(path, KochanekBartels):
        first, last = round(path.times[0]), round(path.times[-1])
    elif start is not None and end is None and given:
        last = start + len(np.asarray(given[0])) - 1
    points = path if isinstance(path, KochanekBartels) else _numbers(path, f"the path of {goal.label!r}")
    along_x, along_y = (_numbers(values, f"the directions of {goal.label!r}") for values in (x, y))
    counts = _numbers(activation, f"the activation of {goal.label!r}")
    before, after = (None, None) if ease is None else both_ends(ease)
    return Timed(
        goal, first if start is None else start, last if end is None else end, points, along_x, along_y,
        ease_in=before, ease_out=after, activation=counts,
    )  # fmt: skip


def across(x: Array, y: Array, what: str, first: int = 0) -> Array:
    """Unit directions (frames, 3) perpendicular to the unit directions x and nearest to y."""
    shares = np.sum(x * y, axis=1, keepdims=True)
    shares[np.abs(shares) < ROUNDING] = 0.0
    return unit(y - shares * x, f"the y directions of {what}, across x,", first)


def unit(values: Array, what: str, first: int = 0) -> Array:
    """Directions (frames, 3) scaled to length 1; unit ones keep their bits. `first`: number of the first frame."""
    length = np.linalg.norm(values, axis=1, keepdims=True)
    if length.min(initial=1.0) < 1e-9:
        raise InvalidSetting(f"{what} vanish in frame {first + int(length.argmin())}; they need a direction")
    length[np.abs(length - 1.0) < ROUNDING] = 1.0
    directions: Array = values / length
    return directions


def both_ends(ease: Ease) -> tuple[float, float]:
    """Numbers of frames over which a goal fades in and out."""
    return ease if isinstance(ease, tuple) else (ease, ease)


def _numbers(values: npt.ArrayLike | None, what: str) -> Array | None:
    return None if values is None else read_only(values, what)


def _first(values: Array | None) -> Point | None:
    if values is None:
        return None
    a, b, c = values[0].tolist()
    return a, b, c
