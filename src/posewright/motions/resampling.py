"""Motions at other frame rates, lengths and timings.

Three perpendicular hinges and balls are interpolated as rotations (slerp) and turned back into the joint's own
numbers, nearest those of the nearest source frame; other hinges as unwrapped angles, slides as lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from posewright.checks import require_array, require_number
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures.figure import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import angles_of, nearest_turn, turns_freely
from posewright.motions.motion import Motion
from posewright.rotations import (
    nearest_branch,
    quaternion_from_vector,
    quaternion_multiply,
    slerp,
    vector_from_quaternion,
)

_SAME = 1e-6
"""Frames: a sample this near a source frame is that frame."""
_MOST_NUMBERS = 10**9
"""Of the result, 8 GB: more is a slip of the keyboard."""
_BEYOND = 0.01
"""Frames: a sample this little after the end shows the last pose; files round their frame times (120.0005 for 120)."""


def resampled(motion: Motion, *, fps: float | None = None, frames: int | None = None) -> Motion:
    """See `Motion.resampled`; nothing is smoothed before."""
    if (fps is None) == (frames is None):
        raise InvalidSetting(f"resampling needs either fps or frames, got fps={fps} and frames={frames}")
    _require_frames(motion)
    if frames is not None:
        return _with_frames(motion, frames)
    require_number(fps, "fps", above=0.0, unit="frames per second")
    assert fps is not None
    if fps == motion.fps:
        return motion
    n_frames = int(np.floor(motion.duration * fps + _BEYOND)) + 1
    _require_size(motion, n_frames)
    return replace(motion, q=sampled(motion, np.arange(n_frames) / fps), fps=float(fps))


def warped(
    motion: Motion, *, events: npt.ArrayLike, onto: npt.ArrayLike, fps: float | None = None, frames: int | None = None
) -> Motion:
    """See `Motion.warped`."""
    _require_frames(motion)
    old, new = _moments("events", events), _moments("onto", onto)
    if len(old) != len(new):
        raise InvalidSetting(f"{len(old)} events cannot be mapped to {len(new)} times; give as many of each")
    if old[0] < -1e-9 or old[-1] > motion.duration + 1e-9:
        raise InvalidSetting(
            f"events run from {old[0]:g} to {old[-1]:g} s; they must lie within the motion's 0 to {motion.duration:g} s"
        )
    if fps is not None and frames is not None:
        raise InvalidSetting("a warped motion takes fps or frames, not both")
    length = new[-1] - new[0]
    if frames is not None:
        require_number(frames, "frames", "a whole number, at least 2", at_least=2, whole=True)
        rate, times = (frames - 1) / length, np.linspace(new[0], new[-1], frames)
    else:
        rate = motion.fps if fps is None else fps
        require_number(rate, "fps", above=0.0, unit="frames per second")
        times = new[0] + np.arange(int(np.floor(length * rate + _BEYOND)) + 1) / rate
    return replace(motion, q=sampled(motion, np.interp(times, new, old)), fps=rate)


def sampled(motion: Motion, times: npt.ArrayLike) -> Array:
    """See `Motion.sampled`."""
    _require_frames(motion)
    moments = require_array(times, ("samples",), "times")
    return _at(motion, moments * motion.fps)


def _with_frames(motion: Motion, frames: int) -> Motion:
    require_number(frames, "frames", "a whole number, at least 1", ok=lambda n: n == int(n), at_least=1)
    if frames == len(motion):
        return motion
    _require_size(motion, int(frames))
    if len(motion) == 1:
        return motion.with_q(np.repeat(motion.q, frames, axis=0))
    if frames == 1:
        return motion.with_q(motion.q[:1])
    return replace(
        motion, q=_at(motion, np.linspace(0.0, len(motion) - 1.0, frames)), fps=(frames - 1) / motion.duration
    )


def _require_size(motion: Motion, n_frames: int) -> None:
    most = _MOST_NUMBERS // max(1, motion.figure.n_dofs)
    if n_frames > most:
        raise InvalidSetting(f"that would make {n_frames:,} frames; {most:,} of this figure are the most")


def _at(motion: Motion, places: Array) -> Array:
    """Coordinates at fractional frames."""
    return at_rows(motion.figure, motion.q, np.clip(places, 0.0, len(motion) - 1.0))


def at_rows(figure: Figure, q: Array, places: Array) -> Array:
    """Coordinates (samples, dofs) at fractional rows (samples,) of poses (rows, dofs), which may be several motions.

    Rows of different motions are not mixed as long as every place lies between two rows of one, or on a row.
    """
    nearest = np.rint(places).astype(np.int64)
    places = np.where(np.abs(places - nearest) < _SAME, nearest, places)
    on_row = places == nearest
    if on_row.all():
        return q[nearest]
    before = np.minimum(places.astype(np.int64), max(0, len(q) - 2))
    after, fraction = np.minimum(before + 1, len(q) - 1), (places - before)[:, None]
    low, step = q[before], q[after]
    step -= low
    kinds = _kinds(figure)
    hinges, free = kinds.hinges, kinds.free
    step[:, hinges] = nearest_turn(step[:, hinges], np.zeros(1))
    mixed: Array = low + fraction * step
    mixed[:, hinges] = nearest_turn(mixed[:, hinges], q[nearest[:, None], hinges])
    if len(free):
        turns = slerp(kinds.turns(q[before]), kinds.turns(q[after]), fraction)
        balls = len(free) - len(kinds.axes)
        near = q[nearest]
        mixed[:, free[:balls]] = nearest_branch(vector_from_quaternion(turns[:, :balls]), near[:, free[:balls]])
        for k in range(balls, len(free)):
            mixed[:, free[k]] = angles_of(kinds.joints[k], turns[:, k], near[:, free[k]])
    mixed[on_row] = q[nearest[on_row]]
    return mixed


@dataclass(frozen=True, eq=False)
class _Kinds:
    """How the dofs of a figure are interpolated; slides are lengths."""

    hinges: IntArray
    """(hinges,): columns of angles by themselves"""
    joints: tuple[Joint, ...]
    """That turn freely: balls first."""
    free: IntArray
    """(joints, 3): their columns"""
    axes: Array
    """(joints with hinges, 3, 3): an axis a row"""

    def turns(self, q: Array) -> Array:
        """Quaternions (rows, joints, 4) of the joints that turn freely."""
        angles = q[:, self.free]
        balls = len(self.free) - len(self.axes)
        turns = quaternion_from_vector(angles[:, balls:, 0, None] * self.axes[:, 0])
        for k in (1, 2):
            turns = quaternion_multiply(turns, quaternion_from_vector(angles[:, balls:, k, None] * self.axes[:, k]))
        return np.concatenate([quaternion_from_vector(angles[:, :balls]), turns], axis=1)


def _kinds(figure: Figure) -> _Kinds:
    hinges: list[int] = []
    balls: list[tuple[Joint, list[int]]] = []
    triples: list[tuple[Joint, list[int]]] = []
    for index, joint in enumerate(figure.joints):
        where = figure.dof_slice(index)
        columns = list(range(where.start + len(joint.slides), where.stop))
        if joint.ball is not None:
            balls.append((joint, columns))
        elif turns_freely(joint):
            triples.append((joint, columns))
        else:
            hinges += columns
    return _Kinds(
        hinges=np.array(hinges, dtype=np.int64),
        joints=tuple(joint for joint, _ in (*balls, *triples)),
        free=np.array([columns for _, columns in (*balls, *triples)], dtype=np.int64).reshape(-1, 3),
        axes=np.array([[hinge.axis for hinge in joint.hinges] for joint, _ in triples]).reshape(-1, 3, 3),
    )


def _moments(name: str, values: npt.ArrayLike) -> Array:
    moments = np.asarray(values, dtype=np.float64)
    if moments.ndim != 1 or len(moments) < 2 or not np.isfinite(moments).all() or not (np.diff(moments) > 0.0).all():
        raise InvalidSetting(
            f"{name} must be at least two increasing times in seconds, got {np.ravel(moments).tolist()}"
        )
    return moments


def _require_frames(motion: Motion) -> None:
    if len(motion) == 0:
        raise InvalidMotion("the motion has no frames")
