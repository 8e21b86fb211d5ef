"""Which part of the body serves which goal: recruiting levels, and the body split by them (Li et al., section 4.2).

A goal that a limb can reach recruits the limb; one farther away limb and spine (for a leg: both legs), one beyond that
the whole body. Goals that share a joint share a part. The root belongs to no part, as it would join all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.goals import Goal
from posewright.goals.goal import Recruit
from posewright.models.postures.site_query import OnePosture, RootFrame, SiteQuery

_Stated = Recruit | Literal["joints"]
Level = _Stated | Literal["root"]
"""How much of the body serves a goal; `joints`: those that the goal names; `root`: it only places the root."""
LEVELS: tuple[Recruit, ...] = ("limb", "limb+spine", "whole")
_WITHIN = 0.95
"""Fraction of a chain's length that counts as within reach."""
_AS_IN_THE_START = 1.05
"""Fraction of a distance in the start that counts, too: the root may be placed a little higher than it is there."""


@dataclass(frozen=True, eq=False)
class BodyPart:
    """Joints that are posed together, and what is wanted of them."""

    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much of the body each goal recruits."""
    joints: IntArray
    """Those that move, in figure order."""
    queries: tuple[SiteQuery, ...]


@dataclass(frozen=True, eq=False)
class Division:
    """A body split into parts."""

    parts: tuple[BodyPart, ...]
    rest: IntArray
    """dofs of joints that belong to no part and are no root"""


class BodySplit:
    """What is wanted of a figure's sites, the root aside, and the parts of the body that serve it."""

    def __init__(
        self, figure: Figure, queries: Sequence[SiteQuery], here: OnePosture, recruiting: Mapping[str, Recruit]
    ) -> None:
        """Prepare; `here` is the posture that distances are measured in, `recruiting` has levels by goal label."""
        self.queries = tuple(queries)
        self._figure, self._here = figure, here
        self._goals = list({query.goal.label: query.goal for query in queries}.values())
        self._stated = [stated_level(goal, recruiting) for goal in self._goals]
        self._bases = [_bases(figure, query, here) for query in queries]
        self._divisions: dict[tuple[_Stated, ...], Division] = {}

    def division(self, targets: Array, frame: RootFrame) -> Division:
        """The parts for targets (terms, TARGET_WIDTH) and a root frame."""
        levels = self._levels(targets, frame)
        if levels not in self._divisions:
            self._divisions[levels] = self._divided(levels)
        return self._divisions[levels]

    def _levels(self, targets: Array, frame: RootFrame) -> tuple[_Stated, ...]:
        """Per goal the level that reaches all that it wants."""
        reaching = dict.fromkeys([goal.label for goal in self._goals], 0)
        for query, bases in zip(self.queries, self._bases, strict=True):
            level = bases[0].level if bases else 2
            if bases and query.is_point and query.partner is None:
                point = query.nearest_point(targets[query.row], frame, self._here.values(query.site)[0])
                level = next((base.level for base in bases if base.reaches(point)), 2)
            reaching[query.goal.label] = max(reaching[query.goal.label], level)
        found = zip(self._stated, reaching.values(), strict=True)
        return tuple([stated or LEVELS[level] for stated, level in found])

    def _divided(self, levels: Sequence[_Stated]) -> Division:
        figure = self._figure
        recruited = []
        for goal, level in zip(self._goals, levels, strict=True):
            sites = [site for query in self.queries if query.goal is goal for site in query.sites]
            recruited.append(recruits(figure, goal, level, sites))
        parts = []
        for numbers in joined(recruited):
            members = sorted(frozenset[int]().union(*(recruited[number] for number in numbers)))
            labels = tuple(self._goals[number].label for number in numbers)
            parts.append(
                BodyPart(
                    labels,
                    tuple(levels[number] for number in numbers),
                    np.array([index for index in members if figure.joints[index].n_dofs], dtype=np.int64),
                    tuple(query for query in self.queries if query.goal.label in labels),
                )
            )
        roots = [index for index, parent in enumerate(figure.parents) if parent < 0][:1]
        posed = np.concatenate([np.array(roots), *(part.joints for part in parts)])
        return Division(tuple(parts), np.flatnonzero(~np.isin(figure.tables.dofs["joint"], posed)))


@dataclass(frozen=True, eq=False)
class _Base:
    """Where a chain that can reach for a site begins."""

    level: int
    """Index in `LEVELS`."""
    point: Array
    """(3,), m, in the frame of the root"""
    reach: float
    """m"""

    def reaches(self, point: Array) -> bool:
        return bool(np.linalg.norm(point - self.point) <= self.reach)


def _bases(figure: Figure, query: SiteQuery, here: OnePosture) -> list[_Base]:
    """The chains that can reach for a site; none for a site on the root."""
    chain = chain_of(figure, query.site)
    if chain is None:
        return []
    found = []
    for level, base, length in ((0, chain.limb, chain.limb_length), (1, chain.spine, chain.spine_length)):
        if base is not None:
            point = here.values(base)[0]
            # Where it is nearly straight in the start, it reaches as far as that.
            straight = _AS_IN_THE_START * float(np.linalg.norm(here.values(query.site)[0] - point))
            found.append(_Base(level, point, max(_WITHIN * length, min(length, straight))))
    return found


@dataclass(frozen=True)
class Chain:
    """What can reach for a site: its limb, or limb and spine."""

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
    middle = figure.anatomy.trunk
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
    if spine is None:  # no trunk: a plain chain, which begins at the root
        return Chain(limb, limb_length, figure.joint_names[figure.ancestors(place.joint)[-1]], length)
    return Chain(limb, limb_length, spine, spine_length)


def stated_level(goal: Goal, recruiting: Mapping[str, Recruit]) -> _Stated | None:
    """The level that is stated for a goal; None: it depends on how far away its target is."""
    if goal.label in recruiting:
        return recruiting[goal.label]
    if isinstance(goal.joints, str):
        return None if goal.joints == "whole" else goal.joints
    return "joints"


def recruits(figure: Figure, goal: Goal, level: _Stated, sites: Sequence[str]) -> frozenset[int]:
    """Indices of the joints that a goal about some sites recruits at a level; never roots."""
    roots = frozenset(index for index, parent in enumerate(figure.parents) if parent < 0)
    if level == "joints":
        return frozenset(figure.joint_index(name) for name in goal.joints) - roots
    if level == "whole":
        return frozenset(range(len(figure.joints))) - roots
    with_spine = level == "limb+spine"
    return frozenset[int]().union(*(figure.anatomy.limb_of(site, with_spine=with_spine) for site in sites)) - roots


def joined(recruited: Sequence[frozenset[int]]) -> tuple[tuple[int, ...], ...]:
    """Which goals belong together: those whose joints meet, directly or through others; ordered by their first."""
    parts: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for number, joints in enumerate(recruited):
        together = [part for part in parts if part[0] & joints]
        parts = [part for part in parts if not part[0] & joints]
        pooled = joints.union(*(part[0] for part in together))
        parts.append((pooled, (*(member for part in together for member in part[1]), number)))
    return tuple(sorted(tuple(sorted(members)) for _, members in parts))
