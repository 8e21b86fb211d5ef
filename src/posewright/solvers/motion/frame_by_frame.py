"""Motions with any solver: every frame is a pose problem of one target per track and a posture goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.conventions import Array
from posewright.figures.kinematics import joint_frames
from posewright.figures.reach import dof_units, length_unit
from posewright.goals import Goal, Posture
from posewright.problem.frame_objective import (
    Before,
    chart_balls,
    collapsed,
    collapsed_pose,
    in_chart_of,
    out_of_chart_of,
)
from posewright.problem.motion_lowering import Flags, LoweredMotion
from posewright.problem.problem import Problem
from posewright.problem.result import STOPPED, PoseResult
from posewright.rotations import nearest_branch, quaternion_from_vector
from posewright.solvers.motion.frames import FrameBatch
from posewright.solvers.prepared import Prepared
from posewright.solvers.solver import Solver

_WHY = {words: code for code, words in STOPPED.items()}


@dataclass(frozen=True, eq=False)
class _Frame:
    """The state after a solved frame."""

    reference: Array
    targets: Array
    """(terms, 3): points of the tracks."""
    q: Array
    points: Array
    """(terms, 3): positions of the sites."""


class FrameByFrame:
    """Solves frame after frame with any solver."""

    def __init__(self, lowered: LoweredMotion, solver: Solver) -> None:
        self.warnings: tuple[str, ...] = ()
        self._lowered, self._solver = lowered, solver
        space, figure = lowered.frame.problem.space, lowered.problem.figure
        self._balls = chart_balls(figure) if space.is_identity and not space.chart else ()
        self._last: list[_Frame] = []
        self._key: tuple[bytes, ...] = ()
        self._chart = b""
        self._prepared: Prepared | None = None

    def advance(self, frames: FrameBatch) -> int:
        """Solve the next frame."""
        if frames.begins[0]:
            self._last = []
        reference, targets = frames.references[0], frames.targets[0]
        result = self._solve(reference, targets, frames.weights[0], frames.held[0])
        frames.q[0] = self._continuous(result.q)
        frames.info[0] = result.iterations, _WHY[result.stopped]
        self.remember(reference, targets, frames.q[0])
        return 1

    def remember(self, reference: Array, targets: Array, q: Array, *, begins: bool = False) -> None:
        """Accept q as the answer to a frame; the next frames continue from it."""
        last = [] if begins else self._last[:1]
        self._last = [_Frame(reference.copy(), targets[:, :3].copy(), q.copy(), self._points(q)), *last]

    def _solve(self, reference: Array, targets: Array, weights: Array, held: Flags) -> PoseResult:
        lowered, imitation, balls = self._lowered, self._lowered.problem.imitation, self._balls
        before, last = self._before(reference)
        pose, posture = collapsed_pose(
            imitation, lowered.example, lowered.stiffness, in_chart_of(reference, reference, balls), before
        )
        wanted, factor = collapsed(targets[:, :3], imitation.track_velocity, imitation.track_acceleration, last)
        targets, weights = targets.copy(), np.where(lowered.coherent != 0, factor, 1.0) * weights
        coherent = lowered.coherent[: len(targets)] != 0
        targets[coherent, :3] = wanted[coherent]
        start = self._start(reference)
        prepared = self._prepare(reference, weights, held, posture)
        return prepared.solve(targets[self._rows], start, out_of_chart_of(reference, pose, balls))

    def _before(self, reference: Array) -> tuple[Before, Before]:
        """The state of the last frames: of the pose, in the chart of this frame's example, and of the sites."""
        known = len(self._last)
        if not known:
            none, points = np.zeros(len(reference)), np.zeros((len(self._lowered.frame.terms), 3))
            return Before(0, none, none, none, none), Before(0, points, points, points, points)
        one, two = self._last[0], self._last[-1]
        poses = (in_chart_of(reference, q, self._balls) for q in (one.reference, two.reference, one.q, two.q))
        return Before(known, *poses), Before(known, one.targets, two.targets, one.points, two.points)

    def _start(self, reference: Array) -> Array:
        """The previous answer, moved as the example moved; balls keep their rotation relative to the example."""
        if not self._last:
            return reference
        one, figure = self._last[0], self._lowered.problem.figure
        start = one.q + (reference - one.reference)
        away = in_chart_of(one.reference, one.q, self._balls)
        for d in self._balls:
            start[d : d + 3] = away[d : d + 3]
        start = out_of_chart_of(reference, start, self._balls)
        return np.clip(start, figure.lower, figure.upper)

    def _prepare(self, reference: Array, weights: Array, held: Flags, posture: Array) -> Prepared:
        """The problem of this frame; prepared anew only if more than targets and poses changed."""
        space = self._lowered.frame.problem.space
        chart = reference[[i for d in self._balls for i in (d, d + 1, d + 2)]].tobytes()
        speeds = self._speed_limits()
        key = (weights.tobytes(), held.tobytes(), posture.tobytes(), repr(speeds).encode())
        known = self._prepared if key == self._key else None
        if known is not None and chart == self._chart:
            return known
        if self._balls:
            names = [space.figure.joints[space.figure.tables.dofs[d]["joint"]].name for d in self._balls]
            turns = [quaternion_from_vector(reference[d : d + 3]).tolist() for d in self._balls]
            space = space.with_chart(dict(zip(names, turns, strict=True)))
        self._chart = chart
        if known is not None:
            self._prepared = known.in_chart(space)
            self._prepared.keeps_alternatives = True
            return self._prepared
        problem = self._lowered.problem
        goals = self._goals(weights, held, posture)
        self._key = key
        self._prepared = self._solver.prepare(
            Problem(space, goals, frozen=problem.frozen, constraints=(*problem.constraints, *speeds))
        )
        self._prepared.keeps_alternatives = True
        for warning in self._prepared.warnings:
            if warning not in self.warnings:
                self.warnings = (*self.warnings, warning)
        return self._prepared

    def _speed_limits(self) -> tuple[LinearConstraint, ...]:
        """Bounds of dofs around the previous frame."""
        reach, figure = self._lowered.reach, self._lowered.problem.figure
        if not self._last:
            return ()
        last = np.clip(self._last[0].q, figure.lower, figure.upper)
        return tuple(
            LinearConstraint(
                name=f"speed of {figure.dof_names[d]}", coefficients=((figure.dof_names[d], 1.0),),
                lower=float(last[d] - reach[d]), upper=float(last[d] + reach[d]),
            )
            for d in np.flatnonzero(np.isfinite(reach)).tolist()
        )  # fmt: skip

    def _goals(self, weights: Array, held: Flags, posture: Array) -> Sequence[Goal]:
        frame = self._lowered.frame
        strict = bool(held.any())
        found: list[Goal] = []
        rows: list[int] = []
        for goal, own, sites in zip(frame.goals, frame.columns, frame.goal_sites, strict=True):
            share = weights[own]
            if share.any():
                level = 1 if held[own.start] or not strict else 2
                found.append(goal.with_weights(share.tolist(), level))
                rows += range(sites.start, sites.stop)
        self._rows = rows
        if posture.any():
            figure = self._lowered.problem.figure
            radians = length_unit(figure) / dof_units(figure)  # metres that the unit of a dof counts as, in a posture
            by_dof = dict(zip(figure.dof_names, (posture / radians**2).tolist(), strict=True))
            found.append(Posture(weights=by_dof, priority=2 if strict else 1))
        return found

    def _continuous(self, q: Array) -> Array:
        """Balls as the vectors nearest those of the frame before."""
        found = q.copy()
        for d in self._balls:
            if self._last:
                found[d : d + 3] = nearest_branch(q[d : d + 3], self._last[0].q[d : d + 3])
        return found

    def _points(self, q: Array) -> Array:
        terms = self._lowered.frame.terms
        frames = joint_frames(self._lowered.problem.figure, q)
        joints = terms["joint"]
        points: Array = frames.positions[joints] + np.einsum("kij,kj->ki", frames.rotations[joints], terms["point"])
        return points
