"""What is wanted, a kind per file."""

from posewright.goals.aim import Aim
from posewright.goals.any_of import AnyOf, outside
from posewright.goals.balance import CentreOfMass
from posewright.goals.goal import Goal
from posewright.goals.orientation import Orientation
from posewright.goals.placement import Placement
from posewright.goals.position import Position
from posewright.goals.posture import Posture, Smoothness
from posewright.goals.python_goal import PythonGoal
from posewright.goals.surfaces import HalfSpace, Line, Plane

__all__ = [
    "Aim",
    "AnyOf",
    "CentreOfMass",
    "Goal",
    "HalfSpace",
    "Line",
    "Orientation",
    "Placement",
    "Plane",
    "Position",
    "Posture",
    "PythonGoal",
    "Smoothness",
    "outside",
]
