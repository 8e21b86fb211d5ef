"""Problems over time: goals at frames, over ranges of frames and along paths, near an example (Tak & Ko)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from posewright.checks import require, require_list
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.goals import Goal
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.motions.motion import require_motion
from posewright.problem.imitation import Imitation
from posewright.problem.problem import Problem
from posewright.problem.schedule import Schedule, schedules, with_own_names
from posewright.problem.space import Space


@dataclass(frozen=True, eq=False, init=False)
class MotionProblem:
    """A question about a motion: goals in time, near an example, within limits and constraints."""

    space: Space
    goals: tuple[Timed | Goal, ...]
    """A plain goal holds in every frame; `Goal.at`, `Goal.during` and `Goal.along` say when and where."""
    near: Motion
    """The example to stay near: joint values of every frame, and the frame rate. Its figure may have other lengths than
    the one that is moved, but the same dofs."""
    imitation: Imitation
    """How much it counts."""
    frozen: tuple[str, ...]
    """Joints or dofs that are as in the example."""
    constraints: tuple[LinearConstraint, ...]
    cuts: tuple[int, ...]
    """Frames that do not continue the one before, such as the first of another clip."""
    velocity_limits: bool
    """Whether no dof goes faster than `Figure.max_speeds` from a frame to the next: hard, as limits are. Balls have
    none. `motion.within_speeds` makes an example slow enough ahead of time."""

    def __init__(
        self,
        space: Space | Figure,
        goals: Sequence[Timed | Goal],
        near: Motion,
        *,
        imitation: Imitation | None = None,
        frozen: Sequence[str] = (),
        constraints: Sequence[LinearConstraint] = (),
        cuts: Sequence[int] = (),
        velocity_limits: bool = False,
    ) -> None:
        require(space, Space | Figure, "what a motion problem is about", "a figure or a space")
        require_list(goals, "goals of a motion problem", "goals, in time or not")
        require_motion(near, "the example of a motion problem")
        if imitation is not None:
            require(
                imitation, Imitation, "imitation of a motion problem", "an Imitation, such as Imitation(example=0.01)"
            )
        object.__setattr__(self, "space", Space.of(space) if isinstance(space, Figure) else space)
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "near", near)
        object.__setattr__(self, "imitation", Imitation() if imitation is None else imitation)
        object.__setattr__(self, "frozen", tuple(frozen))
        object.__setattr__(self, "constraints", tuple(constraints))
        object.__setattr__(self, "cuts", tuple(sorted({int(cut) for cut in cuts})))
        object.__setattr__(self, "velocity_limits", bool(velocity_limits))
        self._check()

    @property
    def figure(self) -> Figure:
        """What is moved."""
        return self.space.figure

    def __len__(self) -> int:
        """How many frames."""
        return len(self.near)

    @cached_property
    def schedules(self) -> tuple[Schedule, ...]:
        """The goals that are enabled, each over all frames."""
        return tuple(schedules(with_own_names(self.goals), self.near))

    @cached_property
    def frame_problem(self) -> Problem:
        """The problem of one frame without the example: what all frames have in common."""
        goals = [schedule.goal for schedule in self.schedules]
        return Problem(self.space, goals, frozen=self.frozen, constraints=self.constraints)

    def with_goals(self, goals: Sequence[Timed | Goal]) -> MotionProblem:
        """The same problem with other goals."""
        return self._with(goals, self.near, self.imitation)

    def with_imitation(self, imitation: Imitation) -> MotionProblem:
        """The same problem with other weights."""
        return self._with(self.goals, self.near, imitation)

    def with_near(self, near: Motion) -> MotionProblem:
        """The same problem with another example."""
        return self._with(self.goals, near, self.imitation)

    def _with(self, goals: Sequence[Timed | Goal], near: Motion, imitation: Imitation) -> MotionProblem:
        return MotionProblem(
            self.space,
            goals,
            near,
            imitation=imitation,
            frozen=self.frozen,
            constraints=self.constraints,
            cuts=self.cuts,
            velocity_limits=self.velocity_limits,
        )

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
        for goal in self.goals:
            require(goal, Timed | Goal, "a goal of a motion problem", "one of the kinds of goals, in time or not")
        if not len(self.near):
            raise InvalidMotion("the example has no frames; it needs at least one")
        for cut in self.cuts:
            if not 0 <= cut < len(self):
                raise InvalidSetting(f"there is a cut at frame {cut}; it must be from 0 to {len(self) - 1}")
        for name in (*self.imitation.weights, *self.imitation.stiffnesses):
            self.figure.dofs_of(name)
        _ = self.frame_problem  # building it checks the goals


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
