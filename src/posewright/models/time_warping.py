"""Corresponding moments in clips of the same activity, found by dynamic time warping.

Postures and velocities are compared relative to the beginning of each clip. Of all monotonic paths through both clips,
the one with the most similar postures determines which moments correspond.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.models.floor_placement import brought_back, floor_places
from posewright.motions.motion import Motion
from posewright.motions.resampling import at_rows

N_MOMENTS = 8
"""Number of moments of a clip that are matched in the others."""
_SAMPLES = 120
"""Number of frames of a clip that are compared."""
_AHEAD = 0.2
"""s: velocities count as the distance covered in this time."""
_STANDING_STILL = 0.15
"""Cost of a step in only one of the clips, as a share of the mean distance between postures."""
_NEAREST = 0.01
"""Minimum distance between neighbouring moments, as a share of the clip's duration."""


def spread_moments(clip: Motion) -> Array:
    """Moments (s) spread evenly over a clip, without its ends."""
    evenly: Array = np.linspace(0.0, clip.duration, N_MOMENTS + 2)[1:-1]
    return evenly


def corresponding(clip: Motion, reference: Motion, moments: Array) -> Array:
    """The moments (s) of a clip that correspond to moments (s) of a reference clip of the same figure."""
    mine, theirs = _features(clip), _features(reference)
    rows, columns = _path(np.linalg.norm(mine[:, None] - theirs[None], axis=-1).mean(axis=-1))
    wanted = moments / max(reference.duration, 1e-12) * (len(theirs) - 1)
    owned = np.array([rows[columns == column].mean() for column in range(len(theirs))])
    found = np.interp(wanted, np.arange(len(theirs)), owned) / (len(mine) - 1) * clip.duration
    return _apart(found, clip.duration)


def _features(clip: Motion) -> Array:
    """(samples, 2 joints, 3): positions of captured joints relative to the root, and their movement, m."""
    figure = clip.figure
    samples = max(2, min(_SAMPLES, len(clip)))
    q = at_rows(figure, clip.q, np.linspace(0.0, len(clip) - 1.0, samples))
    q = brought_back(figure, q, floor_places(figure, q[0]))
    places = joint_positions(figure, q)[:, list(figure.anatomy.captured)]
    places[..., [0, 2]] -= places[:, :1, [0, 2]]
    step = max(clip.duration, 1e-12) / (samples - 1)
    return np.concatenate([places, _AHEAD * np.gradient(places, step, axis=0)], axis=1)


def _path(costs: Array) -> tuple[Array, Array]:
    """Rows and columns of the cheapest path through a table of costs, from the first corner to the last."""
    n, m = costs.shape
    still = _STANDING_STILL * float(costs.mean())
    total = np.full((n + 1, m + 1), np.inf)
    total[0, 0] = 0.0
    came = np.zeros((n + 1, m + 1), np.int64)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            options = (total[i - 1, j - 1], total[i - 1, j] + still, total[i, j - 1] + still)
            came[i, j] = int(np.argmin(options))
            total[i, j] = costs[i - 1, j - 1] + options[came[i, j]]
    rows, columns = [n - 1], [m - 1]
    while rows[-1] > 0 or columns[-1] > 0:
        how = came[rows[-1] + 1, columns[-1] + 1]
        rows.append(rows[-1] - (how != 2))
        columns.append(columns[-1] - (how != 1))
    return np.array(rows[::-1], dtype=np.float64), np.array(columns[::-1])


def _apart(moments: Array, duration: float) -> Array:
    """Moments inside a clip, in order and some distance apart."""
    gap = _NEAREST * duration
    n = len(moments)
    steps = gap * np.arange(1, n + 1)
    rising = np.maximum.accumulate(moments - steps) + steps
    latest = duration - gap * np.arange(n, 0, -1)
    inside: Array = np.minimum(np.maximum(rising, steps), latest)
    return inside
