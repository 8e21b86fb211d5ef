"""Splices for sites wanted at points or turned some way, among few postures: prepared so that a drag is one call.

It answers as `splicing` does, which serves goals of every kind. What a splice was made of is told when asked for.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.kernels.compiling.bound_call import Repeated
from posewright.kernels.postures.splice_points import MORE, UNKNOWN, DivisionTables, PointTables, splice_points
from posewright.kernels.postures.turns import joint_turns_all
from posewright.models.postures.body_plan import BodyPlan, Division
from posewright.models.postures.figure_postures import PosturesOn
from posewright.models.postures.root_guess import RootGoals, RootOf
from posewright.models.postures.site_query import Want
from posewright.models.postures.splice import FOUND, Made, Splice, SplicedPart

Levels = npt.NDArray[np.int8]
"""(points,): what reaches each of them, as of `body_division.LEVELS`."""


class PointSplicer:
    """Points that sites of a figure shall be at, directions that they shall show in, and postures on it."""

    def __init__(
        self,
        postures: PosturesOn,
        plan: BodyPlan,
        root: RootOf,
        root_goals: RootGoals,
        start: Array,
        scale: float,
        *,
        kept: IntArray,
        rest_from_start: bool,
    ) -> None:
        """Prepare; for a root that is free, goals about other sites' points and turns, and perhaps about its point."""
        self._plan, self._root, self._root_goals, self._start = plan, root, root_goals, start
        self._rest_from_start = rest_from_start
        sites = [want.site for want in plan.points]
        places = [*sites, root.name] if root_goals.says_place else sites
        self._ways: dict[Want, list[int]] = {}
        rows: list[tuple[int, int]] = []
        axes: list[Array] = []
        for want in plan.others:
            own_axes = want.plain_values(postures)
            self._ways[want] = list(range(len(axes), len(axes) + len(own_axes)))
            rows += [(want.row, 3 + 3 * k) for k in range(len(own_axes))]
            axes += own_axes
        values = [*(postures.places(site) for site in places), *axes, *(postures.values(site) for site in sites)]
        scales = [scale] * len(places) + [1.0] * len(axes) + [scale] * len(sites)
        own = root_goals.wants[-1].row if root_goals.says_place else -1
        frame = root.frame(start)
        q = np.array(postures.q)
        turns = np.empty((len(q), len(root.figure.joints), 4))
        joint_turns_all(*root.figure.tables, np.arange(len(root.figure.joints)), q, turns)
        self._tables = PointTables(
            columns=np.concatenate([block.T for block in values]).astype(np.float32, order="C"),
            squares=np.empty(len(postures), np.float32),
            postures=q,
            turns=turns,
            joints=root.figure.tables.joints,
            dofs=root.figure.tables.dofs,
            root=root.member,
            rows=np.append(plan.rows, own),
            ways=np.array(rows, np.int64).reshape(-1, 2),
            held=root_goals.held_point if root_goals.says_place else np.zeros(3),
            point=frame.point,
            rotation=frame.rotation,
            turn=root.floor(frame).turn,
            scale=np.repeat(scales, 3).astype(np.float32),
            bases=plan.bases,
            reaches=plan.reaches,
            levels=np.zeros(len(sites), np.int8),
            start=start,
            kept=kept,
        )
        self._n_points, self._n_seen = len(sites), len(sites) + len(axes)
        self._n_of_root = 3 * (len(places) + len(axes))  # values, and so many columns before those seen from the root
        self._n_most = self._n_of_root + 3 * self._n_seen + (1 + MORE) * (1 + self._n_seen)  # neighbours
        self._kernel = Repeated(splice_points)
        self._divisions: list[tuple[Levels, Division]] = []
        self._known = self._packed()

    def splice(self, targets: Array) -> Splice:
        """The posture for some targets (terms, TARGET_WIDTH), which are kept and not to be changed."""
        n = self._n_seen
        q, seen = self._start.copy(), np.empty((n, 3))
        samples, weights, found = np.empty(self._n_most, np.int64), np.empty(self._n_most), np.empty(1 + n, np.int64)
        arguments = (self._tables, self._known, targets, q, seen, samples, weights, found)
        number: int = self._kernel.call(*arguments)
        if number == UNKNOWN:
            levels = self._tables.levels.copy()
            self._divisions.append((levels, self._plan.division_at(levels.tolist())))
            self._known = self._packed()
            return self.splice(targets)
        made = partial(self._made, self._divisions[number][1], targets, seen, samples, weights, found)
        return Splice(q, None if self._rest_from_start else int(samples[0]), make=made)

    def _made(
        self, division: Division, targets: Array, seen: Array, samples: IntArray, weights: Array, found: IntArray
    ) -> Made:
        """What the root and the parts were made of."""
        used = min(self._n_of_root + 1 + MORE, len(self._tables.postures))
        root = None
        if self._root_goals.labels:
            columns, wanted = np.arange(self._n_of_root), self._over_the_floor(targets)
            root = SplicedPart(
                (self._root.name,),
                self._root_goals.labels,
                tuple("root" for _ in self._root_goals.labels),
                samples[:used],
                weights[:used],
                FOUND[found[0]],
                self._away(samples[:used], columns, wanted),
            )
        parts = []
        for part, how in zip(division.parts, found[1:].tolist(), strict=False):
            ways = [way for want in part.others for way in self._ways[want]]
            firsts = [self._n_of_root + 3 * k for k in part.points]
            firsts += [self._n_of_root - 3 * (self._n_seen - self._n_points - way) for way in ways]
            columns = np.array([first + c for first in firsts for c in range(3)])
            end = used + min(len(columns) + 1 + MORE, len(self._tables.postures))
            wanted = seen[[*part.points, *(self._n_points + way for way in ways)]]
            parts.append(
                SplicedPart(
                    part.joints,
                    part.goals,
                    part.levels,
                    samples[used:end],
                    weights[used:end],
                    FOUND[how],
                    self._away(samples[used:end], columns, wanted),
                    part.columns,
                )
            )
            used = end
        return root, tuple(parts)

    def _over_the_floor(self, targets: Array) -> Array:
        """(points and directions, 3): what the root was settled by."""
        frame = self._root_goals.applied(self._root.frame(self._start), targets)
        points = targets[self._plan.rows, :3]
        if self._root_goals.says_place:
            points = np.concatenate([points, frame.point[np.newaxis]])
        rows, firsts = self._tables.ways.T
        directions = targets[rows[:, np.newaxis], firsts[:, np.newaxis] + np.arange(3)]
        return np.concatenate([self._root.floor(frame).of_point(points), frame.of_direction(directions)])

    def _away(self, samples: IntArray, columns: IntArray, wanted: Array) -> Array:
        """(samples, values): how far samples are from what is wanted, over the figure's reach; as the kernel has it."""
        values = self._tables.columns[columns][:, samples].T
        away: Array = (self._tables.scale[columns] * (values - wanted.reshape(-1).astype(np.float32))).astype(
            np.float64
        )
        return away

    def _packed(self) -> DivisionTables:
        """Divisions, as the kernel looks them up by their levels."""
        points: list[int] = []
        members: list[int] = []
        ways: list[int] = []
        rest: list[int] = []
        parts: list[tuple[int, ...]] = []
        ranges: list[tuple[int, ...]] = []
        for _, division in self._divisions:
            first_part, first_rest = len(parts), len(rest)
            for part in division.parts:
                begin = len(points), len(members), len(ways)
                points += part.points
                members += part.members.tolist()
                ways += [way for want in part.others for way in self._ways[want]]
                parts.append((begin[0], len(points), begin[1], len(members), begin[2], len(ways)))
            rest += [] if self._rest_from_start else division.rest.tolist()
            ranges.append((first_part, len(parts), first_rest, len(rest)))
        levels = [levels for levels, _ in self._divisions]
        return DivisionTables(
            levels=np.array(levels, np.int8).reshape(len(levels), self._n_points),
            ranges=np.array(ranges, np.int64).reshape(-1, 4),
            parts=np.array(parts, np.int64).reshape(-1, 6),
            points=np.array(points, np.int64),
            ways=np.array(ways, np.int64),
            members=np.array(members, np.int64),
            rest=np.array(rest, np.int64),
        )
