"""Commands about points on the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from posewright.figures import Site
from posewright.goals import Position
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.names import numbered, segment_names
from posewright.studio.session.state import State


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
        site = Site(name=self.site_name(state), joint=self.joint, point=self.point)
        state = state.with_site(site)
        return state.with_goal(Position(site.name, tuple(state.pose.point(site.name).tolist()), priority=2))

    def site_name(self, state: State) -> str:
        """What the site will be called."""
        figure = state.figure
        segment = segment_names(figure)[figure.joint_index(self.joint)]
        return numbered(segment, {*figure.site_names, *figure.joint_names, *(goal.label for goal in state.goals)})

    @property
    def says(self) -> str:
        """In a few words."""
        return "add a goal"
