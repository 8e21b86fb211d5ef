"""Edit a motion by goals at key frames and along paths, in joint space or inside a learned pattern."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from posewright.checks import require, require_list
from posewright.errors import InvalidSetting
from posewright.figures.transforms.limits import admitting
from posewright.goals import Goal
from posewright.goals.timed import Timed
from posewright.kernels.tables import SLIDE
from posewright.models.latent import Latent
from posewright.models.model_space import ModelSpace
from posewright.models.motion_model import MotionModel
from posewright.motions.contacts import Bars, Contacts
from posewright.motions.motion import Motion, require_motion
from posewright.motions.quality.edited import JERKY, changed_frames, jerk_ratio
from posewright.motions.quality.report import QualityLimits, QualityReport
from posewright.problem import MotionProblem, MotionResult, Space
from posewright.problem.evaluation import readable
from posewright.problem.motion_lowering import scheduled_goals
from posewright.problem.motion_problem import plain_goal
from posewright.problem.motion_space import MotionSpace
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver, require_solver
from posewright.workflows.editing.feet import Feet, has_feet
from posewright.workflows.editing.ground import put_down
from posewright.workflows.editing.holding import (
    Pair,
    brought_together,
    checked_pairs,
    contacts_in_pattern,
    kept_together,
    not_held,
)
from posewright.workflows.editing.in_joints import WHOLE, edit_in_joints, in_python, path_jerk, windows

JOINT_SOLVER = Prioritized(max_iterations=100)
PATTERN_SOLVER = Prioritized(max_step=2.0, max_iterations=100, attraction=0.1, settle=False)
"""Steps of at most two standard deviations; each also goes a tenth of the distance back to the source."""


_WORSE = 1.001
"""Times the source's own value: what breaks a limit in the source, too, is no harm."""
_ROUNDING = 1e-9
"""rad or m beyond a limit that come from rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class EditResult(MotionResult):
    """An edited motion and how well it does what was asked."""

    latent: Latent | None = None
    """The same in the coordinates of the model, if there was one."""

    @cached_property
    def quality(self) -> QualityReport:
        """Measures of the edited motion beside those of the source."""
        return self.motion.quality(self.problem.near)

    @cached_property
    def harm(self) -> tuple[str, ...]:
        """The limits of `check` that the edited motion breaks beside its source, a sentence each.

        But for likeness: an edit is meant to differ.
        """
        limits = QualityLimits(likeness=None, likeness_limbs=None)
        broken = [verdict for verdict in self.quality.check(limits) if verdict.passed is False]
        worse = [one for one in broken if one.measure.value > _WORSE * (one.measure.source or 0.0)]
        return tuple(f"{verdict.in_words()}: the edit does harm" for verdict in worse)

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
    hold_contacts: bool | None = None,
    contacts: Bars | None = None,
    hold_together: Sequence[Pair] = (),
    keep_detail: bool = True,
    limits: bool = False,
    max_deviation: float | None = None,
    events: npt.ArrayLike | Literal["flight", "alike"] | None = None,
    solver: Solver | None = None,
) -> EditResult:
    """A motion changed so that goals are met at some of its frames.

    Args:
        motion: what to edit.
        goals: `goal.at(frame)`, `goal.during(start, end)`, `goal.along(path)`, by priority; a plain goal holds in all
            frames.
        space: what to stay in: a motion model, or a space with a block for every frame. Default: joint space. There, a
            goal at one frame displaces the motion around it, with as few joints as it takes, and fades to either side
            with the least jerk: over half a second or more, by how far it goes, or over the frames that `at` gives. In
            goals over several frames, every frame in which one counts is solved by itself.
        hold_contacts: keep the feet where they touch the ground in `motion`, before all goals. In joint space, with
            goals at single frames, feet keep their whole paths, but for one that a goal moves. Default: only in joint
            space, for figures with feet, and where contacts are given.
        contacts: by foot (left_foot, right_foot), the first and the last frame of each of its contacts, in place of
            those that are found: where one is added the foot is put down, and outside of them it is in the air. Feet
            that are not named keep theirs.
        hold_together: pairs of sites that keep their place to each other, before all goals too: the first stays where
            it is in `motion` on the joint of the second, frame by frame. Such as two hands on one club.
        keep_detail: of a model: keep what it cannot express of the motion; otherwise the result is a motion of the
            model.
        limits: of a model: look for an answer that keeps the figure's limits at key frames. In the result limits always
            hold, in all frames, as far as the motion itself keeps them.
        max_deviation: of a model: how many standard deviations a mode may be from the mean, unless the motion itself
            is farther. Default: any, and 6 along paths. With something held, joints do what the model leaves undone.
        events: of a model: the moments (s) of the motion that correspond to the model's events; "flight": take-off and
            landing; "alike": where the motion is like the model's mean at its events.
        solver: default: `Prioritized`, with steps of at most 2 standard deviations or 0.3 rad. In joint space any; all
            but `Prioritized` solve every frame by itself.

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
    require_list(goals, "the goals of a motion problem", "goals, in time or not", Timed | Goal)
    checked_pairs(motion, hold_together)
    warnings: list[str] = []
    ground: Contacts | None = None
    if contacts is not None:
        if not has_feet(motion.figure):
            raise InvalidSetting(f"figure {motion.figure.name!r} has no feet that could touch the ground")
        standing = put_down(motion, contacts)
        motion, ground, warnings = standing.motion, standing.contacts, [*standing.warnings]
    if isinstance(space, MotionModel) and len(motion):
        space = space.around(motion, events=events, keep_detail=keep_detail, limits=limits, max_deviation=max_deviation)
    elif not isinstance(space, MotionModel):
        given = {
            "max_deviation": max_deviation is not None,
            "keep_detail": not keep_detail,
            "events": events is not None,
        }
        warnings += [f"{name} is about motion models: without one it does nothing" for name, on in given.items() if on]
    in_joints = space is None
    goals = _with_windows(motion, goals)
    asked = MotionProblem(admitting(motion.figure, motion.q) if space is None else space, goals, motion)
    warnings = [*_sudden(asked), *warnings]
    if hold_contacts is None:
        hold_contacts = ground is not None or (in_joints and has_feet(motion.figure))
    if hold_contacts and ground is None and (hold_together or not in_joints):
        ground = motion.contacts()
    feet = Feet(motion, goals, ground) if in_joints and hold_contacts else None
    on = [goal if isinstance(goal, Timed) else Timed(goal) for goal in asked.named if plain_goal(goal).enabled]
    smoothly = in_joints and solver is None and not in_python(motion.figure, goals)
    if smoothly and on:
        found = edit_in_joints(motion, on, feet, kept_together(motion, hold_together))
        found = replace(found, motion=brought_together(motion, found.motion, hold_together))
    elif in_joints:
        found = (solver or JOINT_SOLVER).solve(asked if feet is None else feet.before(asked))
    else:
        found = _in_pattern(asked, solver, ground if hold_contacts else None)
    result = EditResult(
        motion=motion.with_q(found.motion.q),
        problem=asked,
        seconds=0.0,
        iterations_by_solve=found.iterations_by_solve,
        stop_codes=found.stop_codes,
        goals=lambda: scheduled_goals(asked),
        solver_warnings=(*warnings, *found.solver_warnings),
        x=None if in_joints else found.x,
        latent=asked.space.latent(found.x) if isinstance(asked.space, ModelSpace) and found.x is not None else None,
    )
    result = _within_limits(motion, result, keep=keep_detail)
    if ((hold_together and not smoothly) or (hold_contacts and not in_joints)) and asked.schedules:
        result = _with_held(motion, result, ground=ground if hold_contacts else None, pairs=hold_together)
    return replace(
        result,
        solver_warnings=(*result.solver_warnings, *_harm(motion, result.motion, path_jerk(motion, goals))),
        seconds=time.perf_counter() - began,
    )


def _in_pattern(asked: MotionProblem, solver: Solver | None, ground: Contacts | None) -> MotionResult:
    """In a space of motions, with the contacts nearly where they are if they are held."""
    problem = asked
    if ground is not None:
        keys = [one.goal for one in asked.schedules if one.key is not None]
        problem = asked.with_goals([*asked.goals, *contacts_in_pattern(asked.near, ground, keys)])
    return (solver or PATTERN_SOLVER).solve(problem)


def _within_limits(source: Motion, result: EditResult, *, keep: bool) -> EditResult:
    """An edit that keeps the limits in all frames, as far as its source does; or, if not to be kept, says so."""
    figure, made = admitting(source.figure, source.q), result.motion
    over = np.maximum(made.q - figure.upper, figure.lower - made.q)
    broken = over > _ROUNDING
    if not broken.any():
        return result
    frame, dof = (int(k) for k in np.unravel_index(int(over.argmax()), over.shape))
    slides = figure.tables.dofs["kind"][dof] == SLIDE
    amount = f"{1e3 * over[frame, dof]:.0f} mm" if slides else f"{np.degrees(over[frame, dof]):.1f}°"
    done = "the pattern was held back at limits" if keep else "the pattern breaks limits"
    said = (
        f"{done} in {int(broken.any(axis=1).sum())} frames, most by {amount}: "
        f"{figure.dof_names[dof]!r} in frame {source.first_frame + frame}"
    )
    if keep:
        made = made.with_q(np.clip(made.q, figure.lower, figure.upper))
        space, latent = result.problem.space, result.latent
        if isinstance(space, ModelSpace) and latent is not None:
            latent = space.model.explained(latent, made)
        result = replace(result, motion=made, latent=latent)
    return replace(result, solver_warnings=(*result.solver_warnings, said))


def _harm(source: Motion, made: Motion, asked: float) -> list[str]:
    """What an animator would not keep; paths that were asked for may jerk as they do."""
    changed, ratio = changed_frames(made, source), jerk_ratio(made, source, asked)
    if changed is None or ratio <= JERKY:
        return []
    first, last = (source.first_frame + frame for frame in changed)
    return [f"frames {first} to {last} are {ratio:.1f} times as jerky as before, or as they need be"]


def _with_windows(motion: Motion, goals: Sequence[Timed | Goal]) -> list[Timed | Goal]:
    """The goals; those over several frames that do not say how long they fade take as long as it needs."""
    found: list[Timed | Goal] = []
    for goal in goals:
        if isinstance(goal, Timed) and goal.start != goal.end and None in (goal.ease_in, goal.ease_out):
            before, after = windows(motion, goal)
            goal = replace(goal, ease_in=before, ease_out=after)
        found.append(goal)
    return found


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


def _with_held(source: Motion, result: EditResult, *, ground: Contacts | None, pairs: Sequence[Pair]) -> EditResult:
    """What is held brought back in joint space, before the goals, with the edited motion as what to stay near."""
    asked, motion = result.problem, result.motion
    on = [goal if isinstance(goal, Timed) else Timed(goal) for goal in asked.named if plain_goal(goal).enabled]
    feet = None if ground is None else Feet(source, (), ground)
    motion = motion if feet is None else feet.returned(motion)
    together = kept_together(source, pairs)
    motion = brought_together(source, motion, pairs)
    final = replace(result, motion=motion, x=None, goals=lambda: result.lowered, solver_warnings=())
    if not final.reached and not in_python(source.figure, asked.goals):
        more = edit_in_joints(motion, on, None if feet is None else Feet(motion, (), ground, feet), together, WHOLE)
        final = replace(
            final,
            motion=result.motion.with_q(brought_together(source, more.motion, pairs).q),
            iterations_by_solve=np.concatenate([result.iterations_by_solve, more.iterations_by_solve]),
            stop_codes=np.concatenate([result.stop_codes, more.stop_codes]),
        )
    space, latent = asked.space, result.latent
    if isinstance(space, ModelSpace) and latent is not None:
        latent = space.model.explained(latent, final.motion)
    notes = [
        f"the pattern alone ends {readable(was.value, was.unit)} from {was.label!r}; joints do the rest"
        for was in result.errors.missed
        if isinstance(space, MotionSpace) and final.errors[was.goal].reached
    ]
    notes += [
        f"could not be held: {what}"
        for what in not_held(source, final.motion, None if feet is None else feet.touching, pairs)
    ]
    notes += [f"{error} is missed with what is held, which comes first" for error in final.errors.missed]
    return replace(final, latent=latent, solver_warnings=(*result.warnings, *notes))
