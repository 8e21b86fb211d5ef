"""Motion problems lowered to arrays over frames: targets, weights and the example, beside the tables of one frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures import Figure
from posewright.figures.reach import bone_length, reach
from posewright.goals.goal import SiteGoal
from posewright.goals.python_goal import crowd_residuals
from posewright.goals.timed import Timed
from posewright.kernels.tables import SLIDE
from posewright.motions import Motion
from posewright.problem.evaluation import term_errors
from posewright.problem.lowered_problem import LoweredProblem, Obstacle
from posewright.problem.lowering import lower
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.problem import LEVEL_WEIGHT
from posewright.problem.schedule import Schedule

HELD_WEIGHT = 1e4
"""What a goal served strictly first weighs in the tree, over the heaviest of the others; multipliers do the rest."""

_ROUNDING = 1e-9
"""Share of a speed limit that is left for rounding, so that a speed worked out from the answer is within it."""

Flags = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class ScheduledGoals:
    """The goals of a motion problem as tables, and their targets over frames."""

    problem: MotionProblem
    frame: LoweredProblem
    """Of the goals alone; weights are those of the goals."""
    wanted: Array = field(kw_only=True)
    """(terms, TARGET_WIDTH): targets of goals whose frames do not have their own"""

    @cached_property
    def targets(self) -> Array:
        """(frames, terms, TARGET_WIDTH)"""
        return self.targets_of(slice(None))

    def targets_of(self, frames: IntArray | slice) -> Array:
        """(frames, terms, TARGET_WIDTH) of some frames: all of a long clip would be large."""
        n = len(range(len(self.problem))[frames]) if isinstance(frames, slice) else len(frames)
        targets = np.empty((n, *self.wanted.shape))
        targets[:] = self.wanted
        for schedule, rows in rows_of(self.frame, self.problem.schedules):
            schedule.write(targets, self.frame.site_terms, rows, frames)
        return targets

    def errors(self, motion: Motion, frames: IntArray) -> Array:
        """(frames, columns), m or rad, in some frames of a motion."""
        figure, q = motion.figure, motion.q[frames]
        python = [
            np.linalg.norm(crowd_residuals(figure, label, term, q), axis=1) for label, term, *_ in self.frame.python
        ]
        return np.column_stack([self._site_errors(motion, frames), *python])

    def _site_errors(self, motion: Motion, frames: IntArray) -> Array:
        """(frames, terms)"""
        targets = self.targets_of(frames)
        if Obstacle.GOALS not in self.frame.tree_obstacles:
            from posewright.kernels.goals.terms import clip_errors

            errors, chosen = np.zeros(targets.shape[:2]), np.zeros(targets.shape[:2])
            clip_errors(*motion.figure.tables, self.frame.terms, targets, motion.q[frames], errors, chosen)
            return errors
        lowered = replace(self.frame, terms=self.frame.terms.copy())
        paths = [rows for one, rows in rows_of(lowered, self.problem.schedules) if one.points is not None]
        found = np.zeros(targets.shape[:2])
        for k, frame in enumerate(frames.tolist()):
            for rows in paths:  # of goals about another site, points are on its joint
                lowered.terms["partner_point"][rows] = targets[k, rows, :3]
            found[k] = term_errors(lowered, targets[k], motion.pose(frame))[0]
        return found


def scheduled_goals(problem: MotionProblem) -> ScheduledGoals:
    """The goals of a motion problem as tables."""
    frame = lower(problem.frame_problem)
    return ScheduledGoals(problem, frame, wanted=frame.targets)


@dataclass(frozen=True, eq=False)
class LoweredMotion(ScheduledGoals):
    """A motion problem as solvers see it that weigh goals against the example."""

    references: Array
    """(frames, dofs): the example, in continuous angles and within limits."""
    weights: Array
    """(frames, columns) of the squared residual, without those of velocities; see `LoweredProblem.columns`."""
    held: Flags
    """(frames, columns): 1 where the term is served strictly first."""
    coherent: Flags
    """(columns,): 1 for points whose velocities count too: those that are not served strictly first."""
    begins: Flags
    """(frames,): 1 where nothing is known of frames before."""
    example: Array
    """(dofs,): weight of the squared distance to the example, without those of velocities."""
    stiffness: Array
    """(dofs,): weight of the squared distance to the frame before."""
    units: Array
    """(dofs,): L² of dofs that turn, 1 of slides; 1/(1 - rigidity)² besides."""
    reach: Array
    """(dofs,): how far a dof may go from a frame to the next (rad, m); infinite where speeds have no limit."""
    length: float
    """L (m)"""
    heaviest: float
    """Weight of a goal: what the damping of steps is relative to."""
    warnings: tuple[str, ...]


def lower_motion(problem: MotionProblem) -> LoweredMotion:
    """The arrays of a motion problem."""
    frame = lower(problem.frame_problem)
    figure, imitation = problem.figure, problem.imitation
    length = chain_length(problem)
    scale = 1.0 - figure.rigidity
    units = np.where(figure.tables.dofs["kind"] == SLIDE, 1.0, length * length)
    pliant = 1.0 / np.maximum(scale, 1e-9) ** 2
    q, free = problem.near.q, turning(figure)
    if free.any():
        q = followed(np.concatenate([q[:1], q]), np.zeros(figure.n_dofs), free)[0]
    references, warnings = within_limits(figure, q)
    weights, held = Weighing(problem, frame)(activations(problem, frame))
    begins = np.zeros(len(problem), np.int8)
    begins[[0, *problem.cuts]] = 1
    if imitation.example == 0.0 and imitation.stiffness == 0.0:
        warnings = (*warnings, "neither example nor stiffness has a weight, so the answer depends on the start")
    if frame.n_levels > 2:
        warnings = (*warnings, "priorities beyond the second became weights, 100 per level")
    return LoweredMotion(
        problem=problem,
        frame=frame,
        wanted=frame.targets,
        references=references,
        weights=weights,
        held=held,
        coherent=_coherent(problem, frame),
        begins=begins,
        example=imitation.example * units * figure.values_by_name(imitation.weights, default=1.0),
        stiffness=imitation.stiffness * units * pliant * figure.values_by_name(imitation.stiffnesses, default=1.0),
        units=units * pliant,
        reach=frame_reach(problem),
        length=length,
        heaviest=float(_soft(problem, frame).max(initial=0.0)) or max(imitation.example + imitation.stiffness, 1e-12),
        warnings=warnings,
    )


def frame_reach(problem: MotionProblem) -> Array:
    """How far (dofs,) each dof may go from a frame to the next, rad and m."""
    if not problem.velocity_limits:
        return np.full(problem.figure.n_dofs, np.inf)
    reach: Array = problem.figure.max_speeds * ((1.0 - _ROUNDING) / problem.near.fps)
    return reach


def chain_length(problem: MotionProblem) -> float:
    """L: the reach of the longest chain with a goal (m), from the first joint on it that is not frozen."""
    figure = problem.figure
    sites = {goal.goal.site for goal in problem.goals if isinstance(goal, Timed) and isinstance(goal.goal, SiteGoal)}
    found = []
    for site in sites:
        chain = figure.ancestors(figure.site(site).joint)[::-1]
        first = next((k for k, index in enumerate(chain) if _moves(problem, index)), 0)
        found.append(reach(figure, site) - sum(bone_length(figure.joints[index]) for index in chain[1 : first + 1]))
    return max(found, default=0.0) or reach(figure, None)


def _moves(problem: MotionProblem, index: int) -> bool:
    """Whether a joint has a dof that is not frozen."""
    figure = problem.figure
    free = set(figure.dof_names[figure.dof_slice(index)]) - set(problem.frozen)
    return bool(free) and figure.joint_names[index] not in problem.frozen


def followed(q: Array, turns: Array, free: BoolArray) -> tuple[Array, Array]:
    """Angles (frames, dofs) without jumps by whole turns, and the turns taken off at the end (dofs,).

    `q` begins with the frame before, as it was given, from which `turns` were taken off; it is left out of the answer.
    Streams call this frame by frame and clips once, with the same bits.
    """
    jumps = np.round(np.diff(q, axis=0) / (2.0 * np.pi)) * free
    total = turns + np.cumsum(jumps, axis=0)
    return q[1:] - 2.0 * np.pi * total, total[-1]


def turning(figure: Figure) -> BoolArray:
    """Which dofs (dofs,) are hinges without limits: their angles are made continuous."""
    hinges = np.zeros(figure.n_dofs, np.bool_)
    for index, joint in enumerate(figure.joints):
        where = figure.dof_slice(index)
        if joint.ball is None:
            hinges[where.start + len(joint.slides) : where.stop] = True
    free: BoolArray = hinges & np.isinf(figure.lower) & np.isinf(figure.upper)
    return free


def within_limits(figure: Figure, q: Array) -> tuple[Array, tuple[str, ...]]:
    """Poses (frames, dofs) within the limits of a figure, and a warning if they were not."""
    outside = int(np.count_nonzero((q < figure.lower) | (q > figure.upper)))
    if not outside:
        return q, ()
    inside = np.clip(q, figure.lower, figure.upper)
    return inside, (f"{outside} of {q.size} values of the example were beyond the limits of {figure.name!r}",)


def rows_of(frame: LoweredProblem, schedules: Sequence[Schedule]) -> list[tuple[Schedule, slice]]:
    """Each goal over time with the rows of its terms; they are the first goals of the problem, in order."""
    return list(zip(schedules, frame.goal_sites, strict=False))


def activations(problem: MotionProblem, frame: LoweredProblem) -> Array:
    """(frames, columns), from 0 to 1; the goals of the motion are the first of the frame, in order."""
    found = np.ones((len(problem), len(frame.terms) + len(frame.python)))
    for schedule, own in zip(problem.schedules, frame.columns, strict=False):
        found[:, own] = schedule.activation[:, np.newaxis]
    return found


def _weights(frame: LoweredProblem) -> Array:
    """(columns,): of the goals."""
    square = frame.length_unit**2  # a frame's tables count lengths in a unit, a motion's weights in metres
    python = [root * root * (square if term.unit == "m" else 1.0) for _, term, root, _ in frame.python]
    return np.concatenate([square * frame.terms["weight"], python])


def _levels(frame: LoweredProblem) -> Array:
    """(columns,): the priority of each, from 1."""
    return np.concatenate([frame.terms["level"], frame.python_levels])


def _first_level(problem: MotionProblem, frame: LoweredProblem) -> BoolArray:
    """Which terms (columns,) are served strictly first where they are on entirely."""
    first: BoolArray = (_levels(frame) == 1) & (problem.imitation.exact or frame.n_levels > 1)
    return first


def _coherent(problem: MotionProblem, frame: LoweredProblem) -> Flags:
    places = np.array([term.part == "position" and term.fixes for term in frame.site_terms], np.bool_)
    points = np.zeros(len(frame.terms) + len(frame.python), np.bool_)
    points[: len(places)] = places & (frame.terms["partner"] < 0) & (frame.terms["choice"] < 0)
    coherent: Flags = (points & ~_first_level(problem, frame)).astype(np.int8)
    return coherent


class Weighing:
    """Weights (frames, columns), and 1 where a term is served strictly first, for activations (frames, columns).

    A strict goal that fades, of activation a, is a soft one that weighs a/(1 - a): in balance with an example of weight
    1, the same point as with a target that slides. Where all goals are strict there is no such balance, and
    targets slide instead (`problem.fading`).
    """

    def __init__(self, problem: MotionProblem, frame: LoweredProblem) -> None:
        own, self._first = _weights(frame), _first_level(problem, frame)
        share = own / max(float(own[self._first].max(initial=0.0)), 1e-300)
        self._most = HELD_WEIGHT * _rival(problem, frame) * share
        self._own, self._soft = np.maximum(own, 1e-300), _soft(problem, frame)
        self._held = self._first & (own > 0.0)

    def __call__(self, activation: Array) -> tuple[Array, Flags]:
        """Of some frames."""
        odds = np.divide(activation, 1.0 - activation, out=np.full(activation.shape, np.inf), where=activation < 1.0)
        strict = np.minimum(self._own * odds, self._most)
        weights: Array = np.where(self._first, strict, self._soft * activation)
        held = (self._held & (activation >= 1.0)).astype(np.int8)
        return np.ascontiguousarray(weights), np.ascontiguousarray(held)


def _rival(problem: MotionProblem, frame: LoweredProblem) -> float:
    """The largest weight of what is not served strictly first: a goal, or else the example."""
    imitation = problem.imitation
    rates = 1.0 + imitation.track_velocity + imitation.track_acceleration
    soft = rates * float(np.max(_soft(problem, frame)[~_first_level(problem, frame)], initial=0.0))
    return soft or max(10.0 * (imitation.example + imitation.stiffness), 1e-12)


def _soft(problem: MotionProblem, frame: LoweredProblem) -> Array:
    beyond = np.maximum(0.0, _levels(frame) - 2.0)
    soft: Array = problem.imitation.tracks * _weights(frame) * LEVEL_WEIGHT**-beyond
    return soft
