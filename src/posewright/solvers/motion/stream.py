"""Motions frame by frame as they arrive: the same numbers as for the whole clip, in constant memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting, UnknownName, shown
from posewright.figures import Pose
from posewright.goals.timed import across, unit
from posewright.problem.motion_lowering import Weighing, followed, lower_motion, turning
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.stopping import STOPPED, Stopped
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.solve_motion import tracker
from posewright.solvers.solver import Solver, require_solver


@dataclass(frozen=True, eq=False)
class StreamFrame:
    """The answer to one frame."""

    pose: Pose
    iterations: int
    stopped: Stopped


class MotionStream:
    """Answers a motion problem frame after frame; one thread, and one stream per motion.

    The problem says what is tracked and with which weights; of its frames only the kinds of goals are used, so a
    reference of one frame will do.
    """

    def __init__(self, problem: MotionProblem, solver: Solver | None = None) -> None:
        if solver is not None:
            require_solver(solver)
        self._lowered = lower_motion(problem)
        self._tracker = tracker(self._lowered, LeastSquares() if solver is None else solver)
        figure, frame = problem.figure, self._lowered.frame
        free = turning(figure)
        self._free = free if free.any() else None
        self._turns, self._last = np.zeros(figure.n_dofs), np.zeros(figure.n_dofs)
        self._targets, self._activation = frame.targets[np.newaxis].copy(), np.ones((1, len(frame.targets)))
        self._weigh = Weighing(problem, frame)
        self._weights = self._weigh(self._activation)
        self._begins, self._started = np.ones(1, np.int8), False
        self._q, self._info = np.zeros((1, figure.n_dofs)), np.zeros((1, 2), np.int64)

    @property
    def problem(self) -> MotionProblem:
        """What is asked of each frame."""
        return self._lowered.problem

    def frame(
        self,
        reference: Pose | Array,
        targets: Mapping[str, Sequence[float] | Array] | None = None,
        activation: Mapping[str, float] | None = None,
    ) -> StreamFrame:
        """The next frame.

        Args:
            reference: the example's pose, or its `q`.
            targets: by goal label: a point (3), or a point and two directions x and y (9); of a track of one direction,
                that stands in the place of x. What is not given stays as in the frame before.
            activation: by goal label, from 0 to 1; what is not given stays as in the frame before.
        """
        self._take(targets or {}, activation or {})
        q = self._solved(reference)
        iterations, why = self._info[0].tolist()
        return StreamFrame(Pose(self.problem.figure, q), iterations, STOPPED[why])

    @property
    def rows(self) -> Mapping[str, int]:
        """Rows of the terms by goal label; directions of a track that has points, too, are at "label.turn"."""
        return self._lowered.frame.rows

    def parts(self, label: str) -> list[int]:
        """Rows of a goal's terms: of a track, its points and then its directions."""
        return self._lowered.frame.parts(label)

    def frame_of_rows(self, reference: Array, targets: Array, activation: Array) -> Array:
        """The `q` (dofs,) of the next frame, quicker than by `frame`.

        Args:
            reference: the example's `q`.
            targets: (terms, 9): of each term its point and directions x and y, of length one and at right angles:
                they are not checked.
            activation: (terms,), from 0 to 1.
        """
        self._targets[0], self._activation[0] = targets, activation
        self._weights = self._weigh(self._activation)
        return self._solved(reference)

    def _solved(self, reference: Pose | Array) -> Array:
        q = self._example(reference)
        self._tracker.advance(q, self._targets, *self._weights, self._begins, self._q, self._info)
        self._begins[0] = 0
        found: Array = self._q[0].copy()
        return found

    def cut(self) -> None:
        """The next frame does not continue the last one."""
        self._begins[0] = 1

    def _example(self, reference: Pose | Array) -> Array:
        figure = self.problem.figure
        given = reference.q if isinstance(reference, Pose) else reference
        try:
            q = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            told = f"the example's frame is {shown(given)}; it must be a pose or the numbers of one"
            raise InvalidMotion(told) from None
        if q.shape != (figure.n_dofs,) or not np.isfinite(q).all():
            raise InvalidMotion(
                f"the example's frame has shape {q.shape}; it must be ({figure.n_dofs},) finite numbers, "
                f"one per dof of figure {figure.name!r}"
            )
        if self._free is None:
            return np.clip(q[np.newaxis], figure.lower, figure.upper)
        before = self._last if self._started else q
        unwound, self._turns = followed(np.stack([before, q]), self._turns, self._free)
        self._last, self._started = q.copy(), True
        return np.clip(unwound, figure.lower, figure.upper)

    def _take(self, targets: Mapping[str, Sequence[float] | Array], activation: Mapping[str, float]) -> None:
        rows = self._lowered.frame.rows
        for label in (*targets, *activation):
            if label not in rows:
                raise UnknownName("goal", label, rows, where="the stream")
        turned: list[tuple[str, int, Array]] = []
        for label, given in targets.items():
            try:
                values = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError):
                told = f"the target of {label!r} is {shown(given)}; it must be 3 or 9 finite numbers"
                raise InvalidSetting(told) from None
            if values.shape not in ((3,), (9,)) or not np.isfinite(values).all():
                raise InvalidSetting(
                    f"the target of {label!r} has shape {values.shape}; it must be 3 or 9 finite numbers: "
                    "a point and two directions"
                )
            turn = self._lowered.frame.parts(label)[-1]
            self._targets[0, rows[label], :3] = values[:3]
            if len(values) == 9 and values[3:].any():
                turned.append((label, turn, values[3:]))
        self._turn(turned)
        for label, share in activation.items():
            require_number(share, f"the activation of {label!r}", "from 0 to 1")
            if not 0.0 <= share <= 1.0:
                raise InvalidSetting(f"the activation of {label!r} is {share}; it must be from 0 to 1")
            self._activation[0, self._lowered.frame.parts(label)] = share
        if activation:
            self._weights = self._weigh(self._activation)

    def _turn(self, turned: Sequence[tuple[str, int, Array]]) -> None:
        """Take the directions (6) of some goals at once, each with its label and row."""
        if not turned:
            return
        values = np.stack([given for _, _, given in turned])
        try:
            found = _directions(values, "the stream")
        except InvalidSetting:  # say which
            found = np.concatenate([_directions(given[np.newaxis], label) for label, _, given in turned])
        self._targets[0, [row for _, row, _ in turned], 3:] = found


def _directions(values: Array, label: str) -> Array:
    """Two unit directions (n, 6) at right angles, made exactly as those of a track are; the second may be zero."""
    x, y = unit(values[:, :3], f"the x direction of {label!r}"), values[:, 3:].copy()
    two = y.any(axis=1)
    if two.any():
        y[two] = across(x[two], unit(y[two], f"the y direction of {label!r}"), repr(label))
    return np.concatenate([x, y], axis=1)
