"""How problems are answered, an algorithm per file."""

from posewright.solvers.least_squares import LeastSquares

__all__ = ["LeastSquares"]
