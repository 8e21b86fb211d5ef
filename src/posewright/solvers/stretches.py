"""LeastSquares over time: a kernel call per stretch of a clip (`kernels.over_time`)."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.kernels import over_time as kernels
from posewright.kernels.tables import ROTATION, Table
from posewright.problem.collapse import chart_balls
from posewright.problem.motion_lowering import Flags, LoweredMotion
from posewright.solvers.least_squares import LeastSquares

_WORK = 1_500_000
"""Dofs times steps per call: less than a fifth of a second."""
_SWEEPS = 3


def fits_stretches(lowered: LoweredMotion) -> bool:
    """Whether the tree elimination can carry it: sites in the world, every dof by itself, limits alone."""
    space = lowered.problem.space
    return lowered.frame.sites_in_the_world and space.is_identity and not space.chart


class Stretches:
    """Answers stretch after stretch; what is carried from frame to frame is kept here."""

    def __init__(self, lowered: LoweredMotion, solver: LeastSquares) -> None:
        self.warnings: tuple[str, ...] = ()
        self._lowered = lowered
        figure, frame = lowered.problem.figure, lowered.frame
        self._terms, self._dofs = frame.terms.copy(), frame.dofs.copy()
        self._limits = np.zeros((0, figure.n_dofs))
        if np.isfinite(lowered.reach).any():
            self._limits = np.stack([self._dofs["lower"], self._dofs["upper"], lowered.reach])
        self._balls = np.array([figure.tables.dofs[d]["joint"] for d in chart_balls(figure)], np.int64)
        self._settings = _settings(lowered, solver)
        self._carried = np.zeros(1, kernels.CARRIED)
        self._carried["guard"] = kernels.GUARD
        self._dof_memory = np.zeros((6, figure.n_dofs))
        self._term_memory = np.zeros((5, len(frame.terms), 3))
        self._locks = np.zeros(figure.n_dofs, np.int8)

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
        """Solve as many of the next frames as a fifth of a second allows."""
        lowered = self._lowered
        return kernels.follow(
            lowered.frame.joints, self._dofs, self._terms, self._balls, lowered.coherent, self._settings,
            lowered.example, lowered.stiffness, lowered.units, self._limits, references, targets, weights, held, begins,
            self._carried, self._dof_memory, self._term_memory, self._locks, q, info,
        )  # fmt: skip


def _settings(lowered: LoweredMotion, solver: LeastSquares) -> Table:
    guidance, tracking, kinds = lowered.problem.guidance, solver.tracking, lowered.frame.terms["kind"]
    row = np.zeros(1, kernels.SETTINGS)
    leans = (lowered.example + lowered.stiffness) / (lowered.units * lowered.heaviest)
    row["steps"], row["sweeps"] = tracking.steps, _SWEEPS
    row["guarded"] = tracking.steps > 2
    row["ahead"] = 1.0 if tracking.steps > 2 else 0.0  # a step or two as they come would overshoot on and on
    row["newton"] = tracking.steps > 2 and bool(leans.any()) and bool((kinds <= ROTATION).all())
    row["damping"], row["gain"], row["still"], row["met"] = (
        tracking.damping,
        tracking.gain,
        tracking.still,
        tracking.met,
    )
    row["heaviest"], row["leaning"] = (
        lowered.heaviest,
        float(leans[leans > 0.0].min(initial=np.inf)) if leans.any() else 0.0,
    )
    row["track_velocity"], row["track_acceleration"] = guidance.track_velocity, guidance.track_acceleration
    row["example_velocity"], row["example_acceleration"] = guidance.example_velocity, guidance.example_acceleration
    row["stiff"] = guidance.stiffness > 0.0
    row["budget"] = max(1, _WORK // max(len(lowered.frame.dofs), 1))
    return row
