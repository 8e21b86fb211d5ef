"""An edited motion beside its source: what changed, and whether it jerks more than it need.

An edit that displaces a body smoothly jerks as the source does, or as the smoothest displacement that goes as far in as
much time. Only frames that changed are looked at: the rest of a long clip would hide what happened in them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.motions.motion import Motion

JERKY = 1.3
"""Times the larger of the source's jerk and that of the smoothest change that goes as far: more is harm."""
_SAME = 1e-4
"""Figure heights: joints that moved by less are where they were; files round."""
_UNSEEN = _SAME * (2.0 * math.pi * 10.0) ** 3 / math.sqrt(2.0)
"""Figure heights per s³, root mean square: of a joint that trembles by so little at 10 Hz, which nobody sees."""
_FULL = 0.995
"""Of the furthest displacement: it is in full."""
_AROUND = 3
"""Frames beside those that changed, in which a jump would be seen."""
_TO_A_STAND, _TO_A_KEY, _AT_ONCE = 720.0, 320.0, 0.1
"""Squared jerk of the smoothest way to go by 1 in a time of 1: to a stand, or to where it turns back at once, which is
one that lasts a tenth of the change at most."""


@dataclass(frozen=True, eq=False)
class Change:
    """What an edit changed."""

    frames: tuple[int, int] | None = None
    """The first and the last frame in which joints are elsewhere than in the source; None: in none."""
    before: Array = field(default_factory=lambda: np.ones(1))
    """(captured joints,), m/s³, root mean square: the source's jerk there"""
    after: Array = field(default_factory=lambda: np.ones(1))
    smoothest: float = 0.0
    """m/s³: of the smoothest change that goes as far in as much time"""

    @property
    def ratios(self) -> Array:
        """(joints,): jerk over the larger of the source's and the smoothest change's"""
        found: Array = self.after / np.maximum(self.before, self.smoothest)
        return found

    def jerk_ratio(self, asked: float = 0.0) -> float:
        """The same, of the joint for which it is largest.

        Args:
            asked: m/s³: the jerk of a path that was asked for, if that is larger.
        """
        return float(np.max(self.after / np.maximum(self.before, max(self.smoothest, asked))))


class Original:
    """A motion beside which edits of it, of the same figure, are looked at. What depends on it alone is found once."""

    def __init__(self, source: Motion) -> None:
        self.motion, self._joints = source, list(source.figure.anatomy.captured)
        self._points = joint_positions(source.figure, source.q)
        self._unseen = _UNSEEN * (source.figure.height or 1.0)

    def change(self, made: Motion) -> Change:
        """What became of it."""
        source = self.motion
        frames = np.flatnonzero((made.q != source.q).any(axis=1))
        if not len(frames):
            return Change()
        new = self._points.copy()
        new[frames] = joint_positions(made.figure, made.q[frames])
        away = np.linalg.norm(new[frames] - self._points[frames], axis=-1).max(axis=1)
        frames = frames[away > _SAME * (made.figure.height or 1.0)]
        if not len(frames):
            return Change()
        first, last = int(frames[0]), int(frames[-1])
        stretch = slice(max(first - _AROUND, 0), last + _AROUND + 1)
        new, old = (points[stretch][:, self._joints] for points in (new, self._points))
        if len(new) < 2 * _AROUND:
            return Change((first, last))
        before, after = (jerks(points, source.fps) for points in (old, new))
        far = np.linalg.norm(new - old, axis=-1).max(axis=1)
        smoothest = _smoothest(far, source.fps, rises=first > 0, falls=last < len(source) - 1)
        return Change((first, last), before, after, max(smoothest, self._unseen))


def jerk_ratio(motion: Motion, source: Motion) -> float:
    """Jerk in the frames that changed, over the larger of the source's there and that of the smoothest such change."""
    return Original(source).change(motion).jerk_ratio()


def jerks(points: Array, fps: float) -> Array:
    """(joints,), m/s³, root mean square over frames, of points (frames, joints, 3)."""
    third = np.diff(points, n=3, axis=0) * fps**3
    found: Array = np.sqrt(np.mean(np.sum(third**2, axis=-1), axis=0))
    return found


def _smoothest(away: Array, fps: float, *, rises: bool, falls: bool) -> float:
    """m/s³, root mean square: of the smoothest displacement that goes as far (frames,) in as much time, and back.

    Where the change begins with the clip, or ends with it, it does not rise, or fall.
    """
    full = np.flatnonzero(away >= _FULL * away.max())
    rising, falling = max(int(full[0]), 1), max(len(away) - 1 - int(full[-1]), 1)
    energy = _TO_A_KEY if full[-1] - full[0] < _AT_ONCE * len(away) else _TO_A_STAND
    square = energy * float(away.max()) ** 2 * (rises * rising**-5.0 + falls * falling**-5.0)
    return math.sqrt(square / len(away)) * fps**3
