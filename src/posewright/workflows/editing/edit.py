"""Edit a motion by goals at key frames and along paths, in joint space or inside a learned pattern."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.checks import require
from posewright.errors import InvalidSetting
from posewright.figures.transforms.limits import admitting
from posewright.goals import Goal
from posewright.goals.timed import Timed
from posewright.models.latent import Latent
from posewright.models.model_space import ModelSpace
from posewright.models.motion_model import MotionModel
from posewright.motions.motion import Motion, require_motion
from posewright.problem import MotionProblem, MotionResult, Space
from posewright.problem.evaluation import readable
from posewright.problem.motion_lowering import scheduled_goals
from posewright.problem.motion_space import MotionSpace
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver, require_solver
from posewright.workflows.editing.holding import HELD, Pair, checked_pairs, contacts_in_pattern, holding

JOINT_SOLVER = Prioritized(max_iterations=100)
PATTERN_SOLVER = Prioritized(max_step=2.0, max_iterations=100, attraction=0.1, settle=False)
"""Steps of at most two standard deviations; each also goes a tenth of the distance back to the source."""


@dataclass(frozen=True, eq=False, repr=False)
class EditResult(MotionResult):
    """An edited motion and how well it does what was asked."""

    latent: Latent | None = None
    """The same in the coordinates of the model, if there was one."""

    @property
    def solves(self) -> int:
        """How many poses, or sets of poses, were solved for."""
        return len(self.iterations_by_solve)

    def save(self, path: str | Path, *, latent: bool = False) -> None:
        """Write the motion in the format of the file's suffix, or its coordinates in the model (.npz)."""
        if not latent:
            self.motion.save(path)
        elif self.latent is None:
            raise InvalidSetting("this edit was made without a model, so it has no latent coordinates to save")
        else:
            self.latent.save(path)


def edit(
    motion: Motion,
    goals: Timed | Goal | Sequence[Timed | Goal],
    *,
    space: MotionModel | MotionSpace | Space | None = None,
    hold_contacts: bool = False,
    hold_together: Sequence[Pair] = (),
    keep_detail: bool = True,
    limits: bool = False,
    max_deviation: float | None = None,
    events: npt.ArrayLike | Literal["flight"] | None = None,
    solver: Solver | None = None,
) -> EditResult:
    """A motion changed so that goals are met at some of its frames.

    Args:
        motion: what to edit.
        goals: `goal.at(frame)`, `goal.during(start, end)`, `goal.along(path)`, by priority; a plain goal holds in all
            frames.
        space: what to stay in: a motion model, or a space with a block for every frame. Default: joint space, where
            every frame in which a goal counts is solved by itself, and a goal at one frame reaches a quarter of the
            motion to either side.
        hold_contacts: keep the feet where they touch the ground in `motion`, before all goals.
        hold_together: pairs of sites that keep their place to each other, before all goals too: the first stays where
            it is in `motion` on the joint of the second, frame by frame. Such as two hands on one club.
        keep_detail: of a model: keep what it cannot express of the motion; otherwise the result is a motion of the
            model.
        limits: keep the figure's limits at key frames also inside a model. In joint space they always hold, as far
            as the motion itself keeps them.
        max_deviation: of a model: how many standard deviations a mode may be from the mean, unless the motion itself
            is farther. Default: any, and 6 along paths. With something held, joints do what the model leaves undone.
        events: of a model: the moments (s) of the motion that correspond to the model's events; "flight": take-off and
            landing.
        solver: default: `Prioritized`, with steps of at most 2 standard deviations or 0.3 rad. In joint space any.

    Raises:
        InvalidSetting: a goal outside the motion, or not about sites.
        InvalidMotion: no frames, or a figure that is not the model's.
    """
    began = time.perf_counter()
    require_motion(motion)
    require(space, MotionModel | MotionSpace | Space | None, "the space of an edit", "a MotionModel or a Space")
    if solver is not None:
        require_solver(solver)
    goals = [goals] if isinstance(goals, Timed | Goal) else goals
    checked_pairs(motion, hold_together)
    warnings = []
    if isinstance(space, MotionModel) and len(motion):
        space = space.around(motion, events=events, keep_detail=keep_detail, limits=limits, max_deviation=max_deviation)
    elif not isinstance(space, MotionModel):
        given = {
            "max_deviation": max_deviation is not None,
            "keep_detail": not keep_detail,
            "events": events is not None,
        }
        warnings = [f"{name} is about motion models: without one it does nothing" for name, on in given.items() if on]
    asked = MotionProblem(admitting(motion.figure, motion.q) if space is None else space, goals, motion)
    warnings = [*_sudden(asked), *warnings]
    shared = isinstance(asked.space, MotionSpace)
    problem = asked
    if shared and hold_contacts:
        keys = [one.goal for one in asked.schedules if one.key is not None]
        problem = asked.with_goals([*goals, *contacts_in_pattern(motion, keys)])
    found = (solver or (PATTERN_SOLVER if shared else JOINT_SOLVER)).solve(problem)
    result = EditResult(
        motion=found.motion if shared else motion.with_q(found.motion.q),
        problem=asked,
        seconds=0.0,
        iterations_by_solve=found.iterations_by_solve,
        stop_codes=found.stop_codes,
        goals=found.goals if problem is asked else lambda: scheduled_goals(asked),
        solver_warnings=(*warnings, *found.solver_warnings),
        x=found.x,
        latent=asked.space.latent(found.x) if isinstance(asked.space, ModelSpace) and found.x is not None else None,
    )
    if (hold_contacts or hold_together) and asked.schedules:
        result = _with_held(motion, result, ground=hold_contacts, pairs=hold_together)
    return replace(result, seconds=time.perf_counter() - began)


def _sudden(problem: MotionProblem) -> list[str]:
    """Goals that begin or end at once."""
    last = len(problem) - 1
    return [
        f"{goal.goal.label!r} begins or ends at once (its ease is 0), so the motion may jump there"
        for goal in problem.goals
        if isinstance(goal, Timed) and not goal.is_key and goal.goal.enabled
        for start, end in [goal.range(len(problem))]
        if (goal.ease_in == 0.0 and start > 0) or (goal.ease_out == 0.0 and end < last)
    ]


def _with_held(source: Motion, result: EditResult, *, ground: bool, pairs: Sequence[Pair]) -> EditResult:
    """What is held brought back in joint space, with the goals below it and the edited motion as the example."""
    problem = holding(source, result.motion, result.problem.goals, ground=ground, pairs=pairs)
    if problem is None:
        return result
    held = JOINT_SOLVER.solve(problem)
    space, latent, motion = result.problem.space, result.latent, result.motion.with_q(held.motion.q)
    if isinstance(space, ModelSpace) and latent is not None:
        latent = space.model.explained(latent, motion)
    final = replace(
        result,
        motion=motion,
        iterations_by_solve=np.concatenate([result.iterations_by_solve, held.iterations_by_solve]),
        stop_codes=np.concatenate([result.stop_codes, held.stop_codes]),
        goals=lambda: result.lowered,
        latent=latent,
    )
    inside = isinstance(space, MotionSpace)
    notes = [
        f"the pattern alone ends {readable(was.value, was.unit)} from {was.label!r}; joints do the rest"
        for was in result.errors.missed
        if inside and final.errors[was.goal].reached
    ]
    first = {one.goal.label for one in problem.schedules if one.goal.priority == 1}
    notes += [f"could not be held: {error}" for error in held.errors.values() if error.goal in first and error > HELD]
    notes += [f"{error} is missed with what is held, which comes first" for error in final.errors.missed]
    return replace(final, solver_warnings=(*result.warnings, *notes), x=None)
