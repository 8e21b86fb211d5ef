"""A motion displaced at some of its frames: full there, and fading to either side with the least jerk.

Every dof has a displacement at every key frame. Between the keys, and to zero beyond them, displacements follow the
curve of least squared jerk that passes through them, so the changed motion is as smooth as it can be, and every frame
keeps its own posture and detail. Outside the windows of the keys the motion is untouched, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures.transforms.limits import admitting
from posewright.motions.motion import Motion
from posewright.motions.splines import ease
from posewright.problem.motion_space import MotionSpace

Window = tuple[float, float]
"""Frames before and after a key in which it is felt."""


_MONOTONE = 20.0
"""Curvature at an end, over rise and squared length, up to which a quintic between two level knots rises or falls."""


class Displacements(MotionSpace):
    """Motions around one that differ from it near some frames."""

    closeness = 0.01

    def __init__(self, motion: Motion, windows: Mapping[int, Window]) -> None:
        """Displace a motion.

        Args:
            motion: what is displaced.
            windows: frames before and after each key frame (from 0) over which its displacement fades in and out.
        """
        self.figure, self.source = admitting(motion.figure, motion.q), motion
        self.keys = sorted(windows)
        dofs = motion.figure.dof_names
        self.names = tuple(f"{dof} at frame {key}" for key in self.keys for dof in dofs)
        self.x = np.zeros(len(self.names))
        self.shares = least_jerk(len(motion), [(key, *windows[key]) for key in self.keys])

    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """See `MotionSpace`."""
        n = self.figure.n_dofs
        matrices = np.zeros((len(frames), n, len(self.keys), n))
        every = np.arange(n)
        matrices[:, every, :, every] = self.shares[frames]
        return self.source.q[frames], matrices.reshape(len(frames), n, -1)

    def motion(self, x: Array) -> Motion:
        """See `MotionSpace`; limits are kept in all frames, as far as the motion itself keeps them."""
        displacement = self.shares @ x.reshape(len(self.keys), -1)
        return self.source.with_q(np.clip(self.source.q + displacement, self.figure.lower, self.figure.upper))


def least_jerk(n_frames: int, keys: Sequence[tuple[int, float, float]]) -> Array:
    """(frames, keys): curves of least squared jerk, each 1 and level at its key, 0 and level at the others.

    Args:
        n_frames: of the motion; windows may reach beyond it.
        keys: frames in order, each with the frames before and after it in which it is felt.
    """
    found = np.zeros((n_frames, len(keys)))
    frames = np.arange(n_frames, dtype=np.float64)
    for first, last in _groups(keys):
        own = keys[first:last]
        knots = [own[0][0] - own[0][1], *(key for key, _, _ in own), own[-1][0] + own[-1][2]]
        found[:, first:last] = _spline(np.array(knots, dtype=np.float64), frames)
        for row, (key, _, _) in enumerate(own):
            found[key, first:last] = np.arange(len(own)) == row
    return found


def _groups(keys: Sequence[tuple[int, float, float]]) -> list[tuple[int, int]]:
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
