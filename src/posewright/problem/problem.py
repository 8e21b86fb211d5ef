"""Problems: a space to search, goals to meet and constraints that must hold. Problems are immutable values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace

from posewright.checks import require, require_list
from posewright.constraints import LinearConstraint, require_distinct
from posewright.errors import InvalidSetting, UnknownName, shown
from posewright.figures import Figure, Pose
from posewright.goals import Goal
from posewright.goals.term import SiteTerm, Term
from posewright.problem.space import Space

LEVEL_WEIGHT = 100.0
"""Factor between the weights of successive priorities, if a solver turns priorities into weights."""
Predicate = Callable[[Pose], bool]
"""A yes/no test of a pose. Solvers that cannot enforce it check their answer and warn."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Problem:
    """A problem: goals for one pose, with constraints that must hold."""

    space: Space
    """Poses to search."""
    goals: tuple[Goal, ...]
    """Goals to meet."""
    constraints: tuple[LinearConstraint, ...]
    """Constraints that must hold, in addition to the limits and constraints of the figure."""
    frozen: tuple[str, ...]
    """Joints or dofs that stay as in the start; every coordinate of the space that drives one of them is frozen too."""
    predicates: tuple[Predicate, ...]
    """Yes/no tests that the pose must pass."""
    branches: tuple[tuple[tuple[Term, ...], ...], ...]
    """For each goal, the terms of each of its alternatives."""

    def __init__(
        self,
        space: Space | Figure,
        goals: Sequence[Goal] = (),
        *,
        constraints: Sequence[LinearConstraint] = (),
        frozen: Sequence[str] = (),
        predicates: Sequence[Predicate] = (),
    ) -> None:
        require(space, Space | Figure, "what a problem is about", "a figure or a space")
        object.__setattr__(self, "space", Space.of(space) if isinstance(space, Figure) else space)
        require_list(goals, "goals of a problem", "goals")
        require_list(constraints, "constraints of a problem", "LinearConstraints")
        require_list(frozen, "frozen of a problem", "joints or dofs")
        require_list(predicates, "predicates of a problem", "functions of a Pose")
        object.__setattr__(self, "goals", tuple(goals))
        for goal in self.goals:
            require(goal, Goal, "a goal", "one of the kinds of goals, such as Position")
        object.__setattr__(self, "constraints", tuple(constraints))
        object.__setattr__(self, "frozen", tuple(frozen))
        object.__setattr__(self, "predicates", tuple(predicates))
        for predicate in self.predicates:
            if not callable(predicate):
                raise InvalidSetting(f"a predicate is {shown(predicate)}; it must be a function of a Pose")
        labels = [goal.label for goal in self.goals]
        for label in labels:
            if labels.count(label) > 1:
                raise InvalidSetting(f"two goals are called {label!r}; give one of them another name")
        object.__setattr__(self, "branches", tuple(goal.branches(self.figure) for goal in self.goals))
        for branch in (branch for own in self.branches for branch in own):
            for term in branch:
                if isinstance(term, SiteTerm):
                    for site in filter(None, (term.site, term.partner)):
                        self.figure.site(site)  # its error suggests the nearest name
        for constraint in self.constraints:
            require(constraint, LinearConstraint, "a constraint", "a LinearConstraint; polygon returns several")
            for dof, _ in constraint.coefficients:
                self.figure.dof_index(dof)
        require_distinct(self.constraints, self.figure.constraints)
        for name in self.frozen:
            self.figure.dofs_of(name)

    def __repr__(self) -> str:
        goals = ", ".join(goal.label for goal in self.goals) or "none"
        return f"<Problem: figure {self.figure.name}, {len(self.space.names)} coordinates, goals {goals}>"

    @property
    def figure(self) -> Figure:
        """The figure to pose."""
        return self.space.figure

    def with_goal(self, goal: Goal) -> Problem:
        """A copy of the problem with a goal added."""
        return self._with_goals((*self.goals, goal))

    def without(self, label: str) -> Problem:
        """A copy of the problem without the goal with this label."""
        self._require(label)
        return self._with_goals([goal for goal in self.goals if goal.label != label])

    def replacing(self, goal: Goal) -> Problem:
        """A copy of the problem in which `goal` replaces the goal with the same label."""
        require(goal, Goal, "a goal", "one of the kinds of goals, such as Position")
        self._require(goal.label)
        return self._with_goals([goal if old.label == goal.label else old for old in self.goals])

    def with_priorities_as_weights(self, strict: int) -> tuple[Problem, tuple[str, ...]]:
        """A copy with at most `strict` priorities; further ones become weights, divided by 100 per level.

        Goals stay in order, so targets fit both problems.

        Returns:
            The problem, and a warning if priorities became weights.
        """
        priorities = sorted({goal.priority for goal in self.goals if goal.enabled})
        if len(priorities) <= strict:
            return self, ()
        goals = []
        for goal in self.goals:
            level = 1 + sum(priority < goal.priority for priority in priorities)
            weight = goal.weight * LEVEL_WEIGHT ** -max(0, level - strict)
            goals.append(replace(goal, weight=weight, priority=min(level, strict)))
        which = "priorities" if strict == 1 else "priorities beyond the second"
        return self._with_goals(goals), (f"{which} became weights, 100 per level",)

    def in_chart(self, space: Space) -> Problem:
        """A copy of the problem with another space, which may differ from its own only in the chart."""
        found = copy(self)
        object.__setattr__(found, "space", space)
        return found

    def _with_goals(self, goals: Sequence[Goal]) -> Problem:
        return Problem(self.space, goals, constraints=self.constraints, frozen=self.frozen, predicates=self.predicates)

    def _require(self, label: str) -> None:
        labels = [goal.label for goal in self.goals]
        if label not in labels:
            raise UnknownName("goal", label, labels, where="the problem")
