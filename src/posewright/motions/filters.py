"""Filters over time for a few curves, without the import of `scipy.ndimage`, which takes longer than a retarget."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array


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
