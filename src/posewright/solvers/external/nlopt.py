"""Nlopt: solves problems with the augmented Lagrangian of NLopt. An oracle for tests; needs the package nlopt.

Linear constraints enter the Lagrangian (Birgin and Martínez 2008); limits are bounds of the inner method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar, Literal, get_args

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting, MissingExtra
from posewright.problem.problem import Problem
from posewright.solvers.external.objective import ExternalSolver, Objective
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import check_counts, check_settings

Inner = Literal["LBFGS", "SLSQP"]

_KEPT = 1e-10  # rad or m: how far a row may be broken when the Lagrangian is content


@dataclass(frozen=True, kw_only=True)
class Nlopt(ExternalSolver):
    """Solve with NLopt's augmented Lagrangian method, for comparison. Priorities become weights."""

    interruptible: ClassVar[bool] = False

    inner: Inner = "LBFGS"
    """The method that minimises the augmented Lagrangian within the limits."""
    max_iterations: int = 5000
    """Maximum number of evaluations of cost and gradient."""
    precision: float = 1e-12
    """Relative change of the cost below which a point counts as stationary."""

    def __post_init__(self) -> None:
        if self.inner not in get_args(Inner):
            raise InvalidSetting(f"inner of Nlopt is {self.inner!r}; it must be {', '.join(get_args(Inner))}")
        check_settings(self, "precision", above=0.0)
        check_counts(self, max_iterations=0)

    def prepare_pose(self, problem: Problem) -> Prepared:
        """Prepare a problem for repeated solves with other targets and starts.

        Raises:
            MissingExtra: nlopt is not installed.
        """
        if find_spec("nlopt") is None:
            raise MissingExtra("the solver nlopt", "nlopt", "nlopt")
        return super().prepare_pose(problem)

    def minimise(self, objective: Objective) -> str:
        """Call `nlopt.opt.optimize` once.

        `cost` must not raise: nlopt would continue to call it with the exception pending in the interpreter.
        """
        import nlopt

        n, A, b, n_equal = len(objective.lower), objective.A, objective.b, objective.n_equal
        raised: list[BaseException] = []

        def cost(y: Array, gradient: Array) -> float:
            if not raised:
                try:
                    value, slope = objective(y)
                    if gradient.size:
                        gradient[:] = slope
                    return value
                except BaseException as error:
                    raised.append(error)
                    outer.force_stop()
            gradient[:] = 0.0  # a point so good that the line search, which does not look at the stop, ends here
            return -np.inf

        outer = nlopt.opt(nlopt.LD_AUGLAG, n)
        inner = nlopt.opt(getattr(nlopt, f"LD_{self.inner}"), n)
        for search in (outer, inner):
            search.set_ftol_rel(self.precision)
            search.set_xtol_rel(self.precision)
        outer.set_local_optimizer(inner)
        outer.set_min_objective(cost)
        outer.set_lower_bounds(objective.lower)
        outer.set_upper_bounds(objective.upper)
        if n_equal:
            outer.add_equality_mconstraint(_rows(A[:n_equal], b[:n_equal]), np.full(n_equal, _KEPT))
        if len(A) > n_equal:
            outer.add_inequality_mconstraint(_rows(A[n_equal:], b[n_equal:]), np.full(len(A) - n_equal, _KEPT))
        try:
            objective.offer(outer.optimize(np.zeros(n)))
        except Exception as failure:
            if not raised and not isinstance(failure, nlopt.RoundoffLimited):  # that is as near as numbers allow
                return f"nlopt ended without success: {outer.get_errmsg() or 'it gives no reason'}"
        if raised:
            raise raised[0]
        return ""


def _rows(A: Array, b: Array) -> Callable[[Array, Array, Array], None]:
    """Linear rows A y - b in the form that nlopt asks for."""

    def rows(result: Array, y: Array, gradient: Array) -> None:
        result[:] = A @ y - b
        if gradient.size:
            gradient[:] = A

    return rows
