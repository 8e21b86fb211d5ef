"""The particle filter of one problem: its tables and crowd, and the search by one kernel call or driven from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import measure
from posewright.kernels.sampling import sequential_monte_carlo as kernels
from posewright.kernels.sampling.particles import inside
from posewright.kernels.sampling.sequential_monte_carlo import ENDS, HOLDS, STATE
from posewright.kernels.tables import Row
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowering import LoweredProblem, reach
from posewright.problem.predicates import Verdicts
from posewright.problem.result import INFEASIBLE
from posewright.solvers.sampling.blocks import freedom_of
from posewright.solvers.sampling.python_goals import PredicateProjection, PythonCrowd

if TYPE_CHECKING:
    from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

SPREAD = 1.5
"""rad: how far a figure of one joint is drawn apart, before annealing."""


class ParticleFilter:
    """Searches for poses of one problem without priorities. One thread each."""

    def __init__(self, solver: SequentialMonteCarlo, lowered: LoweredProblem) -> None:
        self._lowered, self._space = lowered, lowered.problem.space
        self._problem = dense_problem(lowered)
        self._point = point_of(self._problem, jacobian=False)
        self._freedom = freedom_of(lowered, SPREAD * solver.spread)
        self._settings = solver.settings(_unit(lowered), not lowered.has_soft_terms)
        self._state = np.zeros(1, STATE)
        self._crowd = kernels.new_crowd(solver.particles, len(self._space.names))
        self._examples = _examples(solver, lowered)
        self._python = PythonCrowd(lowered)
        self.asks_python = bool(lowered.python or lowered.problem.predicates)
        """Whether the search has to be driven from Python."""
        self._back = PredicateProjection(lowered) if solver.project else None

    @property
    def n_blocks(self) -> int:
        """How many draws a particle takes when none is refused."""
        return len(self._freedom.blocks)

    @property
    def cloud(self) -> tuple[Array, Array]:
        """The particles (particles, coordinates) that were drawn last, and their costs (particles,)."""
        return self._crowd.trial.copy(), self._crowd.costs.copy()

    def reseed(self, seed: int) -> None:
        """Draw other numbers from now on."""
        self._settings["seed"] = seed

    def passes(self, x: Array) -> Verdicts:
        """Which points (points, coordinates) keep all predicates."""
        return self._python.passes(self._space.decode(x))

    def judge(self, x: Array, targets: Array, reference: Array) -> Array:
        """Cost of points (points, coordinates), and 1 for each that meets all goals (2, points)."""
        judged = np.empty((2, len(x)))
        measure(self._problem, targets, reference, x, self._point, judged)
        self._python.add(self._space.decode(x), judged)
        return judged

    @property
    def errors(self) -> Array:
        """Of the terms (terms,), m or rad, at the last point that was judged or searched."""
        return self._point.errors

    def solve(
        self,
        starts: Array,
        targets: Array,
        references: Array,
        stop: npt.NDArray[np.int8],
        path: Array,
        history: Array,
        x: Array,
        errors: Array,
        info: Array,
    ) -> None:
        """Solve len(targets) problems into the arrays given; `path` and `history` may be empty."""
        crowd, state = self._crowd, self._state[0]
        for k in range(len(targets)):
            start, reference = starts[k if len(starts) > 1 else 0], references[k if len(references) > 1 else 0]
            if self.asks_python:
                self.follow(start, targets[k : k + 1], reference, stop, path, history, x[k], errors[k], info[k])
                continue
            kernels.solve_sampling(
                self._problem, self._freedom, self._settings[0], state, start, targets[k], reference, self._examples,
                stop, self._point, crowd, path, history,
            )  # fmt: skip
            x[k], errors[k] = crowd.best, self.errors
            info[k] = state["iterations"], state["why"], crowd.candidate_judged[0, 0], state["kicks"]

    def follow(
        self,
        start: Array,
        targets: Array,
        reference: Array,
        stop: npt.NDArray[np.int8],
        path: Array,
        history: Array,
        x: Array,
        errors: Array,
        info: Array,
    ) -> None:
        """One search, driven from Python: goals in iteration k are targets[k], the last stay.

        Where goals move, the search does not end when they are met, and its answer is the last estimate.
        """
        settings, state, crowd = self._settings.copy()[0], self._state[0], self._crowd
        moving = len(targets) > 1
        if moving:
            settings["ends"] = HOLDS
        base = start if self._back is None else self._back(start[np.newaxis])[0]
        crowd.candidate[0] = base
        self._measure_candidate(targets[0], reference)
        kernels.begin(settings, state, base, crowd)
        kernels.record(state, crowd, path, history)
        action = descent.AGAIN
        if not self.passes(base[np.newaxis])[0]:
            state["why"], action = INFEASIBLE, descent.DONE
        elif state["met"] and settings["ends"] == ENDS:
            state["why"], action = descent.REACHED, descent.DONE
        elif settings["max_iterations"] == 0:
            state["why"], action = descent.OUT_OF_ITERATIONS, descent.DONE
        while action != descent.DONE:
            k = min(int(state["iterations"]), len(targets) - 1)
            if k > 0 and not np.array_equal(targets[k], targets[k - 1]):
                crowd.candidate[0] = crowd.estimate[0]
                self._measure_candidate(targets[k], reference)
                kernels.retarget(state, crowd)
            if moving and state["met"]:
                action = kernels.hold(settings, state, stop)
            else:
                if not state["arrived"]:
                    self._propose(settings, state, base, stop)
                    crowd.judged[:] = self.judge(crowd.trial, targets[k], reference)
                    kernels.weigh(settings, state, crowd)
                self._estimate(settings, state, base)
                self._measure_candidate(targets[k], reference)
                action = kernels.conclude(settings, state, stop, crowd)
            kernels.record(state, crowd, path, history)
        x[:] = crowd.estimate[0] if moving else crowd.best
        cost = self.judge(x[np.newaxis], targets[-1], reference)[0, 0]
        errors[:] = self.errors
        info[:] = state["iterations"], state["why"], cost, state["kicks"]

    def _measure_candidate(self, targets: Array, reference: Array) -> None:
        self._crowd.candidate_judged[:] = self.judge(self._crowd.candidate, targets, reference)

    def _propose(self, settings: Row, state: Row, base: Array, stop: npt.NDArray[np.int8]) -> None:
        """Draw again what predicates refuse; who is refused too often stays where it was."""
        crowd = self._crowd
        waiting: IntArray = np.arange(len(crowd.x))
        pending = np.ones(len(crowd.x), np.int8)
        for rounds in range(int(settings["max_tries"])):
            kernels.propose(self._freedom, settings, state, base, self._examples, pending, rounds, crowd)
            drawn = crowd.trial[waiting]
            if self._back is not None:
                drawn = self._back(drawn)
                crowd.trial[waiting] = drawn
            passed = self.passes(drawn)
            pending[waiting[passed]] = 0
            waiting = waiting[~passed]
            if not len(waiting):
                return
            if stop[0]:
                break
        crowd.trial[waiting] = crowd.x[waiting]

    def _estimate(self, settings: Row, state: Row, base: Array) -> None:
        """The smoothed estimate, put back as particles are; what still breaks something is nearer to the last one."""
        crowd, halvings = self._crowd, 0
        while True:
            kept = kernels.estimate(self._freedom, settings, state, base, halvings, crowd)
            if self._back is not None and halvings <= kernels.HALVINGS:
                crowd.candidate[:] = self._back(crowd.candidate)
                kept = inside(self._freedom, crowd.candidate[0])
            if kept and self.passes(crowd.candidate)[0]:
                return
            halvings += 1


def _unit(lowered: LoweredProblem) -> float:
    """A long distance: every goal missed by 0.3 of the reach of its chain."""
    figure = lowered.problem.figure
    total = 0.0
    for term in lowered.terms:
        length = reach(figure, figure.joint_names[term["joint"]]) + np.linalg.norm(term["point"])
        total += float(term["weight"] * length**2)
    for _, term, root, _ in lowered.python:
        total += (root * (reach(figure, None) if term.unit == "m" else 1.0)) ** 2
    return 0.3 * float(np.sqrt(total))


def _examples(solver: SequentialMonteCarlo, lowered: LoweredProblem) -> Array:
    """What particles drift towards, (frames, coordinates)."""
    space, drift = lowered.problem.space, solver.drift
    if drift is None or solver.drift_share == 0.0:
        return np.zeros((0, len(space.names)))
    if drift.figure.dof_names != space.figure.dof_names:
        raise InvalidSetting(
            f"the drift is towards figure {drift.figure.name!r}; the problem is about {space.figure.name!r}"
        )
    return np.ascontiguousarray(space.encode(drift.q[np.newaxis] if isinstance(drift, Pose) else drift.q))
