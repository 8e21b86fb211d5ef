"""Parametric posture splicing (Li et al., section 4): a posture for some goals, put together from parts of samples.

The goals divide the body (`body_division`); each part is combined from the postures that come nearest to what its goals
want (`value_blocks`), with weights that meet it as well as they can (`kernels.splicing`). It is a start, not an answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.figure import Figure
from posewright.kernels import splicing as kernels
from posewright.kernels.tables import POSITION
from posewright.models.body_division import LEVELS, WITHIN, Chain, Level, chain_of, divided, recruits, said_level
from posewright.models.postures_on import PosturesOn
from posewright.models.root_guess import RootGoals, RootOf
from posewright.models.sample_search import SampleSearch
from posewright.models.value_blocks import Block, OnePosture, RootFrame, Want, wants_of
from posewright.problem.lowering import LoweredProblem, reach

MORE = 3
"""Neighbours beyond those that the equations need."""
Found = Literal["solved", "damped", "exact hit", "by distance"]
_FOUND: tuple[Found, ...] = ("solved", "damped", "exact hit", "by distance")


@dataclass(frozen=True, eq=False)
class SplicedPart:
    """A part of the body and what it was combined from."""

    joints: tuple[str, ...]
    """In figure order; those that move."""
    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much each goal recruits."""
    samples: IntArray
    """(samples,) of the database, the nearest first; none: the part is as in the start, or as its goals say"""
    weights: Array
    """(samples,), which sum to 1"""
    found: Found | None
    away: Array
    """(samples, values): how far each is from what is wanted; lengths over the reach of the figure"""
    columns: tuple[tuple[str, int, int], ...] = ()
    """Goals about points, with the first and last of their values."""

    @property
    def purpose(self) -> str:
        """The goals, with how much of the body each recruits."""
        pairs = zip(self.goals, self.levels, strict=True)
        return ", ".join(goal if level == "root" else f"{goal} ({level})" for goal, level in pairs)

    @property
    def misses(self) -> dict[str, float]:
        """Per goal about a point: how far the sample that comes nearest to it has it away, over the figure's reach."""
        return {
            goal: float(np.linalg.norm(self.away[:, first:last], axis=1).min()) for goal, first, last in self.columns
        }


@dataclass(frozen=True, eq=False)
class Splice:
    """A posture put together from samples."""

    q: Array
    """(dofs,)"""
    root: SplicedPart | None
    """Goals that say where the root is; what they leave open is taken from the samples nearest to all goals."""
    parts: tuple[SplicedPart, ...]
    """What the other goals divide the body into."""
    rest: int | None
    """The sample of joints that no goal recruits; None: they are as in the start."""
    fallback: Literal["start"] | None = None
    """Why it is no splice: there was no sample, or nothing to compare samples by."""


@dataclass(frozen=True, eq=False)
class _Part:
    """What does not change while the levels of the goals stay the same."""

    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    wants: tuple[Want, ...]
    joints: tuple[str, ...]
    members: IntArray
    """Indices of the joints."""
    columns: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, eq=False)
class _Division:
    parts: tuple[_Part, ...]
    rest: IntArray
    """dofs of joints that belong to no part and are no root"""


_NO_SAMPLES = (np.zeros(0, np.int64), np.zeros(0), None, np.zeros((0, 0)))


class Splicer:
    """The goals of a problem ready to be spliced for: other targets need no preparation."""

    def __init__(
        self,
        lowered: LoweredProblem,
        postures: PosturesOn,
        start: Array,
        *,
        kept: npt.NDArray[np.bool_] | None = None,
        rest_from_start: bool = False,
    ) -> None:
        """Prepare.

        Args:
            lowered: what is wanted.
            postures: on the figure of the problem.
            start: `q` (dofs,), for what no posture says.
            kept: (dofs,) those that stay as in the start.
            rest_from_start: joints that no goal recruits stay as in the start, instead of following the posture that
                comes nearest to all goals.
        """
        self.figure: Figure = lowered.problem.figure
        self._postures, self._start = postures, np.array(start, dtype=np.float64)
        self._reach = reach(self.figure, None)
        self._kept = np.zeros(self.figure.n_dofs, np.bool_) if kept is None else kept
        self._rest_from_start = rest_from_start
        self._root = RootOf(self.figure)
        self._root_member = np.array([self._root.index], dtype=np.int64)
        self._start_frame = self._root.frame(self._start)
        self._here = OnePosture(self.figure, self._start, self._root.name)
        wants = wants_of(lowered)
        sites = {name for want in wants for name in (want.site, want.partner) if name is not None}
        self._chains: dict[str, Chain | None] = {site: chain_of(self.figure, site) for site in sites}
        on_root = [w for w in wants if w.partner is None and w.choice < 0 and self._chains[w.site] is None]
        self._root_goals = RootGoals(self.figure, on_root)
        self._wants = tuple(want for want in wants if want not in on_root)
        self._said = {want.goal.label: level for want in wants if (level := said_level(want.goal)) is not None}
        self._has_choices = any(want.choice >= 0 for want in wants)
        self._divisions: dict[tuple[object, ...], _Division] = {}
        self._search = SampleSearch(postures)
        if len(postures):
            postures.prepare([self._root.name, *sorted(sites)])
            self._search.keep(postures.places(self._root.name))
            for want in wants:
                for values in want.plain_values(postures):
                    self._search.keep(values)

    def splice(self, targets: Array) -> Splice:
        """The posture for some targets (terms, TARGET_WIDTH), as of the lowered problem."""
        q = np.array(self._start)
        frame = self._root_goals.applied(self._start_frame, targets)
        wants = self._chosen(targets, frame)
        blocks = self._over_the_floor(wants, targets, frame) if len(self._postures) else []
        if not blocks:
            return Splice(q, None, (), None, "start")
        neighbours = _Neighbours(self._postures, self._search, blocks)
        root, frame = self._placed(neighbours, targets, frame, q)
        division = self._division(wants, targets, frame)
        if not self._rest_from_start:
            q[division.rest] = self._postures.q[neighbours.samples[0], division.rest]
        parts = tuple(self._part(part, targets, frame, q) for part in division.parts)
        q[self._kept] = self._start[self._kept]
        return Splice(q, root, parts, None if self._rest_from_start else int(neighbours.samples[0]))

    def _chosen(self, targets: Array, frame: RootFrame) -> tuple[Want, ...]:
        """What is wanted, with the alternative of each disjunction that the start is nearest to."""
        if not self._has_choices:
            return self._wants
        cost: dict[tuple[int, int], float] = {}
        for want in self._wants:
            blocks = want.blocks(targets[want.row], frame, self._here, self._reach)
            away = sum(float(np.sum((scale * (values - wanted)) ** 2)) for values, wanted, scale in blocks)
            cost[want.choice, want.branch] = cost.get((want.choice, want.branch), 0.0) + away
        best = {choice: min((c, b) for (k, b), c in cost.items() if k == choice)[1] for choice, _ in cost}
        return tuple(want for want in self._wants if want.choice < 0 or best[want.choice] == want.branch)

    def _over_the_floor(self, wants: Sequence[Want], targets: Array, frame: RootFrame) -> list[Block]:
        """All that is wanted, points as they are over the floor: the height of the root is not known yet."""
        floor, scale = self._root.floor(frame), 1.0 / self._reach
        found: list[Block] = []
        for want in wants:
            target = targets[want.row]
            if want.kind == POSITION and want.partner is None:
                found.append((self._postures.places(want.site), floor.of_point(target[:3]), scale))
            else:
                found += want.blocks(target, frame, self._postures, self._reach)
        if self._root_goals.says_place:
            found.append((self._postures.places(self._root.name), floor.of_point(frame.point), scale))
        return found

    def _placed(
        self, neighbours: _Neighbours, targets: Array, frame: RootFrame, q: Array
    ) -> tuple[SplicedPart | None, RootFrame]:
        """Write the root's dofs; return what it was made of and where it is."""
        own = self._root_goals
        if self._kept[self._root.where].all():
            return None, self._start_frame
        from_samples = not (own.says_place and own.says_turn)
        if from_samples:
            floor = self._root.floor(frame)
            neighbours.blend(self.figure, self._root_member, q)
            blended = self._root.frame(q)
            point = floor.turn @ blended.point + floor.point
            frame = own.applied(RootFrame(point, floor.turn @ blended.rotation), targets)
        q[self._root.where] = self._root.coordinates(frame, self._start)
        part = None
        if own.wants:
            labels = tuple(dict.fromkeys(want.goal.label for want in own.wants))
            levels: tuple[Level, ...] = tuple("root" for _ in labels)
            part = (
                neighbours.part((self._root.name,), labels, levels)
                if from_samples
                else SplicedPart((self._root.name,), labels, levels, *_NO_SAMPLES)
            )
        return part, self._root.frame(q)

    def _division(self, wants: tuple[Want, ...], targets: Array, frame: RootFrame) -> _Division:
        """The parts of the body, found once for each combination of levels."""
        levels: dict[str, int] = {}
        for want in wants:
            label = want.goal.label
            if label not in self._said:
                levels[label] = max(levels.get(label, 0), self._level(want, targets, frame))
        key = (*levels.items(), *[want.branch for want in wants])
        if key not in self._divisions:
            self._divisions[key] = self._divide(wants, levels)
        return self._divisions[key]

    def _level(self, want: Want, targets: Array, frame: RootFrame) -> int:
        """Index of the level in `LEVELS` that the distance of a target asks for."""
        chain = self._chains[want.site]
        if chain is None:
            return 2
        least = 0 if chain.limb is not None else 1
        if not want.is_point or want.partner is not None:
            return least
        here = self._here.values(want.site)[0]
        target = want.nearest_point(targets[want.row], frame, here)
        for level, base, length in ((0, chain.limb, chain.limb_length), (1, chain.spine, chain.spine_length)):
            if base is not None and level >= least:
                away = target - self._here.values(base)[0]
                if math.sqrt(float(away @ away)) <= WITHIN * length:
                    return level
        return 2

    def _divide(self, wants: tuple[Want, ...], automatic: Mapping[str, int]) -> _Division:
        figure = self.figure
        goals = list({want.goal.label: want.goal for want in wants}.values())
        levels = [self._said.get(goal.label) or LEVELS[automatic[goal.label]] for goal in goals]
        recruited = []
        for goal, level in zip(goals, levels, strict=True):
            mine = [want for want in wants if want.goal is goal]
            sites = [name for want in mine for name in (want.site, want.partner) if name is not None]
            recruited.append(recruits(figure, goal, level, sites))
        parts = []
        for numbers in divided(recruited):
            labels = tuple(goals[number].label for number in numbers)
            members = sorted(frozenset[int]().union(*(recruited[number] for number in numbers)))
            moving = [index for index in members if figure.joints[index].n_dofs]
            own = tuple(want for want in wants if want.goal.label in labels)
            ends = np.cumsum([want.n_values for want in own]).tolist()
            parts.append(
                _Part(
                    labels,
                    tuple(levels[number] for number in numbers),
                    own,
                    tuple(figure.joint_names[index] for index in moving),
                    np.array(moving, dtype=np.int64),
                    tuple(
                        (want.goal.label, end - want.n_values, end)
                        for want, end in zip(own, ends, strict=True)
                        if want.is_point
                    ),
                )
            )
        posed = {index for part in parts for index in part.members.tolist()} | {self._root.index}
        rest = ~np.isin(figure.tables.dofs["joint"], sorted(posed))
        return _Division(tuple(parts), np.flatnonzero(rest))

    def _part(self, part: _Part, targets: Array, frame: RootFrame, q: Array) -> SplicedPart:
        """Write the joints of a part."""
        blocks = [
            block for want in part.wants for block in want.blocks(targets[want.row], frame, self._postures, self._reach)
        ]
        neighbours = _Neighbours(self._postures, self._search, blocks)
        neighbours.blend(self.figure, part.members, q)
        return neighbours.part(part.joints, part.goals, part.levels, part.columns)


class _Neighbours:
    """The samples nearest to some values, and their weights."""

    def __init__(self, postures: PosturesOn, search: SampleSearch, blocks: Sequence[Block]) -> None:
        n_values = sum(block[1].shape[0] for block in blocks)
        self.samples, self._distances, self._away = search.nearest(blocks, n_values + 1 + MORE)
        self._q = np.array(postures.q[self.samples])
        self._weights = np.empty(len(self.samples))
        self._found: Found | None = None

    def blend(self, figure: Figure, members: IntArray, q: Array) -> None:
        """Write some joints, combined from the samples."""
        found = kernels.splice(*figure.tables, members, self._away, self._distances, self._q, self._weights, q)
        self._found = _FOUND[found]

    def part(
        self,
        joints: tuple[str, ...],
        goals: tuple[str, ...],
        levels: tuple[Level, ...],
        columns: tuple[tuple[str, int, int], ...] = (),
    ) -> SplicedPart:
        """What was combined."""
        return SplicedPart(joints, goals, levels, self.samples, self._weights, self._found, self._away, columns)
