"""Which part of the body serves which goal: recruiting levels, and the parts they give (Li et al., section 4.2).

A goal within reach of a limb recruits the limb; a further one recruits limb and spine (for a leg: both legs), and one
beyond that the whole body. Goals that share a joint share a part. The root belongs to no part, as it would join them
all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.goals import Goal
from posewright.goals.goal import Recruit
from posewright.goals.term import SiteValues
from posewright.models.postures.site_query import SiteQuery

_Stated = Recruit | Literal["joints"]
Level = _Stated | Literal["root"]
"""How much of the body serves a goal; `joints`: the joints named by the goal; `root`: the goal only places the root."""
LEVELS: tuple[Recruit, ...] = ("limb", "limb+spine", "whole")
_WITHIN = 0.95
"""Fraction of a chain's length that counts as within reach."""
_AS_IN_THE_START = 1.05
"""Fraction of the distance in the start that also counts, because the root may be placed a little higher."""


class BodyPart(NamedTuple):
    """Joints that are posed together, and their goals."""

    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much of the body each goal recruits."""
    joints: IntArray
    """The joints that move, in figure order."""
    names: tuple[str, ...]
    """Dofs of these joints."""
    queries: tuple[SiteQuery, ...]


class Division(NamedTuple):
    """A body divided into parts."""

    parts: tuple[BodyPart, ...]
    rest: IntArray
    """dofs of joints that belong to no part, except roots"""


class ReachingChain(NamedTuple):
    """A chain of joints that can reach for a site."""

    level: int
    """Index in `LEVELS`."""
    base: str
    """The first joint of the chain."""
    length: float
    """m, length from there to the site"""


class _Reach(NamedTuple):
    """The reach of a chain, in the frame of the root."""

    level: int
    """Index in `LEVELS`."""
    base: list[float]
    """Beginning of the chain, m."""
    distance: float
    """m"""


class BodySplit:
    """Queries about the sites of a figure, except its root, and the parts of the body that serve them."""

    def __init__(
        self, figure: Figure, queries: Sequence[SiteQuery], here: SiteValues, recruiting: Mapping[str, Recruit]
    ) -> None:
        """Prepare; distances are measured in the posture `here`, and `recruiting` has levels by goal label."""
        self.queries = tuple(queries)
        self._figure = figure
        self._roots = frozenset(index for index, parent in enumerate(figure.parents) if parent < 0)
        self._goals = list({query.goal.label: query.goal for query in queries}.values())
        self._stated = [_stated_level(goal, recruiting) for goal in self._goals]
        numbers = {goal.label: number for number, goal in enumerate(self._goals)}
        self._least = [0] * len(self._goals)  # indices in LEVELS, wherever targets are
        self._far: list[tuple[int, SiteQuery, Array, list[_Reach]]] = []  # what may need more: goal, query, place
        for query in queries:
            number, reaches = numbers[query.goal.label], _reaches(figure, query.site, here)
            self._least[number] = max(self._least[number], reaches[0].level if reaches else 2)
            if self._stated[number] is None and reaches and query.is_point and query.term.partner is None:
                self._far.append((number, query, here.values(query.site)[0], reaches))
        self._divisions: dict[tuple[_Stated, ...], Division] = {}

    def division(self, targets: Array) -> Division:
        """The parts for targets (terms, 9) in the frame of the root."""
        levels = self._levels(targets)
        if levels not in self._divisions:
            self._divisions[levels] = self._divided(levels)
        return self._divisions[levels]

    def _levels(self, targets: Array) -> tuple[_Stated, ...]:
        """For each goal, the level that reaches all its targets."""
        needed = self._least.copy()
        for number, query, here, reaches in self._far:
            point = query.term.nearest_point(targets[query.row], here)
            if point is not None:
                place = point.tolist()
                level = next((level for level, base, reach in reaches if math.dist(place, base) <= reach), 2)
                needed[number] = max(needed[number], level)
        return tuple([stated or LEVELS[level] for stated, level in zip(self._stated, needed, strict=True)])

    def _divided(self, levels: Sequence[_Stated]) -> Division:
        figure = self._figure
        recruited = [self._recruited(goal, level) for goal, level in zip(self._goals, levels, strict=True)]
        parts = []
        for numbers in _joined(recruited):
            joints = sorted(frozenset[int]().union(*(recruited[number] for number in numbers)))
            labels = tuple(self._goals[number].label for number in numbers)
            moving = [index for index in joints if figure.joints[index].n_dofs]
            parts.append(
                BodyPart(
                    labels,
                    tuple(levels[number] for number in numbers),
                    np.array(moving, dtype=np.int64),
                    tuple(figure.joint_names[index] for index in moving),
                    tuple(query for query in self.queries if query.goal.label in labels),
                )
            )
        posed = np.concatenate([np.array([min(self._roots)]), *(part.joints for part in parts)])
        return Division(tuple(parts), np.flatnonzero(~np.isin(figure.tables.dofs["joint"], posed)))

    def _recruited(self, goal: Goal, level: _Stated) -> frozenset[int]:
        """Indices of the joints that a goal recruits at a level, without roots."""
        figure = self._figure
        if level == "joints":
            return frozenset(map(figure.joint_index, goal.joints)) - self._roots
        if level == "whole":
            return frozenset(range(len(figure.joints))) - self._roots
        sites = [site for query in self.queries if query.goal is goal for site in query.sites]
        limbs = (figure.anatomy.limb_of(site, with_spine=level == "limb+spine") for site in sites)
        return frozenset[int]().union(*limbs) - self._roots


def _stated_level(goal: Goal, recruiting: Mapping[str, Recruit]) -> _Stated | None:
    """The level stated for a goal; None: it depends on the distance of the target."""
    if goal.label in recruiting:
        return recruiting[goal.label]
    if isinstance(goal.joints, str):
        return None if goal.joints == "whole" else goal.joints
    return "joints"


def _reaches(figure: Figure, site: str, here: SiteValues) -> list[_Reach]:
    """The reach of each chain."""
    found = []
    for level, base, length in reaching_chains(figure, site):
        point = here.values(base)[0]
        # Where it is nearly straight in the start, it reaches as far as that.
        straight = _AS_IN_THE_START * float(np.linalg.norm(here.values(site)[0] - point))
        found.append(_Reach(level, point.tolist(), max(_WITHIN * length, min(length, straight))))
    return found


def reaching_chains(figure: Figure, site: str) -> list[ReachingChain]:
    """The chains that can reach for a site: its limb, then limb and spine (leg: from the root); none on the root."""
    place, middle = figure.site(site), figure.anatomy.trunk
    ancestors = figure.ancestors(place.joint)
    length = float(np.linalg.norm(place.point))
    limb, spine = None, None
    for index in ancestors:
        joint, is_root = figure.joints[index], figure.parents[index] < 0
        if joint.n_dofs and index not in middle:
            limb = ReachingChain(0, joint.name, length)
        if index in middle and (joint.n_dofs or is_root) and not (is_root and spine is not None):
            spine = ReachingChain(1, joint.name, length)
        length += float(np.linalg.norm(joint.offset))
    root = figure.joint_names[ancestors[-1]]
    if spine is None:  # no trunk: a plain chain, which begins at the root
        spine = ReachingChain(1, root, length)
    elif limb is None and spine.base == root:
        return []
    return [chain for chain in (limb, spine) if chain is not None]


def _joined(recruited: Sequence[frozenset[int]]) -> list[tuple[int, ...]]:
    """Groups of goals that share joints, directly or through others, ordered by their first goal."""
    parts: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for number, joints in enumerate(recruited):
        together = [part for part in parts if part[0] & joints]
        parts = [part for part in parts if not part[0] & joints]
        pooled = joints.union(*(part[0] for part in together))
        parts.append((pooled, (*(member for part in together for member in part[1]), number)))
    return sorted(tuple(sorted(members)) for _, members in parts)
