"""What a search under linear constraints knows between two evaluations (`active_set_bfgs`)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from posewright.kernels.tables import Array, Table

# What the point being evaluated is.
ARRIVED: Final = 0
"""Where the search stands: alternatives are chosen anew."""
TRIAL: Final = 1
NUDGED: Final = 2
LAST: Final = 3
"""The answer."""

# What is to be told, as bits.
WAS_NUDGED: Final = 1
WAS_SHORTENED: Final = 2

SETTINGS: Final = np.dtype(
    [
        ("max_iterations", "i8"),
        ("gradient_tolerance", "f8"),
        ("delta_1", "f8"),
        ("delta_2", "f8"),
        ("leaning", "i8"),  # 1: minimise to the end, tolerances do not stop it
        ("choices", "i8"),  # 1: there are disjunctions
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("phase", "i8"),
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
        ("cost", "f8"),
    ],
    align=True,
)


class SearchWork(NamedTuple):
    """Arrays that a search reuses from step to step."""

    state: Table
    """(1,), of STATE"""
    line: Table
    """(1,), of `powell_search.LINE`"""
    base: Array
    """(coordinates,): where the line search began"""
    g: Array
    """(variables,)"""
    s: Array
    g_trial: Array
    y: Array
    Hy: Array
    q: Array
    """(dofs,): at `base`"""
    dq: Array
    """(dofs,): along s"""
