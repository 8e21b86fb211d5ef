"""An edited motion beside its source: what changed, and whether it jerks more than it need.

An edit that displaces a body smoothly jerks as the source does, or as the smoothest displacement that goes as far in as
much time. Only frames that changed are looked at: the rest of a long clip would hide what happened in them.
"""

from __future__ import annotations

import math

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


def changed_frames(motion: Motion, source: Motion) -> tuple[int, int] | None:
    """The first and the last frame in which joints are elsewhere than in the source; None: in none."""
    far = _distances(motion, source).max(axis=1) > _SAME * (motion.figure.height or 1.0)
    frames = np.flatnonzero(far)
    return (int(frames[0]), int(frames[-1])) if len(frames) else None


def some_are_kept(motion: Motion, source: Motion) -> bool:
    """Whether some frames are the source's, but not all: then the motion is an edit of it."""
    changed = changed_frames(motion, source)
    return changed is not None and changed[1] - changed[0] + 1 < len(motion)


def jerk_ratio(motion: Motion, source: Motion, asked: float = 0.0) -> float:
    """Jerk in the frames that changed, over the larger of the source's there and that of the smoothest such change.

    Of the body joint for which this is largest.

    Args:
        motion: the edited motion.
        source: what was edited.
        asked: m/s³: the jerk of a path that was asked for, if that is larger.
    """
    changed = changed_frames(motion, source)
    if changed is None:
        return 1.0
    first, last = changed
    stretch = slice(max(first - _AROUND, 0), last + _AROUND + 1)
    joints = list(motion.figure.anatomy.captured)
    new, old = (joint_positions(one.figure, one.q[stretch])[:, joints] for one in (motion, source))
    if len(new) < 2 * _AROUND:
        return 1.0
    before, after = (jerks(points, source.fps) for points in (old, new))
    away = np.linalg.norm(new - old, axis=-1).max(axis=1)
    smoothest = _smoothest(away, source.fps, rises=first > 0, falls=last < len(motion) - 1)
    unseen = _UNSEEN * (motion.figure.height or 1.0)
    return float(np.max(after / np.maximum(before, max(smoothest, asked, unseen))))


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


def _distances(motion: Motion, source: Motion) -> Array:
    """(frames, joints), m: how far joints are from where the source has them."""
    found: Array = np.linalg.norm(
        joint_positions(motion.figure, motion.q) - joint_positions(source.figure, source.q), axis=-1
    )
    return found
