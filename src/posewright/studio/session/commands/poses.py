"""Commands that set the pose itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Figure, Pose
from posewright.motions import Motion
from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.goals.places import anchored
from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class SetPose(Command):
    """Another pose: one that was copied, or an answer that was accepted."""

    kind: Literal["set_pose"] = "set_pose"
    q: Annotated[tuple[float, ...], Field(max_length=100_000)]
    """rad and m, per dof"""
    what: Annotated[str, Field(max_length=100)]
    """What it is called: "paste the pose"."""
    goals_follow: bool = True
    """Whether goals about where sites are and how they are turned ask for what the pose has."""

    def apply(self, state: State) -> State:
        """The pose, and goals that it meets."""
        return posed(state, np.array(self.q, dtype=np.float64), goals_follow=self.goals_follow)

    @property
    def says(self) -> str:
        """In a few words."""
        return self.what


@dataclass(frozen=True, kw_only=True)
class MirrorPose(Command):
    """Left and right exchanged."""

    kind: Literal["mirror_pose"] = "mirror_pose"
    words = "mirror the pose"

    def apply(self, state: State) -> State:
        """The mirrored pose; goals about where sites are ask for what it has."""
        return posed(state, mirrored(state.figure, state.q), goals_follow=True)


@dataclass(frozen=True, kw_only=True)
class SetDofs(Command):
    """Numbers of joints set by hand, each within its limits; nothing is solved."""

    kind: Literal["set_dofs"] = "set_dofs"
    values: Annotated[dict[Name, float], Field(min_length=1, max_length=1000)]
    """rad or m, by dof"""

    def apply(self, state: State) -> State:
        """The pose with them."""
        figure = state.figure
        for dof, value in self.values.items():
            k = figure.dof_index(dof)
            if not figure.lower[k] <= value <= figure.upper[k]:
                limits = f"{figure.lower[k]:.4g} to {figure.upper[k]:.4g}"
                raise InvalidSetting(f"{dof} is {value:.4g}; it must be within its limits, {limits}")
        return state.with_pose(state.pose.with_values(self.values).q)

    @property
    def says(self) -> str:
        """In a few words."""
        return f"set {', '.join(self.values)}"


@dataclass(frozen=True, kw_only=True)
class Solve(Command):
    """The goals answered from the pose shown: after a task was opened, or numbers were set by hand."""

    kind: Literal["solve"] = "solve"
    words = "solve"
    solves = True

    def apply(self, state: State) -> State:
        """Nothing else changes."""
        return state


def posed(state: State, q: Array, *, goals_follow: bool) -> State:
    """The state in another pose."""
    state = state.with_pose(q)
    if not goals_follow:
        return state
    return replace(state, goals=tuple(anchored(goal, state.pose) for goal in state.goals)).checked()


def mirrored(figure: Figure, q: Array) -> Array:
    """A pose with left and right exchanged, its root where it was.

    Raises:
        InvalidMotion: the figure is not symmetric.
    """
    image = Motion(figure, Pose(figure, q).q[np.newaxis], 30.0).mirrored()
    aside = float(Pose(figure, q).point(figure.joint_names[0])[0])
    found: Array = (image.moved((2.0 * aside, 0.0, 0.0)) if abs(aside) > 1e-9 else image).q[0]
    return found
