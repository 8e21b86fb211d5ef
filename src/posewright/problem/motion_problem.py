"""Motion problems: goals at frames, over ranges of frames and along paths, near an example (Tak & Ko)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, cast

from posewright.checks import require, require_list
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName
from posewright.figures import Figure
from posewright.goals import Goal, Position
from posewright.goals.term import LinearTerm, PostureTerm, PythonTerm
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.motions.motion import require_motion
from posewright.problem.imitation import Imitation
from posewright.problem.motion_space import Around, MotionSpace, SpaceOverTime
from posewright.problem.problem import Problem
from posewright.problem.schedule import Schedule, schedules, with_own_names
from posewright.problem.space import Space


@dataclass(frozen=True, eq=False, init=False)
class MotionProblem:
    """A motion problem: goals in time for a motion that stays near an example, within limits and constraints."""

    space: Space | MotionSpace
    """What to search: poses, with every frame solved by itself, or motions, whose frames share their coordinates."""
    goals: tuple[Timed | Goal, ...]
    """Goals to meet. A plain goal holds in every frame; `Goal.at`, `Goal.during` and `Goal.along` limit it in time."""
    near: Motion
    """The example to stay near: joint values of every frame, and the frame rate. Its figure may differ from the moved
    figure in lengths, but must have the same dofs."""
    imitation: Imitation
    """Weights of goals and example."""
    frozen: tuple[str, ...]
    """Joints or dofs that keep their values from the example."""
    constraints: tuple[LinearConstraint, ...]
    """Constraints that must hold in every frame, in addition to those of the figure."""
    cuts: tuple[int, ...]
    """Frames that do not continue the previous frame, such as the first frame of another clip."""
    velocity_limits: bool
    """Whether dofs keep to `Figure.max_speeds` between frames, as a hard limit; balls have no speed limit.
    `motion.within_speeds` slows an example down beforehand."""

    def __init__(
        self,
        space: Figure | Space | Around | MotionSpace,
        goals: Sequence[Timed | Goal],
        near: Motion,
        *,
        imitation: Imitation | None = None,
        frozen: Sequence[str] = (),
        constraints: Sequence[LinearConstraint] = (),
        cuts: Sequence[int] = (),
        velocity_limits: bool = False,
    ) -> None:
        """Make a motion problem.

        Args:
            space: a figure, a space of poses, a motion model, or a space with a block for every frame of `near`.
            goals: goals to meet, in time or in every frame.
            near: the example to stay near.
            imitation: weights of goals and example; default: `Imitation()`.
            frozen: joints or dofs that keep their values from the example.
            constraints: constraints in addition to those of the figure.
            cuts: frames that do not continue the previous frame.
            velocity_limits: whether dofs keep to `Figure.max_speeds`.
        """
        require_list(goals, "the goals of a motion problem", "goals, in time or not", Timed | Goal)
        require_motion(near, "the example of a motion problem")
        if not len(near):
            raise InvalidMotion("the example has no frames; it needs at least one")
        require(imitation, Imitation | None, "imitation of a motion problem", "an Imitation, such as Imitation()")
        values = {
            "space": _space_of(space, near),
            "goals": tuple(goals),
            "near": near,
            "imitation": Imitation() if imitation is None else imitation,
            "frozen": tuple(frozen),
            "constraints": tuple(constraints),
            "cuts": tuple(sorted({int(cut) for cut in cuts})),
            "velocity_limits": bool(velocity_limits),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    @property
    def figure(self) -> Figure:
        """The figure to move."""
        return self.near.figure if isinstance(self.space, MotionSpace) else self.space.figure

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.near)

    @cached_property
    def schedules(self) -> tuple[Schedule, ...]:
        """The enabled goals, each with its targets and activations in all frames."""
        keys_alone = isinstance(self.space, MotionSpace)
        return tuple(schedules(self.named, self.near, keys_alone=keys_alone))

    @cached_property
    def named(self) -> tuple[Timed | Goal, ...]:
        """The goals, with frames in their names; frames are counted as in the example's file."""
        for goal in self.goals:
            if isinstance(goal, Timed):
                goal.range(len(self.near))  # refuses frames outside the motion, by the names that the caller gave
        return tuple(with_own_names(self.goals, self.near.first_frame))

    @cached_property
    def frame_problem(self) -> Problem:
        """The problem of a single frame without the example."""
        goals = [schedule.goal for schedule in self.schedules]
        space = self.figure if isinstance(self.space, MotionSpace) else self.space
        return Problem(space, goals, frozen=self.frozen, constraints=self.constraints)

    def with_goals(self, goals: Sequence[Timed | Goal]) -> MotionProblem:
        """A copy of the problem with other goals."""
        return self._with(goals=goals)

    def with_imitation(self, imitation: Imitation) -> MotionProblem:
        """A copy of the problem with another `imitation`."""
        return self._with(imitation=imitation)

    def with_near(self, near: Motion) -> MotionProblem:
        """A copy of the problem with another example."""
        return self._with(near=near)

    def with_targets(self, targets: Mapping[str, Sequence[float]]) -> MotionProblem:
        """A copy of the problem with other target points for some goals.

        Args:
            targets: points, m, by goal label, such as "left_hand at frame 20", or "left_hand" if that is unique.

        Raises:
            UnknownName: no goal has this label, or several have.
            InvalidSetting: the goal does not have a single point as its target.
        """
        goals = list(self.goals)
        for label, values in targets.items():
            k = self.index_of(label)
            timed = goals[k]
            goal = timed.goal if isinstance(timed, Timed) else timed
            if not isinstance(getattr(goal, "target", ""), tuple) or (isinstance(timed, Timed) and timed.has_path):
                raise InvalidSetting(f"{label!r} does not have a single point as its target; use with_goals instead")
            a, b, c = map(float, values)
            moved: Goal = replace(cast(Position, goal), target=(a, b, c))
            goals[k] = replace(timed, goal=moved) if isinstance(timed, Timed) else moved
        return self.with_goals(goals)

    def index_of(self, label: str) -> int:
        """Index of a goal, given by its label with frames, or without if that is unique.

        Raises:
            UnknownName: no goal has this label, or several have.
        """
        full = [plain_goal(goal).label for goal in self.named]
        found = [k for k, goal in enumerate(self.goals) if label in (full[k], plain_goal(goal).label)]
        if len(found) != 1:
            raise UnknownName("goal", label, full, where="the motion problem")
        return found[0]

    def _with(self, **changes: Any) -> MotionProblem:
        return MotionProblem(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)

    def _check(self) -> None:
        theirs, ours = self.near.figure.dof_names, self.figure.dof_names
        if theirs != ours:
            missing, extra = [d for d in ours if d not in theirs], [d for d in theirs if d not in ours]
            order = "the same dofs in another order" if not missing and not extra else ""
            lacks = f"lacks {_some(missing)}" if missing else ""
            has = f"has {_some(extra)} instead" if extra else ""
            raise InvalidMotion(
                f"the example moves figure {self.near.figure.name!r}, which compared with "
                f"{self.figure.name!r} {', '.join(filter(None, (lacks, has, order)))}; transfer it first"
            )
        for cut in self.cuts:
            if not 0 <= cut < len(self):
                raise InvalidSetting(f"there is a cut at frame {cut}; it must be from 0 to {len(self) - 1}")
        for name in (*self.imitation.weights, *self.imitation.stiffnesses):
            self.figure.dofs_of(name)
        if not isinstance(self.space, MotionSpace):
            _ = self.frame_problem  # building it checks the goals
        for goal in map(plain_goal, self.goals):
            terms = goal.terms(self.figure)
            if isinstance(self.space, MotionSpace) and any(isinstance(term, PythonTerm) for term in terms):
                raise InvalidSetting(
                    f"{goal} is written in Python and cannot be used with a space of motions; use a space of poses"
                )
            if any(isinstance(term, PostureTerm | LinearTerm) for term in terms):
                raise InvalidSetting(
                    f"{goal} cannot be used in a motion problem, where the example is the posture to stay near; "
                    "use goals about sites or the centre of mass, or goals in Python"
                )
        if isinstance(self.space, MotionSpace) and (self.frozen or self.constraints or self.velocity_limits):
            raise InvalidSetting(
                "frozen, constraints and velocity_limits cannot be used with a space of motions; use a space of poses"
            )


def _space_of(space: object, near: Motion) -> Space | MotionSpace:
    if isinstance(space, Figure):
        return Space.of(space)
    if isinstance(space, Space):
        return space if space.n_frames == 1 else SpaceOverTime(space, near)
    if hasattr(space, "around"):
        space = space.around(near)
    require(space, MotionSpace, "what a motion problem is about", "a figure, a space or a motion model")
    assert isinstance(space, MotionSpace)
    return space


def plain_goal(goal: Timed | Goal) -> Goal:
    """The goal without its timing."""
    return goal.goal if isinstance(goal, Timed) else goal


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
