"""How problems are answered, an algorithm per file."""

from posewright.solvers.active_set_bfgs import ActiveSetBfgs
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.nlopt_adapter import Nlopt
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.scipy_adapter import Scipy

__all__ = ["ActiveSetBfgs", "LeastSquares", "Nlopt", "Prioritized", "Scipy"]
