"""Proposals: other answers to the same question, which stand beside the work until one is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from posewright.conventions import Array
from posewright.errors import PosewrightError
from posewright.figures import Pose
from posewright.problem.evaluation import goal_errors
from posewright.problem.lowering import lower
from posewright.problem.result import PoseResult
from posewright.solvers.registry import SOLVERS
from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo
from posewright.solvers.solver import Solver
from posewright.studio.session.live import Judged
from posewright.studio.session.state import State

ANSWERS = 6
"""How many distinct ones are looked for."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """One answer."""

    name: str
    q: Array
    """(dofs,)"""
    judged: dict[str, Judged]
    """How each goal fares."""
    seconds: float
    iterations: int
    stopped: str
    """Why the search ended."""
    path: Array
    """(frames, dofs): how the search came to it, or the answer alone"""
    particles: Array
    """(frames, particles, dofs): what was drawn at random on the way; no frames, or none in a frame: nothing was"""


@dataclass(frozen=True)
class Refused:
    """A solver that could not be asked."""

    name: str
    why: str


def by_every_solver(state: State) -> Iterator[Proposal | Refused]:
    """The answer of each solver, from the rest pose: where the one shown is met, none would move."""
    for name, solver in SOLVERS.items():
        try:
            yield _proposal(name, state, _keeping(solver()).prepare(state.problem).solve())
        except PosewrightError as error:
            yield Refused(name, str(error))


def distinct_answers(state: State) -> Iterator[Proposal | Refused]:
    """Poses that differ and answer the same question, by a search at random; the first with its path and particles."""
    solver = SequentialMonteCarlo(answers=ANSWERS, keep_particles=True)
    try:
        result = solver.prepare(state.problem).solve()
    except PosewrightError as error:
        yield Refused("sequential_monte_carlo", str(error))
        return
    for number, answer in enumerate(result.answers, start=1):
        yield _proposal(f"answer {number}", state, result, None if number == 1 else answer)


def _keeping(solver: Solver) -> Solver:
    """The same search, with all that there is to see of it."""
    return replace(solver, keep_particles=True) if isinstance(solver, SequentialMonteCarlo) else solver


def _proposal(name: str, state: State, result: PoseResult, answer: Pose | None = None) -> Proposal:
    pose = Pose(state.figure, result.q) if answer is None else answer
    lowered = lower(state.problem)
    errors = goal_errors(lowered, lowered.targets, pose, state.q)
    judged = {label: Judged(one.value, one.unit, one.reached, one.tolerance) for label, one in errors.items()}
    path, particles = pose.q[None], result.particles[:0]
    if answer is None and result.path is not None:
        path, particles = result.path.q, result.particles
    return Proposal(name, pose.q, judged, result.seconds, result.iterations, result.stopped, path, particles)
