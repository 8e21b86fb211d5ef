"""Motions frame by frame as they arrive: the same numbers as for the whole clip, in constant memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.checks import require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, UnknownName, shown
from posewright.figures import Figure, Pose
from posewright.problem.motion_lowering import Weighing, followed, lower_motion, turning
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.result import STOPPED, Stopped
from posewright.problem.targets import Targets, write_target
from posewright.solvers.motion.frames import FrameBatch
from posewright.solvers.motion.solving import tracker
from posewright.solvers.solver import Solver


@dataclass(frozen=True, eq=False)
class StreamFrame:
    """The answer to one frame."""

    figure: Figure
    q: Array
    """(dofs,)"""
    iterations: int
    stopped: Stopped

    @cached_property
    def pose(self) -> Pose:
        """The answer."""
        return Pose(self.figure, self.q)


class MotionStream:
    """Solves a motion problem frame after frame, made by `solver.stream`; one thread, and one stream per motion."""

    def __init__(self, problem: MotionProblem, solver: Solver) -> None:
        self._lowered = lowered = lower_motion(problem)
        self._tracker = tracker(lowered, solver)
        self._figure, n_dofs = problem.figure, problem.figure.n_dofs
        self._columns = dict(zip((goal.label for goal in lowered.frame.goals), lowered.frame.columns, strict=True))
        free = turning(problem.figure)
        self._free = free if free.any() else None
        self._turns, self._last = np.zeros(n_dofs), np.zeros(n_dofs)
        self._activation, self._weigh = np.ones((1, lowered.weights.shape[1])), Weighing(problem, lowered.frame)
        weights, held = self._weigh(self._activation)
        self._frame = FrameBatch(
            np.zeros((1, n_dofs)), lowered.frame.targets[np.newaxis].copy(), weights, held, np.ones(1, np.int8),
            np.zeros((1, n_dofs)), np.zeros((1, 2), np.int64),
        )  # fmt: skip
        self._started = False

    @property
    def problem(self) -> MotionProblem:
        """The problem of each frame."""
        return self._lowered.problem

    @property
    def n_terms(self) -> int:
        """Number of terms of the goals."""
        return len(self._lowered.frame.terms)

    def rows(self, label: str) -> list[int]:
        """Rows of a goal's terms: its point and then its directions."""
        return self._lowered.frame.rows_at(label)

    def solve(
        self,
        reference: Pose | Array,
        targets: Targets | Array | None = None,
        activation: Mapping[str, float] | Array | None = None,
    ) -> StreamFrame:
        """The next frame. Anything that is not given stays as in the frame before.

        Args:
            reference: the example's pose, or its `q`.
            targets: by goal label, as of `Prepared.solve`: a point, a rotation (two directions, a quaternion wxyz or a
                matrix), or a point and a rotation. Or the targets of all terms at once (terms, 9), directions of
                length one and perpendicular, which is quicker: they are not checked.
            activation: by goal label, from 0 to 1; or of all terms at once (terms,), those of goals in Python last.
        """
        frame = self._frame
        if isinstance(targets, np.ndarray):
            frame.targets[0] = targets
        elif targets:
            fresh = frame.targets[0].copy()  # all of them are taken, or none
            for label, values in targets.items():
                write_target(self._lowered.frame, fresh, label, values)
            frame.targets[0] = fresh
        if isinstance(activation, np.ndarray):
            self._activation[0] = activation
        elif activation:
            self._take_activation(activation)
        if activation is not None:
            frame.weights[:], frame.held[:] = self._weigh(self._activation)
        frame.references[0] = self._example(reference)
        self._tracker.advance(frame)
        frame.begins[0] = 0
        iterations, why = frame.info[0].tolist()
        return StreamFrame(self._figure, frame.q[0].copy(), iterations, STOPPED[why])

    def cut(self) -> None:
        """The next frame does not continue the last one."""
        self._frame.begins[0] = 1

    def _example(self, reference: Pose | Array) -> Array:
        figure = self._figure
        given = reference.q if isinstance(reference, Pose) else reference
        try:
            q = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidMotion(
                f"the example's frame is {shown(given)}; it must be a pose or the numbers of one"
            ) from None
        if q.shape != (figure.n_dofs,) or not np.isfinite(q).all():
            raise InvalidMotion(
                f"the example's frame has shape {q.shape}; it must be ({figure.n_dofs},) finite numbers, "
                f"one per dof of figure {figure.name!r}"
            )
        if self._free is not None:
            before = self._last if self._started else q
            self._last, self._started = q.copy(), True
            unwound, self._turns = followed(np.stack([before, q]), self._turns, self._free)
            q = unwound[0]
        return np.clip(q, figure.lower, figure.upper)

    def _take_activation(self, activation: Mapping[str, float]) -> None:
        for label, share in activation.items():
            if label not in self._columns:
                raise UnknownName("goal", label, self._columns, where="the stream")
            require_number(share, f"the activation of {label!r}", "from 0 to 1", ok=lambda number: 0.0 <= number <= 1.0)
        for label, share in activation.items():
            self._activation[0, self._columns[label]] = share
