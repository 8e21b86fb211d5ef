"""Solvers, one algorithm per file.

Each is imported from its own file: the first solve of a process waits for no solver but its own.
"""

from typing import TYPE_CHECKING

from posewright.lazy import loader

if TYPE_CHECKING:
    from posewright.solvers.following import Pace
    from posewright.solvers.least_squares import Tracking

__all__ = ["Pace", "Tracking"]
__getattr__ = loader(
    __name__,
    {"Pace": "posewright.solvers.following", "Tracking": "posewright.solvers.least_squares"},
)
