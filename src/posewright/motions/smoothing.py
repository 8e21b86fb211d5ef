"""Motions smoothed as much as their jerk requires.

Jerk is mostly noise of high frequency. Smoothing with λ times squared third differences (`kernels.smoothing`) takes
1/(1 + λ g) of a wave of frequency f, g = (2 sin(π f / fps))⁶; so the spectrum of the third differences says what λ a
bound needs and how far joints move, before anything is smoothed. Of all motions with that jerk, the smoothed one is the
nearest (in the mean square). Filters for a few curves are here too: `scipy.ndimage` takes longer to import than a
retarget takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array, BoolArray
from posewright.figures import Figure
from posewright.figures.kinematics import joint_positions
from posewright.kernels.motion.smoothing import smooth_frames
from posewright.motions.motion import Motion

SLOWEST = 10.0
"""Hz: of lower frequencies more than half always remains."""
_SEGMENT = 256
"""Frames of a spectrum."""
_BLOCK = 16 * _SEGMENT
"""Frames at a time: memory does not grow with the clip."""
_ORDER = 3
_FIXED = 1e8
"""Weight of a frame that must not change."""


@dataclass(frozen=True, eq=False)
class JerkSpectrum:
    """Squared third differences of joint positions by frequency."""

    power: Array
    """(frequencies,), m²: from 0 to half the frame rate; their sum is the mean over frames and joints"""
    fps: float

    @classmethod
    def of(cls, figure: Figure, q: Array, fps: float, joints: Sequence[int] | None = None) -> JerkSpectrum:
        """Of frames (frames, dofs); of all joints, or some."""
        chosen = list(range(len(figure.joints)) if joints is None else joints)
        power = np.zeros(_SEGMENT // 2 + 1)
        n = len(q) - _ORDER
        for start in range(0, n, _BLOCK):
            places = joint_positions(figure, q[start : start + _BLOCK + _ORDER])[:, chosen]
            third = np.diff(places.reshape(len(places), -1), n=_ORDER, axis=0)
            for first in range(0, len(third), _SEGMENT):
                waves = np.fft.rfft(third[first : first + _SEGMENT], _SEGMENT, axis=0)
                power += np.einsum("fk,fk->f", waves.real, waves.real) + np.einsum("fk,fk->f", waves.imag, waves.imag)
        power[1:-1] *= 2.0  # frequencies below zero
        return cls(power / (_SEGMENT * max(n, 1) * len(chosen)), fps)

    @property
    def jerk(self) -> float:
        """m/s³, as `quality` measures it."""
        return float(np.sqrt(self.power.sum())) * self.fps**_ORDER

    @property
    def _gains(self) -> Array:
        gains: Array = (2.0 * np.sin(0.5 * np.pi * np.linspace(0.0, 1.0, len(self.power)))) ** (2 * _ORDER)
        return gains

    def roughness_for(self, jerk: float) -> float:
        """The least λ that reduces the jerk to this, m/s³; 0 if it is low enough; never one that halves `SLOWEST`."""
        bound, gains = (jerk / self.fps**_ORDER) ** 2, self._gains
        if self.power.sum() <= bound:
            return 0.0
        low, high = -20.0, float(np.log(roughness_of(SLOWEST, self.fps)))
        for _ in range(40):
            middle = 0.5 * (low + high)
            enough = np.sum(self.power / (1.0 + np.exp(middle) * gains) ** 2) <= bound
            low, high = (low, middle) if enough else (middle, high)
        return float(np.exp(high))

    def frequency_of(self, roughness: float) -> float:
        """The frequency, Hz, that is halved; half the frame rate if none is."""
        return float(np.arcsin(min(1.0, 0.5 * roughness ** (-0.5 / _ORDER))) * self.fps / np.pi)

    def moved(self, roughness: float) -> float:
        """How far joints are moved, m (root mean square)."""
        gains = self._gains
        return float(np.sqrt(np.sum(self.power * gains * (roughness / (1.0 + roughness * gains)) ** 2)))


def smoothed(motion: Motion, frequency: float) -> Motion:
    """See `Motion.smoothed`."""
    highest = 0.5 * motion.fps
    require_number(frequency, "frequency", f"above 0 and at most {highest:g} Hz", above=0.0, at_most=highest)
    return motion.with_q(smoothed_q(motion.figure, motion.q, roughness_of(frequency, motion.fps)))


def roughness_of(frequency: float, fps: float) -> float:
    """The λ that halves waves of a frequency, Hz."""
    return float((2.0 * np.sin(np.pi * min(frequency / fps, 0.5))) ** (-2 * _ORDER))


def smoothed_between(values: Array, fixed: BoolArray, roughness: float) -> Array:
    """Values (frames, n) smoothed with λ where they are not fixed; they join the fixed ones without a kink."""
    out = np.array(values)
    if len(values) <= _ORDER or roughness == 0.0 or fixed.all():
        return out
    smooth_frames(roughness, np.where(fixed, _FIXED, 1.0), np.arange(values.shape[1]), np.empty(0, np.int64), out)
    return np.where(fixed[:, None], values, out)


def smoothed_q(figure: Figure, q: Array, roughness: float) -> Array:
    """Frames (frames, dofs) smoothed with λ, within the limits of the figure."""
    out = np.array(q)
    if len(q) <= _ORDER or roughness == 0.0:
        return out
    balls = [figure.dof_slice(k).stop - 3 for k, joint in enumerate(figure.joints) if joint.ball is not None]
    turning = {d + k for d in balls for k in range(3)}
    columns = [d for d in range(figure.n_dofs) if d not in turning]
    smooth_frames(roughness, np.ones(len(q)), np.array(columns, np.int64), np.array(balls, np.int64), out)
    return np.clip(out, figure.lower, figure.upper, out=out)


def gaussian(values: Array, sigma: float, radius: int | None = None) -> Array:
    """Values (frames, ...) weighted by a Gaussian over the frames around; the first and last go on beyond the ends.

    Args:
        values: the curves.
        sigma: frames.
        radius: frames, where the Gaussian is cut off; None: four sigmas.
    """
    radius = int(4.0 * sigma + 0.5) if radius is None else radius
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    columns = _extended(values, radius).reshape(len(values) + 2 * radius, -1)
    smooth = [np.convolve(column, weights / weights.sum(), mode="valid") for column in columns.T]
    return np.stack(smooth, axis=1).reshape(values.shape)


def smooth_above(values: Array, reach: int) -> Array:
    """Smooth curves (frames, ...) nowhere below `values`; twice `reach` frames to either side are considered."""
    if reach < 1:
        return values.copy()
    around = np.lib.stride_tricks.sliding_window_view(_extended(values, 2 * reach), 2 * reach + 1, axis=0)
    # The Gaussian ends at `reach` frames, within which the running maximum is no lower than the value itself.
    return gaussian(around.max(axis=-1), reach / 3.0, reach)[reach:-reach]


def _extended(values: Array, frames: int) -> Array:
    return np.concatenate([np.repeat(values[:1], frames, axis=0), values, np.repeat(values[-1:], frames, axis=0)])
