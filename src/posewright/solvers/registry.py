"""Every solver by name: what the command line offers and what the contracts run over."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from posewright.errors import UnknownName
from posewright.solvers.active_set_bfgs import ActiveSetBfgs
from posewright.solvers.external.nlopt import Nlopt
from posewright.solvers.external.scipy import Scipy
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo
from posewright.solvers.solver import Solver

SOLVERS: Final = MappingProxyType[str, Callable[..., Solver]](
    {
        "least_squares": LeastSquares,
        "prioritized": Prioritized,
        "active_set_bfgs": ActiveSetBfgs,
        "sequential_monte_carlo": SequentialMonteCarlo,
        "scipy": Scipy,
        "nlopt": Nlopt,
    }
)
"""The classes, to be called with settings; the first is the default."""

RENAMED_SETTINGS: Final = MappingProxyType(
    {
        "b_max": "max_step",
        "dx_max": "max_residual",
        "delta_1": "sufficient_decrease",
        "delta_2": "curvature",
        "alpha": "gain",
        "sigma": "spread",
    }
)
"""Names of settings in task files written before, and what they are called now."""


def solver_by_name(name: str) -> Callable[..., Solver]:
    """The class of that name.

    Raises:
        UnknownName: with the nearest name and all of them.
    """
    if name not in SOLVERS:
        raise UnknownName("solver", name, SOLVERS, where="Posewright")
    return SOLVERS[name]
