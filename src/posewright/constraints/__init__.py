"""What must hold: linear rows over dof names. Knows no figure; names are resolved when a figure is built."""

from posewright.constraints.linear import LinearConstraint

__all__ = ["LinearConstraint"]
