"""Commands about points on the body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.figures import Site
from posewright.goals import Position
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.goals.making import OF_THE_BODY, first_goal
from posewright.studio.session.names import free_name, numbered, segment_names
from posewright.studio.session.state import State
from posewright.studio.session.symmetry import with_partner


@dataclass(frozen=True, kw_only=True)
class PickPoint(Command):
    """A click on the body: a site there, such as `left_forearm.1`, and a goal that it stays where it is."""

    kind: Literal["pick_point"] = "pick_point"
    joint: Name
    """Whose segment was clicked."""
    point: Point
    """m, in the joint's frame"""

    solves = False

    def apply(self, state: State) -> State:
        """The site is where its goal wants it, so that nothing moves."""
        site = Site(name=site_name(state, self.joint), joint=self.joint, point=self.point)
        state = state.with_site(site)
        return state.with_goal(Position(site.name, tuple(state.pose.point(site.name).tolist()), priority=2))

    @property
    def says(self) -> str:
        """In a few words."""
        return "add a goal"


@dataclass(frozen=True, kw_only=True)
class NewGoal(Command):
    """A goal of any kind, as it is first: about a point of the body, or about a site that there is."""

    kind: Literal["new_goal"] = "new_goal"
    goal_kind: Name
    """As in task files: `aim`."""
    at: Name
    """A site, or the joint whose segment was clicked."""
    point: Point | None = None
    """m, in the joint's frame: where it was clicked; None: `at` itself"""
    priority: Annotated[int, Field(ge=1)] = 2

    def apply(self, state: State) -> State:
        """The goal gets a name of its own where its site has a goal already."""
        site = self.at
        if self.point is not None and self.goal_kind not in OF_THE_BODY:
            site = site_name(state, self.at)
            state = state.with_site(Site(name=site, joint=self.at, point=self.point))
        goal = first_goal(self.goal_kind, site, state, priority=self.priority)
        taken = [one.label for one in state.goals]
        return state.with_goal(replace(goal, name=free_name(goal.label, taken)) if goal.label in taken else goal)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"add {self.goal_kind.replace('_', ' ')}"


@dataclass(frozen=True, kw_only=True)
class MirrorGoal(Command):
    """A goal for the other side of a goal's site, unless there is one: what live symmetry moves along."""

    kind: Literal["mirror_goal"] = "mirror_goal"
    name: Name

    solves = False

    def apply(self, state: State) -> State:
        """The other side's site is wanted where it is, so that nothing moves."""
        return with_partner(state, self.name)[0]

    @property
    def says(self) -> str:
        """In a few words."""
        return f"mirror {self.name}"


def site_name(state: State, joint: str) -> str:
    """What a site made by clicking on a joint's segment will be called."""
    figure = state.figure
    segment = segment_names(figure)[figure.joint_index(joint)]
    return numbered(segment, {*figure.site_names, *figure.joint_names, *(goal.label for goal in state.goals)})
