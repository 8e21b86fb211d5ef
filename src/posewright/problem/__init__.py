"""The question, complete: space, problem, tables, result."""

from posewright.problem.feasible import Infeasible
from posewright.problem.problem import Problem
from posewright.problem.result import GoalsNotReached, PoseResult
from posewright.problem.space import Space

__all__ = ["GoalsNotReached", "Infeasible", "PoseResult", "Problem", "Space"]
