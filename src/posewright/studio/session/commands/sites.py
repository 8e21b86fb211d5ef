"""Commands about points on the body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from posewright.errors import InvalidSetting
from posewright.figures import Site
from posewright.figures.vectors import vector
from posewright.goals import Position
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.goals.making import OF_THE_BODY, first_goal
from posewright.studio.session.goals.places import can_move, moved
from posewright.studio.session.names import free_name, numbered, renamed, segment_names
from posewright.studio.session.state import State
from posewright.studio.session.symmetry import with_partner


@dataclass(frozen=True, kw_only=True)
class PickPoint(Command):
    """A click on the body: a site there, such as `left_forearm.1`, and a goal that it stays where it is."""

    kind: Literal["pick_point"] = "pick_point"
    words = "add a goal"
    joint: Name
    """Whose segment was clicked."""
    point: Point
    """m, in the joint's frame"""
    target: Point | None = None
    """m: where it is wanted, if another pose than that of the session was clicked; None: where it is"""

    def apply(self, state: State) -> State:
        """Without a target the site is where its goal wants it, so that nothing moves."""
        site = Site(name=site_name(state, self.joint), joint=self.joint, point=self.point)
        state = state.with_site(site)
        target = self.target or vector(state.pose.point(site.name))
        return state.with_goal(Position(site.name, target, priority=2))


@dataclass(frozen=True, kw_only=True)
class NewGoal(Command):
    """A goal of any kind, as it is first: about a point of the body, or about a site that there is."""

    kind: Literal["new_goal"] = "new_goal"
    solves = True
    goal_kind: Name
    """As in task files: `aim`."""
    at: Name
    """A site, or the joint whose segment was clicked."""
    point: Point | None = None
    """m, in the joint's frame: where it was clicked; None: `at` itself"""
    target: Point | None = None
    """m: where its handle is, if another pose than that of the session was clicked; None: as the kind is first"""
    priority: Annotated[int, Field(ge=1)] = 2

    def apply(self, state: State) -> State:
        """The goal gets a name of its own where its site has a goal already."""
        site = self.at
        if self.point is not None and self.goal_kind not in OF_THE_BODY:
            site = site_name(state, self.at)
            state = state.with_site(Site(name=site, joint=self.at, point=self.point))
        goal = first_goal(self.goal_kind, site, state, priority=self.priority)
        if self.target is not None and can_move(goal):
            goal = moved(goal, self.target, state.pose)
        taken = [one.label for one in state.goals]
        return state.with_goal(replace(goal, name=free_name(goal.label, taken)) if goal.label in taken else goal)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"add {self.goal_kind.replace('_', ' ')}"


@dataclass(frozen=True, kw_only=True)
class RenameSite(Command):
    """Another name for a site that was made by a click; goals and keys about it go along."""

    kind: Literal["rename_site"] = "rename_site"
    words = "rename {site}"
    site: Name
    to: Name

    def apply(self, state: State) -> State:
        """The same state with the other name."""
        figure, old, new = state.figure, self.site, self.to
        figure.site(old)
        if old not in state.made_sites:
            raise InvalidSetting(f"site {old!r} belongs to the figure; only those made by a click can be renamed")
        if new in (*figure.site_names, *figure.joint_names):
            raise InvalidSetting(f"there is a site or joint {new!r} already; choose another name than that")
        sites = tuple(replace(one, name=new) if one.name == old else one for one in figure.sites)
        goals = tuple(renamed(goal, old, new) for goal in state.goals)
        asked = ("keys", "spans", "settings")
        clip = state.clip and replace(
            state.clip, **{name: renamed(getattr(state.clip, name), old, new) for name in asked}
        )
        made = state.made_sites - {old} | {new}
        named = replace(state, figure=replace(figure, sites=sites), goals=goals, clip=clip, made_sites=made)
        return named.checked()


@dataclass(frozen=True, kw_only=True)
class MirrorGoal(Command):
    """A goal for the other side of a goal's site, unless there is one: what live symmetry moves along."""

    kind: Literal["mirror_goal"] = "mirror_goal"
    words = "mirror {name}"
    name: Name

    def apply(self, state: State) -> State:
        """The other side's site is wanted where it is, so that nothing moves."""
        return with_partner(state, self.name)[0]


def site_name(state: State, joint: str) -> str:
    """What a site made by clicking on a joint's segment will be called."""
    figure = state.figure
    segment = segment_names(figure)[figure.joint_index(joint)]
    return numbered(segment, {*figure.site_names, *figure.joint_names, *(goal.label for goal in state.goals)})
