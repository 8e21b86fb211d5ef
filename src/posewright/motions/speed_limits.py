"""Motions slowed down to what joints can do."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.motions.motion import Motion


def within_speeds(motion: Motion) -> Motion:
    """The motion in which no dof is faster than `Figure.max_speeds`, nearest to this one by the largest difference.

    It sets out early for what it could not reach in time, so it neither lags nor overshoots; where the motion is slow
    enough, far enough from where it is not, nothing changes. Limits that the motion keeps stay kept.
    """
    limited = np.isfinite(motion.figure.max_speeds)
    if not limited.any() or len(motion) < 2:
        return motion
    q = np.array(motion.q)
    q[:, limited] = rate_limited(q[:, limited], motion.figure.max_speeds[limited] / motion.fps)
    return motion.with_q(q)


def rate_limited(values: Array, steps: Array) -> Array:
    """The curves (frames, n) nearest to `values` that change by at most `steps` (n,) from frame to frame.

    Midway between the highest such curve that is nowhere above and the lowest that is nowhere below: the best there is,
    by the largest difference (both are at most twice the best one's difference away, on either side).
    """
    found = np.array(values)
    fast = np.abs(np.diff(values, axis=0)).max(axis=0, initial=0.0) > steps
    way = np.arange(len(values))[:, np.newaxis] * steps[fast]
    less, more = values[:, fast] - way, values[:, fast] + way
    under = np.minimum(_so_far(np.minimum, less) + way, _from_here(np.minimum, more) - way)
    above = np.maximum(_so_far(np.maximum, more) - way, _from_here(np.maximum, less) + way)
    found[:, fast] = 0.5 * (under + above)
    return found


def _so_far(extreme: np.ufunc, values: Array) -> Array:
    reached: Array = extreme.accumulate(values)
    return reached


def _from_here(extreme: np.ufunc, values: Array) -> Array:
    return _so_far(extreme, values[::-1])[::-1]
