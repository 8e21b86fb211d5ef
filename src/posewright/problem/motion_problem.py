"""Problems over time: a motion that follows tracks and imitates an example, frame after frame (Tak & Ko)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from posewright.checks import require, require_list
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure
from posewright.goals import Goal
from posewright.motions import Motion
from posewright.motions.motion import require_motion
from posewright.problem.imitation import Imitation
from posewright.problem.problem import Problem
from posewright.problem.space import Space
from posewright.problem.track import Track


@dataclass(frozen=True, eq=False, init=False)
class MotionProblem:
    """A question about a motion: in every frame tracks and goals, near the example, within limits and constraints."""

    space: Space
    goals: tuple[Track | Goal, ...]
    """Tracks have a target per frame; plain goals are the same in every frame."""
    reference: Motion
    """The example: joint values of every frame, and the frame rate. Its figure may have other lengths than the one that
    is moved, but the same dofs."""
    guidance: Imitation
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
        goals: Sequence[Track | Goal],
        reference: Motion,
        *,
        guidance: Imitation | None = None,
        frozen: Sequence[str] = (),
        constraints: Sequence[LinearConstraint] = (),
        cuts: Sequence[int] = (),
        velocity_limits: bool = False,
    ) -> None:
        require(space, Space | Figure, "what a motion problem is about", "a figure or a space")
        require_list(goals, "goals of a motion problem", "Tracks and goals")
        require_motion(reference, "the example of a motion problem")
        if guidance is not None:
            require(guidance, Imitation, "guidance of a motion problem", "a Imitation, such as Imitation(example=0.01)")
        object.__setattr__(self, "space", Space.of(space) if isinstance(space, Figure) else space)
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "reference", reference)
        object.__setattr__(self, "guidance", Imitation() if guidance is None else guidance)
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
        return len(self.reference)

    @cached_property
    def frame_problem(self) -> Problem:
        """The problem of the first frame without the example: what all frames have in common."""
        goals = [goal.goal() if isinstance(goal, Track) else goal for goal in self.goals]
        return Problem(self.space, goals, frozen=self.frozen, constraints=self.constraints)

    def with_goals(self, goals: Sequence[Track | Goal]) -> MotionProblem:
        """The same problem with other goals, such as edited tracks."""
        return self._with(goals=goals)

    def with_guidance(self, guidance: Imitation) -> MotionProblem:
        """The same problem with other weights."""
        return self._with(guidance=guidance)

    def with_reference(self, reference: Motion) -> MotionProblem:
        """The same problem with another example."""
        return self._with(reference=reference)

    def _with(
        self,
        *,
        goals: Sequence[Track | Goal] | None = None,
        reference: Motion | None = None,
        guidance: Imitation | None = None,
    ) -> MotionProblem:
        return MotionProblem(
            self.space,
            self.goals if goals is None else goals,
            self.reference if reference is None else reference,
            guidance=self.guidance if guidance is None else guidance,
            frozen=self.frozen,
            constraints=self.constraints,
            cuts=self.cuts,
            velocity_limits=self.velocity_limits,
        )

    def _check(self) -> None:
        theirs, ours = self.reference.figure.dof_names, self.figure.dof_names
        if theirs != ours:
            missing, extra = [d for d in ours if d not in theirs], [d for d in theirs if d not in ours]
            order = "the same dofs in another order" if not missing and not extra else ""
            lacks = f"lacks {_some(missing)}" if missing else ""
            has = f"has {_some(extra)} instead" if extra else ""
            raise InvalidMotion(
                f"the example moves figure {self.reference.figure.name!r}, which compared with "
                f"{self.figure.name!r} {', '.join(filter(None, (lacks, has, order)))}; transfer it first"
            )
        for goal in self.goals:
            require(goal, Track | Goal, "a goal of a motion problem", "a Track or one of the kinds of goals")
        if not len(self.reference):
            raise InvalidMotion("the example has no frames; it needs at least one")
        for goal in self.goals:
            if isinstance(goal, Track) and len(goal) != len(self):
                raise InvalidSetting(f"track {goal.label!r} has {len(goal)} frames; the example has {len(self)}")
        for cut in self.cuts:
            if not 0 <= cut < len(self):
                raise InvalidSetting(f"there is a cut at frame {cut}; it must be from 0 to {len(self) - 1}")
        for name in (*self.guidance.weights, *self.guidance.stiffnesses):
            self.figure.dofs_of(name)
        _ = self.frame_problem  # building it checks the goals


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
