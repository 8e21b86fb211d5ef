"""What is held while a motion is edited, before all goals and in every frame: contacts, and sites that belong together.

A pattern knows neither floor nor grip and cannot keep them exactly: it looks for what meets the goals with the contacts
nearly where they are. After that a pass in joint space brings back what is held, with the goals below it and the edited
motion as what to stay near.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.checks import require_list
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.figures.transforms.limits import admitting
from posewright.goals import Goal, Position
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.contacts import Contacts, intervals
from posewright.motions.motion import Motion
from posewright.motions.splines import ramp
from posewright.problem import MotionProblem
from posewright.problem.schedule import schedules, with_own_names
from posewright.workflows.editing.feet import behind

HELD = 1e-3
"""m: what is held is nearer than this to where it was."""
_EASE = 0.1
"""s, over which a foot that has left the ground comes from where it was held to where the edit has it."""
_HEAVY, _SAMPLES = 8.0, 3
"""How much all contacts weigh in a pattern, of the goals beside them; at how many frames of each they are looked at."""
_ORIGIN = (0.0, 0.0, 0.0)
_KEPT = 10**5
"""Priority below all goals: their sites stay where the edit brought them, also where no goal asks."""

Pair = tuple[str, str]
"""A site, and the site whose joint carries it: a hand, and the other hand on the same club."""


def contacts_in_pattern(source: Motion, touching: Contacts, keys: Sequence[Goal]) -> list[Timed]:
    """The contacts of a motion at some of their frames, to be served beside goals of the last priority.

    Strictly first they would take all freedom that the few modes of a pattern have, and it could do nothing of what is
    asked; as heavy as they are here, it does what it can do without moving the feet much.
    """
    if not keys:
        return []
    last = max(key.priority for key in keys)
    points = site_frames(source.figure, source.q, touching.sites).points
    moments = [
        (frame, k)
        for k, site in enumerate(touching.sites)
        for first, after in intervals(touching.of(site))
        for frame in sorted(set(np.linspace(first, after - 1, _SAMPLES).round().astype(int).tolist()))
    ]
    weight = _HEAVY * sum(key.weight for key in keys if key.priority == last) / max(1, len(moments))
    return [
        Position(
            touching.sites[k],
            (float(points[frame, k, 0]), float(points[frame, k, 1]), float(points[frame, k, 2])),
            name=f"contact of {touching.sites[k]}",
            priority=last,
            weight=weight,
            tolerance=HELD,
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


def holding(
    source: Motion,
    edited: Motion,
    goals: Sequence[Timed | Goal],
    *,
    ground: Contacts | None,
    pairs: Sequence[Pair] = (),
) -> MotionProblem | None:
    """The problem of bringing back what is held; None if nothing of it was changed.

    Args:
        source: what was edited.
        edited: what became of it.
        goals: what was asked; they come after what is held, and after the path of a foot to and from a contact.
        ground: the contacts with the ground that are held; None: they are not.
        pairs: sites that keep their place on the joint of the other, frame by frame.
    """
    contacts = [] if ground is None else _contacts(source, edited, ground)
    asked = [behind(goal, 2) for goal in with_own_names(goals)]
    changed = np.zeros(len(source), np.bool_)
    for contact in contacts:
        assert contact.activation is not None
        changed |= contact.activation > 0.0
    if pairs:
        changed |= (edited.q != source.q).any(axis=1)
    if not changed.any():
        return None
    for schedule in schedules(asked, edited):
        changed |= schedule.activation > 0.0
    on = changed.astype(np.float64)
    together = [
        Timed(Position(a, b, name=f"{a} on {b}"), points=_on_partner(source, a, b), activation=on) for a, b in pairs
    ]
    sites = dict.fromkeys(
        term.site
        for schedule in schedules(asked, edited)
        for term in schedule.goal.terms(edited.figure)
        if isinstance(term, SiteTerm) and term.site is not None
    )
    points = site_frames(edited.figure, edited.q, list(sites)).points
    kept = [
        Position(site, _ORIGIN, name=f"{site} kept", priority=_KEPT).along(points[:, k], activation=on)
        for k, site in enumerate(sites)
    ]
    return MotionProblem(admitting(edited.figure, edited.q), [*contacts, *together, *asked, *kept], edited)


def _contacts(source: Motion, edited: Motion, touching: Contacts) -> list[Timed]:
    """Each foot where the source has it on the ground, and on the path between there and where the edit has it."""
    now = site_frames(edited.figure, edited.q, touching.sites).points
    before = site_frames(source.figure, source.q, touching.sites).points
    frames, ease = np.arange(len(source)), _EASE * source.fps
    goals = []
    for k, site in enumerate(touching.sites):
        share = np.zeros(len(source))
        for first, after in intervals(touching.of(site)):
            share = np.maximum(share, ramp(frames, first, after - 1, ease_in=ease, ease_out=ease))
        if not share.any():
            continue
        points = now[:, k] + share[:, None] * (before[:, k] - now[:, k])
        for level, (what, counts) in enumerate({"contact of": share >= 1.0, "path to and from": share < 1.0}.items()):
            goal = Position(site, _ORIGIN, name=f"{what} {site}", priority=1 + level)
            goals.append(goal.along(points, activation=counts & (share > 0.0)))
    return goals


def _on_partner(motion: Motion, site: str, partner: str) -> Array:
    """(frames, 3), m: where a site is in the frame of the joint that carries the other."""
    frames = joint_frames(motion.figure, motion.q)
    joint = motion.figure.joint_index(motion.figure.site(partner).joint)
    away = site_frames(motion.figure, motion.q, [site]).points[:, 0] - frames.positions[:, joint]
    place: Array = (away[:, None] @ frames.rotations[:, joint])[:, 0]
    return place
