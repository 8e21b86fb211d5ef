"""Problems prepared for searches in the coordinates of their space: what these share."""

from __future__ import annotations

from collections.abc import Sequence

from posewright.conventions import Array
from posewright.kernels.dense.problem import DenseProblem
from posewright.kernels.solves import Solves
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.linearisation import PythonRows
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.problem.result import Preparer
from posewright.solvers.alternatives import with_branches
from posewright.solvers.interruption import Stop
from posewright.solvers.prepared import Prepared


def with_strict_levels(lowered: LoweredProblem, strict: int) -> tuple[LoweredProblem, tuple[str, ...]]:
    """The problem with all but so many priorities turned into weights, and what to say about it."""
    weighed, warnings = lowered.problem.with_priorities_as_weights(strict)
    if weighed is lowered.problem:
        return lowered, warnings
    return with_branches(lower(weighed), lowered.terms["branch"]), warnings


class DensePrepared(Prepared):
    """Solved in the coordinates of the space: one kernel call, or step by step where goals are written in Python."""

    def __init__(
        self,
        solver: Preparer,
        lowered: LoweredProblem,
        weighed: LoweredProblem | None = None,
        warnings: Sequence[str] = (),
        *,
        floor: float = -1.0,
    ) -> None:
        """Prepare.

        Args:
            solver: settings.
            lowered: the problem.
            weighed: the same with some priorities as weights, which is what is solved; default: the problem.
            warnings: what cannot be honoured.
            floor: of the first of two levels, see `DenseProblem`.
        """
        self._weighed = lowered if weighed is None else weighed
        self._problem = dense_problem(self._weighed, floor=floor)
        self._point = point_of(self._problem)
        self._python = PythonRows(self._weighed) if lowered.python else None
        self._in_python = self._python is not None
        super().__init__(solver, lowered, warnings)

    def use_stop_flag(self, stop: Stop) -> None:
        """Read this flag from now on."""
        super().use_stop_flag(stop)
        if self._python is not None:
            self._python.stop = stop

    def _run_with_python(
        self, python: PythonRows, start: Array, targets: Array, reference: Array, x: Array, info: Array
    ) -> None:
        """One solve with goals in Python, whose rows are filled between the steps."""
        raise NotImplementedError

    def _one_by_one(self, python: PythonRows, solves: Solves) -> None:
        """`run` with goals in Python."""
        for k, targets in enumerate(solves.targets):
            self._run_with_python(python, solves.start(k), targets, solves.reference(k), solves.x[k], solves.info[k])
            solves.errors[k] = self._point.errors

    def _all_met(self) -> bool:
        """Whether all terms are met at the point that was evaluated last."""
        point = self._point
        return bool((~point.chosen | (point.errors <= self._problem.terms["tolerance"])).all())


def seconds_per_step(problem: DenseProblem) -> float:
    """How long a step with a quadratic program over all coordinates takes at most, on a slow machine."""
    n: int = problem.coordinates.shape[1]
    seconds: float = 4e-9 * n * n * (n + len(problem.levels) + len(problem.constraints)) + 1e-6 * len(problem.joints)
    return seconds
