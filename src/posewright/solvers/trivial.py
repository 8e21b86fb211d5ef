"""Problems with nothing to do: no goals, none with a weight, or nothing on their chains may move."""

from __future__ import annotations

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.problem.evaluation import goal_errors, term_errors
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import LoweredProblem
from posewright.problem.result import Preparer
from posewright.problem.stopping import NOTHING_TO_DO
from posewright.solvers.prepared import Prepared


class IdlePrepared(Prepared):
    """Answers with the start, made feasible. It is the same for every solver."""

    def __init__(self, solver: Preparer, lowered: LoweredProblem) -> None:
        super().__init__(lowered)
        self._solver = solver
        self._seconds_at_most = 0.0

    def over(self, lowered: LoweredProblem) -> Prepared:
        """The same solver over another problem."""
        return IdlePrepared(self._solver, lowered)

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """Evaluate each start; it counts as reached if there are goals and they happen to be met."""
        lowered = self.lowered
        for k, wanted in enumerate(targets):
            x[k] = starts[k if len(starts) > 1 else 0]
            pose = Pose(lowered.problem.figure, lowered.problem.space.decode(x[k]))
            start = lowered.problem.space.out_of_chart(references[k if len(references) > 1 else 0].copy())
            found = goal_errors(lowered, wanted, pose, start)
            met = bool(found) and found.reached
            cost = sum(float(rows.rho @ rows.rho) for rows in linearise(lowered, wanted, x[k], start))
            errors[k] = term_errors(lowered, wanted, pose)[0]
            info[k] = 0, descent.REACHED if met else NOTHING_TO_DO, cost, 0
