"""Solvers, one algorithm per file.

Each is imported from its own file, so a process loads only the solvers that it uses.
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
