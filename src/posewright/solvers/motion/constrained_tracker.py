"""Motions of figures with linear inequalities, as of shoulders: quick while the answers keep them by themselves.

The tree elimination knows nothing of such rows, and few motions come near them: from the first frame on whose quick
answer would break one, each frame is a problem with all its rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.problem.lowering import lower
from posewright.problem.motion_lowering import Flags, LoweredMotion
from posewright.problem.motion_problem import MotionProblem
from posewright.solvers.motion.clip_tracker import Stretches
from posewright.solvers.motion.coupled import CoupledStretches
from posewright.solvers.motion.frame_by_frame import FrameByFrame

_ROUNDING = 1e-12  # rad or m


def without_inequalities(lowered: LoweredMotion) -> LoweredMotion | None:
    """The same motion problem with limits and equalities alone; None if it has no other rows."""
    problem, figure = lowered.problem, lowered.problem.figure
    relations = (*figure.constraints, *problem.constraints)
    kept = [relation for relation in relations if len(relation.coefficients) == 1 or relation.is_equality]
    if len(kept) == len(relations) or not problem.space.is_identity:
        return None
    simple = MotionProblem(
        replace(figure, constraints=()), problem.goals, problem.near, imitation=problem.imitation,
        frozen=problem.frozen, constraints=kept, cuts=problem.cuts, velocity_limits=problem.velocity_limits,
    )  # fmt: skip
    return replace(lowered, problem=simple, frame=lower(simple.frame_problem))


class WhileKept:
    """Answers stretch after stretch, then frame after frame."""

    def __init__(self, lowered: LoweredMotion, quick: Stretches | CoupledStretches, careful: FrameByFrame) -> None:
        self._quick, self._careful = quick, careful
        region = lowered.frame.region
        self._rows, self._most = region.A[region.n_equal :], region.b[region.n_equal :] + _ROUNDING
        self._broken = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be honoured."""
        return (*self._quick.warnings, *self._careful.warnings)

    def advance(
        self,
        references: Array,
        targets: Array,
        weights: Array,
        held: Flags,
        begins: Flags,
        q: Array,
        info: IntArray,
    ) -> int:
        """Solve some of the next frames."""
        if self._broken:
            return self._careful.advance(references, targets, weights, held, begins, q, info)
        n = self._quick.advance(references, targets, weights, held, begins, q, info)
        broken = np.flatnonzero((q[:n] @ self._rows.T > self._most).any(axis=1))
        kept = int(broken[0]) if len(broken) else n
        for k in range(max(0, kept - 2), kept):
            self._careful.remember(references[k], targets[k], q[k], begins=bool(begins[k]))
        self._broken = kept < n
        if kept:
            return kept
        return self._careful.advance(references, targets, weights, held, begins, q, info)
