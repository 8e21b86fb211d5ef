"""The commands, a file per subject. `COMMANDS` lists them: add a new one here, and nowhere else."""

from __future__ import annotations

from posewright.studio.session.command import Command
from posewright.studio.session.commands.goals import AddGoal, DeleteGoal, MoveGoals, PinGoal, SetGoal
from posewright.studio.session.commands.sites import PickPoint
from posewright.studio.session.commands.together import Together

COMMANDS: tuple[type[Command], ...] = (PickPoint, AddGoal, MoveGoals, SetGoal, PinGoal, DeleteGoal, Together)
