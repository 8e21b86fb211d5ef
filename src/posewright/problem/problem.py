"""Problems: a space to search, goals to meet there. Values: a change is a new problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from posewright.errors import InvalidSetting, UnknownName
from posewright.figure import Figure
from posewright.goals import Goal
from posewright.problem.space import Space


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """A question about one pose."""

    space: Space
    goals: tuple[Goal, ...]

    def __init__(self, space: Space | Figure, goals: Sequence[Goal] = ()) -> None:
        object.__setattr__(self, "space", Space.of(space) if isinstance(space, Figure) else space)
        object.__setattr__(self, "goals", tuple(goals))
        labels = [goal.label for goal in self.goals]
        for label in labels:
            if labels.count(label) > 1:
                raise InvalidSetting(f"two goals are called {label!r}; give one of them another name")
        for goal in self.goals:
            for term in goal.terms():
                self.space.figure.site(term.site)

    @property
    def figure(self) -> Figure:
        """What is posed."""
        return self.space.figure

    def with_goal(self, goal: Goal) -> Problem:
        """One goal more."""
        return Problem(self.space, (*self.goals, goal))

    def without(self, label: str) -> Problem:
        """One goal less."""
        self._require(label)
        return Problem(self.space, [goal for goal in self.goals if goal.label != label])

    def replacing(self, goal: Goal) -> Problem:
        """The same problem with this goal in place of the one of its name."""
        self._require(goal.label)
        return Problem(self.space, [goal if old.label == goal.label else old for old in self.goals])

    def _require(self, label: str) -> None:
        labels = [goal.label for goal in self.goals]
        if label not in labels:
            raise UnknownName("goal", label, labels, where="the problem")
