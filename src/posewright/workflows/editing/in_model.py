"""Edits inside a motion model, or another space of motions; limits and what is held are seen to in joint space."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from posewright.figures.transforms.limits import admitting
from posewright.goals.goal import Goal, Recruit
from posewright.goals.timed import Timed
from posewright.kernels.tables import SLIDE
from posewright.models.model_space import ModelSpace
from posewright.motions.contacts import Contacts
from posewright.motions.motion import Motion
from posewright.motions.quality.edited import Original
from posewright.motions.smoothing import gaussian
from posewright.problem import MotionProblem, MotionResult
from posewright.problem.evaluation import readable
from posewright.problem.motion_problem import plain_goal
from posewright.problem.motion_space import MotionSpace
from posewright.solvers.prioritized import Prioritized
from posewright.solvers.solver import Solver
from posewright.workflows.editing.body import Body
from posewright.workflows.editing.feet import Feet
from posewright.workflows.editing.holding import Pair, brought_together, contacts_in_model, kept_together, not_held
from posewright.workflows.editing.in_joints import edit_in_joints, in_python
from posewright.workflows.editing.result import EditResult
from posewright.workflows.editing.steadying import CALM
from posewright.workflows.editing.steps import Step

PATTERN_SOLVER = Prioritized(max_step=2.0, max_iterations=100, attraction=0.1, settle=False)
"""Steps of at most two standard deviations; each also goes a tenth of the distance back to the source."""
_SOFTLY = 0.02, 0.04, 0.08, 0.16, 0.32
"""s: how much the change of a motion is smoothed over time, the least that is enough."""
_NEARLY = 0.003, 0.005
"""Of the figure's height, and rad: how much of its keys an edit leaves to joints rather than leave the model far."""
_FARTHER = 2.0
"""So many times as far from the mean motion is too far for so little."""
_ROUNDING = 1e-9
"""rad or m beyond a limit that come from rounding."""


def solve_in_model(asked: MotionProblem, solver: Solver | None, ground: Contacts | None) -> MotionResult:
    """In a space of motions, with the contacts nearly where they are if they are held."""
    problem = asked
    if ground is not None:
        keys = [one.goal for one in asked.schedules if one.key is not None]
        problem = asked.with_goals([*asked.goals, *contacts_in_model(asked.near, ground, keys)])
    return (solver or PATTERN_SOLVER).solve(problem)


def nearly(asked: MotionProblem, found: MotionResult) -> MotionResult | None:
    """Keys met nearly and much nearer to the clips, where they are met exactly only outside the model, or not at all.

    The last of an error may bend modes that hold nothing but the small differences of clips.
    """
    space = asked.space
    if not isinstance(space, ModelSpace) or found.x is None or found.x.ndim != 1 or not space.is_outside(found.x):
        return None
    near = PATTERN_SOLVER.solve(asked.with_goals([_loosened(goal, asked.figure.height) for goal in asked.goals]))
    if near.x is None or not near.reached:
        return None
    if found.reached and space.latent(found.x).distance < _FARTHER * space.latent(near.x).distance:
        return None
    return replace(near, iterations_by_solve=near.iterations_by_solve + found.iterations_by_solve)


def _loosened(one: Timed | Goal, height: float) -> Timed | Goal:
    goal = plain_goal(one)
    if goal.error_unit is None:
        return one
    least = _NEARLY[0] * height if goal.error_unit == "m" else _NEARLY[1]
    loose = replace(goal, tolerance=max(least, goal.tolerance or 0.0))
    return replace(one, goal=loose) if isinstance(one, Timed) else loose


def smoothly(original: Original, result: EditResult, share: float = 1.0) -> EditResult:
    """An edit by keys that changes its source smoothly: modes have the noise of the recordings that they are made of.

    What is left of the keys by that is for joints to do. With a `share` below 1 it changes the source by that much.
    """
    space, latent = result.problem.space, result.latent
    if not isinstance(space, ModelSpace) or latent is None or latent.x.ndim != 1:
        return result
    ratio = original.change(result.motion).jerk_ratio()
    if ratio <= CALM and share == 1.0:
        return result
    body = Body(original.motion, np.arange(len(result.motion)))
    body.let_move(np.ones(body.figure.n_dofs, np.bool_))
    away, best = share * body.displacements(result.motion), result.motion
    for softly in _SOFTLY:
        made = body.made(gaussian(away, softly * result.motion.fps), np.ones(len(away), np.bool_))
        now = original.change(made).jerk_ratio()
        if now < ratio or best is result.motion:
            best, ratio = result.motion.with_q(made.q), now
        if ratio <= CALM:
            break
    return replace(result, motion=best, latent=space.model.explained(latent, best))


def within_limits(source: Motion, result: EditResult, *, keep: bool) -> EditResult:
    """An edit that keeps the limits in all frames, as far as its source does; or, if not to be kept, says so."""
    figure, made = admitting(source.figure, source.q), result.motion
    over = np.maximum(made.q - figure.upper, figure.lower - made.q)
    broken = over > _ROUNDING
    if not broken.any():
        return result
    frame, dof = (int(k) for k in np.unravel_index(int(over.argmax()), over.shape))
    slides = figure.tables.dofs["kind"][dof] == SLIDE
    amount = f"{1e3 * over[frame, dof]:.0f} mm" if slides else f"{np.degrees(over[frame, dof]):.1f}°"
    done = "the model was held back at limits" if keep else "the model breaks limits"
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


def with_held(
    source: Motion,
    result: EditResult,
    *,
    ground: Contacts | None,
    pairs: Sequence[Pair],
    recruits: Collection[Recruit],
    step: Step,
) -> EditResult:
    """What is held brought back in joint space, before the goals, with the edited motion as what to stay near.

    What that takes from the goals, or the model misses of them, some parts of the body give back, the least first.
    """
    asked, motion = result.problem, result.motion
    on = [goal if isinstance(goal, Timed) else Timed(goal) for goal in asked.named if plain_goal(goal).enabled]
    feet = None if ground is None else Feet(Original(source), ground)
    motion = motion if feet is None else feet.returned(motion)
    together = kept_together(source, pairs)
    motion = brought_together(source, motion, pairs, step)
    final = replace(result, motion=motion, x=None, goals=lambda: result.lowered, solver_warnings=())
    if not final.reached and not in_python(source.figure, asked.goals):
        original = Original(motion)
        again = None if feet is None else Feet(original, ground, feet)
        more = edit_in_joints(original, on, again, together, recruits, step)
        final = replace(
            final,
            motion=result.motion.with_q(brought_together(source, more.motion, pairs, step).q),
            iterations_by_solve=np.concatenate([result.iterations_by_solve, more.iterations_by_solve]),
            stop_codes=np.concatenate([result.stop_codes, more.stop_codes]),
        )
    space, latent = asked.space, result.latent
    if isinstance(space, ModelSpace) and latent is not None:
        latent = space.model.explained(latent, final.motion)
    notes = [
        f"the model alone misses {was.label!r} by {readable(was.value, was.unit)}; joints do the rest"
        for was in result.errors.missed
        if isinstance(space, MotionSpace) and final.errors[was.goal].reached
    ]
    notes += [
        f"could not be held: {what}"
        for what in not_held(source, final.motion, None if feet is None else feet.touching, pairs)
    ]
    if ground is not None or pairs:
        notes += [f"{error} is missed with what is held, which comes first" for error in final.errors.missed]
    return replace(final, latent=latent, solver_warnings=(*result.remarks, *notes))
