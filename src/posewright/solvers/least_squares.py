"""LeastSquares: damped least squares with hard limits, by elimination of the tree. The default solver.

One kernel call per solve (`kernels.least_squares`); `prepare` packs the tables once for drags and streams.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidSetting, UnknownName
from posewright.figure import Pose
from posewright.kernels import least_squares as kernels
from posewright.problem.lowering import LoweredProblem, lower
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult, Stopped

_STOPPED: dict[int, Stopped] = {
    kernels.REACHED: "reached",
    kernels.STATIONARY: "stationary",
    kernels.OUT_OF_ITERATIONS: "out of iterations",
    kernels.INTERRUPTED: "interrupted",
}


@dataclass(frozen=True, kw_only=True)
class LeastSquares:
    """Settings of the solver; it keeps nothing between calls."""

    max_iterations: int = 400
    restarts: int = 20
    """Random starts allowed when a goal is missed; 0 keeps to the start given."""
    seed: int = 1
    """Same seed, same bits."""

    def solve(self, problem: Problem, start: Pose | None = None) -> PoseResult:
        """The pose that meets the goals best, found from `start` (by default the rest pose)."""
        return self.prepare(problem).solve(start=start)

    def prepare(self, problem: Problem) -> Prepared:
        """The problem packed for repeated solves with other targets and starts."""
        return Prepared(self, lower(problem))

    def solve_many(self, problem: Problem, targets: Array, starts: Array | None = None) -> ManyResults:
        """Independent solves on all cores.

        Args:
            problem: gives figure, goals and tolerances; its targets are not used.
            targets: (solves, terms, TARGET_WIDTH), as of `lower(problem).targets`.
            starts: (solves, dofs) or (dofs,) of the plain figure; the rest pose if None.
        """
        return self.prepare(problem).solve_many(targets, starts)


@dataclass(frozen=True, eq=False)
class ManyResults:
    """Arrays of answers."""

    q: Array
    """(solves, dofs)"""
    errors: Array
    """(solves, terms), m or rad"""
    reached: npt.NDArray[np.bool_]
    iterations: npt.NDArray[np.int64]


class Prepared:
    """A problem packed for repeated solves. One thread each; `fork` for another."""

    def __init__(self, solver: LeastSquares, lowered: LoweredProblem) -> None:
        space = lowered.problem.space
        if not space.selects_dofs:
            raise InvalidSetting("LeastSquares so far searches spaces whose coordinates are single dofs")
        self._solver, self.lowered = solver, lowered
        n = space.figure.n_dofs
        self._settings = np.zeros(1, kernels.SETTINGS)
        self._settings[0] = (solver.max_iterations, solver.restarts, solver.seed, 0.03, 1e-6, 1e-9)
        self._targets = lowered.targets[np.newaxis].copy()
        self._starts = np.array(space.figure.rest)[np.newaxis]
        self._stop = np.zeros(1, np.int8)
        self._posture, self._reference = np.zeros(n), np.zeros((1, n))

    def fork(self) -> Prepared:
        """The same prepared problem for another thread."""
        return Prepared(self._solver, self.lowered)

    def solve(
        self, targets: Mapping[str, Sequence[float]] | Array | None = None, start: Pose | Array | None = None
    ) -> PoseResult:
        """Solve again.

        Args:
            targets: new targets by goal label (a point, or a point and directions), or the whole array (terms,
                TARGET_WIDTH); what is not given stays as in the call before.
            start: a pose or `q`; by default where the call before began.
        """
        began = time.perf_counter()
        if isinstance(targets, np.ndarray):
            self._targets[0] = targets
        elif targets is not None:
            for label, values in targets.items():
                row = self.lowered.rows.get(label)
                if row is None:
                    raise UnknownName("goal", label, self.lowered.labels, where="the prepared problem")
                self._targets[0, row, : len(values)] = values
        if start is not None:
            self._starts[0] = self._local(start.q if isinstance(start, Pose) else start)
        q = np.empty((1, self._starts.shape[1]))
        errors = np.empty((1, len(self.lowered.labels)))
        info = np.empty((1, kernels.N_INFO))
        self._run(self._starts, self._targets, q, errors, info)
        iterations, why, cost, restarts = info[0].tolist()
        return PoseResult(
            self.lowered,
            self._plain(q[0]),
            errors[0],
            stopped=_STOPPED[int(why)],
            iterations=int(iterations),
            restarts=int(restarts),
            cost=cost,
            seconds=time.perf_counter() - began,
            warnings=(),
        )

    def solve_many(self, targets: Array, starts: Array | None = None) -> ManyResults:
        """Independent solves on all cores; see `LeastSquares.solve_many`."""
        targets = np.ascontiguousarray(targets, dtype=np.float64)
        if targets.ndim != 3 or targets.shape[1:] != self.lowered.targets.shape:
            raise InvalidSetting(
                f"targets have shape {targets.shape}; for this problem they must be (solves, "
                f"{len(self.lowered.targets)}, {self.lowered.targets.shape[1]})"
            )
        given = self._starts if starts is None else self._local(np.atleast_2d(starts))
        n = len(targets)
        q, errors = np.empty((n, given.shape[1])), np.empty((n, targets.shape[1]))
        info = np.empty((n, kernels.N_INFO))
        cores = os.cpu_count() or 1
        edges = np.linspace(0, n, min(cores, max(n, 1)) + 1).astype(int)

        def run(low: int, high: int) -> None:
            part = given if len(given) == 1 else given[low:high]
            self._run(part, targets[low:high], q[low:high], errors[low:high], info[low:high])

        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(run, edges[:-1], edges[1:]))
        return ManyResults(
            self._plain(q),
            errors,
            np.all(errors <= self.lowered.goals["tolerance"], axis=1),
            info[:, 0].astype(np.int64),
        )

    def _run(self, starts: Array, targets: Array, q: Array, errors: Array, info: Array) -> None:
        lowered = self.lowered
        kernels.solve_all(
            lowered.joints, lowered.dofs, lowered.goals, self._settings, starts, targets,
            self._posture, self._reference, self._stop, q, errors, info,
        )  # fmt: skip

    def _local(self, q: Array) -> Array:
        """From the plain figure to the chart of the space."""
        space = self.lowered.problem.space
        if space.is_identity and not space.chart:
            return np.ascontiguousarray(q, dtype=np.float64)
        return np.ascontiguousarray(space.encode(q) @ space.matrix.T + space.offset)

    def _plain(self, q: Array) -> Array:
        space = self.lowered.problem.space
        return q if not space.chart else space.decode((q - space.offset) @ space.matrix)
