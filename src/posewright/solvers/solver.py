"""The base class of all solvers: frozen settings, and methods that solve poses, many poses, motions and streams."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidSetting, shown
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.solves import Solves
from posewright.problem.evaluation import goal_errors, term_errors
from posewright.problem.linearisation import linearise
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult
from posewright.problem.problem import Problem
from posewright.problem.result import NOTHING_TO_DO, ManyResults, PoseResult
from posewright.solvers.prepared import Prepared

if TYPE_CHECKING:
    from posewright.solvers.motion.frames import Progress
    from posewright.solvers.motion.solving import PreparedMotion
    from posewright.solvers.motion.stream import MotionStream


@dataclass(frozen=True, kw_only=True)
class Support:
    """What a solver supports exactly. If a problem needs more, the result has a warning."""

    strict_levels: float = math.inf
    """Number of strict priorities; further ones become weights, 100 per level."""
    shares_evenly: bool = True
    """Whether equivalent dofs move alike, so that the answer is near the start."""


class Solver(ABC):
    """Base class of solvers: a frozen dataclass of settings. A solver keeps nothing between calls."""

    support: ClassVar[Support]
    max_iterations: int

    @abstractmethod
    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare a lowered problem that has work to do for repeated solves."""

    def prepare_pose(self, problem: Problem) -> Prepared:
        """Prepare a problem for one pose; see `prepare`."""
        lowered = lower(problem)
        return _IdlePrepared(self, lowered) if not lowered.has_work else self.prepared(lowered)

    def stopping_after(self, iterations: int) -> Self:
        """A copy of the solver with another maximum number of iterations."""
        settings: Any = self
        found: Self = replace(settings, max_iterations=iterations)
        return found

    @overload
    def prepare(self, problem: Problem) -> Prepared: ...

    @overload
    def prepare(self, problem: MotionProblem) -> PreparedMotion: ...

    def prepare(self, problem: Problem | MotionProblem) -> Prepared | PreparedMotion:
        """Prepare a problem for repeated solves with other targets and, for poses, other starts."""
        if not isinstance(problem, MotionProblem):
            return self.prepare_pose(problem)
        from posewright.solvers.motion.solving import prepare_motion

        return prepare_motion(problem, self)

    @overload
    def solve(self, problem: Problem, start: Pose | None = None) -> PoseResult: ...

    @overload
    def solve(self, problem: MotionProblem, *, progress: Progress | None = None) -> MotionResult: ...

    def solve(
        self, problem: Problem | MotionProblem, start: Pose | None = None, *, progress: Progress | None = None
    ) -> PoseResult | MotionResult:
        """Find the pose or motion that best meets the goals of a problem.

        Ctrl-C ends the search for a pose and returns the best pose so far. For a motion it raises KeyboardInterrupt.

        Args:
            problem: the problem to solve.
            start: for a pose, where the search starts; default: the rest pose. Motions start at their example.
            progress: for a motion, called with the number of frames done, several times a second. An exception that it
                raises ends the solve.
        """
        if not isinstance(problem, MotionProblem):
            return self.prepare(problem).solve(start=start)
        from posewright.solvers.motion.solving import solve_motion

        return solve_motion(problem, self, progress)

    def stream(self, problem: MotionProblem) -> MotionStream:
        """Solve a motion problem frame by frame, as frames arrive.

        Only the kinds of goals are taken from the problem, so an example with a single frame is enough.
        """
        from posewright.solvers.motion.stream import MotionStream

        return MotionStream(problem, self)

    def solve_many(
        self, problem: Problem, targets: Mapping[str, Array] | Array, starts: Pose | Array | None = None
    ) -> ManyResults:
        """Solve a problem with many sets of targets on all cores.

        Args:
            problem: the problem to solve.
            targets: arrays (solves, 3) by goal label, which replace the problem's targets.
            starts: one pose for all solves, or an array (solves, dofs); default: the rest pose.
        """
        return self.prepare(problem).solve_many(targets, starts)


class _IdlePrepared(Prepared):
    """A problem without work: no goal has a weight, or nothing on the chains may move. The start is the answer."""

    _seconds_at_most = 0.0

    def _followed(self) -> tuple[LoweredProblem, bool]:
        return self.lowered, False

    def run(self, solves: Solves) -> None:
        """Evaluate each start; it counts as reached if there are goals and all are met."""
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


def check_settings(settings: object, *names: str, **limits: Any) -> None:
    """Check that each named setting is a number within the limits, given as for `require_number`.

    Raises:
        InvalidSetting: one is not.
    """
    for name in names:
        require_number(getattr(settings, name), f"{name} of {type(settings).__name__}", **limits)


def check_counts(settings: object, **least: int) -> None:
    """Check that each named setting is a whole number and at least the given one.

    Raises:
        InvalidSetting: one is not.
    """
    for name, low in least.items():
        accepted = f"a whole number at least {low}, below 2^63"
        check_settings(settings, name, accepted=accepted, whole=True, at_least=low, below=2**63)


def require_solver(solver: object) -> None:
    """Refuse anything but a solver, such as its name or its class.

    Raises:
        InvalidSetting: it is not a solver.
    """
    if isinstance(solver, type) or not hasattr(solver, "prepare"):
        raise InvalidSetting(f"the solver is {shown(solver)}; it must be a solver object, such as LeastSquares()")
