"""Prioritized in a space of motions (Carvalho, Boulic & Thalmann 2009): few coordinates move all frames.

Goals at single frames change coordinates that all frames share, so only the poses at these frames are solved for and
the motion stays coherent. Steps are of least length in the units of the coordinates (standard deviations of a
motion model), so what is far from usual changes last. Where the space allows it, goals over several frames then get
coordinates of their own in each frame, near the shared ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.kernels.solves import Solves
from posewright.motions import Motion
from posewright.motions.smoothing import gaussian
from posewright.problem.fading import sliding_targets
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.lowering import lower
from posewright.problem.motion_lowering import ScheduledGoals
from posewright.problem.motion_problem import MotionProblem, plain_goal
from posewright.problem.motion_result import MotionResult
from posewright.problem.motion_space import MotionSpace
from posewright.problem.problem import Problem
from posewright.problem.schedule import Schedule, schedules
from posewright.problem.targets import write_target
from posewright.solvers.motion.strict import FrameProblems, solve_over_frames
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared

_JUMP, _SUDDEN, _NOTICED = 5.0, 2.0, 0.25
"""A step of the coordinates is a jump if it is so many times the median step, so many times the larger of the steps
before and after it, and longer than this."""
_PASSES, _EVENLY, _BACK = 4, 0.1, 20
"""Coordinates along a path are smoothed so often, over so many seconds, and brought back to the goals in so many
iterations at most: frames that are solved one by one end anywhere in what the goals leave free."""


class SharedMotion:
    """A motion problem in a space of motions, ready to be solved again with other targets: a motion to be dragged."""

    def __init__(self, problem: MotionProblem, solver: Prioritized) -> None:
        assert isinstance(problem.space, MotionSpace)
        self.problem, self._space, self._solver = problem, problem.space, solver
        split = self._space.of_a_frame() is not None
        along = {one.goal.label for one in problem.schedules if split and one.key is None}
        self._along = [goal for goal in problem.named if plain_goal(goal).label in along]
        keys = [one for one in problem.schedules if one.goal.label not in along]
        self._keys = (
            PrioritizedPrepared(solver, _lowered_blocks(self._space, keys), home=self._space.x) if keys else None
        )
        self._labels: dict[str, str] = {}
        self._given: dict[str, Sequence[float]] = {}
        self._measured: LoweredProblem | None = None

    def solve(self, targets: Mapping[str, Sequence[float]] | None = None) -> MotionResult:
        """The motion that meets the goals best.

        Args:
            targets: new ones by goal label, such as "left_hand at frame 20", or "left_hand" if only one goal is called
                so; for goals at single frames. What is not given stays as in the call before.
        """
        began = time.perf_counter()
        if targets:
            self._given = self._given | {self._label(label): values for label, values in targets.items()}
        x, counts = self._space.x, np.zeros((0, 2), np.int64)
        warnings: tuple[str, ...] = ()
        if self._keys is not None:
            lowered = self._keys.lowered
            wanted = self._space.seen(_with_targets(lowered, self._given))[np.newaxis]
            start = lowered.region.projected(x)[np.newaxis]
            solves = Solves.of(start, wanted, np.zeros((1, len(lowered.dofs))))
            self._keys.run(solves)
            x, counts = solves.x[0], solves.info[:, :2].astype(np.int64)
        if self._along:
            x, more, warnings = self._along_paths(x)
            counts = np.concatenate([counts, more])
        given = self._given
        return MotionResult(
            motion=self._space.motion(x),
            problem=self.problem,
            seconds=time.perf_counter() - began,
            iterations_by_solve=counts[:, 0],
            stop_codes=counts[:, 1],
            goals=lambda: self._asked(given),
            solver_warnings=warnings,
            x=x,
        )

    def _asked(self, given: Mapping[str, Sequence[float]]) -> ScheduledGoals:
        if self._measured is None:
            self._measured = lower(self.problem.frame_problem)
        return ScheduledGoals(self.problem, self._measured, wanted=_with_targets(self._measured, given))

    def _along_paths(self, x: Array) -> tuple[Array, IntArray, tuple[str, ...]]:
        """Coordinates (frames, coordinates) for goals over several frames; iterations and stop codes; warnings."""
        if self._keys is None:
            labels = [plain_goal(goal).label for goal in self._along]
            tracks = [one for one in self.problem.schedules if one.goal.label in labels]
            return _follow_paths(self._space, self.problem.near, tracks, self._solver)
        space = self._space.moved_to(x)
        motion = space.motion(x)
        return _follow_paths(space, motion, schedules(self._along, motion), self._solver)

    def _label(self, given: str) -> str:
        """The full label of a goal, which may be given without the frame."""
        if given not in self._labels:
            own = self.problem.named[self.problem.index_of(given)]
            self._labels[given] = plain_goal(own).label
            if own in self._along:
                raise InvalidSetting(f"{given!r} is about several frames; new targets need a goal at a single frame")
        return self._labels[given]


def _with_targets(lowered: LoweredProblem, given: Mapping[str, Sequence[float]]) -> Array:
    """(terms, TARGET_WIDTH): those of the problem, but for what is given."""
    targets = lowered.targets.copy()
    for label, values in given.items():
        write_target(lowered, targets, label, values)
    return targets


def _lowered_blocks(space: MotionSpace, keys: Sequence[Schedule]) -> LoweredProblem:
    """Goals at all frames in which they count, as one problem about the coordinates that frames share."""
    blocks = []
    for key in keys:
        frames = np.flatnonzero(key.judged).tolist()
        for frame in frames:
            goal = key.goal
            if len(frames) > 1:
                goal = replace(goal, name=f"{goal.label}, frame {frame}", weight=goal.weight / len(frames))
            blocks.append((frame, goal, key))
    blocks.sort(key=lambda block: block[0])
    moments = sorted({frame for frame, _, _ in blocks})
    problem = Problem(space.at(moments), [goal for _, goal, _ in blocks])
    lowered = lower(problem, [moments.index(frame) for frame, _, _ in blocks])
    lowered.terms["tolerance"] *= space.closeness
    targets = lowered.targets[np.newaxis].copy()
    for (frame, _, key), rows in zip(blocks, lowered.goal_sites, strict=True):
        key.write(targets, lowered.site_terms, rows, np.array([frame]))
    return replace(lowered, targets=targets[0])


def _follow_paths(
    space: MotionSpace, motion: Motion, tracks: Sequence[Schedule], solver: Prioritized
) -> tuple[Array, IntArray, tuple[str, ...]]:
    """See `SharedMotion._along_paths`; `motion` is that of the coordinates of the space."""
    of_a_frame = space.of_a_frame()
    assert of_a_frame is not None  # else all goals are about the coordinates that frames share
    lowered = lower(Problem(of_a_frame, [track.goal for track in tracks]))
    targets, weights = sliding_targets(lowered, tracks, motion)
    world = lowered.terms["partner"] < 0
    targets[:, world] = space.seen(targets[:, world])
    chosen = np.flatnonzero((weights > 0.0).any(axis=1))
    x = np.tile(space.x, (len(motion), 1))
    nowhere = np.zeros((len(chosen), len(lowered.dofs)))
    frames = FrameProblems(
        targets[chosen], weights[chosen], x[chosen], nowhere, np.zeros(len(chosen), np.int8),
        maps=space.maps(chosen), home=space.x,
    )  # fmt: skip
    answers = solve_over_frames(solver, lowered, frames)
    counts = [answers.counts]
    x[chosen] = answers.x
    plain = replace(solver, attraction=0.0, max_iterations=min(solver.max_iterations, _BACK))
    for _ in range(_PASSES):
        frames = replace(frames, starts=np.ascontiguousarray(gaussian(x, _EVENLY * motion.fps)[chosen]))
        answers = solve_over_frames(plain, lowered, frames)
        counts.append(answers.counts)
        x[chosen] = answers.x
    jump = float(_jumps(x).max())
    warnings = (f"coordinates jump by {jump:.2g} standard deviations between two frames",) if jump > 0.0 else ()
    return x, np.concatenate(counts), warnings


def _jumps(x: Array) -> Array:
    """(frames,): the step of coordinates (frames, coordinates) into each frame where it is a jump, else 0."""
    steps = np.concatenate([[0.0], np.linalg.norm(np.diff(x, axis=0), axis=1)])
    around = np.concatenate([[0.0], steps, [0.0]])
    beside = np.maximum(around[:-2], around[2:])
    usual = np.median(steps[steps > 0.0]) if steps.any() else 0.0
    jumps: Array = np.where((steps > _NOTICED) & (steps > _JUMP * usual) & (steps > _SUDDEN * beside), steps, 0.0)
    return jumps
