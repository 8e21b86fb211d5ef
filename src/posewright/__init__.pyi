# The public names, in the order of the reference. Each is loaded on first use (`__init__.py`).

## Files

from posewright.files import figure as figure
from posewright.files import motion as motion

## Figures, poses, motions

from posewright.figures import Figure as Figure
from posewright.figures import Pose as Pose
from posewright.motions import Motion as Motion
from posewright.constraints import LinearConstraint as LinearConstraint
from posewright.figures import Joint as Joint
from posewright.figures import Hinge as Hinge
from posewright.figures import Ball as Ball
from posewright.figures import Slide as Slide
from posewright.figures import Site as Site
from posewright.figures import JointGroup as JointGroup
from posewright.figures import free_slides as free_slides
from posewright.figures import catalogue as catalogue
from posewright.figures import kinematics as kinematics
from posewright.motions import MotionLibrary as MotionLibrary
from posewright.motions.splines import KochanekBartels as KochanekBartels
from posewright.motions import QualityLimits as QualityLimits

## Goals

from posewright.goals import Goal as Goal
from posewright.goals import Position as Position
from posewright.goals import Orientation as Orientation
from posewright.goals import Outside as Outside
from posewright.goals import Placement as Placement
from posewright.goals import Aim as Aim
from posewright.goals import Line as Line
from posewright.goals import Plane as Plane
from posewright.goals import HalfSpace as HalfSpace
from posewright.goals import CentreOfMass as CentreOfMass
from posewright.goals import Posture as Posture
from posewright.goals import Smoothness as Smoothness
from posewright.goals import AnyOf as AnyOf
from posewright.goals import pin as pin
from posewright.goals import PythonGoal as PythonGoal
from posewright.goals.timed import Timed as Timed
from posewright.goals.timed import follow as follow

## Problems and results

from posewright.problem import Problem as Problem
from posewright.problem import MotionProblem as MotionProblem
from posewright.problem import Space as Space
from posewright.problem import Imitation as Imitation
from posewright.problem import predicates as predicates
from posewright.problem import PoseResult as PoseResult
from posewright.problem import MotionResult as MotionResult
from posewright.problem import Explanation as Explanation
from posewright.problem import GoalsNotReached as GoalsNotReached
from posewright.problem import Infeasible as Infeasible
from posewright.tasks import Task as Task
from posewright.tasks import load_task as load_task
from posewright.tasks.edit_file import load_edit as load_edit

## Solvers

from posewright.solvers.least_squares import LeastSquares as LeastSquares
from posewright.solvers.prioritized import Prioritized as Prioritized
from posewright.solvers.active_set_bfgs import ActiveSetBfgs as ActiveSetBfgs
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo as SequentialMonteCarlo
from posewright.solvers.external.scipy import Scipy as Scipy
from posewright.solvers.external.nlopt import Nlopt as Nlopt
from posewright.solvers.motion.tracking import Tracking as Tracking
from posewright.solvers.warm_up import warm_up as warm_up

## Workflows

from posewright.workflows.retargeting.retarget import retarget as retarget
from posewright.workflows.retargeting.retarget import RetargetResult as RetargetResult
from posewright.workflows.retargeting.stream import Retargeter as Retargeter
from posewright.workflows.retargeting.hands import HeldObject as HeldObject
from posewright.matching import JointMatch as JointMatch
from posewright.workflows.editing.edit import edit as edit
from posewright.workflows.editing.edit import EditResult as EditResult
from posewright.workflows.design import design as design
from posewright.workflows.design_result import DesignResult as DesignResult
from posewright.workflows.design import PostureDesigner as PostureDesigner

## Models

from posewright.models import MotionModel as MotionModel
from posewright.models import Postures as Postures

## Rooms

from posewright import clips as clips
from posewright import errors as errors
from posewright.errors import PosewrightError as PosewrightError
from posewright import experiments as experiments
from posewright import formats as formats
from posewright import models as models
from posewright import report as report
from posewright import rotations as rotations

__version__: str
