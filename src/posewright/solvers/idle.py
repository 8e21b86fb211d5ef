"""Problems with nothing to solve."""

from __future__ import annotations

from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.solves import Solves
from posewright.problem.evaluation import goal_errors, term_errors
from posewright.problem.linearisation import linearise
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.result import NOTHING_TO_DO
from posewright.solvers.prepared import Prepared


class IdlePrepared(Prepared):
    """Nothing to do: no goal has a weight, or nothing on their chains may move. The feasible start is the answer."""

    _seconds_at_most = 0.0

    def _followed(self) -> tuple[LoweredProblem, bool]:
        return self.lowered, False

    def run(self, solves: Solves) -> None:
        """Evaluate each start; it counts as reached if there are goals and they happen to be met."""
        lowered = self.lowered
        for k, wanted in enumerate(solves.targets):
            x = solves.x[k]
            x[:] = solves.start(k)
            pose = Pose(lowered.problem.figure, lowered.problem.space.decode(x))
            start = lowered.problem.space.out_of_chart(solves.reference(k).copy())
            found = goal_errors(lowered, wanted, pose, start)
            met = bool(found) and found.reached
            cost = sum(float(rows.rho @ rows.rho) for rows in linearise(lowered, wanted, x, start))
            solves.errors[k] = term_errors(lowered, wanted, pose)[0]
            solves.info[k] = 0, descent.REACHED if met else NOTHING_TO_DO, cost, 0
