"""Edits in joint space: the motion is displaced where goals are, and the change fades to either side.

As little of the body is used as the goals need: the limb of a site, then the spine, then everything.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.goal import Recruit, SiteGoal
from posewright.goals.term import PythonTerm, SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.motion import Motion
from posewright.motions.quality.edited import JERKY, Change, Original, jerks
from posewright.problem import MotionProblem, MotionResult
from posewright.problem.displacements import Curves, Stretch, Window
from posewright.problem.motion_problem import plain_goal
from posewright.workflows.editing.body import part_of
from posewright.workflows.editing.displacing import CLOSE, Displacing
from posewright.workflows.editing.feet import Feet
from posewright.workflows.editing.legs import STRAIGHT
from posewright.workflows.editing.steadying import CALM, NOISE, SHAKING
from posewright.workflows.editing.steps import Step, untold

_LEAST = 0.5
"""s: the shortest window to either side of a goal."""
_PACE = 0.6
"""Figure heights per second: how fast a site goes at most to a displacement and back."""
_PEAK = 1.875
"""The greatest speed of a displacement of least jerk, over the mean one to either side."""
WHOLE: tuple[Recruit, ...] = ("whole",)
_ABOVE: tuple[Recruit, ...] = ("limb", "limb+spine")
RECRUITS: dict[Recruit, float] = {"limb": 1.0, "limb+spine": 0.9, "whole": 0.3}
"""What moves, and of what the part before misses, how much it may miss at most to be worth its while."""
_NEARLY, _ALONG, _HARDLY = 200.0, 20.0, 1.5
"""Tolerances, less along a path, or times what is missed anyway: by so much a goal may be missed to be smooth."""
_WAYS = (STRAIGHT, False, 1.0), (STRAIGHT, True, 1.0), *((0.99, True, share) for share in (1.0, 0.75, 0.5, 0.25))
"""How legs may follow, tried in this order: how straight they may be made, of their length; whether the root is low
enough in all frames; and how much of the change there is, arms and spine doing the rest."""
_STIFFER = (1e-6, 1e-4, 1e-2)
"""What jerk costs where a path cannot be followed smoothly: it is missed."""


def in_python(figure: Figure, goals: Sequence[Timed | Goal]) -> bool:
    """Whether some goal is written in Python: such goals are solved frame by frame."""
    return any(isinstance(term, PythonTerm) for goal in goals for term in plain_goal(goal).terms(figure))


def edit_in_joints(
    original: Original,
    goals: Sequence[Timed],
    feet: Feet | None = None,
    together: Sequence[Timed] = (),
    recruits: Collection[Recruit] = tuple(RECRUITS),
    step: Step = untold,
) -> MotionResult:
    """The motion with its goals met by as few joints as it takes.

    Args:
        original: what to edit.
        goals: enabled, each with windows of its own or, at a single frame, as long as it takes.
        feet: to be kept on their paths.
        together: what comes before all goals, wherever these change the motion.
        recruits: parts of the body that may be used, the least first.
        step: called at each step of the search.
    """
    motion = original.motion
    goals = goals if feet is None else [*goals, *feet.kept_in_place()]
    stretches = [_stretch(motion, goal, feet) for goal in goals]
    curves = Curves.of(len(motion), stretches, motion.fps, fine=bool(together))
    problem = MotionProblem(motion.figure, goals, motion)
    counting = np.any([goal.judged for goal in problem.schedules], axis=0)
    if together:
        counting[curves.frames] = True
    planted = [] if feet is None else feet.planted(counting)
    found = _displaced(problem, original, goals, together, planted, curves, recruits, step)
    if feet is None or feet.stay(found.motion):
        return found
    of_root = any(_moves_root(motion.figure, goal.goal) for goal in goals)
    if of_root and (low := feet.lowered(found.motion, curves.frames)) is not found.motion:
        other = _displaced(problem, original, goals, together, planted, curves, WHOLE, step)
        other_low = feet.lowered(other.motion, curves.frames)
        found = other if _missed(replace(other, motion=other_low)) < _missed(replace(found, motion=low)) else found
    made = _on_its_feet(problem, original, goals, together, curves, feet, found, step)
    return replace(found, motion=made, solver_warnings=(*found.solver_warnings, *feet.warnings(made)))


def _on_its_feet(
    problem: MotionProblem,
    original: Original,
    goals: Sequence[Timed],
    together: Sequence[Timed],
    curves: Curves,
    feet: Feet,
    found: MotionResult,
    step: Step,
) -> Motion:
    """A displaced motion with its feet on their paths, in the smoothest way that meets the goals.

    If no way meets them, it is the smoothest of those with all of the change.
    """
    motion, figure = original.motion, original.motion.figure
    steady = not any(_is_of_the_whole(figure, goal.goal) for goal in goals)
    others = [goal for goal in goals if not _moves_root(figure, goal.goal)]
    of_no_foot = [goal for goal in others if not feet.moved_by([goal]).are_moved]
    asked, best, rank = path_jerk(motion, goals), found.motion, (True, math.inf)
    enough = max(JERKY, original.change(found.motion).jerk_ratio(asked))
    for straight, sure, share in _WAYS if len(others) < len(goals) else _WAYS[1:]:
        above = others if share == 1.0 else of_no_foot
        if share < 1.0 and not above:
            break
        part = found.motion if share == 1.0 else part_of(motion, found.motion, share)
        made = feet.lowered(part, curves.frames, straight, sure=sure)
        if made is not found.motion and above:  # the legs are too short: arms and spine do what they can
            again = problem.with_near(made)
            made = _displaced(again, Original(made), above, together, [], curves, _ABOVE, step).motion
        made = motion.with_q(feet.brought_back(made, steady=steady or rank[1] < math.inf).q)
        ratio, misses = original.change(made).jerk_ratio(asked), _missed(replace(found, motion=made)) > 1.0
        if (misses, ratio) < rank and not (misses and share < 1.0):
            best, rank = made, (misses, ratio)
        if rank[1] <= enough:
            break
    return best


def _moves_root(figure: Figure, goal: Goal) -> bool:
    """Whether even the limb of a goal is the root."""
    sites = [term.site for term in goal.terms(figure) if isinstance(term, SiteTerm)]
    roots = {index for index, parent in enumerate(figure.parents) if parent < 0}
    return any(site is None or figure.anatomy.limb_of(site) & roots for site in sites)


def _displaced(
    problem: MotionProblem,
    original: Original,
    goals: Sequence[Timed],
    together: Sequence[Timed],
    planted: Sequence[Timed],
    curves: Curves,
    recruits: Collection[Recruit],
    step: Step,
) -> MotionResult:
    """The goals met by the least of some parts of the body that can, smoothly; the whole has its feet `planted`."""
    of_all = any(_is_of_the_whole(problem.figure, goal.goal) for goal in goals)
    over_time = bool(together) or any(goal.start != goal.end for goal in goals)
    enough = CLOSE if over_time else 1.0
    found: tuple[Displacing, MotionResult] | None = None
    missed = math.inf
    for recruit in recruits:
        first = [*together, *planted] if recruit == "whole" or of_all else together
        asked = problem.with_goals([*first, *(_recruited(goal, recruit, behind=bool(first)) for goal in goals)])
        more = Displacing(asked, curves, step)
        made = more.result()
        off = _missed(made)
        if found is None or off <= enough or off < RECRUITS[recruit] * missed:
            found, missed = (more, made), off
        if off <= enough:
            break
    assert found is not None
    search, plain = found
    tried = [_Tried.of(plain, original)]
    if over_time or missed > 1.0 or tried[0].change.jerk_ratio() > CALM:
        tried.append(_Tried.of(search.result(NOISE), original))
    if tried[-1].change.jerk_ratio() > JERKY:
        tried.append(_Tried.of(search.result(SHAKING), original))
    if tried[-1].change.jerk_ratio() > JERKY and over_time:
        tried += [_Tried.of(Displacing(plain.problem, curves, step, stiff).result(), original) for stiff in _STIFFER]
    return _best(tried, goals, path_jerk(problem.near, goals)).result


@dataclass(frozen=True, eq=False)
class _Tried:
    """A way to meet the goals."""

    result: MotionResult
    missed: float
    change: Change

    @classmethod
    def of(cls, result: MotionResult, original: Original) -> _Tried:
        return cls(result, _missed(result), original.change(result.motion))


def _best(tried: Sequence[_Tried], goals: Sequence[Timed], asked: float) -> _Tried:
    """The smooth one that is nearest to the goals; a path may jerk (m/s³) as it does if it is not followed else."""
    nearly = _ALONG if any(goal.points is not None for goal in goals) else _NEARLY
    most = max(nearly, _HARDLY * min(one.missed for one in tried))
    near = [one for one in tried if one.missed <= most]
    for allowed in (0.0, asked):
        smooth = [one for one in near if one.change.jerk_ratio(allowed) <= JERKY]
        best = min(reversed(smooth), key=lambda one: one.missed, default=None)  # of those that meet all goals the last
        if best is not None and best.missed <= 1.0:
            return best
    return min(near, key=lambda one: one.change.jerk_ratio()) if best is None else best


def path_jerk(motion: Motion, goals: Sequence[Timed | Goal]) -> float:
    """m/s³, root mean square: of the path that jerks most, among those along which goals want a site; 0 without."""
    found = [0.0]
    for goal in goals:
        if isinstance(goal, Timed) and goal.points is not None:
            first, last = goal.range(len(motion))
            points = _path(goal, np.arange(first, last + 1), len(motion))
            if points is not None and len(points) > 3:
                found.append(float(jerks(points[:, None], motion.fps)[0]))
    return max(found)


def _missed(result: MotionResult) -> float:
    """How far the goal that is furthest from met is, in tolerances; 1 if all are met."""
    return max((error / error.tolerance for error in result.errors.missed), default=1.0)


def _is_of_the_whole(figure: Figure, goal: Goal) -> bool:
    """Whether a goal is about no limb, but the centre of mass."""
    return any(isinstance(term, SiteTerm) and term.site is None for term in goal.terms(figure))


def windows(motion: Motion, goal: Timed) -> Window:
    """Frames before and after a goal in time that its change takes: as given, or by how far a site has to go."""
    first, last = goal.range(len(motion))
    own = []
    for frame, given in ((first, goal.ease_in), (last, goal.ease_out)):
        away = _PEAK * _distance(motion, goal, frame) / (_PACE * (motion.figure.height or 1.0))
        own.append(motion.fps * max(_LEAST, away) if given is None else given)
    if goal.start == goal.end:  # there is no frame in which it is not in full
        own = [max(1.0, frames) for frames in own]
    return own[0], own[1]


def _stretch(motion: Motion, goal: Timed, feet: Feet | None) -> Stretch:
    """Where a goal displaces the motion."""
    before, after = windows(motion, goal)
    if feet is not None:
        most = feet.window(goal, (before, after))
        before = most[0] if goal.ease_in is None else before
        after = most[1] if goal.ease_out is None else after
    on = np.flatnonzero(goal.activations(len(motion)) > 0.0) if goal.activation is not None else goal.range(len(motion))
    return Stretch(int(on[0]), int(on[-1]), (before, after))


def _distance(motion: Motion, timed: Timed, frame: int) -> float:
    """How far (m) a goal displaces its site in a frame; 0 if it is not about a place."""
    goal = timed.goal
    if not (goal.moves_its_site and isinstance(goal, SiteGoal)):
        return 0.0
    here = site_frames(motion.figure, motion.q[frame], [goal.site]).points[0]
    path = _path(timed, np.array([frame]), len(motion))
    there = goal.nearest_point(motion.figure, here) if path is None else path[0]
    return 0.0 if there is None else float(np.linalg.norm(there - here))


def _path(timed: Timed, frames: IntArray, n_frames: int) -> Array | None:
    """(frames, 3), m: where a goal wants its site in some frames; None: it has no path."""
    if timed.points is None or isinstance(timed.points, np.ndarray):
        return None if timed.points is None else timed.points[frames - timed.range(n_frames)[0]]
    return timed.points.at(frames.astype(np.float64))


def _recruited(timed: Timed, recruit: Recruit, *, behind: bool) -> Timed:
    """A goal served by so much of the body, unless it says which; behind what comes first, if anything does."""
    joints = recruit if timed.goal.joints == "whole" else timed.goal.joints
    return replace(timed, goal=replace(timed.goal, joints=joints, priority=timed.goal.priority + behind))
