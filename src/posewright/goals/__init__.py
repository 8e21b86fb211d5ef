"""What is wanted, a kind per file."""

from posewright.goals.goal import Goal
from posewright.goals.position import PositionGoal

__all__ = ["Goal", "PositionGoal"]
