"""Makes clips comparable: equal numbers of frames, events at the same frames, rotation vectors around their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posewright.checks import read_only, require_list
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.figures.joint_coordinates import turns_freely
from posewright.figures.transforms.balls import BallsToHinges
from posewright.figures.transforms.coordinates import converted_q
from posewright.kernels import tables
from posewright.models.time_warping import corresponding, spread_moments
from posewright.motions.contacts import intervals
from posewright.motions.motion import Motion
from posewright.motions.resampling import at_rows
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


def event_times(clips: Sequence[Motion], events: Sequence[npt.ArrayLike] | str | None) -> list[Array]:
    """The events (s) of each clip, as given or as found for "flight" and "alike"; empty arrays if there are none.

    Raises:
        InvalidSetting: there is not one list per clip, lists differ in length, or moments are outside the clip.
    """
    if events is None:
        return [np.zeros(0) for _ in clips]
    if isinstance(events, str):
        if events not in ("flight", "alike"):
            raise InvalidSetting(f"events is {events!r}; it must be 'flight', 'alike', or moments in seconds")
        events = [flight(clip) for clip in clips] if events == "flight" else _alike(clips)
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


def _alike(clips: Sequence[Motion]) -> list[Array]:
    """Moments spread over the clip of median length, and those at which the others have similar postures."""
    reference = sorted(clips, key=len)[len(clips) // 2]
    moments = spread_moments(reference)
    return [moments if clip is reference else corresponding(clip, reference, moments) for clip in clips]


def flight(clip: Motion) -> Array:
    """Take-off and landing (2,), s: the ends of the longest period in which no foot touches the ground.

    Raises:
        InvalidMotion: the feet never leave the ground, or the flight runs into an end of the clip.
    """
    touching = clip.contacts()
    flights = intervals(~touching.any_of(touching.sites))
    inside = flights[(flights[:, 0] > 0) & (flights[:, 1] < len(clip))] if len(flights) else flights
    if not len(inside):
        raise InvalidMotion(
            f"clip {clip.name!r} has no take-off and landing: its feet never leave the ground between two contacts; "
            "give its events, or fit without"
        )
    first, after = inside[np.argmax(inside[:, 1] - inside[:, 0])]
    return np.array([first - 1, after]) / clip.fps


def same_length(figure: Figure, clips: Sequence[Motion], frames: int, events: Sequence[Array], phases: Array) -> Array:
    """All clips of a figure with equal numbers of frames, (clips, frames, dofs).

    Their events (s) are at the same phases, as fractions of the duration.
    """
    begins = np.cumsum([0, *(len(clip) for clip in clips)])
    rows = [
        begin + _sampled_rows(clip, frames, one, phases)
        for begin, clip, one in zip(begins[:-1], clips, events, strict=True)
    ]
    q = clips[0].q if len(clips) == 1 else np.concatenate([clip.q for clip in clips])
    return at_rows(figure, q, np.concatenate(rows)).reshape(len(clips), frames, figure.n_dofs)


def _sampled_rows(clip: Motion, frames: int, events: Array, phases: Array) -> Array:
    """The times (frames,) at which a clip is sampled, in its frames."""
    last, duration = len(clip) - 1.0, clip.duration
    if frames == 1 or last == 0.0:
        return np.zeros(frames)
    if not len(events):
        return np.linspace(0.0, last, frames)
    moments = np.linspace(0.0, duration, frames)
    rows = clip.fps * np.interp(moments, [0.0, *(phases * duration), duration], [0.0, *events, duration])
    inside: Array = np.clip(rows, 0.0, last)
    return inside


def mean_rotations(figure: Figure, q: Array) -> Chart:
    """The mean rotation of every ball joint over all poses (..., dofs), for which the logarithms sum to zero."""
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
    """The same motions (..., frames, dofs) with each rotation vector on the branch nearest to the previous frame.

    The first frame is on the branch nearest to `near[0]`; by default the shortest.
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
    """Which balls (..., balls) have vectors (..., frames, balls, 3) that are not nearest to the previous frame."""
    before = np.concatenate([np.broadcast_to(begin, (*w.shape[:-3], 1, *begin.shape)), w[..., :-1, :, :]], axis=-3)
    angles = np.linalg.norm(w, axis=-1)
    along = (w * before).sum(axis=-1) / np.maximum(angles, 1e-300)
    along = np.where(angles < 1e-12, np.linalg.norm(before, axis=-1), along)
    changes: BoolArray = (np.abs(along - angles) >= np.pi - 1e-9).any(axis=-2)
    return changes


def _balls(figure: Figure) -> IntArray:
    """(balls, 3): indices of the dofs of their rotation vectors."""
    columns: IntArray = np.flatnonzero(figure.tables.dofs["kind"] == tables.BALL).reshape(-1, 3)
    return columns


class BallCoordinates:
    """Converts motions of a figure to the same figure with balls (`Figure.with_balls`) and back, all joints at once."""

    def __init__(self, figure: Figure, balls: Figure) -> None:
        self._figure, self._balls = figure, balls
        triples = [
            (figure.dof_slice(index).start + len(joint.slides), joint)
            for index, (joint, other) in enumerate(zip(figure.joints, balls.joints, strict=True))
            if other.ball is not None and joint.ball is None
        ]
        self._reversible = all(turns_freely(joint) for _, joint in triples)  # others may not reach what balls do
        self._columns = np.array([range(first, first + 3) for first, _ in triples], dtype=np.int64).reshape(-1, 3)
        self._axes = np.array([[hinge.axis for hinge in joint.hinges] for _, joint in triples]).reshape(-1, 3, 3)
        self._hinged = BallsToHinges(balls, figure)

    def into(self, q: Array) -> Array:
        """Poses (..., dofs) with rotation vectors of at most pi instead of the angles of three hinges."""
        out = np.array(q)
        if len(self._columns):
            first, second, third = (
                quaternion_from_vector(q[..., self._columns[:, k], None] * self._axes[:, k]) for k in range(3)
            )
            turns = quaternion_multiply(quaternion_multiply(first, second), third)
            out[..., self._columns] = vector_from_quaternion(turns)
        return out

    def back(self, q: Array) -> Array:
        """A motion (frames, dofs) in the angles of the hinges, continuous, beginning nearest to rest.

        Raises:
            InvalidMotion: oblique hinges cannot follow the balls.
        """
        return self._hinged(q) if self._reversible else converted_q(self._balls, self._figure, q)
