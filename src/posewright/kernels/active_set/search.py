"""A search under linear constraints: what may move, what must hold, and all that is known from step to step.

Variables are the coordinates that may move, each in the unit that its rigidity sets (x = x_0 + scale · variable). A
constraint is numbered: rows (equalities first), then lower bounds, then upper bounds; its normal has unit length and
points out of the region.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.tables import Array, Table

VARIABLE: Final = np.dtype(
    [
        ("coordinate", "i8"),
        ("scale", "f8"),  # 1 - rigidity
        ("lower", "f8"),  # of the coordinate
        ("upper", "f8"),
        ("longest", "f8"),  # how far the coordinate may go in the first trial of a line search (rad, m)
        ("turns", "i8"),  # 1: the first of the three of a ball of which only the rotation counts
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        # Settings.
        ("max_iterations", "i8"),
        ("gradient_tolerance", "f8"),
        ("sufficient_decrease", "f8"),
        ("curvature", "f8"),
        ("minimising", "i8"),  # 1: minimise to the end, tolerances do not stop it
        ("choices", "i8"),  # 1: there are disjunctions
        ("equalities", "i8"),  # how many of the rows are
        # The search.
        ("phase", "i8"),  # what the point being evaluated is: one of the numbers below
        ("held", "i8"),  # 1: the alternatives of a line search stay as they are
        ("iterations", "i8"),  # line searches
        ("evaluations", "i8"),
        ("why", "i8"),
        ("count", "i8"),  # active constraints
        ("changes", "i8"),  # of the active set since the last step
        ("resets", "i8"),
        ("fresh", "i8"),  # 1: the metric has learned nothing yet
        ("nudges", "i8"),
        ("notes", "i8"),
        ("hit", "i8"),  # the constraint at the end of the line, -1 none, -2 the edge of a chart
        ("tolerance", "f8"),
        ("cost", "f8"),  # G where the search stands
        # The line search from there.
        ("slope", "f8"),  # gᵀs
        ("gamma", "f8"),  # the step being tried
        ("furthest", "f8"),  # λ, the end of the range
        ("low", "f8"),  # the last γ that was too short, its cost and slope
        ("low_cost", "f8"),
        ("low_slope", "f8"),
        ("high", "f8"),  # the last γ that was too long; infinite while there is none
        ("high_cost", "f8"),
        ("high_slope", "f8"),
        ("best", "f8"),  # the γ of least cost that passed the first test, or 0
        ("best_cost", "f8"),
        ("trials", "i8"),
        ("forced", "i8"),  # 1 if no trials are left and γ is the best there was
    ],
    align=True,
)

ARRIVED: Final = 0
"""Where the search stands: alternatives are chosen anew."""
TRIAL: Final = 1
NUDGED: Final = 2
LAST: Final = 3
"""The answer."""

WAS_NUDGED: Final = 1
"""What `notes` reports, as bits."""
WAS_SHORTENED: Final = 2

# Rows of `Search.numbers`: vectors over the variables,
G: Final = 0
S: Final = 1
G_TRIAL: Final = 2
Y: Final = 3
HY: Final = 4
NORMAL: Final = 5
IMAGE: Final = 6
ALPHA: Final = 7
# over the coordinates,
X: Final = 8
"""The point being evaluated; in the end, the answer."""
BASE: Final = 9
"""Where the line search began."""
BY_X: Final = 10
"""The gradient."""
# over the dofs,
BASE_Q: Final = 11
"""The pose at the base."""
BY_S: Final = 12
"""How it changes along s."""
# and the first of some rows each:
H: Final = 13
"""The metric, a row per variable; then Q and L⁻¹ with a row more each, and a wrench per joint."""

# Rows of `Search.active`.
LISTED: Final = 0
"""The active constraints, in the order in which they were added."""
MARKS: Final = 1
"""Per constraint: 1 if active."""


class Search(NamedTuple):
    """The arrays of a search; the columns of a row beyond what it is about are not used."""

    variables: Table
    """(variables,) of VARIABLE"""
    constraints: Array
    """(rows, coordinates + 1): rows · x <= bound, the bound last; the normals over the variables have unit length"""
    active: npt.NDArray[np.int64]
    """(2, constraints)"""
    numbers: Array
    """(rows as named above, width)"""
    state: Table
    """(1,) of STATE"""


def new_search(variables: Table, constraints: Array, n_equal: int, n_dofs: int, n_joints: int) -> Search:
    """Nothing is active; of a figure of that size."""
    n, m, n_x = len(variables), len(constraints), constraints.shape[1] - 1
    state = np.zeros(1, STATE)
    state["equalities"] = n_equal
    width = max(n + 1, n_x, n_dofs, 6)
    return Search(
        variables,
        constraints,
        np.zeros((2, m + 2 * n + 1), np.int64),
        np.zeros((H + 3 * n + 2 + n_joints, width)),
        state,
    )
