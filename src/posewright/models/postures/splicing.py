"""Parametric posture splicing (Li et al., section 4): a posture for some goals, put together from parts of samples.

The goals divide the body (`body_plan`); each part is combined from the postures that come nearest to what its goals
want (`value_blocks`), with weights that meet it as well as they can (`kernels.splicing`). A start, not an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.kernels.postures import splicing as kernels
from posewright.kernels.postures.splice_points import MORE
from posewright.models.postures.body_division import Level, chain_of
from posewright.models.postures.body_plan import BodyPlan, PlannedPart
from posewright.models.postures.figure_postures import PosturesOn
from posewright.models.postures.point_splicer import PointSplicer
from posewright.models.postures.root_guess import RootGoals, RootOf
from posewright.models.postures.sample_search import SampleSearch
from posewright.models.postures.site_query import Block, OnePosture, RootFrame, Want, wants_of
from posewright.models.postures.splice import FOUND, Columns, Splice, SplicedPart
from posewright.problem.lowering import LoweredProblem, reach


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
        self._scale, self._rest_from_start = 1.0 / reach(self.figure, None), rest_from_start
        self._kept = np.zeros(0, np.int64) if kept is None else np.flatnonzero(kept)
        self._root = RootOf(self.figure)
        self._root_stays = kept is not None and bool(kept[self._root.where].all())
        self._start_frame = self._root.frame(self._start)
        self._here = OnePosture(self.figure, self._start, self._root.name)
        wants = wants_of(lowered)
        sites = {name for want in wants for name in (want.site, want.partner) if name is not None}
        self._chains = {site: chain_of(self.figure, site) for site in sites}
        on_root = [w for w in wants if w.partner is None and w.choice < 0 and self._chains[w.site] is None]
        self._root_goals = RootGoals(self.figure, [] if self._root_stays else on_root)
        self._wants = tuple(want for want in wants if want not in on_root)
        self._has_choices = any(want.choice >= 0 for want in wants)
        self._plans: dict[tuple[int, ...], BodyPlan] = {}
        self._search = SampleSearch(postures)
        if len(postures):
            postures.prepare([self._root.name, *sorted(sites)])
            for want in wants:
                for values in want.plain_values(postures):
                    self._search.keep(values)
        self._points = self._point_splicer()

    def splice(self, targets: Array) -> Splice:
        """The posture for some targets (terms, TARGET_WIDTH), as of the lowered problem; they are kept."""
        if self._points is not None:
            return self._points.splice(targets)
        return self.step_by_step(targets)

    def step_by_step(self, targets: Array) -> Splice:
        """The same for goals of any kind and any number of postures."""
        q = self._start.copy()
        if not len(self._postures):
            return Splice(q, fallback="start")
        frame = self._root_goals.applied(self._start_frame, targets)
        plan = self._plan(targets, frame)
        points = targets[plan.rows, :3]
        blocks = self._over_the_floor(plan, points, targets, frame)
        if not blocks:
            return Splice(q, fallback="start")
        neighbours = _Neighbours.of(self._postures, self._search, blocks)
        root, frame = self._placed(neighbours, targets, frame, q)
        seen = frame.of_point(points)
        division = plan.division(seen, targets, frame)
        if len(division.rest) and not self._rest_from_start:
            q[division.rest] = self._postures.q[neighbours.samples[0], division.rest]
        parts = tuple([self._part(plan, part, seen, targets, frame, q) for part in division.parts])
        if len(self._kept):
            q[self._kept] = self._start[self._kept]
        rest = None if self._rest_from_start else int(neighbours.samples[0])
        return Splice(q, rest, make=lambda: (root, parts))

    def _point_splicer(self) -> PointSplicer | None:
        """What answers with one kernel call, where it can."""
        own = self._root_goals
        if self._root_stays or self._has_choices or not (self._wants or own.wants):
            return None
        if not (self._search.looks_at_all and len(self._postures) and self._root.is_free and own.says_place_only):
            return None
        plan = BodyPlan(self.figure, self._root.index, self._wants, self._chains, self._here)
        if not all(want.is_turn for want in plan.others):
            return None
        return PointSplicer(
            self._postures,
            plan,
            self._root,
            own,
            self._start,
            self._scale,
            kept=self._kept,
            rest_from_start=self._rest_from_start,
        )

    def _plan(self, targets: Array, frame: RootFrame) -> BodyPlan:
        """What is wanted, with the alternative of each disjunction that the start is nearest to."""
        wants = self._chosen(targets, frame) if self._has_choices else self._wants
        key = tuple([want.branch for want in wants]) if self._has_choices else ()
        if key not in self._plans:
            self._plans[key] = BodyPlan(self.figure, self._root.index, wants, self._chains, self._here)
        return self._plans[key]

    def _chosen(self, targets: Array, frame: RootFrame) -> tuple[Want, ...]:
        cost: dict[tuple[int, int], float] = {}
        for want in self._wants:
            blocks = want.blocks(targets[want.row], frame, self._here, self._scale)
            away = sum(float(np.sum((scale * (values - wanted)) ** 2)) for values, wanted, scale in blocks)
            cost[want.choice, want.branch] = cost.get((want.choice, want.branch), 0.0) + away
        best = {choice: min((c, b) for (k, b), c in cost.items() if k == choice)[1] for choice, _ in cost}
        return tuple(want for want in self._wants if want.choice < 0 or best[want.choice] == want.branch)

    def _over_the_floor(self, plan: BodyPlan, points: Array, targets: Array, frame: RootFrame) -> list[Block]:
        """All that is wanted, points as they are over the floor: the height of the root is not known yet."""
        names = [want.site for want in plan.points]
        if self._root_goals.says_place:
            names.append(self._root.name)
            points = np.concatenate([points, frame.point[np.newaxis]])
        wanted = self._root.floor(frame).of_point(points)
        found = self._search.points("places", names, wanted, self._scale)
        return found + self._other_blocks(plan.others, targets, frame)

    def _placed(
        self, neighbours: _Neighbours, targets: Array, frame: RootFrame, q: Array
    ) -> tuple[SplicedPart | None, RootFrame]:
        """Write the root's dofs; return what it was made of and where it is."""
        own, root = self._root_goals, self._root
        if self._root_stays:
            return None, frame
        from_samples = not (own.says_place and own.says_turn)
        if from_samples:
            floor = root.floor(frame)
            neighbours.blend(self.figure, root.member, q)
            blended = root.frame(q)
            point, rotation = floor.turn @ blended.point + floor.point, floor.turn @ blended.rotation
            frame = own.applied(RootFrame(point, rotation), targets)
        frame = root.put(frame, q)
        if not own.labels:
            return None, frame
        levels: tuple[Level, ...] = tuple("root" for _ in own.labels)
        if from_samples:
            return neighbours.part((root.name,), own.labels, levels), frame
        nothing = np.zeros(0)
        return SplicedPart(
            (root.name,), own.labels, levels, nothing.astype(np.int64), nothing, None, np.zeros((0, 0))
        ), frame

    def _part(
        self, plan: BodyPlan, part: PlannedPart, seen: Array, targets: Array, frame: RootFrame, q: Array
    ) -> SplicedPart:
        """Write the joints of a part."""
        names = [plan.points[k].site for k in part.points]
        blocks = self._search.points("values", names, seen[list(part.points)], self._scale)
        blocks += self._other_blocks(part.others, targets, frame)
        neighbours = _Neighbours.of(self._postures, self._search, blocks)
        neighbours.blend(self.figure, part.members, q)
        return neighbours.part(part.joints, part.goals, part.levels, part.columns)

    def _other_blocks(self, wants: Sequence[Want], targets: Array, frame: RootFrame) -> list[Block]:
        return [block for want in wants for block in want.blocks(targets[want.row], frame, self._postures, self._scale)]


@dataclass(eq=False, slots=True)
class _Neighbours:
    """The samples nearest to some values, and their weights."""

    samples: IntArray
    distances: Array
    away: Array
    q: Array
    weights: Array
    found: int = 0

    @classmethod
    def of(cls, postures: PosturesOn, search: SampleSearch, blocks: Sequence[Block]) -> _Neighbours:
        """Those of some values."""
        n_values = sum([block[1].shape[0] for block in blocks])
        samples, distances, away = search.nearest(blocks, n_values + 1 + MORE)
        return cls(samples, distances, away, np.array(postures.q[samples]), np.empty(len(samples)))

    def blend(self, figure: Figure, members: IntArray, q: Array) -> None:
        """Write some joints, combined from the samples."""
        joints, dofs = figure.tables
        self.found = kernels.splice(joints, dofs, members, self.away, self.distances, self.q, self.weights, q)

    def part(
        self, joints: tuple[str, ...], goals: tuple[str, ...], levels: tuple[Level, ...], columns: Columns = ()
    ) -> SplicedPart:
        """What was combined."""
        return SplicedPart(joints, goals, levels, self.samples, self.weights, FOUND[self.found], self.away, columns)
