"""Posture goals: stay near a reference pose; and smoothness along a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from posewright.checks import must_be, require, require_list, require_number
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.goals.fields import Role
from posewright.goals.goal import Goal
from posewright.goals.term import LinearTerm, PostureTerm, Term


def _pose(value: Pose, what: str) -> Pose:
    require(value, Pose, what, "a Pose, or None for where the solve starts")
    return value


def _weights(values: Mapping[str, float], what: str) -> Mapping[str, float]:
    require(values, Mapping, what, "numbers by joint or dof")
    for name, weight in values.items():
        require_number(weight, f"{what}, {name!r},", at_least=0.0)
    return values


def _chain(values: Sequence[str], what: str) -> tuple[str, ...]:
    require_list(values, what, "joints", str)
    if len(values) < 2:
        raise InvalidSetting(must_be(what, "at least two joints", list(values)))
    return tuple(values)


@dataclass(frozen=True)
class Posture(Goal):
    """Keep every dof near its value in a reference pose. It has no tolerance, so it never counts as missed.

    Solvers with strict priorities serve it with the last priority (`Prioritized`: after the last), and warn if the goal
    has an earlier one.
    """

    reference: Annotated[Pose, Role("pose", _pose)] | None = None
    """The reference pose; None: the start of the solve."""
    weights: Annotated[Mapping[str, float], Role("weights", _weights)] = field(default_factory=dict)
    """Weights of the squared differences, by joint or dof name; the default is 1, and 0 leaves a dof free. A radian
    counts as the figure's unit of length: 1 m for people, in general the power of ten nearest to its reach."""

    error_unit = None

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or "posture"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One squared difference per dof."""
        weights = figure.values_by_name(self.weights, default=1.0)
        if self.reference is not None and self.reference.figure.dof_names != figure.dof_names:
            raise InvalidSetting(f"the reference of {self} is a pose of another figure, {self.reference.figure.name!r}")
        return (PostureTerm(weights, None if self.reference is None else self.reference.q),)


@dataclass(frozen=True)
class Smoothness(Goal):
    """Turn neighbouring joints of a chain alike (Courty & Arnaud 2008, section 5). It has no tolerance.

    For balls it compares rotation vectors, in the chart of the space if there is one.
    """

    chain: Annotated[tuple[str, ...], Role("joints", _chain)]
    """Names of the joints in order; all must have the same kinds of dofs."""

    error_unit = None

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or f"smoothness of {self.chain[0]}"

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """One difference per pair of neighbours and dof."""
        rows = []
        for upper, lower in zip(self.chain, self.chain[1:], strict=False):
            a, b = figure.dof_slice(upper), figure.dof_slice(lower)
            if figure.joint(upper).labels != figure.joint(lower).labels:
                raise InvalidSetting(f"{self}: joints {upper!r} and {lower!r} do not turn in the same way")
            if upper == lower:
                raise InvalidSetting(f"{self}: joint {upper!r} is named twice in a row")
            for k in range(b.stop - b.start):
                row = np.zeros(figure.n_dofs)
                row[a.start + k], row[b.start + k] = 1.0, -1.0
                rows.append(row)
        if not rows:
            raise InvalidSetting(f"{self}: its joints have no dofs")
        return (LinearTerm(np.array(rows), np.zeros(len(rows))),)
