"""Commands about the poses that are kept by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import Name
from posewright.studio.session.commands.poses import mirrored, posed
from posewright.studio.session.names import free_name
from posewright.studio.session.saved_poses import SavedPose, saved_pose
from posewright.studio.session.state import State


@dataclass(frozen=True, kw_only=True)
class SavePose(Command):
    """Keep the pose under a name."""

    kind: Literal["save_pose"] = "save_pose"
    words = "keep the pose {name}"
    name: Name
    """Numbered where it is taken."""

    def apply(self, state: State) -> State:
        """One pose more in the library."""
        name = free_name(self.name, [one.name for one in state.poses])
        return replace(state, poses=(*state.poses, SavedPose(name, state.figure.dof_names, state.q)))


@dataclass(frozen=True, kw_only=True)
class ApplyPose(Command):
    """A pose of the library; goals about where sites are ask for what it has."""

    kind: Literal["apply_pose"] = "apply_pose"
    words = "pose {name}"
    name: Name
    flipped: bool = False
    """Whether left and right are exchanged."""

    def apply(self, state: State) -> State:
        """In that pose."""
        q = saved_pose(state.poses, self.name).on(state.figure)
        return posed(state, mirrored(state.figure, q) if self.flipped else q, goals_follow=True)


@dataclass(frozen=True, kw_only=True)
class ForgetPose(Command):
    """One pose less in the library."""

    kind: Literal["forget_pose"] = "forget_pose"
    words = "forget the pose {name}"
    name: Name

    def apply(self, state: State) -> State:
        """Without it."""
        gone = saved_pose(state.poses, self.name)
        return replace(state, poses=tuple(one for one in state.poses if one is not gone))
