"""Parametric posture splicing (Li et al., section 4): a posture for given goals, combined from parts of samples.

The goals divide the body into parts (`body_split`). Each part is combined from the postures nearest to its targets
(`site_query`), with weights that meet them as well as possible (`kernels.postures.splicing`). The result is a start for
a solver, not an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.figures.reach import reach
from posewright.goals.goal import Recruit
from posewright.kernels.postures import splicing as kernels
from posewright.models.postures.body_split import BodyPart, BodySplit, Level, reaching_chains
from posewright.models.postures.database import Postures
from posewright.models.postures.figure_postures import FigurePostures, Neighbours, QueryColumn
from posewright.models.postures.site_query import RootFrame, RootGoals, SiteQuery, site_queries
from posewright.problem.lowered_problem import LoweredProblem

_MORE = 3
"""Number of samples beyond those that the equations need."""

Found = Literal["solved", "damped", "exact hit", "by distance"]
FOUND: tuple[Found, ...] = ("solved", "damped", "exact hit", "by distance")
"""How weights were found, by the status of the kernel."""


@dataclass(frozen=True, eq=False)
class SplicedPart:
    """A part of the body and the samples it was combined from."""

    joints: tuple[str, ...]
    """Joints that move, in figure order."""
    goals: tuple[str, ...]
    levels: tuple[Level, ...]
    """How much of the body each goal recruits."""
    samples: IntArray
    """(samples,) indices in the database, nearest first; empty: the part follows its goals alone"""
    weights: Array
    """(samples,), which sum to 1"""
    found: Found | None
    """How the weights were found."""
    differences: Array
    """(samples, values): sample minus target; lengths are divided by the reach of the figure"""
    point_values: tuple[tuple[str, slice], ...] = ()
    """Goals about points, with their values."""

    @property
    def purpose(self) -> str:
        """The goals, with how much of the body each recruits."""
        pairs = zip(self.goals, self.levels, strict=True)
        return ", ".join(goal if level == "root" else f"{goal} ({level})" for goal, level in pairs)

    @property
    def misses(self) -> dict[str, float]:
        """For each goal about a point, its distance in the nearest sample, divided by the figure's reach."""
        return {
            goal: float(np.linalg.norm(self.differences[:, where], axis=1).min()) for goal, where in self.point_values
        }


@dataclass(frozen=True, eq=False)
class Splice:
    """A posture combined from samples."""

    q: Array
    """(dofs,)"""
    root: SplicedPart | None = None
    """Goals that place the root; dofs left open are taken from the samples nearest to all goals."""
    parts: tuple[SplicedPart, ...] = ()
    """The parts into which the other goals divide the body."""
    rest: int | None = None
    """The sample for joints that no goal recruits; None: they stay as in the start."""
    fallback: Literal["start"] | None = None
    """`start`: there was no sample, or no goal to compare samples by."""


class Splicer:
    """The goals of a problem, prepared for splicing; new targets need no preparation."""

    def __init__(
        self,
        lowered: LoweredProblem,
        postures: FigurePostures,
        start: Array,
        *,
        kept: npt.NDArray[np.bool_] | None = None,
        rest_from_start: bool = False,
        recruiting: Mapping[str, Recruit] | None = None,
    ) -> None:
        """Prepare.

        Args:
            lowered: the problem.
            postures: postures on the figure of the problem.
            start: `q` (dofs,), for dofs that no posture determines.
            kept: (dofs,) dofs that stay as in the start.
            rest_from_start: joints that no goal recruits stay as in the start, instead of following the posture
                nearest to all goals.
            recruiting: how much of the body serves a goal, by its label; default: as much as reaches its target.
        """
        figure = lowered.problem.figure
        self.figure: Figure = figure
        self._postures, self._start, self._recruiting = postures, np.array(start, dtype=np.float64), recruiting or {}
        self._scale, self._rest_from_start = 1.0 / reach(figure, None), rest_from_start
        self._kept = np.zeros(figure.n_dofs, dtype=bool) if kept is None else kept
        queries = site_queries(lowered)
        plain = [query for query in queries if query.term.partner is None and query.choice < 0]
        on_root = [query for query in plain if not reaching_chains(figure, query.site)]
        self._queries = tuple(query for query in queries if query not in on_root)
        self._root = RootGoals(figure, on_root)
        if self._kept[self._root.dofs].all():
            self._root = RootGoals(figure, [])
        self._start_frame = self._root.frame(self._start)
        nowhere = np.zeros(1, np.int32)
        self._here = Postures(figure, self._start[np.newaxis], (), nowhere, nowhere).on(figure)
        self._splits: dict[tuple[SiteQuery, ...], BodySplit] = {}
        if len(postures):
            sites = {site for query in queries for site in query.sites}
            postures.prepare([self._root.name, *sorted(sites)])

    def splice(self, targets: Array) -> Splice:
        """The posture for given targets (terms, TARGET_WIDTH) of the lowered problem."""
        q = self._start.copy()
        frame = self._root.wanted(self._start_frame, targets)
        floor, in_root = self._root.floor(frame), frame.of_targets(targets)
        split = self._split(in_root)
        columns = self._over_the_floor(split.queries, targets, in_root, floor, frame) if len(self._postures) else []
        if not columns:
            return Splice(q, fallback="start")
        nearest = self._nearest(columns)
        root, frame = self._placed(nearest, targets, floor, frame, q)
        in_root = frame.of_targets(targets)
        division = split.division(in_root)
        rest = None if self._rest_from_start else int(nearest.rows[0])
        if rest is not None:
            q[division.rest] = self._postures.q[rest, division.rest]
        parts = tuple([self._part(part, in_root, q) for part in division.parts])
        q[self._kept] = self._start[self._kept]
        return Splice(q, root, parts, rest)

    def _split(self, targets: Array) -> BodySplit:
        """The parts for the queries, with the alternative of each disjunction that is nearest to the start.

        Targets (terms, 9) are in the frame of the root.
        """
        cost: dict[tuple[int, int], float] = {}
        for query in self._queries:
            if query.choice >= 0:
                columns = query.columns(targets, self._here, self._scale)
                away = sum(float(np.sum((scale * (values - wanted)) ** 2)) for values, wanted, scale in columns)
                cost[query.choice, query.branch] = cost.get((query.choice, query.branch), 0.0) + away
        best = {choice: min((c, b) for (k, b), c in cost.items() if k == choice)[1] for choice, _ in cost}
        queries = tuple([query for query in self._queries if best.get(query.choice, query.branch) == query.branch])
        if queries not in self._splits:
            self._splits[queries] = BodySplit(self.figure, queries, self._here, self._recruiting)
        return self._splits[queries]

    def _over_the_floor(
        self, queries: Iterable[SiteQuery], targets: Array, in_root: Array, floor: RootFrame, frame: RootFrame
    ) -> list[QueryColumn]:
        """All targets, with points as they are over the floor, because the height of the root is not known yet."""
        postures, scale, found = self._postures, self._scale, []
        over_floor = floor.of_targets(targets)
        for query in queries:
            if query.is_place:
                found.append(QueryColumn(postures.places(query.site), over_floor[query.row, :3], scale))
            else:
                found += query.columns(in_root, postures, scale)
        if self._root.give_place:
            point = (frame.point - floor.point) @ floor.rotation
            found.append(QueryColumn(postures.places(self._root.name), point, scale))
        return found

    def _placed(
        self, nearest: Neighbours, targets: Array, floor: RootFrame, frame: RootFrame, q: Array
    ) -> tuple[SplicedPart | None, RootFrame]:
        """Write the root's dofs; return its samples and its frame.

        Goals never recruit the root (it would join all parts of the body), so it is placed first. If no goal determines
        its height and lean, they are blended from the postures nearest to all goals as seen from the floor. Its place
        on the floor and its heading stay as in the start.
        """
        root = self._root
        if self._kept[root.dofs].all():
            return None, frame
        weights, found, samples = np.zeros(0), None, Neighbours(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 0)))
        if not (root.give_place and root.give_turn):
            samples = nearest
            weights, found = self._blend(samples, np.array([root.index]), q)
            blended = root.frame(q)
            point, rotation = floor.rotation @ blended.point + floor.point, floor.rotation @ blended.rotation
            frame = root.wanted(RootFrame(point, rotation), targets)
        frame = root.put(frame, q)
        if not root.labels:
            return None, frame
        levels: tuple[Level, ...] = tuple("root" for _ in root.labels)
        rows, _, differences = samples
        return SplicedPart((root.name,), root.labels, levels, rows, weights, found, differences), frame

    def _part(self, part: BodyPart, targets: Array, q: Array) -> SplicedPart:
        """Write the joints of a part; targets (terms, 9) are in the frame of the root."""
        columns: list[QueryColumn] = []
        point_values = []
        n_values = 0
        for query in part.queries:
            own = query.columns(targets, self._postures, self._scale)
            columns += own
            first, n_values = n_values, n_values + sum(column.values.shape[1] for column in own)
            if query.is_point:
                point_values.append((query.goal.label, slice(first, n_values)))
        samples = self._nearest(columns)
        weights, found = self._blend(samples, part.joints, q)
        rows, _, differences = samples
        return SplicedPart(part.names, part.goals, part.levels, rows, weights, found, differences, tuple(point_values))

    def _nearest(self, columns: list[QueryColumn]) -> Neighbours:
        """The samples of a blend."""
        return self._postures.nearest(columns, sum([column.values.shape[1] for column in columns]) + 1 + _MORE)

    def _blend(self, samples: Neighbours, joints: IntArray, q: Array) -> tuple[Array, Found]:
        """Write some joints of `q` (dofs,), combined from samples; return the weights and how they were found."""
        rows, distances, differences = samples
        weights = np.empty(len(rows))
        sampled, tables = np.asarray(self._postures.q[rows]), self.figure.tables
        return weights, FOUND[kernels.splice(*tables, joints, differences, distances, sampled, weights, q)]
