"""Clips made comparable: as many frames each, rotations as vectors around their mean, without jumps over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.checks import require_list
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.figures.pose import read_only
from posewright.kernels import tables
from posewright.motions.motion import Motion
from posewright.motions.resampling import at_rows
from posewright.problem.space import Space
from posewright.rotations import (
    nearest_branch,
    quaternion_conjugate,
    quaternion_from_vector,
    quaternion_multiply,
    vector_from_quaternion,
)

Chart = tuple[tuple[str, tuple[float, float, float, float]], ...]
"""A reference rotation (wxyz) per ball joint."""

_ROUNDS, _SETTLED = 20, 1e-10


def checked_events(clips: Sequence[Motion], events: Sequence[npt.ArrayLike] | None) -> list[Array]:
    """The events (s) of each clip; none where there are none.

    Raises:
        InvalidSetting: not one list per clip, lists of different lengths, or moments outside the clip.
    """
    if events is None:
        return [np.zeros(0) for _ in clips]
    require_list(events, "events", "moments in seconds for each clip")
    if len(events) != len(clips):
        raise InvalidSetting(f"{len(clips)} clips need as many lists of events, got {len(events)}")
    found = [read_only(one, "the events of a clip").ravel() for one in events]
    for clip, one in zip(clips, found, strict=True):
        if len(one) != len(found[0]):
            raise InvalidSetting(
                f"clip {clip.name!r} has {len(one)} events and clip {clips[0].name!r} has {len(found[0])}; "
                "give as many of each"
            )
        if not (np.diff([0.0, *one, clip.duration]) > 0.0).all():
            raise InvalidSetting(
                f"the events {one.tolist()} of clip {clip.name!r} must increase and lie inside its {clip.duration:g} s"
            )
    return found


def shared_phases(clips: Sequence[Motion], moments: Sequence[Array]) -> Array:
    """(events,): at which share of the duration each event stands on average."""
    shares: Array = np.mean([one / (clip.duration or 1.0) for clip, one in zip(clips, moments, strict=True)], axis=0)
    return shares


def same_length(figure: Figure, clips: Sequence[Motion], frames: int, events: Sequence[Array], shares: Array) -> Array:
    """All clips of a figure (clips, frames, dofs) with so many frames, their events (s) at these shares of the time."""
    begins = np.cumsum([0, *(len(clip) for clip in clips)])
    places = [
        begin + _places(clip, frames, one, shares) for begin, clip, one in zip(begins[:-1], clips, events, strict=True)
    ]
    q = clips[0].q if len(clips) == 1 else np.concatenate([clip.q for clip in clips])
    return at_rows(figure, q, np.concatenate(places)).reshape(len(clips), frames, figure.n_dofs)


def _places(clip: Motion, frames: int, events: Array, shares: Array) -> Array:
    """At which of its frames (frames,) a clip is sampled."""
    last, duration = len(clip) - 1.0, clip.duration
    if frames == 1 or last == 0.0:
        return np.zeros(frames)
    if not len(events):
        return np.linspace(0.0, last, frames)
    moments = np.linspace(0.0, duration, frames)
    places = clip.fps * np.interp(moments, [0.0, *(shares * duration), duration], [0.0, *events, duration])
    inside: Array = np.clip(places, 0.0, last)
    return inside


def mean_rotations(figure: Figure, q: Array) -> Chart:
    """The mean rotation of every ball joint over all poses (..., dofs): the one from which the logarithms cancel."""
    balls = _balls(figure)
    turns = quaternion_from_vector(q.reshape(-1, q.shape[-1])[:, balls])
    mean = turns[0]
    for _ in range(_ROUNDS):
        step = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(mean), turns)).mean(axis=0)
        mean = quaternion_multiply(mean, quaternion_from_vector(step))
        if np.linalg.norm(step, axis=-1).max(initial=0.0) < _SETTLED:
            break
    mean /= np.linalg.norm(mean, axis=-1, keepdims=True)
    names = [figure.joints[joint].name for joint in figure.tables.dofs["joint"][balls[:, 0]]]
    return tuple((name, (w, x, y, z)) for name, (w, x, y, z) in zip(names, mean.tolist(), strict=True))


def continuous(figure: Figure, q: Array, near: Array | None = None) -> Array:
    """The same motions (..., frames, dofs) with each rotation vector on the branch nearest the frame before.

    The first frame is on the branch nearest to `near[0]`, or the shortest.
    """
    out = np.array(q)
    balls = _balls(figure)
    begin = np.zeros(balls.shape) if near is None else near[0, balls]
    w = out[..., balls]
    for which in np.argwhere(_changes_branch(w, begin)):
        at = (*which[:-1], slice(None), which[-1])
        w[at] = nearest_branch(w[at], begin[which[-1]])
    out[..., balls] = w
    kinds = figure.tables.dofs["kind"]
    hinges = (kinds != tables.SLIDE) & (kinds != tables.BALL)
    out[..., hinges] = np.unwrap(out[..., hinges], axis=-2)
    return out


def _changes_branch(w: Array, begin: Array) -> BoolArray:
    """Which balls (..., balls) have vectors (..., frames, balls, 3) that are not the nearest to the frame before."""
    before = np.concatenate([np.broadcast_to(begin, (*w.shape[:-3], 1, *begin.shape)), w[..., :-1, :, :]], axis=-3)
    angles = np.linalg.norm(w, axis=-1)
    along = (w * before).sum(axis=-1) / np.maximum(angles, 1e-300)
    along = np.where(angles < 1e-12, np.linalg.norm(before, axis=-1), along)
    changes: BoolArray = (np.abs(along - angles) >= np.pi - 1e-9).any(axis=-2)
    return changes


def _balls(figure: Figure) -> IntArray:
    """(balls, 3): where their rotation vectors are."""
    columns: IntArray = np.flatnonzero(figure.tables.dofs["kind"] == tables.BALL).reshape(-1, 3)
    return columns


def charted(figure: Figure, chart: Chart) -> Space:
    """The space of all poses with rotation vectors in a chart."""
    return Space.of(figure).with_chart(dict(chart))
