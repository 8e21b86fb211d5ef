"""Edit a motion by goals at key frames and along trajectories, inside a learned pattern or in joint space."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy.typing as npt

from posewright.checks import require
from posewright.errors import InvalidMotion
from posewright.goals.timed import Timed
from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel, require_model
from posewright.motions.motion import Motion, require_motion
from posewright.problem.evaluation import GoalError, readable
from posewright.problem.schedule import schedules
from posewright.solvers.prioritized import Prioritized
from posewright.workflows.editing.checking import checked
from posewright.workflows.editing.edit_constraints import Pair, checked_pairs, contacts_in_pattern, with_held
from posewright.workflows.editing.joints import follow_in_joints
from posewright.workflows.editing.key_errors import key_errors
from posewright.workflows.editing.pattern_editor import PATTERN_SOLVER, PatternEditor, outside_the_pattern
from posewright.workflows.editing.result import EditResult
from posewright.workflows.editing.trajectories import follow_in_pattern

JOINT_SOLVER = Prioritized(max_iterations=100)


def edit(
    motion: Motion,
    goals: Timed | Sequence[Timed],
    *,
    model: MotionModel | None = None,
    hold_contacts: bool = False,
    hold_together: Sequence[Pair] = (),
    keep_detail: bool = True,
    limits: bool = False,
    farthest: float | None = None,
    events: npt.ArrayLike | Literal["flight"] | None = None,
    solver: Prioritized | None = None,
) -> EditResult:
    """A motion changed so that goals are met at some of its frames.

    Args:
        motion: what to edit.
        goals: `goal.at(frame)`, `goal.during(start, end)`, `goal.along(path)`, by priority.
        model: the pattern to stay in; without one every frame that a key touches is solved by itself, and a key
            frame reaches a quarter of the motion to either side.
        hold_contacts: keep the feet where they touch the ground in `motion`, before all keys.
        hold_together: pairs of sites that keep their place to each other, before all keys too: the first stays where
            it is in `motion` on the joint of the second, frame by frame. Such as two hands on one club.
        keep_detail: keep what the pattern cannot say of the motion; otherwise the result is a motion of the pattern.
        limits: keep the figure's limits at key frames also inside a pattern. In joint space they always hold, as far
            as the motion itself keeps them.
        farthest: how many standard deviations a mode may be from the mean, unless the motion itself is farther: where
            the pattern would have to leave itself for a goal, it stops. By default key frames may go anywhere, and
            trajectories as far as 6. With something held, joints do what the pattern leaves undone.
        events: the moments (s) of the motion that correspond to the model's events; "flight": take-off and landing.
        solver: settings, by default steps of at most 2 standard deviations or 0.3 rad.

    Raises:
        InvalidSetting: a key outside the motion, or of a goal that is not about sites.
        InvalidMotion: no frames, or a figure that is not the model's.
    """
    began = time.perf_counter()
    require_motion(motion)
    if model is not None:
        require_model(model)
    if solver is not None:
        require(solver, Prioritized, "the solver of an edit", "a Prioritized, such as Prioritized(max_iterations=200)")
    if not len(motion):
        raise InvalidMotion("the motion has no frames, so there is nothing to edit")
    goals = [goals] if isinstance(goals, Timed) else goals
    own = checked(motion, goals)
    checked_pairs(motion, hold_together)
    at_frames = [key for key in own if key.is_key]
    along = [key for key in own if not key.is_key]
    warnings = [
        f"{key.goal.label!r} begins or ends at once (its ease is 0), so the motion may jump there"
        for key in along
        if (key.ease_in == 0.0 and key.range(len(motion))[0] > 0)
        or (key.ease_out == 0.0 and key.range(len(motion))[1] < len(motion) - 1)
    ]
    if model is None:
        unused = {"farthest": farthest is not None, "keep_detail": not keep_detail, "events": events is not None}
        warnings += [f"{name} is about patterns: without a model it does nothing" for name, on in unused.items() if on]
    latent: Latent | None = None
    errors: tuple[GoalError, ...] | None = None
    if model is None:
        answer = follow_in_joints(motion, schedules(own, motion), solver or JOINT_SOLVER)
        edited, iterations, solves = answer.motion, answer.iterations, answer.solves
        errors = answer.errors
    else:
        plain = [key for key in goals if key.is_key]
        editor = PatternEditor(
            model,
            motion,
            keep_detail=keep_detail,
            limits=limits,
            farthest=farthest,
            events=events,
            solver=solver or PATTERN_SOLVER,
        )
        beside = contacts_in_pattern(motion, at_frames) if hold_contacts else []
        inside = _in_pattern(editor, plain, beside, along, farthest, solver or PATTERN_SOLVER)
        latent, edited, iterations, solves = inside.latent, inside.motion, inside.iterations, inside.solves
        warnings += inside.warnings
        errors = None if at_frames and along else inside.errors
    errors = key_errors(edited, own) if errors is None else errors
    if (hold_contacts or hold_together) and own:
        held = with_held(motion, edited, own, JOINT_SOLVER, ground=hold_contacts, pairs=hold_together)
        edited, iterations, solves = held.motion, iterations + held.iterations, solves + held.solves
        before, errors = errors, key_errors(edited, own)
        met = {error.label for error in errors if error.reached}
        warnings += [
            f"the pattern alone ends {readable(was.value, was.unit)} from {was.label!r}; joints do the rest"
            for was in before
            if model is not None and not was.reached and was.label in met
        ]
        warnings += [f"could not be held: {error}" for error in held.errors if not error.reached]
        warnings += [f"{error} is missed with what is held, which comes first" for error in errors if not error.reached]
        latent = model.explained(latent, edited) if model is not None and latent is not None else None
    return EditResult(
        motion=replace(edited, name=motion.name),
        latent=latent,
        errors=errors,
        iterations=iterations,
        solves=solves,
        seconds=time.perf_counter() - began,
        warnings=tuple(warnings),
    )


def _in_pattern(
    editor: PatternEditor,
    at_frames: list[Timed],
    beside: list[Timed],
    along: list[Timed],
    farthest: float | None,
    solver: Prioritized,
) -> EditResult:
    """Key frames first; what they make of the motion is the source of the trajectories."""
    whole = editor.edit(at_frames, beside=beside)
    if not along:
        return whole
    source = whole.latent or editor.source
    edited = whole.motion
    tracks = schedules(along, edited)
    answer = follow_in_pattern(editor.model, source, edited, tracks, solver, farthest=farthest)
    return EditResult(
        motion=editor.model.decode(answer.latent),
        latent=answer.latent,
        errors=answer.errors,
        iterations=whole.iterations + answer.iterations,
        solves=whole.solves + answer.solves,
        seconds=0.0,
        warnings=(*answer.warnings, *outside_the_pattern(answer.latent, editor.source)),
    )
