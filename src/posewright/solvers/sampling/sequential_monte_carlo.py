"""SequentialMonteCarlo: a particle filter over poses (Courty & Arnaud 2008). No derivatives, predicates by rejection.

Particles are propagated at random, weighted by how well they meet the goals, and resampled. The smoothed estimate of
each iteration is a frame of `result.path`. If the final estimate misses a tolerance, least squares refines it
(`polish`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from posewright.checks import require
from posewright.figures import Pose
from posewright.motions.motion import Motion
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.problem import Problem
from posewright.problem.result import PoseResult
from posewright.solvers.prepared import Prepared
from posewright.solvers.sampling.prepared import SampledPrepared
from posewright.solvers.solver import Solver, Support, check_counts, check_settings

Targets = Mapping[str, Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class SequentialMonteCarlo(Solver):
    """A particle filter over poses. It needs no derivatives, keeps predicates, and records its path."""

    support: ClassVar[Support] = Support(strict_levels=1, shares_evenly=False)

    particles: int | None = None
    """Number of particles; None: 1.5 for each sampled number, but at least 50."""
    max_iterations: int = 500
    """Maximum number of iterations; few problems take more than 50, long stretched chains 100 to 300."""
    seed: int = 1
    """Seed of the samples; the same seed gives the same bits on any number of threads."""
    gain: float = 0.5
    """How far the estimate moves towards the likeliest particle per iteration, above 0 and at most 1 (no smoothing)."""
    spread: float = 1.0
    """Factor of the spread with which particles are drawn."""
    noise: float = 0.3
    """Spread of the likelihood relative to the remaining distance; smaller values favour the best particles more."""
    lean: float = 1.0
    """Where particles are drawn: a fraction of the way to where an ensemble Kalman step predicts that goals are met.
    0: around their current positions, as in the paper."""
    decay: float = 0.0
    """Factor per iteration by which both spreads shrink; 0: they shrink with the remaining distance."""
    resample_below: float = 0.5
    """Fraction of effective particles below which particles are resampled."""
    max_tries: int = 100
    """Maximum number of draws of a particle that limits, constraints or predicates reject; then it stays in place."""
    drift: Pose | Motion | None = None
    """A prior: particles drift towards this pose, or in iteration k towards frame k of this motion."""
    drift_share: float = 0.1
    """Fraction of the distance that particles drift per iteration; it fades as goals come nearer. With more than about
    0.3, goals may be missed."""
    project: bool = False
    """Whether drawn particles are moved to where predicates hold (such as feet onto the floor) before the test."""
    polish: bool = True
    """Whether least squares finishes the search if a tolerance is missed, provided that predicates still hold."""
    answers: int = 1
    """Number of distinct poses to find, as clusters of the final particles of several searches."""
    keep_particles: bool = False
    """Whether the result keeps the particles of each iteration."""
    fps: float = 30.0
    """Frame rate of `result.path`, frames per second."""

    def __post_init__(self) -> None:
        check_counts(self, max_iterations=0, seed=0, max_tries=1, answers=1)
        if self.particles is not None:
            check_counts(self, particles=1)
        check_settings(self, "spread", "noise", "fps", above=0.0)
        check_settings(self, "gain", above=0.0, at_most=1.0)
        check_settings(self, "lean", "resample_below", "drift_share", at_least=0.0, at_most=1.0)
        check_settings(self, "decay", at_least=0.0, below=1.0)
        require(self.drift, Pose | Motion | None, "drift of SequentialMonteCarlo", "a Pose or a Motion")

    @classmethod
    def for_paths(cls, **settings: Any) -> SequentialMonteCarlo:
        """Settings for a path that is shown: short steps (spread 0.3). The defaults take fewer, longer steps."""
        return cls(**{"spread": 0.3, "particles": 50} | settings)

    @classmethod
    def for_hands(cls, **settings: Any) -> SequentialMonteCarlo:
        """Settings for fingers that follow targets: a slow estimate (gain 0.1), so tips do not jump with targets."""
        return cls(**{"gain": 0.1} | settings)

    @classmethod
    def for_planted_feet(cls, **settings: Any) -> SequentialMonteCarlo:
        """Settings for predicates that few draws satisfy, such as feet on the floor: draws are projected first."""
        return cls(**{"project": True} | settings)

    @classmethod
    def for_smooth_chains(cls, **settings: Any) -> SequentialMonteCarlo:
        """Settings for goals without a tolerance, such as `Smoothness`: many particles and short steps."""
        return cls(**{"spread": 0.3, "noise": 0.1, "particles": 200} | settings)

    def follow(self, problem: Problem, targets: Callable[[int], Targets], start: Pose | None = None) -> PoseResult:
        """Follow moving targets for `max_iterations` iterations.

        Args:
            problem: the problem to solve.
            targets: a function of the iteration (from 0) that returns targets by goal label; other goals keep theirs.
            start: where the search starts; default: the rest pose.

        Returns:
            The result, whose `path` has a frame per iteration and whose pose is the last one.
        """
        prepared = self.prepare(problem)
        if not isinstance(prepared, SampledPrepared):
            return prepared.solve(start=start)
        return prepared.solve_moving(targets, start)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """Prepare the problem with priorities as weights."""
        return SampledPrepared(self, lowered)
