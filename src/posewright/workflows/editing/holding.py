"""What is held while a motion is edited, before all goals and in every frame: contacts, and sites that belong together.

A model knows neither floor nor grip and cannot keep them exactly: it looks for what meets the goals with the contacts
nearly where they are. After that feet, then hands, are brought back, and the goals met once more in joint space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from posewright.checks import require_list
from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals import Goal, Position
from posewright.goals.goal import Recruit
from posewright.goals.timed import Timed
from posewright.motions.contacts import Contacts, intervals
from posewright.motions.motion import Motion
from posewright.problem import MotionProblem
from posewright.problem.displacements import Curves, Stretch
from posewright.problem.evaluation import readable
from posewright.workflows.editing.displacing import Displacing
from posewright.workflows.editing.steadying import NOISE
from posewright.workflows.editing.steps import Step

HELD = 1e-3
"""m: what is held is nearer than this to where it was."""
_PARTS: tuple[Recruit, ...] = ("limb", "limb+spine", "whole")
_EXACTLY = 1e-4
"""m: pairs that are further apart than this are brought together."""
_HEAVY, _SAMPLES = 8.0, 3
"""How much all contacts weigh in a model, of the goals beside them; at how many frames of each they are looked at."""

Pair = tuple[str, str]
"""A site, and the site whose joint carries it: a hand, and the other hand on the same club."""


def contacts_in_model(source: Motion, touching: Contacts, keys: Sequence[Goal]) -> list[Timed]:
    """The contacts of a motion at some of their frames, to be served beside goals of the last priority.

    Strictly first they would take all freedom that the few modes of a model have, and it could do nothing of what is
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


def kept_together(motion: Motion, pairs: Sequence[Pair]) -> list[Timed]:
    """Sites that keep their place on the joint of the other in all frames, before all goals, by their own limb."""
    return [
        Timed(Position(a, b, name=f"{a} on {b}", joints="limb"), points=_on_partner(motion, a, b)) for a, b in pairs
    ]


def brought_together(source: Motion, made: Motion, pairs: Sequence[Pair], step: Step) -> Motion:
    """An edited motion in which pairs of sites are as in the source again, moved by few joints, smoothly."""
    changed = np.flatnonzero((made.q != source.q).any(axis=1))
    for joints in _PARTS:
        if not not_held(source, made, None, pairs, _EXACTLY):
            break
        asked = [replace(one, goal=replace(one.goal, joints=joints)) for one in kept_together(source, pairs)]
        curves = Curves.of(len(made), [Stretch(int(changed[0]), int(changed[-1]), (0.0, 0.0))], made.fps)
        made = made.with_q(Displacing(MotionProblem(made.figure, asked, made), curves, step).result(NOISE).motion.q)
    return made


def not_held(
    source: Motion, made: Motion, contacts: BoolArray | None, pairs: Sequence[Pair], most: float = HELD
) -> list[str]:
    """What is further than so much (m) from where it was: contacts (frames, sites), and pairs of sites."""
    found = []
    if contacts is not None:
        sites = source.figure.anatomy.contact_sites
        here, there = (site_frames(one.figure, one.q, sites).points for one in (made, source))
        for k, away in enumerate(np.where(contacts, np.linalg.norm(here - there, axis=-1), 0.0).T):
            found += _too_far(f"contact of {sites[k]}", away, most, made)
    for a, b in pairs:
        away = np.linalg.norm(_on_partner(made, a, b) - _on_partner(source, a, b), axis=-1)
        found += _too_far(f"{a} on {b}", away, most, made)
    return found


def _too_far(what: str, away: Array, most: float, motion: Motion) -> list[str]:
    frame = int(away.argmax())
    if away[frame] <= most:
        return []
    return [f"{what} {readable(float(away[frame]), 'm')} at frame {motion.first_frame + frame}"]


def _on_partner(motion: Motion, site: str, partner: str) -> Array:
    """(frames, 3), m: where a site is in the frame of the joint that carries the other."""
    frames = joint_frames(motion.figure, motion.q)
    joint = motion.figure.joint_index(motion.figure.site(partner).joint)
    away = site_frames(motion.figure, motion.q, [site]).points[:, 0] - frames.positions[:, joint]
    place: Array = (away[:, None] @ frames.rotations[:, joint])[:, 0]
    return place
