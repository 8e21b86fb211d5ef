"""Problems lowered to the tables that kernels read: done once per problem, not per solve.

Costs are counted in the square of the figure's unit of length (`figures.reach.length_unit`), and slides in that unit,
so that figures of any size look alike to the searches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

import numpy as np

from posewright.checks import require
from posewright.conventions import Array, BoolArray, IntArray
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure
from posewright.figures.reach import dof_units, dofs_above, length_unit, reach
from posewright.goals import Goal
from posewright.goals.term import LinearTerm, Part, PostureTerm, PythonTerm, SiteTerm, Term, TermRef, Unit
from posewright.kernels import tables
from posewright.kernels.tables import ROWS_PER_TERM, Table
from posewright.problem.feasible import FeasibleRegion, feasible_region
from posewright.problem.problem import LEVEL_WEIGHT, Problem
from posewright.problem.space import Space

DEFAULT_LENGTH_TOLERANCE = 1e-4
"""Of the reach of the chain."""
DEFAULT_ANGLE_TOLERANCE = float(np.radians(0.1))

Address = str | tuple[str, Part | int]
"""A goal, by its label; with a part ("orientation") or the number of an alternative, that alone."""

_Kind = TypeVar("_Kind", SiteTerm, LinearTerm, PythonTerm, PostureTerm)


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

    @cached_property
    def tree_obstacles(self) -> frozenset[Obstacle]:
        """What keeps the problem from being solved by eliminating the tree of joints; where nothing does, it is."""
        in_world = all(term.site is not None and term.partner is None for term in self.site_terms)
        single = in_world and bool((self.terms["choice"] < 0).all())
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


def lower(problem: Problem, frames: Sequence[int] = ()) -> LoweredProblem:
    """The tables of a problem.

    Args:
        problem: over a space of poses, or of several frames that share their coordinates.
        frames: of several, which one each goal is about, in order.
    """
    require(problem, Problem, "what is solved", "a Problem, such as Problem(figure, goals)")
    figure, space = problem.figure, problem.space
    enabled = [(goal, own) for goal, own in zip(problem.goals, problem.branches, strict=True) if goal.enabled]
    goals, branches = tuple(goal for goal, _ in enabled), [own for _, own in enabled]
    level_of = {priority: i + 1 for i, priority in enumerate(sorted({goal.priority for goal in goals}))}
    goal_terms = tuple(tuple(term for branch in own for term in branch) for own in branches)
    sites, linear = _of_kind(goals, goal_terms, SiteTerm), _of_kind(goals, goal_terms, LinearTerm)
    python, postures = _of_kind(goals, goal_terms, PythonTerm), _of_kind(goals, goal_terms, PostureTerm)
    goal_sites, goal_rows = _slices(goals, goal_terms)
    refs = tuple(
        TermRef(k, term.part, i)
        for k, own in enumerate(branches)
        for i, branch in enumerate(own)
        for term in branch
        if isinstance(term, SiteTerm)
    )
    table = _lower_sites(figure, sites, refs, level_of)
    for frame, rows in zip(frames, goal_sites, strict=False):
        table["block"][rows] = frame
    levels = np.repeat(table["level"], ROWS_PER_TERM).tolist()
    levels += [level_of[goal.priority] for goal, term in linear for _ in range(term.rows)]
    levels += [level_of[goal.priority] for goal, term in python for _ in range(term.rows)]
    region = feasible_region(problem)
    joints, dofs = space.tables
    dofs = dofs.copy()
    units, unit = dof_units(figure), length_unit(figure)
    still = np.zeros(figure.n_dofs, np.bool_)
    for name in problem.frozen:
        still[figure.dofs_of(name)] = True
    balls = space.charted[0]
    still[balls[still[balls].any(axis=1)]] = True  # in a chart, the three numbers of a ball move each of the plain ones
    recruited = np.zeros(len(figure.joints), np.bool_)
    recruited[list(pooled_joints(figure, goals, goal_terms))] = True
    moving = recruited[dofs["joint"]] & (figure.rigidity < 1.0) & ~still & space.driven
    dofs["scale"] = np.where(moving, dofs["scale"] * units, 0.0)
    # A coordinate that drives one frozen dof is frozen for all that it drives.
    frozen = np.zeros(len(space.names), np.bool_)
    if still.any():
        frozen |= space.matrix[np.tile(still, space.n_frames)].any(axis=0)
    columns = space.columns
    if len(columns):  # constraints on one dof are limits too
        offset = space.offset[columns]
        dofs["lower"][columns], dofs["upper"][columns] = region.lower + offset, region.upper + offset
    across, wanted = _linear_rows(linear, units, figure.n_dofs)
    return LoweredProblem(
        problem=problem,
        goals=goals,
        goal_terms=goal_terms,
        goal_sites=goal_sites,
        goal_rows=goal_rows,
        refs=refs,
        joints=joints,
        dofs=dofs,
        terms=table,
        targets=np.array([term.target for _, term in sites]).reshape(-1, tables.TARGET_WIDTH),
        levels=np.array(levels, dtype=np.int64),
        linear=across,
        linear_target=wanted,
        posture_objective=_posture_objective(figure, postures, level_of),
        posture_level=min((level_of[goal.priority] for goal, _ in postures), default=1),
        n_levels=max(1, len(level_of)),
        python=tuple(
            (
                goal.label,
                term,
                float(np.sqrt(goal.weight)) / (unit if term.unit == "m" else 1.0),
                goal.tolerance or _default_tolerance(figure, term),
            )
            for goal, term in python
        ),
        region=region,
        scale=np.where(frozen, 0.0, _coordinate_scale(space, dofs["scale"])),
        frozen=frozen,
    )


def _default_tolerance(figure: Figure, term: PythonTerm) -> float:
    return DEFAULT_LENGTH_TOLERANCE * reach(figure, None) if term.unit == "m" else DEFAULT_ANGLE_TOLERANCE


def _posture_objective(
    figure: Figure, postures: list[tuple[Goal, PostureTerm]], level_of: dict[int, int]
) -> PostureObjective:
    """One at the last level; an earlier priority is a weight there."""
    weights = [goal.weight * LEVEL_WEIGHT ** (len(level_of) - level_of[goal.priority]) for goal, _ in postures]
    squares = dof_units(figure) ** 2
    parts = [(w * term.weights / squares, term.reference) for w, (_, term) in zip(weights, postures, strict=True)]
    return PostureObjective.of(parts, figure.n_dofs)


def _linear_rows(linear: list[tuple[Goal, LinearTerm]], units: Array, n_dofs: int) -> tuple[Array, Array]:
    """Rows (rows, dofs) and what they are to be (rows,)."""
    rows, wanted = np.zeros((0, n_dofs)), np.zeros(0)
    for goal, term in linear:
        slides = np.where(term.matrix != 0.0, units, 0.0).max(axis=1, initial=0.0)  # the unit of length, or 1
        turns = ((term.matrix != 0.0) & (units == 1.0)).any(axis=1)
        factor = np.sqrt(goal.weight) / np.where(turns | (slides == 0.0), 1.0, slides)
        rows = np.concatenate([rows, factor[:, None] * term.matrix])
        wanted = np.concatenate([wanted, factor * term.target])
    return rows, wanted


def _of_kind(
    goals: tuple[Goal, ...], goal_terms: tuple[tuple[Term, ...], ...], kind: type[_Kind]
) -> list[tuple[Goal, _Kind]]:
    """The terms of one kind, each with its goal."""
    pairs = zip(goals, goal_terms, strict=True)
    return [(goal, term) for goal, terms in pairs for term in terms if isinstance(term, kind)]


def _slices(
    goals: tuple[Goal, ...], goal_terms: tuple[tuple[Term, ...], ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Rows of each goal in the table of terms and in the residual: sites first, then linear rows, then Python's."""
    counts = [_counts(goal, terms) for goal, terms in zip(goals, goal_terms, strict=True)]
    n_sites, n_linear, _ = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    site, linear, python = 0, ROWS_PER_TERM * n_sites, ROWS_PER_TERM * n_sites + n_linear
    sites, rows = [], []
    for own, across, free in counts:
        sites.append(slice(site, site + own))
        if across:
            rows.append(slice(linear, linear + across))
        elif free:
            rows.append(slice(python, python + free))
        else:
            rows.append(slice(ROWS_PER_TERM * site, ROWS_PER_TERM * (site + own)))
        site, linear, python = site + own, linear + across, python + free
    return tuple(sites), tuple(rows)


def _counts(goal: Goal, terms: tuple[Term, ...]) -> tuple[int, int, int]:
    """How many terms about sites, linear rows and rows in Python a goal has."""
    if len({isinstance(term, SiteTerm) or type(term) for term in terms}) > 1:
        raise InvalidSetting(f"{goal} has terms of several kinds; make a goal of each")
    sites = sum(isinstance(term, SiteTerm) for term in terms)
    linear = sum(term.rows for term in terms if isinstance(term, LinearTerm))
    return sites, linear, sum(term.rows for term in terms if isinstance(term, PythonTerm))


def _lower_sites(
    figure: Figure, sites: list[tuple[Goal, SiteTerm]], refs: tuple[TermRef, ...], level_of: dict[int, int]
) -> Table:
    table, unit = np.zeros(len(sites), tables.TERM), length_unit(figure)
    choices = list(dict.fromkeys(ref.goal for ref in refs if ref.branch > 0))
    for index, ((goal, term), ref) in enumerate(zip(sites, refs, strict=True)):
        row = table[index]
        length = reach(figure, term.site)
        row["kind"], row["level"] = term.kind, level_of[goal.priority]
        row["choice"], row["branch"] = choices.index(ref.goal) if ref.goal in choices else -1, ref.branch
        row["weight"] = goal.weight * term.share / unit**2
        row["radius"] = length if term.radius is None else term.radius
        default = DEFAULT_LENGTH_TOLERANCE * length if term.unit == "m" else DEFAULT_ANGLE_TOLERANCE
        row["tolerance"] = default if goal.tolerance is None else goal.tolerance
        _lower_site(figure, term, row)
        _lower_partner(figure, term, row)
    return table


def _lower_site(figure: Figure, term: SiteTerm, row: np.void) -> None:
    if term.site is None:
        if not figure.tables.joints["mass"].sum() > 0.0:
            raise InvalidSetting(
                f"figure {figure.name!r} has no masses; a centre-of-mass goal needs some (`with_masses`)"
            )
        row["x_axis"], row["y_axis"] = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        return
    site = figure.site(term.site)
    row["joint"], row["point"] = figure.joint_index(site.joint), site.point
    row["x_axis"], row["y_axis"] = site.x_axis, site.y_axis
    if term.axis == "y":
        row["x_axis"] = site.y_axis
    elif not isinstance(term.axis, str):
        row["x_axis"] = term.axis


def _lower_partner(figure: Figure, term: SiteTerm, row: np.void) -> None:
    row["partner"] = -1
    if term.partner is None:
        return
    partner = figure.site(term.partner)
    row["partner"], row["partner_point"] = figure.joint_index(partner.joint), partner.point
    row["partner_x"], row["partner_y"] = partner.x_axis, partner.y_axis
    if term.axis == "y":
        row["partner_x"] = partner.y_axis


def _coordinate_scale(space: Space, dof_scale: Array) -> Array:
    """What a coordinate moves for an effort of one: as its dof does, or as the mean over the dofs that it drives."""
    if len(space.columns):
        return dof_scale[space.columns]
    units = np.tile(dof_units(space.figure), space.n_frames)
    squares = (space.matrix / units[:, None]) ** 2
    total = squares.sum(axis=0)
    moved = squares * ((np.tile(dof_scale, space.n_frames) / units) ** 2)[:, None]
    scale: Array = space.units * np.sqrt(moved.sum(axis=0) / np.maximum(total, 1e-300))
    return scale


def recruited_joints(figure: Figure, goal: Goal, terms: Sequence[Term]) -> frozenset[int]:
    """Indices of the joints that may serve a goal, which is made of these terms."""
    if not isinstance(goal.joints, str):
        return frozenset(figure.joint_index(name) for name in goal.joints)
    sites = [term.site for term in terms if isinstance(term, SiteTerm) and term.site is not None]
    if goal.joints == "whole" or not sites:
        return frozenset(range(len(figure.joints)))
    with_spine = goal.joints == "limb+spine"
    return frozenset[int]().union(*(figure.anatomy.limb_of(site, with_spine=with_spine) for site in sites))


def pooled_joints(figure: Figure, goals: Sequence[Goal], goal_terms: Sequence[tuple[Term, ...]]) -> frozenset[int]:
    """Indices of the joints that may serve any of the goals: all goals share them.

    Goals that are about no site and only approached (posture, smoothness) bring in the joints they name and no others,
    unless there is nothing else: to stay at ease is no reason to move more of the body.
    """
    found = [
        recruited_joints(figure, goal, terms)
        for goal, terms in zip(goals, goal_terms, strict=True)
        if not (isinstance(goal.joints, str) and any(isinstance(term, PostureTerm | LinearTerm) for term in terms))
    ]
    return frozenset[int]().union(*found) if found else frozenset(range(len(figure.joints)))
