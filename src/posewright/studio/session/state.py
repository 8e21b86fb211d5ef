"""The state: everything that is edited, as one immutable value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from posewright.checks import read_only
from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure, Pose, Site
from posewright.goals import Goal
from posewright.problem import Problem


@dataclass(frozen=True, eq=False)
class State:
    """A figure in a pose, and what is asked of it. A change is a new state; what did not change is shared."""

    figure: Figure
    """With the sites that were made by clicking on the body."""
    q: Array
    """(dofs,), read-only: the pose"""
    goals: tuple[Goal, ...] = ()
    floor: float = 0.0
    """m, height of the floor"""
    made_sites: frozenset[str] = frozenset()
    """Sites made by clicking; one that no goal needs any more goes with its last goal."""

    @cached_property
    def pose(self) -> Pose:
        """The pose."""
        return Pose(self.figure, self.q)

    @cached_property
    def problem(self) -> Problem:
        """What is asked. Building it checks goals against figure and one another."""
        return Problem(self.figure, self.goals)

    def goal(self, name: str) -> Goal:
        """The goal of that name.

        Raises:
            UnknownName: there is none.
        """
        for goal in self.goals:
            if goal.label == name:
                return goal
        raise UnknownName("goal", name, [goal.label for goal in self.goals], where="the session")

    def with_pose(self, q: Array) -> State:
        """The same question with another pose."""
        if q.shape != self.q.shape or not np.isfinite(q).all():
            raise InvalidSetting(f"a pose has shape {q.shape}; it must be {self.q.shape} finite numbers")
        return replace(self, q=read_only(np.array(q)))

    def with_goal(self, goal: Goal) -> State:
        """One goal more."""
        return replace(self, goals=(*self.goals, goal)).checked()

    def replacing(self, name: str, goal: Goal) -> State:
        """A goal in place of the one of that name."""
        self.goal(name)
        return replace(self, goals=tuple(goal if old.label == name else old for old in self.goals)).checked()

    def without_goal(self, name: str) -> State:
        """One goal less, and its site if it was made by a click and nothing else needs it."""
        gone = self.goal(name)
        left = replace(self, goals=tuple(goal for goal in self.goals if goal is not gone))
        site = getattr(gone, "site", "")
        if site not in self.made_sites:
            return left
        sites = tuple(one for one in self.figure.sites if one.name != site)
        try:
            return replace(
                left, figure=replace(self.figure, sites=sites), made_sites=self.made_sites - {site}
            ).checked()
        except UnknownName:  # another goal is about it
            return left

    def with_site(self, site: Site) -> State:
        """One site more, made by a click."""
        return replace(self, figure=self.figure.with_sites(site), made_sites=self.made_sites | {site.name})

    def checked(self) -> State:
        """This state, if its goals fit its figure and one another; else an error that says what does not."""
        _ = self.problem
        return self
