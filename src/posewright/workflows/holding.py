"""Contacts of a motion held while it is edited: first of all goals, exactly, in every frame that has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.figure.kinematics import site_frames
from posewright.goals import PositionGoal
from posewright.goals.keyed import Key
from posewright.goals.term import SiteTerm
from posewright.motion.contacts import contacts, intervals
from posewright.motion.motion import Motion
from posewright.motion.splines import ramp
from posewright.problem.evaluation import GoalError
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.edit_joints import follow_in_joints
from posewright.workflows.key_errors import track_errors
from posewright.workflows.tracks import Track

_EASE = 0.1
"""s, over which a foot that has left the ground comes from where it was held to where the edit has it."""


@dataclass(frozen=True, eq=False)
class Held:
    """A motion whose contacts are held."""

    motion: Motion
    errors: tuple[GoalError, ...]
    """Of each contact, the largest over its frames."""
    iterations: int
    solves: int


def with_contacts_held(source: Motion, edited: Motion, keys: Sequence[Key], solver: Prioritized) -> Held:
    """The edited motion with the contacts of its source where they were, and how far from it they ended.

    Below the contacts, and below the way of a foot to and from them, the sites of the keys stay where the edit brought
    them; what is left is near the edit.
    """
    touching = contacts(source)
    now = site_frames(edited.figure, edited.q, touching.sites).points
    before = site_frames(source.figure, source.q, touching.sites).points
    frames, ease = np.arange(len(source)), _EASE * source.fps
    tracks = []
    held = np.zeros(len(source), dtype=np.bool_)
    for k, site in enumerate(touching.sites):
        share = np.zeros(len(source))
        for first, after in intervals(touching.of(site)):
            share = np.maximum(share, ramp(frames, first, after - 1, ease_in=ease, ease_out=ease))
        if not share.any():
            continue
        points = now[:, k] + share[:, None] * (before[:, k] - now[:, k])
        for level, (what, counts) in enumerate({"contact of": share >= 1.0, "way to and from": share < 1.0}.items()):
            goal = PositionGoal(site, (0.0, 0.0, 0.0), name=f"{what} {site}", priority=1 + level)
            tracks.append(Track(goal, (counts & (share > 0.0)).astype(np.float64), points))
        held |= share > 0.0
    if not tracks:
        return Held(edited, (), 0, 0)
    kept: dict[str, int] = {}
    for key in keys:
        for term in key.goal.terms(edited.figure):
            if isinstance(term, SiteTerm) and term.site is not None:
                kept[term.site] = min(kept.get(term.site, key.goal.priority), key.goal.priority)
    for site, priority in kept.items():
        points = site_frames(edited.figure, edited.q, [site]).points[:, 0]
        goal = PositionGoal(site, (0.0, 0.0, 0.0), name=f"{site} kept", priority=2 + priority)
        tracks.append(Track(goal, np.ones(len(source)), points))
    answer = follow_in_joints(edited, tracks, solver, only=held)
    errors = track_errors(answer.motion, [track for track in tracks if track.goal.priority == 1])
    return Held(answer.motion, errors, answer.iterations, answer.solves)
