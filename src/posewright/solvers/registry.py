"""Every solver by name: what the command line offers and what the contracts run over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from posewright.errors import UnknownName
from posewright.solvers.solver import Solver


class _Solvers(Mapping[str, Callable[..., Solver]]):
    """The class of each name, loaded when it is looked up: a command uses one of them."""

    _HOMES: Final = {
        "least_squares": ("least_squares", "LeastSquares"),
        "prioritized": ("prioritized", "Prioritized"),
        "active_set_bfgs": ("active_set_bfgs", "ActiveSetBfgs"),
        "sequential_monte_carlo": ("sampling.sequential_monte_carlo", "SequentialMonteCarlo"),
        "scipy": ("external.scipy", "Scipy"),
        "nlopt": ("external.nlopt", "Nlopt"),
    }

    def __getitem__(self, name: str) -> Callable[..., Solver]:
        module, solver = self._HOMES[name]
        found: Callable[..., Solver] = getattr(import_module(f"posewright.solvers.{module}"), solver)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._HOMES)

    def __len__(self) -> int:
        return len(self._HOMES)

    def __contains__(self, name: object) -> bool:
        return name in self._HOMES


SOLVERS: Final = _Solvers()
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


def solver_name(given: str) -> str:
    """The solver meant by a name in any spelling: least_squares, LeastSquares, least-squares.

    Raises:
        UnknownName: with the nearest name and all of them.
    """
    plain = {_plain(name): name for name in SOLVERS}
    if _plain(given) not in plain:
        raise UnknownName("solver", given, SOLVERS, where="Posewright")
    return plain[_plain(given)]


def solver_by_name(name: str) -> Callable[..., Solver]:
    """The class of that name, in any spelling.

    Raises:
        UnknownName: with the nearest name and all of them.
    """
    return SOLVERS[solver_name(name)]


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")
