"""Frames of a motion as JSON holds them: many numbers, so not as decimals. They come back bit for bit."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.studio.session.clips.clip import changed_frames

Frames = dict[str, Any]
"""`frames`, how many there are; `first`, the first of those written; `float64`, their numbers in base 64."""


def write_frames(q: Array, source: Array | None = None) -> Frames:
    """Frames (frames, dofs) as JSON; of those that are as in a source none."""
    first, after = (0, len(q)) if source is None else changed_frames(q, source)
    numbers = base64.b64encode(q[first:after].astype("<f8").tobytes()).decode("ascii")
    return {"frames": len(q), "first": first, "float64": numbers}


def read_frames(given: Any, n_dofs: int, source: Array | None = None) -> Array:
    """What `write_frames` wrote.

    Raises:
        InvalidSetting: it is something else, or not finite.
    """
    try:
        found = np.frombuffer(base64.b64decode(given["float64"], validate=True), "<f8").astype(np.float64)
        found = found.reshape(-1, n_dofs)
        frames, first = int(given["frames"]), int(given["first"])
    except (TypeError, KeyError, ValueError, OverflowError):
        raise InvalidSetting(
            "frames must be {frames, first, float64}: how many, from where on, their numbers"
        ) from None
    if (first, len(found)) != (0, frames):
        if source is None or source.shape != (frames, n_dofs) or not 0 <= first <= frames - len(found):
            raise InvalidSetting(f"{len(found)} frames from {first} on are not those of a clip of {frames}")
        found = np.concatenate([source[:first], found, source[first + len(found) :]])
    if not np.isfinite(found).all():
        raise InvalidSetting("the frames of a clip are not all finite")
    return found
