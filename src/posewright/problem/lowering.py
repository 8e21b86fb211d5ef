"""Problems lowered to the tables that kernels read: done once per problem, not per solve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from posewright.conventions import Array
from posewright.figure import Figure
from posewright.goals.goal import Goal, SiteTerm
from posewright.kernels import tables
from posewright.kernels.tables import Table
from posewright.problem.problem import Problem

DEFAULT_LENGTH_TOLERANCE = 1e-4
"""Of the reach of the chain."""
DEFAULT_ANGLE_TOLERANCE = np.radians(0.1)


@dataclass(frozen=True, eq=False)
class LoweredProblem:
    """A problem as kernels see it."""

    problem: Problem
    joints: Table
    dofs: Table
    """A dof that the space does not move has scale 0."""
    goals: Table
    """A row per term of each enabled goal."""
    targets: Array
    """(terms, TARGET_WIDTH)"""
    labels: tuple[str, ...]
    """Of each term; the second of a goal with two has `.turn` added."""
    units: tuple[Literal["m", "rad"], ...]

    @cached_property
    def rows(self) -> dict[str, int]:
        """Position of each label in `targets`."""
        return {label: row for row, label in enumerate(self.labels)}


def lower(problem: Problem) -> LoweredProblem:
    """The tables of a problem."""
    figure = problem.figure
    terms = [(goal, term) for goal in problem.goals if goal.enabled for term in goal.terms()]
    table = np.zeros(len(terms), tables.GOAL)
    targets = np.zeros((len(terms), tables.TARGET_WIDTH))
    labels: list[str] = []
    for row, target, (goal, term) in zip(table, targets, terms, strict=True):
        _lower_term(figure, goal, term, row)
        target[:] = term.target
        labels.append(goal.label if goal.label not in labels else f"{goal.label}.turn")
    joints, dofs = problem.space.tables
    dofs = dofs.copy()
    dofs["scale"][~problem.space.matrix.any(axis=1)] = 0.0
    return LoweredProblem(problem, joints, dofs, table, targets, tuple(labels), tuple(term.unit for _, term in terms))


def reach(figure: Figure, site: str) -> float:
    """Length of the chain from the root to a site (m); of a root's own sites, the figure's largest such length."""
    place = figure.site(site)
    length = float(np.linalg.norm(place.point))
    for index in figure.ancestors(place.joint):
        if figure.parents[index] >= 0:
            length += float(np.linalg.norm(figure.joints[index].offset))
    if length > 1e-6:
        return length
    others = [float(np.linalg.norm(joint.offset)) for joint in figure.joints if joint.parent is not None]
    return sum(others) or 1.0


def _lower_term(figure: Figure, goal: Goal, term: SiteTerm, row: np.void) -> None:
    site = figure.site(term.site)
    length = reach(figure, term.site)
    row["kind"], row["joint"], row["point"] = term.kind, figure.joint_index(site.joint), site.point
    row["x_axis"], row["y_axis"] = site.x_axis, site.y_axis
    row["weight"] = goal.weight
    row["radius"] = length if term.radius is None else term.radius
    default = DEFAULT_LENGTH_TOLERANCE * length if term.unit == "m" else DEFAULT_ANGLE_TOLERANCE
    row["tolerance"] = default if goal.tolerance is None else goal.tolerance
