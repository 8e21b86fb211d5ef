"""Keys over the frames of a motion: how much each counts in a frame, and where it wants its site then.

A goal that fades in slides from what the source does to what is wanted; so nothing jumps, whatever its priority.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index

import numpy as np
import numpy.typing as npt

from posewright.checks import require, require_list
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import JointFrames, centre_of_mass, joint_frames, site_frames
from posewright.goals import Goal, Line, Plane, Position
from posewright.goals.keyed import Key, KeyFrame, KeyTrajectory
from posewright.goals.term import SiteTerm
from posewright.kernels import tables
from posewright.motions.motion import Motion
from posewright.motions.splines import ramp
from posewright.problem.lowering import LoweredProblem
from posewright.rotations import matrix_from_quaternion, quaternion_from_matrix, slerp

DROPPED = 1e-3
"""Goals that cannot slide are weighted instead, and left out below this share."""
KEY_EASE = 0.25
"""Of the motion: how far a key frame reaches to either side where there is no pattern to carry it."""


@dataclass(frozen=True, eq=False)
class Track:
    """A goal over all frames of a motion."""

    goal: Goal
    share: Array
    """(frames,), from 0 to 1"""
    points: Array | None = None
    """(frames, 3), m: where the goal's point is, of another site on that site's joint; None: where the goal has it"""


def frame_number(motion: Motion, frame: int, label: str) -> int:
    """A frame counted from 0.

    Raises:
        InvalidSetting: it is outside the motion, or not a whole number.
    """
    try:
        frame = index(frame)
    except TypeError:
        raise InvalidSetting(f"{label!r} is at no frame: a frame is a whole number, not {frame!r}") from None
    if not -len(motion) <= frame < len(motion):
        raise InvalidSetting(f"{label!r} is outside the motion, whose frames are 0 to {len(motion) - 1}")
    return frame % len(motion)


def named(keys: Sequence[Key]) -> list[Key]:
    """The keys whose goals are enabled, each goal with a name of its own."""
    found: list[Key] = []
    labels: list[str] = []
    for key in keys:
        if not key.goal.enabled:
            continue
        label, count = key.label, 1
        while label in labels:
            count += 1
            label = f"{key.label} ({count})"
        labels.append(label)
        found.append(replace(key, goal=replace(key.goal, name=label)))
    return found


def checked(motion: Motion, keys: Sequence[Key], *, whole: bool = True) -> None:
    """Refuse what is no key, keys outside the motion and goals that are not about sites.

    Args:
        motion: what is edited.
        keys: what is asked.
        whole: whether trajectories are accepted, too.
    """
    require_list(keys, "keys", "KeyFrames" + " and KeyTrajectories" * whole)
    for key in keys:
        require(key, Key if whole else KeyFrame, "a key", "a KeyFrame" + " or a KeyTrajectory" * whole)
        for term in key.goal.terms(motion.figure):
            if not isinstance(term, SiteTerm):
                raise InvalidSetting(f"{key.goal} cannot be a key; only goals about sites and the centre of mass can")
            if term.site is not None:
                motion.figure.site(term.site)
        if isinstance(key, KeyFrame):
            frame_number(motion, key.frame, key.label)
        else:
            start, end = frame_number(motion, key.start, key.label), frame_number(motion, key.end, key.label)
            if end < start:
                raise InvalidSetting(f"{key.label!r} ends before it begins")


def trajectory_track(motion: Motion, key: KeyTrajectory) -> Track:
    """A trajectory over all frames; before and after its path, the site keeps the distance it has at the path's end."""
    frames = np.arange(len(motion))
    start, end = frame_number(motion, key.start, key.label), frame_number(motion, key.end, key.label)
    share = ramp(frames, start, end, ease_in=key.ease_in, ease_out=key.ease_out)
    if key.path is None:
        return Track(key.goal, share)
    points = key.path.at(frames)
    if isinstance(key.goal, Position):
        track = site_frames(motion.figure, motion.q, [key.goal.site]).points[:, 0]
        first, last = (int(np.clip(round(t), 0, len(motion) - 1)) for t in (key.path.times[0], key.path.times[-1]))
        first, last = max(first, start), min(last, end)
        points[:first] = track[:first] + (points[first] - track[first])
        points[last + 1 :] = track[last + 1 :] + (points[last] - track[last])
    return Track(key.goal, share, points)


def key_frame_tracks(motion: Motion, keys: Sequence[KeyFrame]) -> list[Track]:
    """Key frames as tracks: the displacement asked at a key reaches a quarter of the motion to either side.

    Keys of one site that are nearer to each other than that become one track, on which the displacement passes from
    one to the next.
    """
    reach = max(1.0, KEY_EASE * len(motion))
    times = np.arange(len(motion), dtype=np.float64)
    tracks: list[Track] = []
    groups: dict[tuple[object, ...], list[_Pull]] = {}
    for key in keys:
        goal, frame = key.goal, frame_number(motion, key.frame, key.label)
        if isinstance(goal, Position | Plane | Line):
            here = site_frames(motion.figure, motion.q[frame], [goal.site]).points[0]
            way, alike = _way(goal, here)
            if way is not None:
                same = (type(goal), alike, goal.site, goal.priority, goal.weight, goal.joints, goal.tolerance)
                groups.setdefault(same, []).append(_Pull(frame, way, goal))
                continue
        tracks.append(Track(goal, ramp(times, frame, frame, ease_in=reach, ease_out=reach)))
    for pulls in groups.values():
        pulls.sort(key=lambda pull: pull.frame)
        begins = [0, *(k for k in range(1, len(pulls)) if not 0 < pulls[k].frame - pulls[k - 1].frame <= 2.0 * reach)]
        for low, high in zip(begins, [*begins[1:], len(pulls)], strict=True):
            tracks.append(_displaced(motion, pulls[low:high], times, reach))
    return tracks


@dataclass(frozen=True, eq=False)
class _Pull:
    """How far a site must go at a key frame."""

    frame: int
    way: Array
    """(3,), m"""
    goal: Position | Plane | Line


def _way(goal: Position | Plane | Line, here: Array) -> tuple[Array | None, object]:
    """The shortest way (m) from a point to the goal, none if it is another site; and the direction it has."""
    target = goal.target if isinstance(goal, Position) else goal.point
    if isinstance(target, str):
        return None, None
    way = np.array(target) - here
    if isinstance(goal, Position):
        return way, None
    along = np.array(goal.normal if isinstance(goal, Plane) else goal.direction)
    across = along * (way @ along)
    return (across if isinstance(goal, Plane) else way - across), tuple(along)


def _displaced(motion: Motion, pulls: Sequence[_Pull], times: Array, reach: float) -> Track:
    """One track through the displacements at key frames of one site, in order."""
    goal = pulls[0].goal
    track = site_frames(motion.figure, motion.q, [goal.site]).points[:, 0]
    at = [pull.frame for pull in pulls]
    knots = np.array([at[0] - reach, *at, at[-1] + reach], dtype=np.float64)
    values = np.stack([np.zeros(3), *(pull.way for pull in pulls), np.zeros(3)])
    k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, len(knots) - 2)
    s = np.clip((times - knots[k]) / (knots[k + 1] - knots[k]), 0.0, 1.0)[:, None]
    offset = values[k] + s * s * (3.0 - 2.0 * s) * (values[k + 1] - values[k])
    share = ((times > knots[0]) & (times < knots[-1])).astype(np.float64)
    return Track(goal, share, track + offset)


def frame_targets(lowered: LoweredProblem, tracks: Sequence[Track], motion: Motion) -> tuple[Array, Array]:
    """Targets (frames, terms, 9) and weights (frames, terms) of tracks; their goals are the problem's, in order.

    Args:
        lowered: the problem, of a figure with the joints of the motion's.
        tracks: over the frames of the motion.
        motion: what goals that fade in slide from.
    """
    n_frames = len(motion)
    targets = np.repeat(lowered.targets[np.newaxis], n_frames, axis=0)
    weights = np.repeat(lowered.terms["weight"][np.newaxis], n_frames, axis=0)
    frames = joint_frames(motion.figure, motion.q)
    for track, rows in zip(tracks, lowered.goal_sites, strict=False):  # a posture goal may follow
        for row in range(rows.start, rows.stop):
            term = lowered.terms[row]
            if term["partner"] >= 0:
                targets[:, row, :3] = term["partner_point"]
            if track.points is not None:
                targets[:, row, :3] = track.points
            if term["partner"] >= 0 or term["choice"] >= 0:
                weights[:, row] *= np.where(track.share >= DROPPED, track.share, 0.0)
            else:
                weights[:, row] *= track.share > 0.0
                fading = (track.share > 0.0) & (track.share < 1.0)
                if fading.any():
                    _slide(term, targets[:, row], fading, track.share, frames, motion)
    return targets, weights


def _slide(
    term: np.void, targets: Array, fading: npt.NDArray[np.bool_], share: Array, frames: JointFrames, motion: Motion
) -> None:
    """Move the targets (frames, 9) of fading frames towards what the source does there."""
    kind, j = int(term["kind"]), int(term["joint"])
    a = share[fading, None]
    turns = frames.rotations[fading, j]
    if kind in (tables.MASS_POINT, tables.MASS_LINE):
        here = centre_of_mass(motion.figure, motion.q[fading])
    else:
        here = frames.positions[fading, j] + turns @ term["point"]
    wanted = targets[fading]
    if kind == tables.HALF_SPACE:
        inside = np.minimum(0.0, ((here - wanted[:, :3]) * wanted[:, 3:6]).sum(axis=1, keepdims=True))
        wanted[:, :3] += (1.0 - a) * inside * wanted[:, 3:6]
    elif kind == tables.ROTATION:
        source = _frame(turns @ term["x_axis"], turns @ term["y_axis"])
        mixed = matrix_from_quaternion(
            slerp(
                quaternion_from_matrix(source),
                quaternion_from_matrix(_frame(wanted[:, 3:6], wanted[:, 6:9])),
                share[fading],
            )
        )
        wanted[:, 3:6], wanted[:, 6:9] = mixed[:, :, 0], mixed[:, :, 1]
    elif kind == tables.DIRECTION:
        wanted[:, 3:6] = _between(turns @ term["x_axis"], wanted[:, 3:6], a)
    elif kind == tables.AIM:
        way = wanted[:, :3] - here
        far = np.linalg.norm(way, axis=1, keepdims=True)
        wanted[:, :3] = here + far * _between(turns @ term["x_axis"], way / np.maximum(far, 1e-12), a)
    else:
        wanted[:, :3] = here + a * (wanted[:, :3] - here)
    targets[fading] = wanted


def _frame(x: Array, y: Array) -> Array:
    """Rotations (frames, 3, 3) with these first two columns."""
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _between(u: Array, v: Array, share: Array) -> Array:
    """Unit vectors on the way from u to v (frames, 3), by the angle."""
    cosine = np.clip((u * v).sum(axis=1, keepdims=True), -1.0, 1.0)
    angle = np.arccos(cosine)
    sine = np.sin(angle)
    small = sine < 1e-9
    safe = np.where(small, 1.0, sine)
    mixed: Array = np.where(
        small, u + share * (v - u), (np.sin((1.0 - share) * angle) * u + np.sin(share * angle) * v) / safe
    )
    mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    return mixed
