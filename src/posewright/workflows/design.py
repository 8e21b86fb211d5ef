"""Design a key posture: splice one from a database for the goals, then refine it by priority (Li et al.).

The refinement starts at the spliced posture and is attracted to it with the lowest priority, most strongly at the ends
of chains. So the freedom that the goals leave resembles recorded postures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import get_args

import numpy as np

from posewright.checks import require, require_choice, require_number
from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Figure, Pose
from posewright.goals import Goal, Posture
from posewright.goals.goal import Recruit
from posewright.models.postures.database import Postures
from posewright.models.postures.figure_postures import FigurePostures
from posewright.models.postures.splicing import Splicer
from posewright.problem import Problem, Space
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.prepared import Prepared
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import require_solver
from posewright.workflows.design_result import DesignResult

REFINING = Prioritized(settle=False)
"""The solver of the refinement: it ends as soon as all goals are met."""
RESEMBLANCE = "resemblance"
"""Label of the attraction to the spliced posture."""
Edit = Callable[[Pose], Pose | None]
"""A function of the spliced posture that returns another start of the refinement, or None to keep it."""


class PostureDesigner:
    """A prepared design for changing targets, as in a drag; what does not depend on targets is computed once."""

    def __init__(
        self,
        problem: Problem,
        postures: Postures | FigurePostures,
        *,
        start: Pose | None = None,
        recruiting: Mapping[str, Recruit] | Recruit | None = None,
        attraction: Mapping[str, float] | None = None,
        rest_from_start: bool = False,
        solver: Prioritized = REFINING,
    ) -> None:
        """See `design`."""
        require(problem, Problem, "what is designed for", "a Problem, such as pw.Problem(figure, goals)")
        require(postures, FigurePostures | Postures, "postures", "a Postures, such as Postures.open(path)")
        require_solver(solver)
        self.figure = problem.figure
        on = postures if isinstance(postures, FigurePostures) else postures.on(self.figure)
        if not on.figure.is_like(self.figure):
            raise InvalidSetting(
                f"the postures are on figure {on.figure.name!r}, but the goals are about {self.figure.name!r}; "
                "pass the database itself"
            )
        self.database = on.database
        start = Pose.rest(self.figure) if start is None else _checked_pose(start, self.figure, "the start")
        lowered = lower(problem)
        self._unshared = tuple(name for name in on.unshared if name in self.figure.joint_names)
        kept = lowered.dofs["scale"] == 0.0
        for name in self._unshared:
            kept[self.figure.dof_slice(name)] = True
        levels = _checked_recruiting(problem, recruiting)
        self._splicer = Splicer(lowered, on, start.q, kept=kept, recruiting=levels, rest_from_start=rest_from_start)
        self._alone = solver.prepare(problem)
        pull = _pull(problem, lowered, attraction)
        self._problem = problem
        self._pulled = self._alone if pull is None else solver.prepare(problem.with_goal(pull))

    @cached_property
    def _together(self) -> Prepared:
        return LeastSquares(restarts=5).prepare(self._problem.with_priorities_as_weights(1)[0])

    def solve(
        self, targets: Mapping[str, Sequence[float]] | Array | None = None, *, on_initial: Edit | None = None
    ) -> DesignResult:
        """Design a posture for other targets; targets that are not given stay as in the previous call.

        Args:
            targets: a point, or a point and directions, by goal label.
            on_initial: a function that may change the spliced posture before it is refined.
        """
        began = time.perf_counter()
        if targets is not None:
            self._pulled.take(targets)
        wanted = self._pulled.targets
        splice = self._splicer.splice(wanted)
        spliced = time.perf_counter()
        edited = None
        if on_initial is not None:
            given = Pose(self.figure, splice.q)
            found = on_initial(given)
            edited = given if found is None else _checked_pose(found, self.figure, "what on_initial returned")
        start = splice.q if edited is None else edited.q
        is_spliced = splice.fallback is None
        result = self._pulled.solve(start=start) if is_spliced else self._alone.solve(wanted, start=start)
        if not result.reached:  # what one level after the other is stuck at may be met by all together
            together = self._together.solve(wanted, start=start)
            result = together if together.reached else result
        return DesignResult(
            result, splice, edited, self.database, self._unshared, spliced - began, time.perf_counter() - began
        )


def design(
    space: Space | Figure,
    goals: Sequence[Goal],
    postures: Postures | FigurePostures,
    *,
    start: Pose | None = None,
    on_initial: Edit | None = None,
    constraints: Sequence[LinearConstraint] = (),
    frozen: Sequence[str] = (),
    recruiting: Mapping[str, Recruit] | Recruit | None = None,
    attraction: Mapping[str, float] | None = None,
    rest_from_start: bool = False,
    solver: Prioritized = REFINING,
) -> DesignResult:
    """Design a key posture that meets goals by priority and resembles the postures of a database.

    Args:
        space: the figure, or a space of its poses.
        goals: goals to meet. A posture goal replaces the attraction to the spliced posture.
        postures: a posture database of any figure with the same joint names.
        start: pose for what neither goals nor postures determine, such as position on the floor and heading; default:
            the rest pose.
        on_initial: a function that may change the spliced posture before it is refined.
        constraints: constraints in addition to those of the figure.
        frozen: joints or dofs that keep their values from the start.
        recruiting: how much of the body is spliced for a goal ("limb", "limb+spine" or "whole"), by goal label or for
            all goals; default: as much as reaches the target.
        attraction: how strongly joints are attracted to the spliced posture, from 0 to 1, by joint name; default: 0
            near the root, rising to 1 at the ends of chains. An empty mapping turns it off.
        rest_from_start: whether joints that no goal recruits stay as in the start, instead of following the posture
            nearest to all goals.
        solver: the solver of the refinement; `Prioritized(settle=True)` continues until the attraction has settled.

    Raises:
        InvalidFigure: the database's figure shares no joint with this one.
        InvalidSetting: the start or an edited posture has another figure, or an attraction is outside 0 to 1.
        UnknownName: an attraction is for an unknown joint, or recruiting for an unknown goal.
    """
    designer = PostureDesigner(
        Problem(space, goals, constraints=constraints, frozen=frozen),
        postures,
        start=start,
        recruiting=recruiting,
        attraction=attraction,
        rest_from_start=rest_from_start,
        solver=solver,
    )
    return designer.solve(on_initial=on_initial)


def pull_weights(figure: Figure) -> dict[str, float]:
    """How strongly each moving joint is attracted to the spliced posture, 0 to 1 (Li et al., section 5.2, K_w).

    To meet goals exactly, joints near the root change more than joints near the ends: the weight is 0 at the root and
    the spine next to it, and rises evenly to 1 at the end of each chain.
    """
    middle = figure.anatomy.trunk
    moves = [joint.n_dofs > 0 for joint in figure.joints]
    above, below = [0] * len(moves), [0] * len(moves)
    for index, parent in enumerate(figure.parents):
        if parent >= 0:
            above[index] = above[parent] + moves[index]
    for index in range(len(moves) - 1, -1, -1):
        parent = figure.parents[index]
        if parent >= 0:
            below[parent] = max(below[parent], below[index] + moves[index])
    found = {}
    for index, joint in enumerate(figure.joints):
        if moves[index]:
            free = figure.parents[index] < 0 or (index in middle and above[index] <= 1)
            found[joint.name] = 0.0 if free else above[index] / (above[index] + below[index])
    return found


def _pull(problem: Problem, lowered: LoweredProblem, attraction: Mapping[str, float] | None) -> Posture | None:
    """The attraction as a goal of lowest priority; None if it is off, or if a posture goal replaces it."""
    weights = pull_weights(problem.figure) if attraction is None else _checked_attraction(problem, attraction)
    if not lowered.goals or not any(weights.values()) or any(isinstance(g, Posture) for g in lowered.goals):
        return None
    figure = problem.figure
    moving = np.unique(lowered.dofs["joint"][lowered.dofs["scale"] > 0.0])
    return Posture(
        weights={name: weights.get(name, 0.0) for name in figure.joint_names},
        priority=1 + max(goal.priority for goal in lowered.goals),
        joints=tuple(figure.joint_names[index] for index in moving),
        name=RESEMBLANCE,
    )


def _checked_recruiting(problem: Problem, recruiting: Mapping[str, Recruit] | Recruit | None) -> dict[str, Recruit]:
    labels = [goal.label for goal in problem.goals]
    if recruiting is None:
        return {}
    levels = dict.fromkeys(labels, recruiting) if isinstance(recruiting, str) else dict(recruiting)
    for label, level in levels.items():
        if label not in labels:
            raise UnknownName("goal", label, labels, where="the design")
        require_choice(level, f"recruiting of {label!r}", get_args(Recruit))
    return levels


def _checked_attraction(problem: Problem, attraction: Mapping[str, float]) -> dict[str, float]:
    require(attraction, Mapping, "attraction", "numbers from 0 to 1 by joint, such as {'left_elbow': 0.5}")
    for name, weight in attraction.items():
        problem.figure.joint_index(name)  # its error suggests the nearest name
        require_number(weight, f"the attraction of {name!r}", "from 0 to 1", at_least=0.0, at_most=1.0)
    return dict(attraction)


def _checked_pose(pose: Pose, figure: Figure, what: str) -> Pose:
    require(pose, Pose, what, "a Pose, such as Pose(figure, q)")
    if pose.figure.dof_names != figure.dof_names:
        raise InvalidSetting(f"{what} is a pose of figure {pose.figure.name!r}; the design is for {figure.name!r}")
    return pose
