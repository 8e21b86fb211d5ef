"""Problems lowered to the tables that kernels read: done once per problem, not per solve.

Costs are counted in the square of the figure's unit of length (`figures.reach.length_unit`), and slides in that unit,
so that figures of any size look alike to the searches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from posewright.checks import require
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.figures.reach import dof_units, length_unit, reach
from posewright.goals import Goal
from posewright.goals.term import LinearTerm, PostureTerm, PythonTerm, SiteTerm, Term, TermRef
from posewright.kernels import tables
from posewright.kernels.tables import ROWS_PER_TERM, Table
from posewright.problem.feasible import feasible_region
from posewright.problem.lowered_problem import LoweredProblem, PostureObjective
from posewright.problem.problem import LEVEL_WEIGHT, Problem
from posewright.problem.space import Space

DEFAULT_LENGTH_TOLERANCE = 1e-4
"""Of the reach of the chain."""
DEFAULT_ANGLE_TOLERANCE = float(np.radians(0.1))

_Kind = TypeVar("_Kind", SiteTerm, LinearTerm, PythonTerm, PostureTerm)


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
    unless there is nothing else: a relaxed posture is no reason to move more of the body.
    """
    found = [
        recruited_joints(figure, goal, terms)
        for goal, terms in zip(goals, goal_terms, strict=True)
        if not (isinstance(goal.joints, str) and any(isinstance(term, PostureTerm | LinearTerm) for term in terms))
    ]
    return frozenset[int]().union(*found) if found else frozenset(range(len(figure.joints)))
