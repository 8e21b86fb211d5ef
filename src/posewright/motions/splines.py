"""Splines through points in time (Kochanek and Bartels 1984), and ramps by which goals fade in and out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting


@dataclass(frozen=True, eq=False, init=False)
class KochanekBartels:
    """A spline through knots in time. With tension, continuity and bias 0, its velocity is continuous.

    A single knot is a fixed point; two knots are a straight line.
    """

    times: Array
    """Times of the knots (knots,), increasing, s or frames."""
    points: Array
    """Positions of the knots (knots, 3), m."""
    tension: float
    """From -1 (wide curves) to 1 (stops at the knots)."""
    continuity: float
    """From -1 to 1; values other than 0 make corners."""
    bias: float
    """From -1 (turns before a knot) to 1 (overshoots it)."""

    def __init__(
        self,
        times: npt.ArrayLike,
        points: npt.ArrayLike,
        *,
        tension: float = 0.0,
        continuity: float = 0.0,
        bias: float = 0.0,
    ) -> None:
        object.__setattr__(self, "times", read_only(times, "the times of a path"))
        object.__setattr__(self, "points", read_only(points, "the points of a path"))
        for name, value in (("tension", tension), ("continuity", continuity), ("bias", bias)):
            require_number(value, f"{name} of a path", "from -1 to 1", at_least=-1.0, at_most=1.0)
            object.__setattr__(self, name, float(value))
        n = self.times.size
        if self.times.ndim != 1 or n == 0 or self.points.shape != (n, 3):
            raise InvalidSetting(
                f"a path needs as many times as points, at least one of each, "
                f"got {self.times.shape} times and {self.points.shape} points"
            )
        if not (np.isfinite(self.times).all() and np.isfinite(self.points).all()):
            knot = int(np.flatnonzero(~(np.isfinite(self.times) & np.isfinite(self.points).all(axis=1)))[0])
            raise InvalidSetting(
                f"knot {knot} of a path is {self.points[knot].tolist()} at {self.times[knot]:g}; it must be finite"
            )
        if not (np.diff(self.times) > 0.0).all():
            raise InvalidSetting(f"the times of a path must increase, got {self.times.tolist()}")

    @classmethod
    def through(cls, times: npt.ArrayLike, track: npt.ArrayLike, knots: int) -> KochanekBartels:
        """A spline with a number of knots taken evenly from a track: points (frames, 3) at times (frames,)."""
        moments, points = np.asarray(times, dtype=np.float64), np.asarray(track, dtype=np.float64)
        if not 1 <= knots <= len(moments):
            raise InvalidSetting(f"knots is {knots}; it must be from 1 to {len(moments)}, the number of points")
        chosen = np.unique(np.linspace(0, len(moments) - 1, knots).round().astype(np.int64))
        return cls(moments[chosen], points[chosen])

    def at(self, times: npt.ArrayLike) -> Array:
        """Points (..., 3) at times (...); before the first knot and after the last, the point stays."""
        moments = np.clip(np.asarray(times, dtype=np.float64), self.times[0], self.times[-1])
        if len(self.times) == 1:
            return np.broadcast_to(self.points[0], (*moments.shape, 3)).copy()
        k = np.clip(np.searchsorted(self.times, moments, side="right") - 1, 0, len(self.times) - 2)
        incoming, outgoing = self._tangents()
        s = ((moments - self.times[k]) / (self.times[k + 1] - self.times[k]))[..., None]
        found: Array = (
            (2.0 * s**3 - 3.0 * s**2 + 1.0) * self.points[k]
            + (s**3 - 2.0 * s**2 + s) * outgoing[k]
            + (-2.0 * s**3 + 3.0 * s**2) * self.points[k + 1]
            + (s**3 - s**2) * incoming[k + 1]
        )
        return found

    def _tangents(self) -> tuple[Array, Array]:
        """Tangents (knots, 3) per length of the segment before each knot, and after it."""
        T, C, B = self.tension, self.continuity, self.bias
        steps, spans = np.diff(self.points, axis=0), np.diff(self.times)[:, None]
        incoming, outgoing = np.zeros_like(self.points), np.zeros_like(self.points)
        outgoing[0], incoming[-1] = (1.0 - T) * steps[0], (1.0 - T) * steps[-1]
        a, b, before, after = steps[:-1], steps[1:], spans[:-1], spans[1:]
        half = 0.5 * (1.0 - T)
        incoming[1:-1] = half * ((1.0 - C) * (1.0 + B) * a + (1.0 + C) * (1.0 - B) * b)
        outgoing[1:-1] = half * ((1.0 + C) * (1.0 + B) * a + (1.0 - C) * (1.0 - B) * b)
        # Uneven spacing: the velocity, not the change per segment, is shared by both sides of a knot.
        incoming[1:-1] *= 2.0 * before / (before + after)
        outgoing[1:-1] *= 2.0 * after / (before + after)
        return incoming, outgoing


def ramp(times: npt.ArrayLike, start: float, end: float, *, ease_in: float, ease_out: float) -> Array:
    """Activation of a goal at times (...): 1 from `start` to `end`, with smooth ramps from and to 0 around them."""
    if not (ease_in >= 0.0 and ease_out >= 0.0):
        raise InvalidSetting(f"ease_in is {ease_in:g} and ease_out {ease_out:g}; they must not be negative")
    if end < start:
        raise InvalidSetting(f"a goal from {start:g} to {end:g} ends before it begins")
    moments = np.asarray(times, dtype=np.float64)
    rising = np.clip((moments - (start - ease_in)) / ease_in, 0.0, 1.0) if ease_in else (moments >= start) * 1.0
    falling = np.clip(((end + ease_out) - moments) / ease_out, 0.0, 1.0) if ease_out else (moments <= end) * 1.0
    s = np.minimum(rising, falling)
    smooth: Array = s * s * (3.0 - 2.0 * s)
    return smooth


def ease(share: Array) -> Array:
    """Minimum-jerk ramp from 0 to 1, with zero velocity and acceleration at both ends."""
    s = np.clip(share, 0.0, 1.0)
    eased: Array = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    return eased
