"""Clips made comparable: as many frames each, rotations as vectors around their mean, without jumps over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figure import Figure
from posewright.motion.motion import Motion
from posewright.motion.resampling import resampled, warped
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
    if len(events) != len(clips):
        raise InvalidSetting(f"{len(clips)} clips need as many lists of events, got {len(events)}")
    found = [np.asarray(one, dtype=np.float64).ravel() for one in events]
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


def same_length(clip: Motion, frames: int, events: Array, shares: Array) -> Motion:
    """The clip with so many frames, its events (s) at these shares of its duration."""
    if not len(events):
        return resampled(clip, frames=frames)
    duration = clip.duration
    return warped(clip, events=[0.0, *events, duration], onto=[0.0, *(shares * duration), duration], frames=frames)


def mean_rotations(figure: Figure, q: Array) -> Chart:
    """The mean rotation of every ball joint over all poses (..., dofs): the one from which the logarithms cancel."""
    chart = []
    for k, joint in enumerate(figure.joints):
        if joint.ball is not None:
            stop = figure.dof_slice(k).stop
            w, x, y, z = _mean_rotation(quaternion_from_vector(q[..., stop - 3 : stop].reshape(-1, 3)))
            chart.append((joint.name, (float(w), float(x), float(y), float(z))))
    return tuple(chart)


def _mean_rotation(turns: Array) -> Array:
    mean = turns[0]
    for _ in range(_ROUNDS):
        step = vector_from_quaternion(quaternion_multiply(quaternion_conjugate(mean), turns)).mean(axis=0)
        mean = quaternion_multiply(mean, quaternion_from_vector(step))
        if np.linalg.norm(step) < _SETTLED:
            break
    normal: Array = mean / np.linalg.norm(mean)
    return normal


def continuous(figure: Figure, q: Array, near: Array | None = None) -> Array:
    """The same motion (frames, dofs) with each rotation vector on the branch nearest the frame before.

    The first frame is on the branch nearest to `near[0]`, or the shortest.
    """
    out = np.array(q)
    hinges: list[int] = []
    for k, joint in enumerate(figure.joints):
        where = figure.dof_slice(k)
        if joint.ball is not None:
            ball = slice(where.stop - 3, where.stop)
            out[:, ball] = nearest_branch(out[:, ball], np.zeros(3) if near is None else near[0, ball])
        else:
            hinges += range(where.start + len(joint.slides), where.stop)
    out[:, hinges] = np.unwrap(out[:, hinges], axis=0)
    return out


def charted(figure: Figure, chart: Chart) -> Space:
    """The space of all poses with rotation vectors in a chart."""
    return Space.of(figure).with_chart(dict(chart))
