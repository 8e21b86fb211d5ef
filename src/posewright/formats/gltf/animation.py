"""Animations: channels sampled at frames (glTF has keys but no frame rate), and frames written as channels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.formats.gltf.accessors import Appender, read_accessor
from posewright.formats.gltf.document import GltfFile
from posewright.formats.gltf.schema import Animation, Sampler
from posewright.rotations import continuous, slerp, unit

_KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_XYZW = [1, 2, 3, 0]  # from our wxyz
_WXYZ = [3, 0, 1, 2]
_COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0)
_PLAIN_RATE = 30.0
_LONG = 3600.0  # s; of a longer animation, frames between even keys are not meant
_NEAR = 0.02  # of a frame; the float32 times of a long clip are about this exact
_BYTES = 100  # that a joint takes in a frame: places and turns, and coordinates
_STILL = 1e-7
"""Smaller differences (m, or of a quaternion) count as equal, as float32 cannot distinguish them."""


class KeyTrack:
    """The keys of one channel: times and values (rotations as wxyz)."""

    def __init__(self, file: GltfFile, sampler: Sampler, path: str, where: str) -> None:
        self.interpolation = sampler.interpolation
        self.path = path
        self.times = read_accessor(file, sampler.input, "SCALAR", f"times of {where}")[:, 0]
        if np.any(np.diff(self.times) <= 0.0) or self.times[0] < 0.0:
            raise file.problem(f"{where}: its key times must increase and not be negative")
        values = read_accessor(file, sampler.output, _KINDS[path], f"values of {where}")
        per_key = 3 if sampler.interpolation == "CUBICSPLINE" else 1
        if len(values) != per_key * len(self.times):
            raise file.problem(f"{where} has {len(self.times)} times and {len(values)} values")
        if path == "rotation":
            values = values[:, _WXYZ]
        self.tangents = values.reshape(-1, 3, values.shape[1])[:, ::2] if per_key == 3 else None
        self.values = values.reshape(-1, 3, values.shape[1])[:, 1] if per_key == 3 else values
        if path == "rotation" and np.linalg.norm(self.values, axis=1).min() < 1e-6:
            raise file.problem(f"{where} has a rotation key of zero length")

    def at(self, times: Array) -> Array:
        """Values (times, 3 or 4), held before the first key and after the last."""
        keys = self.times
        clamped = np.clip(times, keys[0], keys[-1])
        before = np.clip(np.searchsorted(keys, clamped, side="right") - 1, 0, max(0, len(keys) - 2))
        after = np.minimum(before + 1, len(keys) - 1)
        span = np.where(after > before, keys[after] - keys[before], 1.0)
        fraction = (clamped - keys[before]) / span
        if self.interpolation == "STEP":
            values = self.values[np.where(fraction >= 1.0, after, before)]
        elif self.tangents is not None:
            values = self._hermite(before, after, span[:, None], fraction[:, None])
        elif self.path == "rotation":
            values = slerp(unit(self.values[before]), unit(self.values[after]), fraction)
        else:
            values = self.values[before] + fraction[:, None] * (self.values[after] - self.values[before])
        return unit(values) if self.path == "rotation" else values

    def _hermite(self, before: Any, after: Any, span: Array, t: Array) -> Array:
        assert self.tangents is not None
        leaving, arriving = self.tangents[before, 1], self.tangents[after, 0]
        curve: Array = (
            (2 * t**3 - 3 * t**2 + 1) * self.values[before]
            + span * (t**3 - 2 * t**2 + t) * leaving
            + (3 * t**2 - 2 * t**3) * self.values[after]
            + span * (t**3 - t**2) * arriving
        )
        return curve


def tracks(file: GltfFile, animation: Animation) -> dict[tuple[int, str], KeyTrack]:
    """The channels of an animation by node and path; morph weights and pointers of extensions are left out.

    Raises:
        FileProblem: indices that do not exist, keys out of order, times and values that do not fit together.
    """
    found: dict[tuple[int, str], KeyTrack] = {}
    for index, channel in enumerate(animation.channels):
        node, path = channel.target.node, channel.target.path
        if node is None or path not in _KINDS:
            continue
        where = f"channel {index} of animation {animation.name[:40]!r}"
        if node >= len(file.model.nodes):
            raise file.problem(f"{where} moves node {node}; there are {len(file.model.nodes)}")
        if (node, path) in found:
            raise file.problem(f"{where} is a second channel for the {path} of node {node}")
        found[node, path] = KeyTrack(file, animation.samplers[channel.sampler], path, where)
    return found


def title(index: int, animation: Animation) -> str:
    """The name of an animation; its number if it has none."""
    return animation.name or f"animation_{index}"


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
        notes.append(f"glTF has no frame rate; assumed {fps:g} per second, {how}")
    frames = duration * fps
    if not frames < 1e12:
        raise file.problem(f"its animation lasts {duration:g} s: too many frames at {fps:g} a second")
    file.budget.take(int(frames + 1) * n_joints * _BYTES, f"{n_joints} joints for {duration:g} s at {fps:g} frames/s")
    count = int(np.ceil(frames - _NEAR)) + 1
    times = np.minimum(start + np.arange(count) / fps, keys[-1])
    # Where a key is meant, take the key itself: its time was rounded when it was written.
    after = np.minimum(np.searchsorted(keys, times), len(keys) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(keys[after] - times < times - keys[before], keys[after], keys[before])
    return np.where(np.abs(nearest - times) * fps < _NEAR, nearest, times), fps, tuple(notes)


def _rate(keys: Array) -> tuple[float, str]:
    if len(keys) < 2:
        return _PLAIN_RATE, "since there is only one key"
    steps = np.diff(keys)
    duration = float(keys[-1] - keys[0])
    even = (len(keys) - 1) / duration
    if (even >= 1.0 or duration > _LONG) and np.abs(steps * even - 1.0).max() < 2 * _NEAR:
        whole = float(round(even))
        return whole if abs(even - whole) < 1e-3 * _NEAR * whole else even, "the spacing of its keys"
    offsets = keys - keys[0]
    for rate in _COMMON_RATES:
        on_frames = offsets * rate
        if np.abs(on_frames - np.round(on_frames)).max() < _NEAR:
            return rate, "the lowest common rate that meets all keys"
    return _PLAIN_RATE, "since its keys follow no common rate; they were resampled"


def write_channels(
    appender: Appender,
    nodes: Sequence[int],
    translations: Array,
    rotations: Array,
    rest: tuple[Array, Array],
    fps: float,
) -> dict[str, Any]:
    """An animation (without its name) of what differs from the nodes' own transforms.

    Values that differ but do not change get two keys, so that the animation keeps its length even if nothing moves.

    Args:
        appender: takes the numbers.
        nodes: per joint.
        translations: (frames, joints, 3), in the unit of the nodes; at least two frames.
        rotations: (frames, joints, 4), wxyz.
        rest: translations (joints, 3) and rotations (joints, 4) that the nodes have by themselves.
        fps: frames per second.
    """
    turns = continuous(rotations)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    inputs: dict[bool, int] = {}

    def write(node: int, path: str, values: Array, kind: str) -> None:
        still = bool(np.abs(values - values[0]).max() <= _STILL)
        keys = [0, len(values) - 1] if still else np.arange(len(values))
        if still not in inputs:
            inputs[still] = appender.add(_key_times(keys, fps), "SCALAR", bounds=True)
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": inputs[still], "output": appender.add(values[keys], kind)})

    moved = np.abs(translations - rest[0]).max(axis=(0, 2)) > _STILL * np.maximum(1.0, np.abs(rest[0]).max(axis=1))
    same_side = np.where(np.sum(turns * rest[1], axis=-1, keepdims=True) < 0.0, -turns, turns)
    apart = np.abs(same_side - rest[1])
    turned = apart.max(axis=(0, 2)) > _STILL
    turned[0] |= not (turned.any() or moved.any())  # an animation needs a channel
    for k, node in enumerate(nodes):
        if turned[k]:
            write(node, "rotation", turns[:, k][:, _XYZW], "VEC4")
        if moved[k]:
            write(node, "translation", translations[:, k], "VEC3")
    return {"channels": channels, "samplers": samplers}


def _key_times(keys: npt.ArrayLike, fps: float) -> Array:
    times: Array = np.asarray(keys) / fps
    with np.errstate(over="ignore"):  # refused by the appender
        rounded = times.astype(np.float32)
    if np.any(np.diff(rounded) <= 0.0):
        raise InvalidMotion(f"{fps:g} frames a second for {times[-1]:g} s are too many for the key times of glTF")
    return times
