"""A body displaced from where a motion has it in each frame: some dofs, in some frames.

Joints of three free hinges are turned as balls, in the frame of the joint above, from where the motion has them: so no
angle of a recording is near a singularity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures import Figure
from posewright.figures.figure import kept_with_figure
from posewright.figures.transforms.balls import BallsToHinges
from posewright.figures.transforms.limits import admitting
from posewright.kernels.tables import BALL, SLIDE
from posewright.models.alignment import BallCoordinates
from posewright.motions.motion import Motion
from posewright.problem.feasible import FeasibleRegion
from posewright.rotations import (
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

Frames = IntArray | slice
_ALL = slice(None)
_ROUNDING = 1e-9


class Body:
    """The figure of a motion, in some of its frames."""

    def __init__(self, motion: Motion, frames: IntArray) -> None:
        self.motion, self.frames = motion, frames
        self._hinged = admitting(motion.figure, motion.q)
        self._with_balls = _with_balls(self._hinged)
        self.figure = self._with_balls.figure
        """With balls, and limits as wide as the motion needs."""
        self.own: Array = np.ascontiguousarray(self._with_balls.of_hinges.into(motion.q[frames]))
        """(frames, dofs), where the motion has it"""
        self.moving: IntArray = np.zeros(0, np.int64)
        """The dofs that may be displaced."""
        self._balls: IntArray = np.zeros((0, 3), np.int64)
        """(balls, 3): their dofs among those"""

    def let_move(self, dofs: BoolArray) -> None:
        """Choose the dofs (dofs,) that may be displaced; a ball moves as a whole."""
        self.moving = np.flatnonzero(dofs)
        turning = self.figure.tables.dofs["kind"][self.moving] == BALL
        self._balls = np.flatnonzero(turning).reshape(-1, 3)

    @property
    def limited(self) -> BoolArray:
        """(dofs that move,): those whose value is what limits are about"""
        found = np.ones(len(self.moving), np.bool_)
        found[self._balls.ravel()] = False
        return found

    @property
    def carried(self) -> BoolArray:
        """(joints,): those whose places depend on dofs that move."""
        found = np.zeros(len(self.figure.joints), np.bool_)
        found[self.figure.tables.dofs["joint"][self.moving]] = True
        for joint, parent in enumerate(self.figure.parents):
            found[joint] |= parent >= 0 and found[parent]
        return found

    def displaced(self, d: Array, which: Frames = _ALL) -> Array:
        """Poses (frames, dofs) displaced by (frames, dofs that move)."""
        q = self.own[which].copy()
        turns = quaternion_from_vector(q[:, self.moving[self._balls]])
        q[:, self.moving] += d
        turned = quaternion_multiply(quaternion_from_vector(d[:, self._balls]), turns)
        q[:, self.moving[self._balls]] = vector_from_quaternion(turned)
        return q

    def displacements(self, motion: Motion) -> Array:
        """(frames, dofs that move): what displaces this body to where another motion of its figure has it."""
        q = self._with_balls.of_hinges.into(motion.q[self.frames])
        d = (q - self.own)[:, self.moving]
        there, here = (quaternion_from_vector(poses[:, self.moving[self._balls]]) for poses in (q, self.own))
        d[:, self._balls] = vector_from_quaternion(quaternion_multiply(there, quaternion_conjugate(here)))
        return d

    def within_limits(self, d: Array) -> Array:
        """The nearest displacements (frames, dofs that move) that keep the limits of hinges and slides."""
        return np.where(self.limited, np.clip(d, *self._room()), d)

    def stuck(self, d: Array, slope: Array) -> BoolArray:
        """(frames, dofs that move): where limits are in the way down a slope, at displacements alike."""
        low, high = self._room()
        return self.limited & (((d <= low) & (slope > 0.0)) | ((d >= high) & (slope < 0.0)))

    def _room(self) -> tuple[Array, Array]:
        """The least and the greatest displacements (frames, dofs that move) of hinges and slides."""
        own = self.own[:, self.moving]
        return self.figure.lower[self.moving] - own, self.figure.upper[self.moving] - own

    def by_displacement(self, J: Array, q: Array, d: Array) -> Array:
        """Derivatives (frames, rows, dofs) by the dofs at `q`, as ones by the displacements that lead there."""
        out = np.ascontiguousarray(J[:, :, self.moving])
        if len(self._balls):
            vectors = q[:, self.moving[self._balls]]
            turns = _left_jacobian(vectors, inverse=True) @ _left_jacobian(d[:, self._balls])
            out[:, :, self._balls] = np.einsum("frbi,fbij->frbj", out[:, :, self._balls], turns)
        return out

    def made(self, d: Array, changed: BoolArray, region: FeasibleRegion | None = None) -> Motion:
        """The motion with displacements (frames, dofs that move) in frames that are `changed`, within limits.

        Other dofs and other frames are untouched, to the bit.
        """
        q = np.clip(self.displaced(d), self.figure.lower, self.figure.upper)
        if region is not None and len(region.A):
            for k in np.flatnonzero(region.broken(q).max(axis=1) > _ROUNDING).tolist():
                q[k] = region.projected(q[k])
        source, frames = self.motion.q, self.frames
        hinged = self._with_balls.to_hinges(q, source[max(int(frames[0]) - 1, 0)])
        turns = np.round((source[frames] - hinged) / (2.0 * np.pi)) * _turning_freely(self._hinged)
        moved = np.isin(self._hinged.tables.dofs["joint"], self.figure.tables.dofs["joint"][self.moving])
        out = source.copy()
        out[np.ix_(frames[changed], moved)] = (hinged + 2.0 * np.pi * turns)[np.ix_(changed, moved)]
        return self.motion.with_q(out)


def part_of(source: Motion, made: Motion, share: float) -> Motion:
    """A motion that is displaced by a share of what another one of its figure is displaced."""
    changed = made.q != source.q
    body = Body(source, np.flatnonzero(changed.any(axis=1)))
    joints = np.unique(source.figure.tables.dofs["joint"][changed.any(axis=0)])
    body.let_move(np.isin(body.figure.tables.dofs["joint"], joints))
    return body.made(share * body.displacements(made), np.ones(len(body.frames), np.bool_))


class _WithBalls(NamedTuple):
    """A figure with balls in place of hinges, and how poses become those of the other."""

    figure: Figure
    of_hinges: BallCoordinates
    to_hinges: BallsToHinges


@kept_with_figure
def _with_balls(hinged: Figure) -> _WithBalls:
    figure = hinged.with_balls()
    return _WithBalls(figure, BallCoordinates(hinged, figure), BallsToHinges(figure, hinged))


def _turning_freely(figure: Figure) -> BoolArray:
    """(dofs,): hinges that may turn by a whole turn more."""
    kinds = figure.tables.dofs["kind"]
    return np.asarray((kinds != SLIDE) & (kinds != BALL) & np.isinf(figure.lower) & np.isinf(figure.upper))


def _left_jacobian(w: Array, *, inverse: bool = False) -> Array:
    """(..., 3, 3): how a rotation vector (..., 3) turns what it turns: exp(w + d) = exp(J d) exp(w)."""
    square = np.einsum("...i,...i->...", w, w)[..., None, None]
    small = square < 1e-8
    safe = np.sqrt(np.where(small, 1.0, square))
    sine, cosine = np.sin(safe), np.cos(safe)
    if inverse:
        a, b = -0.5, np.where(small, 1.0 / 12.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe)))
    else:
        a = np.where(small, 0.5 - square / 24.0, (1.0 - cosine) / safe**2)
        b = np.where(small, 1.0 / 6.0 - square / 120.0, (safe - sine) / safe**3)
    K = np.zeros((*w.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -w[..., 2], w[..., 1], -w[..., 0]
    K[..., 1, 0], K[..., 2, 0], K[..., 2, 1] = w[..., 2], -w[..., 1], w[..., 0]
    found: Array = np.eye(3) + a * K + b * (K @ K)
    return found
