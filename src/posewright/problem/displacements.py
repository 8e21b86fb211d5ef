"""Curves over time by which a motion is displaced: full at goals, fading to both sides with the least jerk.

Around a single frame, a displacement is 1 and level at its key. Over a stretch of frames, it is a spline with close
knots. In both cases every frame keeps its own posture and detail, and the motion does not change outside the windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.motions.splines import ease

Window = tuple[float, float]
"""Numbers of frames before and after a stretch over which its goal fades."""

_MONOTONE = 20.0
"""Largest end curvature (times squared length, over rise) with which a quintic between level knots is monotone."""
_DEGREE = 5
"""Degree of splines; those of least squared jerk are quintic."""
_KNOTS = 0.05
"""Time between the knots of a spline, s; less in a short window."""
_PER_WINDOW = 4
"""Minimum number of knots in a window."""
_MOST = 600
"""Maximum number of pieces of a spline; in long clips pieces are longer."""
_BRISK = 0.25
"""s: for changes over this time, or half of the shortest window, jerk and size cost the same."""


@dataclass(frozen=True)
class Stretch:
    """A range of frames in which a displacement is full, and the window over which it fades."""

    first: int
    last: int
    window: Window
    """0: it begins, or ends, abruptly."""

    @property
    def begin(self) -> float:
        """Frame at which it begins."""
        return self.first - self.window[0]

    @property
    def end(self) -> float:
        """Frame at which it ends."""
        return self.last + self.window[1]


@dataclass(frozen=True, eq=False)
class Curves:
    """Displacements over time, as sums of curves."""

    frames: IntArray
    """(frames,): frames of the motion that may be displaced."""
    shares: Array
    """(frames, curves): value of each curve."""
    effort: Array
    """(curves, curves): quadratic form of the squared jerk of a sum of curves, plus a little of its square."""
    overlap: int
    """Maximum number of following curves that overlap with a curve."""

    def products(self, k: int) -> Array:
        """(curves - k, frames): each curve times the k-th next one."""
        n = self.shares.shape[1]
        return np.ascontiguousarray((self.shares[:, k:] * self.shares[:, : n - k]).T)

    @classmethod
    def of(cls, n_frames: int, stretches: Sequence[Stretch], fps: float, *, fine: bool = False) -> Curves:
        """Curves for displacements that are full over some stretches of a motion of `n_frames`.

        Around a single frame a displacement has a single curve, unless `fine`, which serves to hold something in all
        frames.
        """
        frames: list[int] = []
        parts, overlap = [], 0
        for group in _groups(stretches):
            first, last = _touched(group, n_frames)
            if not fine and all(one.first == one.last for one in group):
                shares = least_jerk(n_frames, _keys(group))[first : last + 1]
                overlap = max(overlap, shares.shape[1] - 1)
            else:
                shares = _splines(group, np.arange(first, last + 1, dtype=np.float64), fps)
                overlap = max(overlap, min(shares.shape[1] - 1, _DEGREE))
            frames += range(first, last + 1)
            windows = [_BRISK * fps, *(0.5 * frames for one in group for frames in one.window if frames > 0.0)]
            parts.append((shares, _effort(shares, max(1.0, min(windows)))))
        ends = [0, *accumulate(shares.shape[1] for shares, _ in parts)]
        shares, effort = np.zeros((len(frames), ends[-1])), np.zeros((ends[-1], ends[-1]))
        row = 0
        for (own, its), low, high in zip(parts, ends[:-1], ends[1:], strict=True):
            shares[row : row + len(own), low:high], effort[low:high, low:high] = own, its
            row += len(own)
        return cls(np.array(frames, dtype=np.int64), shares, effort, overlap)


def _groups(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """Groups of stretches whose windows overlap."""
    groups: list[list[Stretch]] = []
    reach = -math.inf
    for one in sorted(stretches, key=lambda stretch: stretch.begin):
        if groups and one.begin < reach:
            groups[-1].append(one)
        else:
            groups.append([one])
        reach = max(reach, one.end)
    return groups


def _keys(group: Sequence[Stretch]) -> list[tuple[int, float, float]]:
    """Keys at single frames, in order, each with its longest window."""
    found: dict[int, Window] = {}
    for one in group:
        known = found.get(one.first, (1.0, 1.0))
        found[one.first] = max(known[0], one.window[0]), max(known[1], one.window[1])
    return [(key, *found[key]) for key in sorted(found)]


def _touched(group: Sequence[Stretch], n_frames: int) -> tuple[int, int]:
    """The first and the last frame that change."""
    first = min(one.first if one.window[0] == 0.0 else math.floor(one.begin) + 1 for one in group)
    last = max(one.last if one.window[1] == 0.0 else math.ceil(one.end) - 1 for one in group)
    return max(first, 0), min(last, n_frames - 1)


def _splines(group: Sequence[Stretch], times: Array, fps: float) -> Array:
    """(times, curves): splines over a group, all zero where the group's windows end."""
    windows = [frames for one in group for frames in one.window if frames > 0.0]
    spacing = max(1.0, min(_KNOTS * fps, *(frames / _PER_WINDOW for frames in windows), math.inf))
    begin, end = min(one.begin for one in group), max(one.end for one in group)
    spacing = max(spacing, (end - begin) / _MOST)
    outside = (_DEGREE + 1) * spacing  # where nothing fades, curves go on and are cut off
    begin -= outside if any(one.begin == begin and one.window[0] == 0.0 for one in group) else 0.0
    end += outside if any(one.end == end and one.window[1] == 0.0 for one in group) else 0.0
    pieces = max(_DEGREE + 1, math.ceil((end - begin) / spacing))
    step = (end - begin) / pieces
    starts = begin + step * np.arange(pieces - _DEGREE)
    curves = _bell((times[:, None] - starts) / step)
    seen: Array = curves[:, (curves > 0.0).any(axis=0)]
    return seen


def _bell(u: Array, degree: int = _DEGREE) -> Array:
    """B-spline of a degree with knots at 0, 1, ..., degree + 1; it is 0 outside."""
    if degree == 0:
        return ((u >= 0.0) & (u < 1.0)).astype(np.float64)
    found: Array = (u * _bell(u, degree - 1) + (degree + 1.0 - u) * _bell(u - 1.0, degree - 1)) / degree
    return found


def _effort(shares: Array, brisk: float) -> Array:
    """(curves, curves): the `effort` of `Curves`; `brisk` is in frames."""
    jerk = brisk**3 * np.diff(shares, n=3, axis=0)
    found: Array = jerk.T @ jerk + shares.T @ shares
    return found


def least_jerk(n_frames: int, keys: Sequence[tuple[int, float, float]]) -> Array:
    """Curves of least squared jerk (frames, keys), each 1 and level at its key, 0 and level at the others.

    Args:
        n_frames: number of frames of the motion; windows may extend beyond it.
        keys: frames in order, each with the numbers of frames before and after over which it fades.
    """
    found = np.zeros((n_frames, len(keys)))
    frames = np.arange(n_frames, dtype=np.float64)
    for first, last in _chains(keys):
        own = keys[first:last]
        knots = [own[0][0] - own[0][1], *(key for key, _, _ in own), own[-1][0] + own[-1][2]]
        found[:, first:last] = _spline(np.array(knots, dtype=np.float64), frames)
        for row, (key, _, _) in enumerate(own):
            found[key, first:last] = np.arange(len(own)) == row
    return found


def _chains(keys: Sequence[tuple[int, float, float]]) -> list[tuple[int, int]]:
    """Ranges of keys whose windows overlap."""
    groups: list[tuple[int, int]] = []
    reach = -np.inf
    for k, (key, before, after) in enumerate(keys):
        groups = [*groups[:-1], (groups[-1][0], k + 1)] if key - before < reach else [*groups, (k, k + 1)]
        reach = key + after
    return groups


def _spline(knots: Array, times: Array) -> Array:
    """Curves (times, inner knots), each 1 at one inner knot and 0 at the others, level at all knots, 0 outside.

    Between knots a curve of least jerk is a quintic; its curvature at the knots follows from continuous jerk, limited
    so that it does not overshoot.
    """
    n, h = len(knots) - 2, np.diff(knots)
    values = np.concatenate([np.zeros((1, n)), np.eye(n), np.zeros((1, n))])
    rise = np.diff(values, axis=0)
    system, force = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):  # jerk at the end of the piece before = jerk at the beginning of the piece after
        before, after = h[i], h[i + 1]
        system[i, i] = 9.0 / before + 9.0 / after
        if i > 0:
            system[i, i - 1] = -3.0 / before
        if i + 1 < n:
            system[i, i + 1] = -3.0 / after
        force[i] = 60.0 * (rise[i + 1] / after**3 - rise[i] / before**3)
    most = (_MONOTONE / np.maximum(h[:-1], h[1:]) ** 2)[:, None]
    inner = np.clip(np.linalg.solve(system, force), -most, most)
    curvature = np.concatenate([np.zeros((1, n)), inner, np.zeros((1, n))])
    k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, n)
    s = np.clip((times - knots[k]) / h[k], 0.0, 1.0)[:, None]
    squared = (h[k] ** 2)[:, None]
    found: Array = (
        values[k]
        + ease(s) * rise[k]
        + (0.5 * s**2 - 1.5 * s**3 + 1.5 * s**4 - 0.5 * s**5) * squared * curvature[k]
        + (0.5 * s**3 - s**4 + 0.5 * s**5) * squared * curvature[k + 1]
    )
    return np.where(((times > knots[0]) & (times < knots[-1]))[:, None], found, 0.0)
