"""Scipy: solves problems with the optimisers of SciPy. An oracle for tests, and an alternative to the own solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from posewright.errors import InvalidSetting
from posewright.problem.lowered_problem import LoweredProblem
from posewright.solvers.external.objective import ExternalSolver, Objective
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import check_counts, check_settings

Method = Literal["SLSQP", "trust-constr", "L-BFGS-B"]

_MANY = 1_000_000_000  # iterations that SciPy may make: the objective counts itself


@dataclass(frozen=True, kw_only=True)
class Scipy(ExternalSolver):
    """Solve with SciPy's optimisers, for comparison or as an alternative. Priorities become weights."""

    method: Method = "SLSQP"
    """SLSQP (sequential quadratic programs), trust-constr (trust region, interior point) or L-BFGS-B (limits only)."""
    max_iterations: int = 2000
    """Maximum number of evaluations of cost and gradient."""
    precision: float = 1e-14
    """Change of the cost below which a point counts as stationary, m²; its square root is the limit of the slope."""

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise InvalidSetting(f"method of Scipy is {self.method!r}; it must be {', '.join(get_args(Method))}")
        check_settings(self, "precision", above=0.0)
        check_counts(self, max_iterations=0)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare the problem for repeated solves."""
        if self.method == "L-BFGS-B" and len(lowered.region.A):
            raise InvalidSetting(
                f"L-BFGS-B supports only limits of single coordinates, but the problem has the linear constraint "
                f"{lowered.region.names[0]!r}; use SLSQP or trust-constr"
            )
        return super().prepared(lowered)

    def minimise(self, objective: Objective) -> str:
        """Call `scipy.optimize.minimize` once."""
        from scipy.optimize import BFGS, Bounds, LinearConstraint, minimize

        method, precision, slope = self.method, self.precision, math.sqrt(self.precision)
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
