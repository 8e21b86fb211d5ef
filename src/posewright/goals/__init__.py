"""What is wanted, a kind per file."""

from posewright.goals.aim import AimGoal
from posewright.goals.any_of import AnyOf, outside
from posewright.goals.balance import CentreOfMassGoal
from posewright.goals.goal import Goal
from posewright.goals.orientation import OrientationGoal
from posewright.goals.placement import PlacementGoal
from posewright.goals.position import PositionGoal
from posewright.goals.posture import PostureGoal, SmoothnessGoal
from posewright.goals.python_goal import PythonGoal
from posewright.goals.surfaces import HalfSpaceGoal, LineGoal, PlaneGoal

__all__ = [
    "AimGoal",
    "AnyOf",
    "CentreOfMassGoal",
    "Goal",
    "HalfSpaceGoal",
    "LineGoal",
    "OrientationGoal",
    "PlacementGoal",
    "PlaneGoal",
    "PositionGoal",
    "PostureGoal",
    "PythonGoal",
    "SmoothnessGoal",
    "outside",
]
