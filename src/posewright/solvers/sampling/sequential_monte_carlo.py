"""SequentialMonteCarlo: a particle filter over poses (Courty & Arnaud 2008). No derivatives, predicates by rejection.

Particles are propagated at random, weighed by how well they meet the goals, and resampled; the smoothed estimate of
each iteration is a frame of `result.path`. Where the crowd ends short of a tolerance, least squares ends it (`polish`).
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
    """A particle filter over poses, without derivatives. Frozen settings; nothing is kept between calls."""

    support: ClassVar[Support] = Support(strict_levels=1, shares_evenly=False)

    particles: int | None = None
    """None: 50, or one and a half for each number that is drawn if that is more."""
    max_iterations: int = 200
    seed: int = 1
    """Same seed, same bits, on any number of threads."""
    gain: float = 0.5
    """Of the estimate: how far it moves towards the likeliest particle, above 0 and at most 1 (no smoothing)."""
    spread: float = 1.0
    """Factor of how far particles are drawn about where they are."""
    noise: float = 0.3
    """Spread of the likelihood over the distance that is left: smaller follows the best particles more greedily."""
    lean: float = 1.0
    """Share of the way to where the scatter of the last crowd predicts that goals are met, about which particles are
    drawn (an ensemble Kalman step); 0: about where they are, as in the paper."""
    decay: float = 0.0
    """0: both spreads shrink with the distance that is left; else by this factor per iteration."""
    resample_below: float = 0.5
    """Share of effective particles below which the crowd is resampled."""
    max_tries: int = 100
    """Draws of a particle that limits, constraints or predicates refuse, before it stays where it is."""
    drift: Pose | Motion | None = None
    """Particles drift towards this pose, or in iteration k towards frame k of this motion: a prior."""
    drift_share: float = 0.1
    """Share of the distance per iteration; it fades as the goals come nearer. Above about 0.3 it may miss them."""
    project: bool = False
    """Move what was drawn back to where a predicate wants it (feet onto the floor) before it is judged."""
    polish: bool = True
    """Finish by least squares what the crowd did not bring within tolerance, if the predicates still hold there."""
    answers: int = 1
    """How many distinct poses are wanted: the nearest clusters of the final crowds of several searches."""
    keep_particles: bool = False
    """Whether `result.path` also has the particles of each iteration."""
    fps: float = 30.0
    """Frames per second of `result.path`."""

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
        """For a path that is watched: short steps (spread 0.3). The defaults arrive in fewer, longer ones."""
        return cls(**{"spread": 0.3, "particles": 50} | settings)

    @classmethod
    def for_hands(cls, **settings: Any) -> SequentialMonteCarlo:
        """For fingers that follow targets: a slow estimate (gain 0.1), so that no tip leaps when a target does."""
        return cls(**{"gain": 0.1} | settings)

    @classmethod
    def for_planted_feet(cls, **settings: Any) -> SequentialMonteCarlo:
        """For predicates that few draws keep, such as feet on the floor: draws are moved back there, then judged."""
        return cls(**{"project": True} | settings)

    @classmethod
    def for_smooth_chains(cls, **settings: Any) -> SequentialMonteCarlo:
        """For goals without a tolerance, such as `Smoothness`: a large, greedy crowd, short steps, 500 iterations."""
        return cls(**{"spread": 0.3, "noise": 0.1, "particles": 200, "max_iterations": 500} | settings)

    def follow(self, problem: Problem, targets: Callable[[int], Targets], start: Pose | None = None) -> PoseResult:
        """Goals that move: in iteration k (from 0) they have the targets given by label; others stay as they were.

        It makes `max_iterations` iterations, whatever is reached on the way: the result is `path`, and its last frame.
        """
        prepared = self.prepare(problem)
        if not isinstance(prepared, SampledPrepared):
            return prepared.solve(start=start)
        return prepared.solve_moving(targets, start)

    def prepared(self, lowered: LoweredProblem) -> Prepared:
        """With priorities as weights."""
        return SampledPrepared(self, lowered)
