"""What is wanted of a body, and how it is divided for it: all that does not depend on where targets are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.models.postures.body_division import LEVELS, WITHIN, Chain, Level, divided, recruits, said_level
from posewright.models.postures.site_query import OnePosture, RootFrame, Want
from posewright.models.postures.splice import Columns

_AS_IN_THE_START = 1.05
"""Of a distance in the start: the root may be placed a little higher than it is there."""


@dataclass(frozen=True, eq=False)
class PlannedPart:
    """Joints that are posed together, and what is wanted of them."""

    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    joints: tuple[str, ...]
    members: IntArray
    """Indices of the joints."""
    points: tuple[int, ...]
    """Which of the plan's points it is for."""
    others: tuple[Want, ...]
    """What else it is for."""
    columns: Columns
    """Points first, then the others."""


@dataclass(frozen=True, eq=False)
class Division:
    """A body divided."""

    parts: tuple[PlannedPart, ...]
    rest: IntArray
    """dofs of joints that belong to no part and are no root"""


class BodyPlan:
    """What is wanted of a figure's sites, its root aside."""

    def __init__(
        self, figure: Figure, root: int, wants: Sequence[Want], chains: Mapping[str, Chain | None], here: OnePosture
    ) -> None:
        """Prepare; `here` is where distances are measured from."""
        self._figure, self._root, self._chains, self._here = figure, root, chains, here
        self.points = tuple(want for want in wants if want.is_place)
        """Sites wanted at points of the world."""
        self.others = tuple(want for want in wants if not want.is_place)
        self.rows = np.array([want.row for want in self.points], np.int64)
        """Of the targets of the points."""
        self._goals = list({want.goal.label: want.goal for want in wants}.values())
        self._said = [said_level(goal) for goal in self._goals]
        number = {goal.label: k for k, goal in enumerate(self._goals)}
        self._numbers = [number[want.goal.label] for want in (*self.points, *self.others)]
        self.bases, self.reaches = self._limbs()
        """Per point where limb and spine begin, seen from the root (points, 2, 3), and squared reaches (points, 2)."""
        self._divisions: dict[tuple[int, ...], Division] = {}

    def division(self, seen: Array, targets: Array, frame: RootFrame) -> Division:
        """The parts for targets; `seen` (points, 3) are the points seen from the root."""
        return self._division(() if None not in self._said else self._levels(seen, targets, frame))

    def division_at(self, levels: Sequence[int]) -> Division:
        """The parts for indices in `LEVELS` of what reaches each point; where else only turns are wanted."""
        turning = [self._least_level(want) for want in self.others]
        return self._division(() if None not in self._said else self._of_goals([*levels, *turning]))

    def _division(self, key: tuple[int, ...]) -> Division:
        found = self._divisions.get(key)
        if found is None:
            found = self._divisions[key] = self._divided(key)
        return found

    def _limbs(self) -> tuple[Array, Array]:
        """Per point where limb and spine begin, seen from the root (points, 2, 3), and squared reaches (points, 2)."""
        bases, reaches = np.zeros((len(self.points), 2, 3)), np.full((len(self.points), 2), -1.0)
        for k, want in enumerate(self.points):
            chain = self._chains[want.site]
            if chain is None:
                continue
            for level, base, length in ((0, chain.limb, chain.limb_length), (1, chain.spine, chain.spine_length)):
                if base is not None:
                    bases[k, level] = self._here.values(base)[0]
                    reaches[k, level] = self._reach_of(want, base, length) ** 2
        return bases, reaches

    def _reach_of(self, want: Want, base: str, length: float) -> float:
        """How far from its base a chain is taken to reach (m): where it is nearly straight in the start, so far."""
        here = self._here.values(want.site)[0] - self._here.values(base)[0]
        return max(WITHIN * length, min(length, _AS_IN_THE_START * float(np.linalg.norm(here))))

    def _levels(self, seen: Array, targets: Array, frame: RootFrame) -> tuple[int, ...]:
        """Per goal the index in `LEVELS` of what reaches all that it wants."""
        away = seen[:, np.newaxis] - self.bases
        near = np.einsum("kli,kli->kl", away, away) <= self.reaches
        found = [0 if limb else 1 if spine else 2 for limb, spine in near.tolist()]
        return self._of_goals(found + [self._level(want, targets, frame) for want in self.others])

    def _of_goals(self, found: Sequence[int]) -> tuple[int, ...]:
        """Per goal the level that serves all that it wants."""
        levels = [0] * len(self._goals)
        for number, level in zip(self._numbers, found, strict=True):
            levels[number] = max(levels[number], level)
        return tuple(levels)

    def _level(self, want: Want, targets: Array, frame: RootFrame) -> int:
        chain = self._chains[want.site]
        if chain is None or not want.is_point or want.partner is not None:
            return self._least_level(want)
        target = want.nearest_point(targets[want.row], frame, self._here.values(want.site)[0])
        for level, base, length in ((0, chain.limb, chain.limb_length), (1, chain.spine, chain.spine_length)):
            if base is not None:
                away = float(np.linalg.norm(target - self._here.values(base)[0]))
                if away <= self._reach_of(want, base, length):
                    return level
        return 2

    def _least_level(self, want: Want) -> int:
        """What can move a site at all."""
        chain = self._chains[want.site]
        return 2 if chain is None else 0 if chain.limb is not None else 1

    def _divided(self, automatic: Sequence[int]) -> Division:
        figure = self._figure
        levels: list[Level] = [said or LEVELS[automatic[number]] for number, said in enumerate(self._said)]
        wants = (*self.points, *self.others)
        recruited = []
        for goal, level in zip(self._goals, levels, strict=True):
            mine = [want for want in wants if want.goal is goal]
            sites = [name for want in mine for name in (want.site, want.partner) if name is not None]
            recruited.append(recruits(figure, goal, level, sites))
        parts = []
        for numbers in divided(recruited):
            members = sorted(frozenset[int]().union(*(recruited[number] for number in numbers)))
            moving = [index for index in members if figure.joints[index].n_dofs]
            points = tuple(k for k in range(len(self.points)) if self._numbers[k] in numbers)
            others = tuple(w for k, w in enumerate(self.others, len(self.points)) if self._numbers[k] in numbers)
            parts.append(
                PlannedPart(
                    tuple(self._goals[number].label for number in numbers),
                    tuple(levels[number] for number in numbers),
                    tuple(figure.joint_names[index] for index in moving),
                    np.array(moving, dtype=np.int64),
                    points,
                    others,
                    _columns([*(self.points[k] for k in points), *others]),
                )
            )
        posed = {index for part in parts for index in part.members.tolist()} | {self._root}
        rest = ~np.isin(figure.tables.dofs["joint"], sorted(posed))
        return Division(tuple(parts), np.flatnonzero(rest))


def _columns(wants: Sequence[Want]) -> Columns:
    ends = np.cumsum([want.n_values for want in wants]).tolist()
    return tuple(
        (want.goal.label, end - want.n_values, end) for want, end in zip(wants, ends, strict=True) if want.is_point
    )
