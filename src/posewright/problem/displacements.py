"""Curves over time by which a motion is displaced: full where goals are, and fading to either side with the least jerk.

Around single frames, a displacement is 1 and level at its key. Over stretches of frames, it is a spline whose knots are
close. Either way every frame keeps its own posture and detail, and outside the windows the motion is untouched.
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
"""Frames before and after a stretch in which a goal there is felt."""

_MONOTONE = 20.0
"""Curvature at an end, over rise and squared length, up to which a quintic between two level knots rises or falls."""
_DEGREE = 5
"""Of splines: those of least squared jerk are quintic."""
_KNOTS = 0.05
"""s between the knots of a spline, or less in a short window."""
_PER_WINDOW = 4
"""Knots in a window at least."""
_MOST = 600
"""Pieces of a spline: over more of a long clip they are longer."""
_BRISK = 0.25
"""s: changes over this time, or half of the shortest window, cost as much by their jerk as by their size."""


@dataclass(frozen=True)
class Stretch:
    """Where a displacement is in full, and how many frames before and after that it takes."""

    first: int
    last: int
    window: Window
    """0: it begins, or ends, at once"""

    @property
    def begin(self) -> float:
        """Where it begins, in frames."""
        return self.first - self.window[0]

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.last + self.window[1]


@dataclass(frozen=True, eq=False)
class Curves:
    """Displacements over time, as sums of curves."""

    frames: IntArray
    """(frames,): those of the motion that may be displaced"""
    shares: Array
    """(frames, curves)"""
    effort: Array
    """(curves, curves): the squared jerk of a sum of curves, and a little of its square, over all frames"""
    overlap: int
    """How many of the next curves one overlaps with at most."""

    def products(self, k: int) -> Array:
        """(curves - k, frames): each curve times the k-th next one"""
        n = self.shares.shape[1]
        return np.ascontiguousarray((self.shares[:, k:] * self.shares[:, : n - k]).T)

    @classmethod
    def of(cls, n_frames: int, stretches: Sequence[Stretch], fps: float, *, fine: bool = False) -> Curves:
        """Curves for displacements in full over some stretches of a motion of so many frames.

        Around single frames a displacement has one shape, unless it is `fine`: to hold something in all frames.
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
    """Stretches whose windows overlap."""
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
    """Single frames in order, each with its longest window."""
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
    """(times, curves): splines over a group, each of which is nothing where the group's windows end."""
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
    """The spline of a degree with knots at 0, 1, ..., degree + 1 that is 0 outside."""
    if degree == 0:
        return ((u >= 0.0) & (u < 1.0)).astype(np.float64)
    found: Array = (u * _bell(u, degree - 1) + (degree + 1.0 - u) * _bell(u - 1.0, degree - 1)) / degree
    return found


def _effort(shares: Array, brisk: float) -> Array:
    """(curves, curves), where changes over so many frames are brisk."""
    jerk = brisk**3 * np.diff(shares, n=3, axis=0)
    found: Array = jerk.T @ jerk + shares.T @ shares
    return found


def least_jerk(n_frames: int, keys: Sequence[tuple[int, float, float]]) -> Array:
    """(frames, keys): curves of least squared jerk, each 1 and level at its key, 0 and level at the others.

    Args:
        n_frames: of the motion; windows may reach beyond it.
        keys: frames in order, each with the frames before and after it in which it is felt.
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
    """Keys whose windows overlap, as ranges of positions."""
    groups: list[tuple[int, int]] = []
    reach = -np.inf
    for k, (key, before, after) in enumerate(keys):
        groups = [*groups[:-1], (groups[-1][0], k + 1)] if key - before < reach else [*groups, (k, k + 1)]
        reach = key + after
    return groups


def _spline(knots: Array, times: Array) -> Array:
    """(times, inner knots): curves through 1 at one inner knot and 0 at the others, level there, 0 outside.

    Between knots a curve of least jerk is a quintic; its curvature at the knots follows from continuous jerk, as far as
    it does not overshoot there.
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
