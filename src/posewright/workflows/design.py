"""Designing a key posture: splice one from a database for the goals, then refine it by priority (Li et al.).

The refinement begins at the spliced posture and, below all goals, is pulled back towards it, most at the ends of
chains, so that what the goals leave open resembles what was recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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
from posewright.models.postures.pull_weights import pull_weights
from posewright.models.postures.splicing import Splicer
from posewright.problem import Problem, Space
from posewright.problem.lowering import LoweredProblem, lower
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import require_solver
from posewright.workflows.design_result import DesignResult

REFINING = Prioritized(settle=False)
"""Ends as soon as all goals are met; until then every step is drawn towards the spliced posture."""
RESEMBLANCE = "resemblance"
"""Label of the pull towards the spliced posture."""
Edit = Callable[[Pose], Pose | None]
"""Given the spliced posture, another one to begin at; None keeps it."""


class PostureDesigner:
    """A prepared design: what does not depend on the targets is done once, so that they can be dragged."""

    def __init__(
        self,
        space: Space | Figure,
        goals: Sequence[Goal],
        postures: Postures | FigurePostures,
        *,
        start: Pose | None = None,
        constraints: Sequence[LinearConstraint] = (),
        frozen: Sequence[str] = (),
        attraction: Mapping[str, float] | None = None,
        rest_from_start: bool = False,
        recruiting: Mapping[str, Recruit] | Recruit | None = None,
        solver: Prioritized = REFINING,
    ) -> None:
        """See `design`."""
        require_solver(solver)
        problem = Problem(space, goals, constraints=constraints, frozen=frozen)
        self.figure = problem.figure
        require(postures, FigurePostures | Postures, "postures", "a Postures, such as Postures.open(path)")
        on = postures if isinstance(postures, FigurePostures) else postures.on(self.figure)
        if not on.figure.is_like(self.figure):
            raise InvalidSetting(
                f"the postures are on figure {on.figure.name!r} and the goals about {self.figure.name!r}; "
                "give the database itself"
            )
        self.database = on.database
        start = _checked_start(self.figure, start)
        lowered = lower(problem)
        self._unshared = tuple(name for name in on.unshared if name in self.figure.joint_names)
        kept = lowered.dofs["scale"] == 0.0
        for name in self._unshared:
            kept[self.figure.dof_slice(name)] = True
        self._splicer = Splicer(
            lowered,
            on,
            start.q,
            kept=kept,
            rest_from_start=rest_from_start,
            recruiting=_checked_recruiting(problem, recruiting),
        )
        self._alone = solver.prepare(problem)
        pull = _pull(problem, lowered, attraction)
        self._pulled = self._alone if pull is None else solver.prepare(problem.with_goal(pull))

    def solve(
        self, targets: Mapping[str, Sequence[float]] | Array | None = None, *, on_initial: Edit | None = None
    ) -> DesignResult:
        """The posture for other targets; those that are not given stay as in the previous call.

        Args:
            targets: by goal label: a point, or a point and directions.
            on_initial: may change the spliced posture before it is refined.
        """
        began = time.perf_counter()
        if targets is not None:
            self._pulled.take(targets)
        wanted = self._pulled.targets
        splice = self._splicer.splice(wanted)
        spliced = time.perf_counter()
        edited = None if on_initial is None else _edited(on_initial, Pose(self.figure, splice.q))
        start = splice.q if edited is None else edited.q
        is_spliced = splice.fallback is None
        result = self._pulled.solve(start=start) if is_spliced else self._alone.solve(wanted, start=start)
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
    attraction: Mapping[str, float] | None = None,
    rest_from_start: bool = False,
    recruiting: Mapping[str, Recruit] | Recruit | None = None,
    solver: Prioritized = REFINING,
) -> DesignResult:
    """A key posture that meets goals by priority and resembles the postures of a database.

    Args:
        space: the figure, or a space of its poses.
        goals: what is wanted. A posture goal replaces the pull towards the spliced posture.
        postures: a database of any figure with joints of the same names.
        start: for what neither goals nor postures determine: the place on the floor, the heading; default: the rest
            pose.
        on_initial: may change the spliced posture before it is refined.
        constraints: as for a problem.
        frozen: joints or dofs that stay as in the start.
        attraction: how strongly joints are pulled towards the spliced posture, 0 to 1 by name; default: not at all near
            the root, rising to 1 at the ends of chains. An empty mapping turns it off.
        rest_from_start: joints that no goal recruits stay as in the start, instead of following the posture that comes
            nearest to all goals.
        recruiting: how much of the body is spliced for a goal (limb, limb+spine or whole), by its label or for all;
            default: as much as reaches its target.
        solver: of the refinement; `Prioritized(settle=True)` continues until the pull has settled, too.

    Raises:
        InvalidFigure: the figure of the database shares no joint with this one.
        InvalidSetting: a start or an edited posture of another figure, or an attraction outside 0 to 1.
        UnknownName: an attraction of an unknown joint.
    """
    designer = PostureDesigner(
        space,
        goals,
        postures,
        start=start,
        constraints=constraints,
        frozen=frozen,
        attraction=attraction,
        rest_from_start=rest_from_start,
        recruiting=recruiting,
        solver=solver,
    )
    return designer.solve(on_initial=on_initial)


def _pull(problem: Problem, lowered: LoweredProblem, attraction: Mapping[str, float] | None) -> Posture | None:
    """The goal that pulls towards the start of the solver, below all others; None: it is off, or a goal replaces it."""
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
        require_number(weight, f"the attraction of {name!r}", "from 0 to 1", lambda value: 0.0 <= value <= 1.0)
    return dict(attraction)


def _edited(edit: Edit, pose: Pose) -> Pose:
    found = edit(pose)
    if found is None:
        return pose
    require(found, Pose, "what on_initial returned", "a Pose, or None to keep the one given")
    _require_figure(found, pose.figure, "what on_initial returned")
    return found


def _checked_start(figure: Figure, start: Pose | None) -> Pose:
    if start is None:
        return Pose.rest(figure)
    require(start, Pose, "the start of a design", "a Pose, such as Pose(figure, q)")
    _require_figure(start, figure, "the start")
    return start


def _require_figure(pose: Pose, figure: Figure, what: str) -> None:
    if pose.figure.dof_names != figure.dof_names:
        raise InvalidSetting(f"{what} is a pose of figure {pose.figure.name!r}; the design is of {figure.name!r}")
