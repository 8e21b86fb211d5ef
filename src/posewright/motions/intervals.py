"""Runs of frames, and contacts that last no longer than what touches stands still.

Thresholds wide enough for recordings, whose feet never stand quite still, call a heel a contact until it is centimetres
up. Made or cleaned motions are planted already: there a contact ends where the site begins to move. Feet that were held
longer would have to catch up, and jerk.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray

_STILL = 3e-4
"""Figure heights per second: a motion is clean if a quarter of its contacts is slower, half a millimetre per second."""
_MOVES = 0.02
"""Figure heights per second: faster than this, and than three times what is usual in its contact, a site moves."""


def intervals(flags: BoolArray) -> IntArray:
    """Runs (n, 2) of true values: first index and the index after the last."""
    edges = np.diff(np.concatenate([[0], np.asarray(flags, dtype=np.int8), [0]]))
    return np.stack([np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)], axis=1)


def at_rest(touching: BoolArray, speeds: Array) -> BoolArray:
    """Contacts (frames, sites) without the frames at their ends in which sites move, if the motion is clean.

    Args:
        touching: (frames, sites), the contacts.
        speeds: (frames, sites), figure heights per second.
    """
    if not touching.any() or np.quantile(speeds[touching], 0.25) > _STILL:
        return touching
    rests = np.zeros_like(touching)
    for site in range(touching.shape[1]):
        for first, after in intervals(touching[:, site]):
            speed = speeds[first:after, site]
            slow = np.flatnonzero(speed <= max(_MOVES, 3.0 * float(np.median(speed))))
            rests[first + slow[0] : first + slow[-1] + 1, site] = True
    return rests
