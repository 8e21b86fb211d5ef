"""Goal kinds, one per file."""

from posewright.goals.aim import Aim
from posewright.goals.any_of import AnyOf, Outside
from posewright.goals.balance import CentreOfMass
from posewright.goals.distance import Distance
from posewright.goals.fields import Point, Role, checked_point
from posewright.goals.goal import Goal, SiteGoal
from posewright.goals.orientation import Orientation
from posewright.goals.placement import Placement, pin
from posewright.goals.position import Position
from posewright.goals.posture import Posture, Smoothness
from posewright.goals.python_goal import PythonGoal, site_function
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.surfaces import HalfSpace, Line, Plane
from posewright.goals.timed import Timed, follow

_KINDS: tuple[type[Goal], ...] = (
    Position,
    Orientation,
    Placement,
    Aim,
    Distance,
    Line,
    Plane,
    HalfSpace,
    CentreOfMass,
    Posture,
    Smoothness,
    AnyOf,
    Outside,
)
GOAL_KINDS: dict[str, type[Goal]] = {kind.word(): kind for kind in _KINDS}
"""The kinds of goals that task files know, by the word they have there."""

__all__ = [
    "GOAL_KINDS",
    "Aim",
    "AnyOf",
    "CentreOfMass",
    "Distance",
    "Goal",
    "HalfSpace",
    "Line",
    "Orientation",
    "Outside",
    "Placement",
    "Plane",
    "Point",
    "Position",
    "Posture",
    "PythonGoal",
    "Role",
    "SiteGoal",
    "Sketch",
    "Smoothness",
    "Stroke",
    "Timed",
    "checked_point",
    "follow",
    "pin",
    "site_function",
]
