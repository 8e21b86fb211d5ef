"""Edits by key frames in joint space: the pose at each key is changed, and the change fades to either side.

As little of the body is used as a key needs: the limb of its site, then the spine, then everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.goal import Recruit, SiteGoal
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.motion import Motion
from posewright.problem import MotionProblem, MotionResult
from posewright.problem.displacements import Displacements, Window
from posewright.problem.motion_problem import plain_goal
from posewright.solvers.solver import Solver
from posewright.workflows.editing.feet import Feet

_LEAST = 0.5
"""s: the shortest window to either side of a key."""
_PACE = 0.6
"""Figure heights per second: how fast a site goes at most to a displacement and back."""
_PEAK = 1.875
"""The greatest speed of a displacement of least jerk, over the mean one to either side."""
_RECRUITS: tuple[Recruit, ...] = ("limb", "limb+spine", "whole")


def all_keys(goals: Sequence[Timed | Goal]) -> bool:
    """Whether every goal that is on is about a single frame."""
    on = [goal for goal in goals if plain_goal(goal).enabled]
    return bool(on) and all(isinstance(goal, Timed) and goal.start == goal.end for goal in on)


def edit_by_keys(
    motion: Motion, goals: Sequence[Timed | Goal], solver: Solver, feet: Feet | None = None
) -> MotionResult:
    """The motion with its keys met by as few joints as it takes.

    Args:
        motion: what to edit.
        goals: each about one frame.
        solver: one that solves motions whose frames share their coordinates.
        feet: to be kept on their paths.
    """
    keys = [goal for goal in goals if isinstance(goal, Timed) and goal.goal.enabled]
    windows = _windows(motion, keys, feet)
    if feet is None:
        return _displaced(Displacements(motion, windows), keys, [], solver, _RECRUITS)
    found = _displaced(Displacements(motion, windows), keys, feet.planted(sorted(windows)), solver, _RECRUITS)
    lowered = feet.lowered(found.motion)
    made, above = lowered, [key for key in keys if not _moves_root(motion.figure, key.goal)]
    if lowered is not found.motion and above:  # the legs are too short: arms and spine do what they can
        made = _displaced(Displacements(lowered, windows), above, [], solver, _RECRUITS[:-1]).motion
    made = motion.with_q(feet.brought_back(made).q)
    return replace(found, motion=made, solver_warnings=(*found.solver_warnings, *feet.warnings(made)))


def _moves_root(figure: Figure, goal: Goal) -> bool:
    """Whether even the limb of a goal is the root."""
    roots = {index for index, parent in enumerate(figure.parents) if parent < 0}
    sites = [term.site for term in goal.terms(figure) if isinstance(term, SiteTerm)]
    return any(site is None or figure.anatomy.limb_of(site) & roots for site in sites)


def _displaced(
    space: Displacements, keys: Sequence[Timed], planted: Sequence[Timed], solver: Solver, recruits: Sequence[Recruit]
) -> MotionResult:
    """The keys met in a space by the first of some parts of the body that can; by the last as well as it can."""
    problem = MotionProblem(space, keys, space.source)
    last = [_recruited(key, recruits[-1], behind=bool(planted)) for key in keys]
    for recruit in recruits:
        recruited = [_recruited(key, recruit, behind=bool(planted)) for key in keys]
        found = solver.solve(problem.with_goals([*planted, *recruited]))
        if found.reached or recruited == last:
            break
    return found


def _windows(motion: Motion, keys: Sequence[Timed], feet: Feet | None) -> dict[int, Window]:
    """Frames before and after each key frame that its change takes: as given, or by how far a site has to go."""
    found: dict[int, Window] = {}
    for key in keys:
        frame = key.range(len(motion))[0]
        seconds = max(_LEAST, _PEAK * _distance(motion, key.goal, frame) / (_PACE * motion.figure.height))
        usual = motion.fps * seconds, motion.fps * seconds
        before, after = usual if feet is None else feet.window(key, usual)
        if key.ease_in is not None:
            before = max(1.0, key.ease_in)
        if key.ease_out is not None:
            after = max(1.0, key.ease_out)
        known = found.get(frame, (0.0, 0.0))
        found[frame] = max(known[0], before), max(known[1], after)
    return found


def _distance(motion: Motion, goal: Goal, frame: int) -> float:
    """How far (m) a goal displaces its site; 0 if it is not about a place."""
    if not (goal.moves_its_site and isinstance(goal, SiteGoal)):
        return 0.0
    here = site_frames(motion.figure, motion.q[frame], [goal.site]).points[0]
    there = goal.nearest_point(motion.figure, here)
    return 0.0 if there is None else float(np.linalg.norm(there - here))


def _recruited(key: Timed, recruit: Recruit, *, behind: bool) -> Timed:
    """A key served by so much of the body, unless it says which; behind the feet, if some are planted."""
    joints = recruit if key.goal.joints == "whole" else key.goal.joints
    return replace(key, goal=replace(key.goal, joints=joints, priority=key.goal.priority + behind))
