"""The question, complete: space, problem, tables, result."""

from posewright.problem.problem import Problem
from posewright.problem.result import GoalsNotReached, PoseResult
from posewright.problem.space import Space

__all__ = ["GoalsNotReached", "PoseResult", "Problem", "Space"]
