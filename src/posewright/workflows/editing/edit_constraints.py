"""What is held while a motion is edited, before all keys and in every frame: contacts, and sites that belong together.

A pattern knows neither floor nor grip and cannot keep them exactly: it looks for what meets the keys with the contacts
nearly where they are. After that a pass in joint space brings back what is held, with the keys below it and the edited
motion as what to stay near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from posewright.checks import require_list
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals import Position
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.contacts import intervals
from posewright.motions.motion import Motion
from posewright.motions.splines import ramp
from posewright.problem.evaluation import GoalError
from posewright.problem.schedule import Schedule, schedules
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.editing.joints import follow_in_joints

_EASE = 0.1
"""s, over which a foot that has left the ground comes from where it was held to where the edit has it."""
_HEAVY, _SAMPLES = 8.0, 3
"""How much all contacts weigh in a pattern, of the keys beside them; at how many frames of each they are looked at."""
_HELD = 1e-3
"""m: what is held is nearer than this to where it was."""
_ORIGIN = (0.0, 0.0, 0.0)
_KEPT = 10**5
"""Priority below all keys: sites of keys stay where the edit brought them, also where no key asks."""

Pair = tuple[str, str]
"""A site, and the site whose joint carries it: a hand, and the other hand on the same club."""


@dataclass(frozen=True, eq=False)
class Held:
    """A motion in which something is held."""

    motion: Motion
    errors: tuple[GoalError, ...]
    """Of each contact and pair, the largest over its frames."""
    iterations: int
    solves: int


def contacts_in_pattern(source: Motion, keys: Sequence[Timed]) -> list[Timed]:
    """The contacts of a motion at some of their frames, to be served beside the keys of the last priority.

    Strictly first they would take all freedom that the few modes of a pattern have, and it could do nothing of what is
    asked; as heavy as they are here, it does what it can do without moving the feet much.
    """
    if not keys:
        return []
    last = max(key.goal.priority for key in keys)
    touching = source.contacts()
    points = site_frames(source.figure, source.q, touching.sites).points
    moments = [
        (frame, k)
        for k, site in enumerate(touching.sites)
        for first, after in intervals(touching.of(site))
        for frame in sorted(set(np.linspace(first, after - 1, _SAMPLES).round().astype(int).tolist()))
    ]
    weight = _HEAVY * sum(key.goal.weight for key in keys if key.goal.priority == last) / max(1, len(moments))
    return [
        Position(
            touching.sites[k],
            (float(points[frame, k, 0]), float(points[frame, k, 1]), float(points[frame, k, 2])),
            name=f"contact of {touching.sites[k]}",
            priority=last,
            weight=weight,
            tolerance=_HELD,
        ).at(frame)
        for frame, k in moments
    ]


def checked_pairs(motion: Motion, pairs: Sequence[Pair]) -> None:
    """Refuse pairs of sites that are unknown, or on one joint."""
    require_list(pairs, "hold_together", "pairs of sites, such as two hands")
    for pair in pairs:
        if len(pair) != 2:
            raise InvalidSetting(f"hold_together has {pair!r}; it must be pairs of sites, such as two hands")
        joints = [motion.figure.site(site).joint for site in pair]
        if joints[0] == joints[1]:
            raise InvalidSetting(f"{pair[0]!r} and {pair[1]!r} are both on {joints[0]!r}: they are together anyway")


def with_held(
    source: Motion,
    edited: Motion,
    keys: Sequence[Timed],
    solver: Prioritized,
    *,
    ground: bool,
    pairs: Sequence[Pair] = (),
) -> Held:
    """The edited motion with the contacts of its source where they were and pairs of sites as they were to each other.

    Args:
        source: what was edited.
        edited: what became of it.
        keys: what was asked; they come after what is held, and after the way of a foot to and from a contact.
        solver: its settings.
        ground: whether the contacts with the ground are held.
        pairs: sites that keep their place on the joint of the other, frame by frame.
    """
    tracks = _contact_tracks(source, edited) if ground else []
    held = np.zeros(len(source), dtype=np.bool_)
    for track in tracks:
        held |= track.activation > 0.0
    places = [_on_partner(source, pair) for pair in pairs]
    for (site, partner), place in zip(pairs, places, strict=True):
        goal = Position(site, partner, name=f"{site} on {partner}")
        tracks.append(Schedule(goal, np.ones(len(source)), place))
        held |= (edited.q != source.q).any(axis=1)
    if not held.any():
        return Held(edited, (), 0, 0)
    asked = _asked(edited, keys)
    for track in asked:
        held |= track.activation > 0.0
    answer = follow_in_joints(edited, [*tracks, *asked, *_kept(edited, keys)], solver, only=held)
    return Held(answer.motion, _errors(answer.motion, tracks), answer.iterations, answer.solves)


def _contact_tracks(source: Motion, edited: Motion) -> list[Schedule]:
    """Each foot where the source has it on the ground, and on its way from there to where the edit has it."""
    touching = source.contacts()
    now = site_frames(edited.figure, edited.q, touching.sites).points
    before = site_frames(source.figure, source.q, touching.sites).points
    frames, ease = np.arange(len(source)), _EASE * source.fps
    tracks = []
    for k, site in enumerate(touching.sites):
        share = np.zeros(len(source))
        for first, after in intervals(touching.of(site)):
            share = np.maximum(share, ramp(frames, first, after - 1, ease_in=ease, ease_out=ease))
        if not share.any():
            continue
        points = now[:, k] + share[:, None] * (before[:, k] - now[:, k])
        for level, (what, counts) in enumerate({"contact of": share >= 1.0, "way to and from": share < 1.0}.items()):
            goal = Position(site, _ORIGIN, name=f"{what} {site}", priority=1 + level)
            tracks.append(Schedule(goal, (counts & (share > 0.0)).astype(np.float64), points))
    return tracks


def _asked(edited: Motion, keys: Sequence[Timed]) -> list[Schedule]:
    """The keys once more, on the edited motion: what it has not met, joints will."""
    lower = [replace(key, goal=replace(key.goal, priority=2 + key.goal.priority)) for key in keys]
    return schedules(lower, edited)


def _kept(edited: Motion, keys: Sequence[Timed]) -> list[Schedule]:
    """Below all keys, their sites as they are in the edited motion."""
    sites = {
        term.site: None
        for key in keys
        for term in key.goal.terms(edited.figure)
        if isinstance(term, SiteTerm) and term.site is not None
    }
    points = site_frames(edited.figure, edited.q, list(sites)).points
    return [
        Schedule(Position(site, _ORIGIN, name=f"{site} kept", priority=_KEPT), np.ones(len(edited)), points[:, k])
        for k, site in enumerate(sites)
    ]


def _on_partner(motion: Motion, pair: Pair) -> Array:
    """(frames, 3), m: where the first site is in the frame of the joint that carries the second."""
    site, partner = pair
    frames = joint_frames(motion.figure, motion.q)
    joint = motion.figure.joint_index(motion.figure.site(partner).joint)
    away = site_frames(motion.figure, motion.q, [site]).points[:, 0] - frames.positions[:, joint]
    place: Array = (away[:, None] @ frames.rotations[:, joint])[:, 0]
    return place


def _errors(motion: Motion, tracks: Sequence[Schedule]) -> tuple[GoalError, ...]:
    """How far contacts and pairs ended from where they were held."""
    found = []
    for track in tracks:
        goal = track.goal
        assert isinstance(goal, Position)
        assert track.points is not None
        if goal.priority > 1:
            continue
        if isinstance(goal.target, str):
            gaps = np.linalg.norm(_on_partner(motion, (goal.site, goal.target)) - track.points, axis=1)
        else:
            gaps = np.linalg.norm(site_frames(motion.figure, motion.q, [goal.site]).points[:, 0] - track.points, axis=1)
        full: npt.NDArray[np.bool_] = track.activation >= 1.0
        found.append(GoalError(float(gaps[full].max(initial=0.0)), goal.label, "m", _HELD))
    return tuple(found)
