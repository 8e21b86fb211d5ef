"""Problems: spaces, goals and predicates, their lowering to tables, results and explanations."""

from posewright.problem.explanation import Explanation
from posewright.problem.imitation import Imitation
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.predicates import (
    AbovePlane,
    NearPlane,
    NearPoints,
    NoSelfIntersection,
    PosePredicate,
    SwingTwist,
    WithinLimits,
)
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult
from posewright.problem.space import Space

__all__ = [
    "AbovePlane",
    "Explanation",
    "Imitation",
    "MotionProblem",
    "MotionResult",
    "NearPlane",
    "NearPoints",
    "NoSelfIntersection",
    "PosePredicate",
    "PoseResult",
    "Problem",
    "Space",
    "SwingTwist",
    "WithinLimits",
]
