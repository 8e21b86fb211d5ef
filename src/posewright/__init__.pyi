# The public names, in the order of the reference. Each is loaded on first use (`__init__.py`).

## Files

from posewright.files import figure as figure
from posewright.files import motion as motion

## Figures, poses, motions

from posewright.figures import Figure as Figure
from posewright.figures import Pose as Pose
from posewright.motions import Motion as Motion
from posewright.constraints import LinearConstraint as LinearConstraint

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

## Problems and results

from posewright.problem import Problem as Problem
from posewright.problem import MotionProblem as MotionProblem
from posewright.problem import Space as Space
from posewright.problem import Imitation as Imitation
from posewright.problem import PoseResult as PoseResult
from posewright.problem import MotionResult as MotionResult

## Solvers

from posewright.solvers.least_squares import LeastSquares as LeastSquares
from posewright.solvers.prioritized import Prioritized as Prioritized
from posewright.solvers.active_set_bfgs import ActiveSetBfgs as ActiveSetBfgs
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo as SequentialMonteCarlo
from posewright.solvers.external.scipy import Scipy as Scipy
from posewright.solvers.external.nlopt import Nlopt as Nlopt
from posewright.solvers.warm_up import warm_up as warm_up

## Workflows

from posewright.workflows.retargeting.retarget import retarget as retarget
from posewright.workflows.retargeting.stream import Retargeter as Retargeter
from posewright.matching import JointMatch as JointMatch
from posewright.workflows.editing.edit import edit as edit
from posewright.workflows.design import design as design

## Models

from posewright.models import MotionModel as MotionModel
from posewright.models import Postures as Postures

## Rooms

from posewright import clips as clips
from posewright import errors as errors
from posewright.errors import PosewrightError as PosewrightError
from posewright import figures as figures
from posewright import formats as formats
from posewright import goals as goals
from posewright import models as models
from posewright import motions as motions
from posewright.problem import predicates as predicates
from posewright import report as report
from posewright import rotations as rotations
from posewright import solvers as solvers
from posewright import tasks as tasks
from posewright import workflows as workflows

__version__: str
