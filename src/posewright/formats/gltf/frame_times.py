"""At which times an animation is sampled, since glTF has keys but no frame rate."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from posewright.conventions import Array
from posewright.formats.gltf.animation import KeyTrack
from posewright.formats.gltf.container import GltfFile

_COMMON = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_PLAIN = 30.0
_NEAR = 0.02  # of a frame; the float32 times of a long clip are about this exact
_MOST_FRAMES, _MOST_NUMBERS = 1_000_000, 30_000_000


def frame_times(
    file: GltfFile, tracks: Iterable[KeyTrack], fps: float | None, n_joints: int
) -> tuple[Array, float, tuple[str, ...]]:
    """Times (frames,) of frames from the first key to the last, their rate, and what was assumed.

    The rate is `fps` if given; else that of the keys where they are evenly spaced; else the lowest common rate on
    whose frames all keys lie; else 30.

    Raises:
        FileProblem: more frames than can be meant.
    """
    distinct: dict[bytes, Array] = {track.times.tobytes(): track.times for track in tracks}
    keys = np.unique(np.concatenate(list(distinct.values())))
    start, duration = float(keys[0]), float(keys[-1] - keys[0])
    notes = [f"the animation begins at {start:g} s, which is frame 0 here"] if start > 1e-6 else []
    if fps is None:
        fps, how = _rate(keys)
        notes.append(f"glTF has no frame rate; {fps:g} frames a second were taken, {how}")
    frames = duration * fps
    if frames > _MOST_FRAMES or frames * n_joints > _MOST_NUMBERS:
        raise file.problem(f"its animation lasts {duration:g} s: too many frames at {fps:g} a second")
    count = int(np.ceil(frames - _NEAR)) + 1
    times = np.minimum(start + np.arange(count) / fps, keys[-1])
    # Where a key is meant, take the key itself: its time was rounded when it was written.
    after = np.minimum(np.searchsorted(keys, times), len(keys) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(keys[after] - times < times - keys[before], keys[after], keys[before])
    return np.where(np.abs(nearest - times) * fps < _NEAR, nearest, times), fps, tuple(notes)


def _rate(keys: Array) -> tuple[float, str]:
    if len(keys) < 2:
        return _PLAIN, "since there is only one key"
    steps = np.diff(keys)
    even = (len(keys) - 1) / float(keys[-1] - keys[0])
    if 1.0 <= even <= 1000.0 and np.abs(steps * even - 1.0).max() < 2 * _NEAR:
        whole = float(round(even))
        return whole if abs(even - whole) < 1e-3 * _NEAR * whole else even, "the spacing of its keys"
    offsets = keys - keys[0]
    for rate in _COMMON:
        on_frames = offsets * rate
        if np.abs(on_frames - np.round(on_frames)).max() < _NEAR:
            return rate, "the lowest common rate that meets all keys"
    return _PLAIN, "since its keys follow no common rate; they were resampled"
