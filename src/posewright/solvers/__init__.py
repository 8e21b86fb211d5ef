"""How problems are answered, an algorithm per file."""

from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.prioritized import Prioritized

__all__ = ["LeastSquares", "Prioritized"]
