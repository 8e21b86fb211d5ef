"""Edit a motion by goals at key frames and along paths, in joint space or in a motion model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy.typing as npt

from posewright.blas import one_blas_thread
from posewright.checks import require, require_list
from posewright.errors import InvalidSetting
from posewright.figures.transforms.limits import admitting
from posewright.goals import Goal
from posewright.goals.timed import Timed
from posewright.models.model_space import OUTSIDE, ModelSpace
from posewright.models.motion_model import MotionModel
from posewright.motions.contacts import Bars, Contacts
from posewright.motions.motion import Motion, require_motion
from posewright.motions.quality.edited import JERKY, Original
from posewright.problem import MotionProblem, Space
from posewright.problem.motion_lowering import scheduled_goals
from posewright.problem.motion_problem import plain_goal
from posewright.problem.motion_space import MotionSpace
from posewright.solvers.motion.frames import Progress
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver, require_solver
from posewright.workflows.editing.feet import Feet, has_feet
from posewright.workflows.editing.ground import put_down
from posewright.workflows.editing.holding import Pair, brought_together, checked_pairs, kept_together
from posewright.workflows.editing.in_joints import RECRUITS, WHOLE, edit_in_joints, in_python, path_jerk, windows
from posewright.workflows.editing.in_model import nearly, smoothly, solve_in_model, with_held, within_limits
from posewright.workflows.editing.result import EditResult
from posewright.workflows.editing.steps import Step, counted

JOINT_SOLVER = Prioritized(max_iterations=100)
_SHARES = None, 1.0, 0.5, 0.25
"""Of a model's change, where joints bring back what is held: as it is, smoothed, or less of it, until the motion is
smooth. Where nothing is held the model's own motion is the answer: joints alone would let the feet slide."""


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
    """Edit a motion so that it meets goals at some of its frames.

    Args:
        motion: the motion to edit.
        goals: goals in time: `goal.at(frame)`, `goal.during(start, end)`, `goal.along(path)`. They are served by
            priority. A plain goal holds in all frames.
        space: the space to stay in: a motion model, or a space with a block for every frame. Default: joint space. In
            joint space, a goal at one frame displaces the motion around it with as few joints as needed and fades out
            on both sides with the least jerk: over half a second or more, depending on the distance, or over the frames
            given to `at`. For goals over several frames, each frame in which one counts is solved by itself.
        hold_contacts: whether to keep the feet where they touch the ground in `motion`, before all goals. In joint
            space, with goals at single frames, feet keep their whole paths, unless a goal moves them. Default: yes in
            joint space for figures with feet, and yes if `contacts` are given.
        contacts: contacts to use instead of those found: the first and last frame of each contact, by foot (left_foot,
            right_foot). The foot is put down in added contacts and is in the air outside contacts. Feet that are not
            named keep their contacts.
        hold_together: pairs of sites that keep their relative position, before all goals: the first site keeps its
            place from `motion` in the frame of the second site's joint. An example is two hands on a club.
        keep_detail: for a model: whether to keep the part of the motion that the model cannot express. Otherwise the
            result is a motion of the model.
        limits: for a model: whether to search for an answer that keeps the figure's limits at key frames. The result
            always keeps the limits in all frames in which `motion` does.
        max_deviation: for a model: how many standard deviations a mode may be from the mean, unless the motion itself
            is further away. Default: 3 if contacts are held, otherwise 6 along paths and any number elsewhere. If
            something is held, joints make up for what the model leaves undone.
        events: for a model: times (s) in the motion that correspond to the model's events. "flight": take-off and
            landing; "alike": where the motion is like the model's mean at its events.
        solver: the solver. Default: `Prioritized`, with steps of at most 2 standard deviations or 0.3 rad. In joint
            space any solver works; all but `Prioritized` solve every frame by itself.

    Raises:
        InvalidSetting: a goal is outside the motion, or not about sites.
        InvalidMotion: the motion has no frames, or its figure is not the model's.
    """
    return MotionEditor(
        motion,
        space=space,
        hold_contacts=hold_contacts,
        contacts=contacts,
        hold_together=hold_together,
        keep_detail=keep_detail,
        limits=limits,
        max_deviation=max_deviation,
        events=events,
        solver=solver,
    ).edit(goals)


class MotionEditor:
    """Edits one motion repeatedly, for example while a key is dragged; what depends on the motion is computed once."""

    def __init__(
        self,
        motion: Motion,
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
    ) -> None:
        """Prepare edits of a motion; the arguments are those of `edit`."""
        require_motion(motion)
        require(space, MotionModel | MotionSpace | Space | None, "the space of an edit", "a MotionModel or a Space")
        if solver is not None:
            require_solver(solver)
        checked_pairs(motion, hold_together)
        self._warnings: list[str] = []
        self._given: Contacts | None = None
        if contacts is not None:
            if not has_feet(motion.figure):
                raise InvalidSetting(f"contacts are given, but figure {motion.figure.name!r} has no recognised feet")
            standing = put_down(motion, contacts)
            motion, self._given, self._warnings = standing.motion, standing.contacts, [*standing.warnings]
        if hold_contacts is None:
            hold_contacts = contacts is not None or (space is None and has_feet(motion.figure))
        self._holds = hold_contacts
        if isinstance(space, MotionModel) and len(motion):
            max_deviation = OUTSIDE if max_deviation is None and hold_contacts else max_deviation
            space = space.around(
                motion, events=events, keep_detail=keep_detail, limits=limits, max_deviation=max_deviation
            )
        elif not isinstance(space, MotionModel):
            about = {
                "max_deviation": max_deviation is not None,
                "keep_detail": not keep_detail,
                "events": events is not None,
            }
            self._warnings += [f"{name} has no effect without a motion model" for name, on in about.items() if on]
        self.motion = motion
        """The motion to edit, with given contacts put in place."""
        self._admitting = admitting(motion.figure, motion.q)
        self._space, self._solver, self._pairs, self._keep_detail = space, solver, hold_together, keep_detail

    def edit(self, goals: Timed | Goal | Sequence[Timed | Goal], progress: Progress | None = None) -> EditResult:
        """Edit the motion so that it meets goals at some of its frames; see `edit`.

        Args:
            goals: goals in time, as for `edit`.
            progress: called with the number of steps so far; an exception that it raises ends the edit.
        """
        began, step = time.perf_counter(), counted(progress)
        with one_blas_thread():
            return self._edited(goals, step, began)

    def _edited(self, goals: Timed | Goal | Sequence[Timed | Goal], step: Step, began: float) -> EditResult:
        goals = [goals] if isinstance(goals, Timed | Goal) else goals
        require_list(goals, "the goals of a motion problem", "goals, in time or not", Timed | Goal)
        goals, motion, in_joints = _with_windows(self.motion, goals), self.motion, self._space is None
        asked = MotionProblem(self._admitting if self._space is None else self._space, goals, motion)
        on = [goal if isinstance(goal, Timed) else Timed(goal) for goal in asked.named if plain_goal(goal).enabled]
        feet = None if self._feet is None else self._feet.moved_by(on)
        by_curves = in_joints and self._solver is None and not in_python(motion.figure, goals)
        held = (self._pairs and not by_curves) or (self._holds and not in_joints)
        shares: tuple[float | None, ...] = _SHARES if held else ()
        if by_curves and on:
            together = kept_together(self._original.motion, self._pairs)
            found = edit_in_joints(self._original, on, feet, together, step=step)
            found = replace(found, motion=brought_together(self._original.motion, found.motion, self._pairs, step))
        elif in_joints:
            found = (self._solver or JOINT_SOLVER).solve(asked if feet is None else feet.before(asked))
        else:
            found = solve_in_model(asked, self._solver, self._ground if self._holds else None)
            near = nearly(asked, found) if self._solver is None and self._keep_detail and not held else None
            if near is not None:
                found, shares = near, (None,)
        plain = EditResult(
            motion=motion.with_q(found.motion.q),
            problem=asked,
            seconds=0.0,
            iterations_by_solve=found.iterations_by_solve,
            stop_codes=found.stop_codes,
            goals=lambda: scheduled_goals(asked),
            solver_warnings=(*_sudden(asked), *self._warnings, *found.solver_warnings),
            x=None if in_joints else found.x,
            latent=asked.space.latent(found.x) if isinstance(asked.space, ModelSpace) and found.x is not None else None,
        )
        result = within_limits(motion, plain, keep=self._keep_detail)
        for share in shares:
            smooth = plain if share is None or not self._keep_detail else smoothly(self._original, plain, share)
            if share is not None and smooth is plain:
                continue
            made = within_limits(motion, smooth, keep=self._keep_detail)
            ground, recruits = self._ground if self._holds else None, WHOLE if share is None else RECRUITS
            result = with_held(motion, made, ground=ground, pairs=self._pairs, recruits=recruits, step=step)
            if share is not None and share < 1.0:
                said = f"only {share:.0%} of the model's change is used, because more would make the motion jerky"
                result = replace(result, solver_warnings=(*result.solver_warnings, said))
            if self._original.change(result.motion).jerk_ratio() <= JERKY:
                break
        return replace(
            result,
            solver_warnings=(*result.solver_warnings, *self._harm(result.motion, path_jerk(motion, goals))),
            seconds=time.perf_counter() - began,
        )

    @cached_property
    def _original(self) -> Original:
        """The motion on a figure whose limits are widened to admit it."""
        return Original(replace(self.motion, figure=self._admitting))

    @cached_property
    def _ground(self) -> Contacts:
        return self.motion.contacts() if self._given is None else self._given

    @cached_property
    def _feet(self) -> Feet | None:
        return Feet(self._original, self._ground) if self._holds and self._space is None else None

    def _harm(self, made: Motion, asked: float) -> list[str]:
        """A warning if the edit is jerkier than it should be; requested paths may be as jerky as they are (m/s³)."""
        change = self._original.change(made)
        if change.frames is None or change.jerk_ratio(asked) <= JERKY:
            return []
        first, last = (made.first_frame + frame for frame in change.frames)
        ratio = change.jerk_ratio(asked)
        return [f"frames {first} to {last} are {ratio:.1f} times as jerky as before or as necessary"]


def _with_windows(motion: Motion, goals: Sequence[Timed | Goal]) -> list[Timed | Goal]:
    """The goals, with as much ease as needed for those over several frames that do not state it."""
    found: list[Timed | Goal] = []
    for goal in goals:
        if isinstance(goal, Timed) and goal.start != goal.end and None in (goal.ease_in, goal.ease_out):
            before, after = windows(motion, goal)
            goal = replace(goal, ease_in=before, ease_out=after)
        found.append(goal)
    return found


def _sudden(problem: MotionProblem) -> list[str]:
    """Warnings for goals that begin or end abruptly."""
    last = len(problem) - 1
    return [
        f"{goal.goal.label!r} begins or ends abruptly (its ease is 0), so the motion may jump there"
        for goal in problem.goals
        if isinstance(goal, Timed) and not goal.is_key and goal.goal.enabled
        for start, end in [goal.range(len(problem))]
        if (goal.ease_in == 0.0 and start > 0) or (goal.ease_out == 0.0 and end < last)
    ]
