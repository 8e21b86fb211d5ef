"""LeastSquares over time: a kernel call per stretch of a clip (`kernels.over_time`)."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.kernels.tables import ROTATION, TARGET_WIDTH, Table
from posewright.kernels.tree import tracking as kernels
from posewright.problem.frame_objective import chart_balls
from posewright.problem.motion_lowering import Flags, LoweredMotion
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.pruning import Branches, split

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
        figure, frame = lowered.problem.figure, lowered.frame
        balls = np.array([figure.tables.dofs[d]["joint"] for d in chart_balls(figure)], np.int64)
        settings = _settings(lowered, solver)
        self._most = int(settings["budget"][0])
        working, idle = split(frame.joints, frame.dofs, frame.terms, balls)
        self._working = _Part(lowered, working, settings)
        self._idle = _Part(lowered, idle, settings) if len(idle.columns) else None

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
        n = min(len(references), self._most)
        if self._idle is None:
            return self._working.advance(
                references[:n], targets[:n], weights[:n], held[:n], begins[:n], q[:n], info[:n]
            )
        n = self._working.apart(references[:n], targets[:n], weights[:n], held[:n], begins[:n], q[:n], info[:n])
        none = np.empty((n, 0, TARGET_WIDTH)), np.empty((n, 0)), np.empty((n, 0), np.int8)
        self._idle.apart(references[:n], *none, begins[:n], q[:n], np.empty((n, 2), np.int64))
        return n


class _Part:
    """Some joints of the figure and what is remembered of them."""

    def __init__(self, lowered: LoweredMotion, branches: Branches, settings: Table) -> None:
        self._branches, self._settings = branches, settings
        n_terms, columns = len(branches.terms), branches.columns
        self._example, self._stiffness = lowered.example[columns], lowered.stiffness[columns]
        self._units = lowered.units[columns]
        self._limits = np.zeros((0, len(columns)))
        if np.isfinite(lowered.reach).any():
            self._limits = np.stack([branches.dofs["lower"], branches.dofs["upper"], lowered.reach[columns]])
        self._coherent = lowered.coherent[:n_terms]
        self._carried = np.zeros(1, kernels.CARRIED)
        self._carried["guard"] = kernels.GUARD
        self._dof_memory = np.zeros((6, len(columns)))
        self._term_memory = np.zeros((5, n_terms, 3))
        self._locks = np.zeros(len(columns), np.int8)

    def apart(
        self, references: Array, targets: Array, weights: Array, held: Flags, begins: Flags, q: Array, info: IntArray
    ) -> int:
        """As `advance`, of arrays of the whole figure."""
        columns = self._branches.columns
        own = np.empty((len(references), len(columns)))
        n = self.advance(np.take(references, columns, axis=1), targets, weights, held, begins, own, info)
        q[:n, columns] = own[:n]
        return n

    def advance(
        self, references: Array, targets: Array, weights: Array, held: Flags, begins: Flags, q: Array, info: IntArray
    ) -> int:
        """Solve some of the next frames of these joints; return how many."""
        branches = self._branches
        return kernels.follow(
            branches.joints, branches.dofs, branches.terms, branches.balls, self._coherent, self._settings,
            self._example, self._stiffness, self._units, self._limits, references, targets, weights, held, begins,
            self._carried, self._dof_memory, self._term_memory, self._locks, q, info,
        )  # fmt: skip


def _settings(lowered: LoweredMotion, solver: LeastSquares) -> Table:
    imitation, tracking, kinds = lowered.problem.imitation, solver.tracking, lowered.frame.terms["kind"]
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
    row["track_velocity"], row["track_acceleration"] = imitation.track_velocity, imitation.track_acceleration
    row["example_velocity"], row["example_acceleration"] = imitation.example_velocity, imitation.example_acceleration
    row["stiff"] = imitation.stiffness > 0.0
    row["budget"] = max(1, _WORK // max(len(lowered.frame.dofs), 1))
    return row
