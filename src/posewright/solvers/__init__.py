"""How problems are answered, an algorithm per file."""

from posewright.solvers.active_set_bfgs import ActiveSetBfgs
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.nlopt_adapter import Nlopt
from posewright.solvers.over_time import solve_motion
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.refining import refined
from posewright.solvers.scipy_adapter import Scipy
from posewright.solvers.sequential_monte_carlo import SequentialMonteCarlo
from posewright.solvers.stream import MotionStream
from posewright.solvers.tracking import Tracking

__all__ = [
    "ActiveSetBfgs",
    "LeastSquares",
    "MotionStream",
    "Nlopt",
    "Prioritized",
    "Scipy",
    "SequentialMonteCarlo",
    "Tracking",
    "refined",
    "solve_motion",
]
