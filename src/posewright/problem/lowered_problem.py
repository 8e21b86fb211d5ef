"""A lowered problem: the tables that kernels read, and which of their rows belong to which goal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import UnknownName
from posewright.figures.reach import dofs_above, length_unit
from posewright.goals import Goal
from posewright.goals.term import LinearTerm, Part, PostureTerm, PythonTerm, SiteTerm, Term, TermRef, Unit
from posewright.kernels.tables import ROWS_PER_TERM, Table
from posewright.problem.feasible import FeasibleRegion
from posewright.problem.problem import Problem
from posewright.problem.space import Space

Address = str | tuple[str, Part | int]
"""A goal, by its label; with a part ("orientation") or the number of an alternative, that alone."""


class Obstacle(StrEnum):
    """A reason to take dense steps instead of eliminating the tree of joints."""

    SPACE = "coordinates of the space that are not single dofs"
    GOALS = "goals that are not about single sites in the world"
    CONSTRAINTS = "linear constraints"
    PRIORITIES = "several priorities"


@dataclass(frozen=True, eq=False)
class LoweredProblem:
    """A problem as kernels see it."""

    problem: Problem
    goals: tuple[Goal, ...]
    """Those that are enabled, in the order of their terms in the tables."""
    goal_terms: tuple[tuple[Term, ...], ...]
    """What each goal is made of."""
    goal_sites: tuple[slice, ...]
    """Rows of each goal in `terms` and `targets`; empty for goals that are not about sites."""
    goal_rows: tuple[slice, ...]
    """Rows of each goal in the residual; empty for posture goals, which `posture_objective` holds together."""
    refs: tuple[TermRef, ...]
    """The goal of each row of `terms`."""
    joints: Table
    dofs: Table
    """A dof that nothing may move has scale 0; the scale of the others is 1 - rigidity, of slides times the unit of
    length."""
    terms: Table
    """Weights are over the square of the unit of length."""
    targets: Array
    """(terms, TARGET_WIDTH)"""
    levels: IntArray
    """(rows,): the priority of each row, counted from 1 without gaps."""
    linear: Array
    """(linear rows, dofs), scaled by the root of the weight, and over the unit of length where rows only slide"""
    linear_target: Array
    posture_objective: PostureObjective
    """Of all posture goals. It is served at the last level; those that asked for an earlier one weigh more for it."""
    posture_level: int
    """The first that a posture goal asked for."""
    n_levels: int
    """How many priorities there are."""
    python: tuple[tuple[str, PythonTerm, float, float], ...]
    """Label, term, root of the weight (of metres, over the unit of length), tolerance."""
    region: FeasibleRegion
    scale: Array
    """(coordinates,): 1 - rigidity, times the unit of those that only slide; 0 for a frozen one"""
    frozen: BoolArray
    """(coordinates,): those that drive a dof which the problem freezes."""

    @property
    def length_unit(self) -> float:
        """What lengths are counted in (m)."""
        return length_unit(self.problem.figure)

    def in_chart(self, space: Space) -> LoweredProblem:
        """The same problem; its space, but for the chart of the same balls, is the one given."""
        return replace(self, problem=self.problem.in_chart(space), joints=space.tables.joints)

    def feasible(self, q: Array) -> Array:
        """Coordinates of a pose `q` of the plain figure, moved to the nearest that keeps the constraints.

        Raises:
            Infeasible: there is none in which frozen dofs are as in `q`, within their limits.
        """
        return self.region.projected(self.problem.space.encode(q), held=self.frozen)

    def parts_of(self, rows: Iterable[int]) -> dict[Part, list[int]]:
        """Rows of the tables by what they are about."""
        found: dict[Part, list[int]] = {}
        for row in rows:
            found.setdefault(self.refs[row].part, []).append(row)
        return found

    @cached_property
    def site_terms(self) -> tuple[SiteTerm, ...]:
        """What each row of `terms` was lowered from."""
        return tuple(term for terms in self.goal_terms for term in terms if isinstance(term, SiteTerm))

    @property
    def units(self) -> tuple[Unit, ...]:
        """Of the error of each term."""
        return tuple(term.unit for term in self.site_terms)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Of each goal in arrays over time: its rows of `terms`; those of goals in Python, one per term, are behind."""
        found, end = [], len(self.terms)
        for terms, own in zip(self.goal_terms, self.goal_sites, strict=True):
            n = sum(isinstance(term, PythonTerm) for term in terms)
            found.append(slice(end, end + n) if n else own)
            end += n
        return tuple(found)

    @property
    def python_levels(self) -> list[int]:
        """The priority of each term in Python, from 1."""
        first = ROWS_PER_TERM * len(self.terms) + len(self.linear)
        firsts = first + np.cumsum([0, *(term.rows for _, term, _, _ in self.python)])[:-1]
        levels: list[int] = self.levels[firsts].tolist()
        return levels

    @cached_property
    def _site_rows(self) -> dict[str, range]:
        """Rows of `terms` by the label of goals about sites."""
        slices = zip(self.goals, self.goal_sites, strict=True)
        return {goal.label: range(own.start, own.stop) for goal, own in slices if own.stop > own.start}

    def rows_at(self, address: Address) -> list[int]:
        """Rows of `terms` of a goal, of one of its parts, or of one of its alternatives (by default the first).

        Raises:
            UnknownName: there is no such goal about a site, or it has no such part or alternative.
        """
        label, which = (address, 0) if isinstance(address, str) else address
        if label not in self._site_rows:
            raise UnknownName("goal", label, self._site_rows, where="the problem")
        names = {row: (self.refs[row].part, self.refs[row].branch) for row in self._site_rows[label]}
        found = [row for row, own in names.items() if which in own]
        if not found:
            known = sorted({str(name) for own in names.values() for name in own})
            raise UnknownName("part", str(which), known, where=f"goal {label!r}")
        return found

    @cached_property
    def point_rows(self) -> dict[Address, int]:
        """The row of each goal whose target has a point in the world."""
        rows = {label: (own[0], self.site_terms[own[0]]) for label, own in self._site_rows.items()}
        return {label: row for label, (row, term) in rows.items() if term.partner is None and "point" in term.takes}

    @property
    def posture(self) -> Array:
        """(dofs,): weight of the squared distance to the reference."""
        return self.posture_objective.weights

    @cached_property
    def soft_terms(self) -> tuple[tuple[str, LinearTerm | PostureTerm], ...]:
        """The terms that are only approached, of goals with a weight, and what these are called."""
        return tuple(
            (goal.label, term)
            for goal, terms in zip(self.goals, self.goal_terms, strict=True)
            if goal.weight > 0.0
            for term in terms
            if isinstance(term, LinearTerm) or (isinstance(term, PostureTerm) and term.weights.any())
        )

    @property
    def has_soft_terms(self) -> bool:
        """Whether something is to be minimised to the end, beyond any tolerance."""
        return bool(self.posture.any() or len(self.linear))

    @property
    def has_alternatives(self) -> bool:
        """Whether some goal is a choice (`AnyOf`, `Outside`)."""
        return bool((self.terms["choice"] >= 0).any())

    @cached_property
    def tree_obstacles(self) -> frozenset[Obstacle]:
        """What keeps the problem from being solved by eliminating the tree of joints; where nothing does, it is."""
        in_world = all(term.site is not None and term.partner is None for term in self.site_terms)
        single = in_world and not self.has_alternatives
        found = {
            Obstacle.SPACE: not self.problem.space.selects_dofs,
            Obstacle.GOALS: not single or len(self.linear) > 0 or len(self.python) > 0,
            Obstacle.CONSTRAINTS: len(self.region.A) > 0,
            Obstacle.PRIORITIES: self.n_levels > 1,
        }
        return frozenset(obstacle for obstacle, is_met in found.items() if is_met)

    @cached_property
    def moving(self) -> BoolArray:
        """Which coordinates (coordinates,) nothing freezes: neither rigidity nor equal limits nor the goals' joints."""
        moving: BoolArray = (self.scale > 0.0) & (self.region.lower < self.region.upper)
        return moving

    @cached_property
    def useful(self) -> BoolArray:
        """Which coordinates (coordinates,) change what a goal sees, or share a linear constraint with others."""
        seen = np.zeros(len(self.dofs), np.bool_)
        for k in range(len(self.goals)):
            seen |= self._dofs_of(k)
        space = self.problem.space
        return np.asarray(space.matrix[np.tile(seen, space.n_frames)].any(axis=0) | self.region.A.any(axis=0))

    @cached_property
    def movable_goals(self) -> BoolArray:
        """Which of the goals some moving coordinate can change (goals,)."""
        space, moving = self.problem.space, self.moving
        driven = space.driven
        if not moving.all():
            driven = np.asarray(space.matrix[:, moving].any(axis=1).reshape(space.n_frames, -1).any(axis=0))
        return np.array([bool((driven & self._dofs_of(k)).any()) for k in range(len(self.goals))], np.bool_)

    @property
    def has_work(self) -> bool:
        """Whether some goal with a weight can be changed; otherwise the start is the answer."""
        return any(goal.weight > 0.0 and can for goal, can in zip(self.goals, self.movable_goals, strict=True))

    def _dofs_of(self, k: int) -> BoolArray:
        """The dofs (dofs,) that a goal depends on."""
        found = np.zeros(len(self.dofs), np.bool_)
        for term in self.goal_terms[k]:
            if isinstance(term, LinearTerm):
                found |= term.matrix.any(axis=0)
            elif isinstance(term, PostureTerm):
                found |= term.weights > 0.0
            elif isinstance(term, PythonTerm) or term.site is None:  # the centre of mass depends on every joint
                found[:] = True
        above, rows = dofs_above(self.problem.figure), self.terms[self.goal_sites[k]]
        for end in {*rows["joint"].tolist(), *rows["partner"].tolist()} - {-1}:
            found |= above[end]
        return found


@dataclass(frozen=True, eq=False)
class PostureObjective:
    """What posture goals ask for together: weights, and a reference `fixed + from_start · start`.

    Each costs Σ w (q - r)² over the dofs, each in its unit. Their sum is, but for a constant, that of one goal with the
    weights W = Σ w and the reference Σ w r / W; where some refer to the start of a solve, the reference is an affine
    function of it.
    """

    weights: Array
    """(dofs,)"""
    fixed: Array
    """(dofs,), of the plain figure"""
    from_start: Array
    """(dofs,): the share of the start in the reference, 0 to 1."""

    @classmethod
    def of(cls, goals: Sequence[tuple[Array, Array | None]], n_dofs: int) -> PostureObjective:
        """Of goals, each with weights (dofs,) and a reference (dofs,), None if it is the start."""
        weights, fixed, from_start = np.zeros(n_dofs), np.zeros(n_dofs), np.zeros(n_dofs)
        for own, reference in goals:
            weights += own
            share = np.divide(own, weights, out=np.zeros(n_dofs), where=weights > 0.0)  # running mean: exact for one
            from_start *= 1.0 - share
            fixed *= 1.0 - share
            if reference is None:
                from_start += share
            else:
                fixed += share * reference
        from_start[weights == 0.0] = 1.0
        return cls(weights, fixed, from_start)

    def reference(self, start: Array) -> Array:
        """(..., dofs), for a start (..., dofs) of the plain figure."""
        found: Array = self.fixed + self.from_start * start
        return found
