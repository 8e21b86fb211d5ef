"""The question, complete: space, problem, predicates, tables, result and why it missed what it missed."""

from posewright.problem.explanation import Explanation
from posewright.problem.feasible import Infeasible
from posewright.problem.predicates import AbovePlane, NearPlane, PosePredicate, SwingTwist, WithinLimits
from posewright.problem.problem import Problem
from posewright.problem.result import GoalsNotReached, PoseResult
from posewright.problem.self_intersection import NoSelfIntersection
from posewright.problem.space import Space

__all__ = [
    "AbovePlane",
    "Explanation",
    "GoalsNotReached",
    "Infeasible",
    "NearPlane",
    "NoSelfIntersection",
    "PosePredicate",
    "PoseResult",
    "Problem",
    "Space",
    "SwingTwist",
    "WithinLimits",
]
