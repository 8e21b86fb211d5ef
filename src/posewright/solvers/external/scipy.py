"""Scipy: the same problems for the optimisers of SciPy. An oracle for tests, and a way out where ours do not serve."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from posewright.errors import InvalidSetting
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.problem import Problem
from posewright.problem.reachability import nothing_to_do
from posewright.solvers.external.objective import Objective
from posewright.solvers.external.prepared import HandedOver
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver, Support, check_counts, check_positive
from posewright.solvers.trivial import IdlePrepared

Method = Literal["SLSQP", "trust-constr", "L-BFGS-B"]

_MANY = 1_000_000_000  # iterations that SciPy may make: the objective counts itself


@dataclass(frozen=True, kw_only=True)
class Scipy(Solver):
    """Settings of the solver; it keeps nothing between calls."""

    support: ClassVar[Support] = Support(strict_levels=1)

    method: Method = "SLSQP"
    """SLSQP (sequential quadratic programs), trust-constr (trust region, interior point) or L-BFGS-B (limits only)."""
    max_iterations: int = 2000
    """Points at which cost and gradient may be computed."""
    precision: float = 1e-14
    """m²: change of the cost below which a point counts as stationary; its root is the slope below which it does."""

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise InvalidSetting(f"method of Scipy is {self.method!r}; it must be {', '.join(get_args(Method))}")
        check_positive(self, "precision")
        check_counts(self, max_iterations=0)

    def stopping_after(self, iterations: int) -> Scipy:
        """The same solver, allowed so many iterations."""
        return replace(self, max_iterations=iterations)

    def prepare(self, problem: Problem) -> Prepared:
        """The problem packed for repeated solves with other targets and starts."""
        lowered = lower(problem)
        if nothing_to_do(lowered):
            return IdlePrepared(self, lowered)
        if self.method == "L-BFGS-B" and len(lowered.region.A):
            raise InvalidSetting(
                f"L-BFGS-B keeps limits of single coordinates only, and the problem has the linear constraint "
                f"{lowered.region.names[0]!r}; use SLSQP or trust-constr"
            )
        return ScipyPrepared(self, lowered)


class ScipyPrepared(HandedOver):
    """A problem packed for scipy.optimize.minimize."""

    _solver: Scipy

    def __init__(self, solver: Scipy, lowered: LoweredProblem) -> None:
        super().__init__(solver, lowered, solver.max_iterations)

    def over(self, lowered: LoweredProblem) -> Prepared:
        """The same solver over another problem."""
        return ScipyPrepared(self._solver, lowered)

    def search(self, objective: Objective) -> str:
        """One call of `minimize`."""
        from scipy.optimize import BFGS, Bounds, LinearConstraint, minimize

        method, precision, slope = self._solver.method, self._solver.precision, math.sqrt(self._solver.precision)
        options: Any = {  # each method has its own
            "SLSQP": {"maxiter": _MANY, "ftol": precision},
            "trust-constr": {"maxiter": _MANY, "gtol": slope, "xtol": 1e-10},
            "L-BFGS-B": {"maxiter": _MANY, "maxfun": _MANY, "ftol": precision, "gtol": slope},
        }[method]
        A, b, n_equal = objective.A, objective.b, objective.n_equal
        rows = []
        if n_equal:
            rows.append(LinearConstraint(A[:n_equal], b[:n_equal], b[:n_equal]))
        if len(A) > n_equal:
            rows.append(LinearConstraint(A[n_equal:], -np.inf, b[n_equal:]))
        found = minimize(
            objective,
            np.zeros(len(objective.lower)),
            jac=True,
            hess=BFGS() if method == "trust-constr" else None,
            method=method,
            bounds=Bounds(objective.lower, objective.upper),
            constraints=rows,
            options=options,
        )
        objective.offer(found.x)
        return "" if found.success else f"{method} ended without success: {found.message}"
