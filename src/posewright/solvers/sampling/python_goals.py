"""Predicates and goals written in Python, judged for a crowd of poses in one call per iteration."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.goals.term import PythonTerm
from posewright.problem.linearisation import as_numbers
from posewright.problem.lowering import LoweredProblem
from posewright.problem.predicates import PosePredicate, Verdicts


class PythonCrowd:
    """What a problem asks of Python. What predicates and goals raise is not caught: it reaches the caller as it is."""

    def __init__(self, lowered: LoweredProblem) -> None:
        self._lowered = lowered

    def passes(self, q: Array) -> Verdicts:
        """Which of the poses (poses, dofs) keep all predicates."""
        figure, predicates = self._lowered.problem.figure, self._lowered.problem.predicates
        verdicts = np.ones(len(q), np.bool_)
        if any(isinstance(predicate, PosePredicate) for predicate in predicates):
            frames = joint_frames(figure, q)
        for predicate in predicates:
            if isinstance(predicate, PosePredicate):
                verdicts &= predicate.holds(figure, q, frames)
            else:
                verdicts[verdicts] = [bool(predicate(Pose(figure, row))) for row in q[verdicts]]
        return verdicts

    def add(self, q: Array, judged: Array) -> None:
        """Add the cost of the Python goals to those of the poses (row 0), and clear row 1 where one is missed."""
        if not self._lowered.python:
            return
        figure = self._lowered.problem.figure
        frames = joint_frames(figure, q)
        for label, term, root_weight, tolerance in self._lowered.python:
            lengths = np.linalg.norm(self._residuals(label, term, q, frames), axis=1)
            judged[0] += (root_weight * lengths) ** 2
            judged[1, lengths > tolerance] = 0.0

    def _residuals(self, label: str, term: PythonTerm, q: Array, frames: JointFrames) -> Array:
        figure, what = self._lowered.problem.figure, f"the residual of {label!r}"
        shape = (len(q), term.rows)
        if term.crowd is not None:
            found = as_numbers(term.crowd(figure, q, frames), shape, what)
        else:
            one_by_one = [as_numbers(term.residual(Pose(figure, row)), (term.rows,), what) for row in q]
            found = as_numbers([np.atleast_1d(one) for one in one_by_one], shape, what)
        if found.shape != shape:
            raise InvalidSetting(f"{what} has shape {found.shape} for {len(q)} poses; it must be {shape}")
        if not np.isfinite(found).all():
            raise InvalidSetting(f"{what} is not finite")
        return found
