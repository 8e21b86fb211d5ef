"""Problems handed to the optimisers of other libraries: what the adapters share."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from posewright.conventions import Array
from posewright.kernels.dense import search_control as descent
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.priorities_as_weights import priorities_as_weights
from posewright.problem.result import Preparer
from posewright.solvers.dense_prepared import dense_tables, dense_work
from posewright.solvers.external.objective import Ended, Objective
from posewright.solvers.prepared import Prepared


class HandedOver(Prepared):
    """Solved by a library that is given an `Objective`. Every point counts as an iteration."""

    _in_python = True

    def __init__(self, solver: Preparer, lowered: LoweredProblem, max_iterations: int) -> None:
        self._solver = solver
        self._max_iterations = max_iterations
        self._searching: Objective | None = None
        weighed, self._always_said = priorities_as_weights(lowered.problem, strict=1)
        self._weighed = lowered if weighed is lowered.problem else lower(weighed)
        self._tables = dense_tables(self._weighed)
        self._work = dense_work(self._tables)
        super().__init__(lowered, self._always_said)

    @abstractmethod
    def search(self, objective: Objective) -> str:
        """Let the library minimise from zero; return its words if it ended without success, else nothing."""

    def interrupted(self) -> None:
        """Leave the library's own code, which may be slow."""
        if self._searching is not None:
            self._searching.interrupt()

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """Solve one after the other."""
        for k, wanted in enumerate(targets):
            start, reference = starts[k if len(starts) > 1 else 0], references[k if len(references) > 1 else 0]
            objective = Objective(
                self._weighed, self._tables, self._work, wanted, start, reference, self._stop, self._max_iterations
            )
            complaint, why = "", descent.STATIONARY
            try:
                self._searching = objective
                objective(np.zeros(len(objective.lower)))
                complaint = self.search(objective)
                self._searching = None
            except Ended as end:
                why = end.why
            finally:
                self._searching = None
            self.warnings = (*self._always_said, *((complaint,) if complaint else ()))
            x[k] = objective.best
            errors[k] = objective.errors_at_best()
            info[k] = objective.evaluations, why, objective.best_cost, 0
