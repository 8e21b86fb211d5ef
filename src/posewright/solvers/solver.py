"""What every solver is: frozen settings, and three ways to solve, all by way of `prepare`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting, shown
from posewright.figures import Pose
from posewright.goals.term import is_whole
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult
from posewright.solvers.prepared import ManyResults, Prepared


@dataclass(frozen=True, kw_only=True)
class Support:
    """What a solver honours exactly; beyond it, results carry a warning."""

    strict_levels: float = math.inf
    """How many priorities are strict; those beyond become weights, 100 per level."""
    shares_evenly: bool = True
    """Whether dofs that could serve alike move alike: the answer is one near the start."""


def check_counts(settings: object, **least: int) -> None:
    """Each setting named must be a whole number, at least the one given.

    Raises:
        InvalidSetting: one is not.
    """
    for name, low in least.items():
        value = getattr(settings, name)
        if not (is_whole(value) and low <= value < 2**63):
            what = f"at least {low}" if is_whole(value) and value < low else "a whole number below 2^63"
            raise InvalidSetting(f"{name} of {type(settings).__name__} is {value!r}; it must be {what}")


def check_numbers(settings: object, accepted: str, *names: str) -> None:
    """Each setting named must be a number; whether it is one that is accepted is for the caller to see.

    Raises:
        InvalidSetting: one is not.
    """
    for name in names:
        require_number(getattr(settings, name), f"{name} of {type(settings).__name__}", accepted)


def check_positive(settings: object, *names: str) -> None:
    """Each setting named must be a number, positive and finite.

    Raises:
        InvalidSetting: one is not.
    """
    check_numbers(settings, "positive and finite", *names)
    for name in names:
        if not 0.0 < getattr(settings, name) < math.inf:
            found = f"{name} of {type(settings).__name__} is {getattr(settings, name)}"
            raise InvalidSetting(f"{found}; it must be positive and finite")


def check_switches(settings: object, *names: str) -> None:
    """Each setting named must be on or off.

    Raises:
        InvalidSetting: one is neither.
    """
    for name in names:
        require(getattr(settings, name), bool | np.bool_, f"{name} of {type(settings).__name__}", "True or False")


def require_solver(solver: object) -> None:
    """Refuse what is no solver, such as the name or the class of one.

    Raises:
        InvalidSetting: it is something else.
    """
    if isinstance(solver, type) or not hasattr(solver, "prepare"):
        raise InvalidSetting(f"the solver is {shown(solver)}; it must be one with its settings, such as LeastSquares()")


class Solver(Protocol):
    """Settings that turn problems into results; nothing is kept between calls."""

    support: ClassVar[Support]

    def prepare(self, problem: Problem) -> Prepared:
        """The problem packed for repeated solves with other targets and starts."""

    def stopping_after(self, iterations: int) -> Self:
        """The same solver, allowed so many iterations."""

    def solve(self, problem: Problem, start: Pose | None = None) -> PoseResult:
        """The pose that meets the goals best, found from `start` (by default the rest pose)."""
        return self.prepare(problem).solve(start=start)

    def solve_many(
        self, problem: Problem, targets: Mapping[str, Array] | Array, starts: Pose | Array | None = None
    ) -> ManyResults:
        """Independent solves on all cores; `targets`, (solves, 3) by goal label, replace those of the problem."""
        return self.prepare(problem).solve_many(targets, starts)
