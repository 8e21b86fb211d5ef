"""Problems prepared for the particle filter: the search, its finish by least squares, its walk and other answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from posewright.conventions import Array
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.solves import Solves
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.result import INFEASIBLE, PoseResult, SearchPath
from posewright.solvers.dense_prepared import with_strict_levels
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.prepared import Prepared
from posewright.solvers.sampling.distinct_answers import distinct
from posewright.solvers.sampling.particle_filter import ParticleFilter

if TYPE_CHECKING:
    from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

ISLANDS = 4
"""Searches per distinct answer that is wanted: a crowd of few particles ends around one answer, seldom two."""


_PER_DRAW, _FINISH = 1e-6, 0.02  # s: of one dof of one particle, and of the finish, on a slow machine


class SampledPrepared(Prepared):
    """A problem packed for the particle filter."""

    _solver: SequentialMonteCarlo

    def __init__(self, solver: SequentialMonteCarlo, lowered: LoweredProblem) -> None:
        self._weighed, warnings = with_strict_levels(lowered, 1)
        if solver.particles == 1:
            warnings = (*warnings, "with one particle the search is a random walk")
        self._filter = ParticleFilter(solver, self._weighed)
        self._polisher: Prepared | None = None
        self._moving: Array | None = None
        self._in_python = self._filter.asks_python
        if not self._in_python:
            self._seconds_at_most = _FINISH + _PER_DRAW * self.particles * solver.max_iterations * len(lowered.dofs)
        super().__init__(solver, lowered, warnings)

    @property
    def cloud(self) -> tuple[Array, Array]:
        """The particles that were drawn last, as poses (particles, dofs), and their costs (particles,)."""
        x, costs = self._filter.cloud
        return self.plain(x), costs

    @property
    def particles(self) -> int:
        """How many there are."""
        return self._filter.particles

    def reseed(self, seed: int) -> None:
        """Draw other numbers from now on: cheaper than preparing again for every run of many."""
        self._solver = replace(self._solver, seed=seed)
        self._filter.reseed(seed)

    def solve_moving(
        self, targets: Callable[[int], Mapping[str, Sequence[float]]], start: Pose | None = None
    ) -> PoseResult:
        """Solve goals that move: in iteration k they have the targets given by label; others stay as they were."""
        frames = []
        for k in range(max(1, self._solver.max_iterations)):
            self.take(targets(k))
            frames.append(self._targets[0])
        self._moving, self._in_python = np.stack(frames), True
        try:
            return self.solve(start=start)
        finally:
            self._moving, self._in_python = None, self._filter.asks_python

    def run(self, solves: Solves) -> None:
        """Search, then finish; a single search also leaves its walk."""
        targets, x, errors, info = solves.targets, solves.x, solves.errors, solves.info
        frames = self._solver.max_iterations + 1 if len(targets) == 1 else 0
        kept = self.particles if self._solver.keep_particles else 0
        path = np.empty((frames, x.shape[1] * (1 + kept) + 3))
        for k in range(len(targets)):
            start, reference = solves.start(k), solves.reference(k)
            wanted = targets[k : k + 1] if self._moving is None else self._moving
            x[k], errors[k], info[k] = self._filter.search(start, wanted, reference, self._stop, path)
            if self._moving is None:
                self._finish(targets[k], reference, x[k], errors[k], info[k])
        if frames:
            answers = self._answers(solves) if self._moving is None else self.plain(x)
            self._walk = self._walked(path[: int(info[0, 0]) + 1], x[0], info[0, 2], answers)

    def _finish(self, targets: Array, reference: Array, x: Array, errors: Array, info: Array) -> None:
        """Least squares from the best estimate; kept if it is better and predicates hold there."""
        if info[1] in (descent.REACHED, descent.INTERRUPTED, INFEASIBLE):
            return
        if self._solver.polish:
            found, why = self._polished(targets, reference, x)
            cost, met = self._filter.judge(found, targets, reference)[:, 0].tolist()
            if (met or cost < info[2]) and self._filter.passes(found)[0]:
                x[:], errors[:] = found[0], self._filter.errors
                info[1], info[2] = why, cost
        if self._filter.judge(x[np.newaxis], targets, reference)[1, 0]:
            info[1] = descent.REACHED

    def _polished(self, targets: Array, reference: Array, x: Array) -> tuple[Array, float]:
        """Where least squares goes from x (1, coordinates), and why it stopped."""
        if self._polisher is None:
            self._polisher = LeastSquares(restarts=0).prepare(self._weighed.problem)
        polisher = self._polisher
        polisher.use_stop_flag(self._stop)
        near = polisher.local(self.plain(x[np.newaxis]))
        solve = Solves.of(near, targets[np.newaxis], reference[np.newaxis])
        polisher.run(solve)
        return self.local(polisher.plain(solve.x)), float(solve.info[0, 1])

    def _answers(self, solves: Solves) -> Array:
        """Distinct answers (answers, dofs): the one found, then clusters of the final crowds of other searches."""
        starts, targets, references, x = solves.starts, solves.targets, solves.references, solves.x[0]
        wanted, q = self._solver.answers, self.plain(x[np.newaxis])
        if wanted == 1:
            return q
        clouds, nowhere = [self._filter.cloud[0]], np.empty((0, len(x) + 3))
        for island in range(1, ISLANDS * wanted):
            other = ParticleFilter(replace(self._solver, seed=self._solver.seed + island), self._weighed)
            end = other.search(starts[0], targets, references[0], self._stop, nowhere).x
            clouds += [end[np.newaxis], other.cloud[0]]
        cloud = np.concatenate(clouds)
        order = np.argsort(self._filter.judge(cloud, targets[0], references[0])[0], kind="stable")

        def finish(pose: Array) -> Array | None:
            point, errors = self.local(pose[np.newaxis])[0], np.empty(targets.shape[1])
            cost, met = self._filter.judge(point[np.newaxis], targets[0], references[0])[:, 0].tolist()
            info = np.array([0.0, descent.REACHED if met else descent.OUT_OF_ITERATIONS, cost, 0.0])
            self._finish(targets[0], references[0], point, errors, info)
            return self.plain(point[np.newaxis])[0] if info[1] == descent.REACHED else None

        found = distinct(self.lowered.problem.figure, self.plain(cloud[order]), wanted, finish, first=q[0])
        return np.stack(found)

    def _walked(self, path: Array, x: Array, cost: float, answers: Array) -> SearchPath:
        """The walk; an answer that the finish or the choice of the best put elsewhere is one more frame."""
        n = len(x)
        if not np.array_equal(path[-1, :n], x):
            path = np.vstack([path, [*x, np.sqrt(cost), *path[-1, n + 1 :]]])
        kept = (path.shape[1] - n - 3) // max(n, 1)
        drawn = np.zeros((len(path), kept, self.lowered.problem.figure.n_dofs))
        if kept:
            drawn[:] = self.plain(path[:, n + 3 :].reshape(-1, n)).reshape(drawn.shape)
        return SearchPath(
            q=self.plain(path[:, :n]),
            fps=self._solver.fps,
            distance=path[:, n],
            n_eff=path[:, n + 1],
            acceptance=self.particles * self._filter.n_blocks / np.maximum(path[:, n + 2], 1.0),
            answers=answers,
            particles=drawn,
        )
