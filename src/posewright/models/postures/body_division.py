"""Which part of the body serves a goal: recruiting levels, and the body divided by them (Li et al., section 4.2).

A goal that a limb can reach recruits the limb; one further off limb and spine (of a leg: both legs), one beyond that
the whole body. Goals that share a joint share a part. The root belongs to no part: it would glue all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from posewright.figures import Figure
from posewright.goals import Goal, Position
from posewright.goals.goal import Recruit
from posewright.goals.term import NOWHERE
from posewright.problem.recruiting import recruited_joints, trunk

Level = Recruit | Literal["root", "joints"]
"""How much of the body serves a goal; `root`: it only says where the root is; `joints`: those that the goal names."""
LEVELS: tuple[Recruit, ...] = ("limb", "limb+spine", "whole")
WITHIN = 0.95
"""Of a chain's length: nearer than this counts as within reach."""


@dataclass(frozen=True)
class Chain:
    """What can reach for a site: its limb, and limb and spine."""

    limb: str | None
    """The joint where the limb begins; None: it has none that moves."""
    limb_length: float
    """m, from there to the site"""
    spine: str
    """The joint where the spine begins, or the root for a leg."""
    spine_length: float


def chain_of(figure: Figure, site: str) -> Chain | None:
    """The chain of a site; None for a site on the root."""
    place = figure.site(site)
    middle = trunk(figure)
    length, limb, spine = float(np.linalg.norm(place.point)), None, None
    limb_length = spine_length = 0.0
    for index in figure.ancestors(place.joint):
        joint, is_root = figure.joints[index], figure.parents[index] < 0
        if joint.n_dofs and index not in middle:
            limb, limb_length = joint.name, length
        if index in middle and (joint.n_dofs or is_root) and not (is_root and spine is not None):
            spine, spine_length = joint.name, length
        length += float(np.linalg.norm(joint.offset))
    if limb is None and spine is not None and figure.parents[figure.joint_index(spine)] < 0:
        return None
    if spine is None:  # no trunk: a plain chain, whose root is its limb's
        return Chain(limb, limb_length, figure.joint_names[figure.ancestors(place.joint)[-1]], length)
    return Chain(limb, limb_length, spine, spine_length)


def said_level(goal: Goal) -> Level | None:
    """The level that a goal states; None: it is found by how far its target is."""
    if goal.recruiting != "auto":
        return goal.recruiting
    if isinstance(goal.joints, str):
        return None if goal.joints == "whole" else goal.joints
    return "joints"


def recruits(figure: Figure, goal: Goal, level: Level, sites: Sequence[str]) -> frozenset[int]:
    """Indices of the joints that a goal about some sites recruits at a level; never roots."""
    roots = frozenset(index for index, parent in enumerate(figure.parents) if parent < 0)
    if level == "root":
        return roots
    if level == "joints":
        return recruited_joints(figure, goal) - roots
    pooled = [recruited_joints(figure, Position(site, NOWHERE, joints=level)) for site in sites]
    return frozenset[int]().union(*pooled) - roots


def divided(recruited: Sequence[frozenset[int]]) -> tuple[tuple[int, ...], ...]:
    """Which goals belong together: those whose joints meet, directly or by way of others; by their first goals."""
    parts: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for number, joints in enumerate(recruited):
        together = [part for part in parts if part[0] & joints]
        parts = [part for part in parts if not part[0] & joints]
        pooled = joints.union(*(part[0] for part in together))
        parts.append((pooled, (*(member for part in together for member in part[1]), number)))
    return tuple(sorted(tuple(sorted(members)) for _, members in parts))
