"""The particle filter of one problem: its tables and crowd, and the search by one kernel call or driven from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.goals.batch_cost import CrowdTables, CrowdWork, measure
from posewright.kernels.sampling import sequential_monte_carlo as kernels
from posewright.kernels.sampling.particles import inside
from posewright.kernels.sampling.state import ENDS, HOLDS, STATE, Crowd
from posewright.kernels.tables import Row
from posewright.problem.lowering import LoweredProblem, reach
from posewright.problem.predicates import Verdicts
from posewright.problem.stopping import INFEASIBLE
from posewright.solvers.sampling.blocks import freedom_of, sparse_rows
from posewright.solvers.sampling.projection import PredicateProjection
from posewright.solvers.sampling.python_goals import PythonCrowd

if TYPE_CHECKING:
    from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

SPREAD = 1.5
"""rad: how far a figure of one joint is drawn apart, before annealing."""


class ParticleFilter:
    """Searches for poses of one problem without priorities. One thread each."""

    def __init__(self, solver: SequentialMonteCarlo, lowered: LoweredProblem) -> None:
        self._lowered, self._space = lowered, lowered.problem.space
        self._tables = _crowd_tables(lowered)
        self._work = _crowd_work(self._tables)
        self._freedom = freedom_of(lowered, SPREAD * solver.spread)
        self._settings = solver.settings(_unit(lowered), not lowered.leans)
        self._state = np.zeros(1, STATE)
        self._crowd = _crowd(solver.particles, len(self._space.names))
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

    def judge(self, x: Array, targets: Array, reference: Array) -> tuple[Array, npt.NDArray[np.int8], Array]:
        """Cost of points (points, coordinates), whether each meets all goals, and the errors of the last's terms."""
        costs, met = np.empty(len(x)), np.empty(len(x), np.int8)
        errors = np.empty(len(targets))
        measure(self._tables, targets, reference, x, self._work, costs, met, errors)
        self._python.add(self._space.decode(x), costs, met)
        return costs, met, errors

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
        if not self.asks_python:
            kernels.solve_sampling(
                self._tables, self._freedom, self._settings[0], self._state[0], starts, targets, references,
                self._examples, stop, self._work, self._crowd, path, history, x, errors, info,
            )  # fmt: skip
            return
        for k in range(len(targets)):
            start, reference = starts[k if len(starts) > 1 else 0], references[k if len(references) > 1 else 0]
            self.follow(start, targets[k : k + 1], reference, stop, path, history, x[k], errors[k], info[k])

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
                    crowd.costs[:], crowd.met[:], _ = self.judge(crowd.trial, targets[k], reference)
                    kernels.weigh(settings, state, crowd)
                self._estimate(settings, state, base)
                self._measure_candidate(targets[k], reference)
                action = kernels.conclude(settings, state, stop, crowd)
            kernels.record(state, crowd, path, history)
        x[:] = crowd.estimate[0] if moving else crowd.best
        costs, _, errors[:] = self.judge(x[np.newaxis], targets[-1], reference)
        info[:] = state["iterations"], state["why"], costs[0], state["kicks"]

    def _measure_candidate(self, targets: Array, reference: Array) -> None:
        crowd = self._crowd
        costs, met, _ = self.judge(crowd.candidate, targets, reference)
        crowd.cost[0], crowd.cost_met[0] = costs[0], met[0]

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


def _crowd_tables(lowered: LoweredProblem) -> CrowdTables:
    space = lowered.problem.space
    columns = space.matrix.argmax(axis=0) if space.selects_dofs else np.zeros(0)
    linear, entries = sparse_rows(lowered.linear, lowered.linear_target)
    return CrowdTables(
        joints=lowered.joints,
        dofs=lowered.dofs,
        terms=lowered.terms,
        columns=columns.astype(np.int64),
        matrix=np.array(space.matrix),
        offset=np.array(space.offset),
        linear=linear,
        linear_entries=entries,
        posture=lowered.posture if lowered.posture.any() else np.zeros(0),
    )


def _crowd_work(tables: CrowdTables) -> CrowdWork:
    n_joints, n_dofs, n_terms = len(tables.joints), len(tables.dofs), len(tables.terms)
    return CrowdWork(
        q=np.zeros(n_dofs),
        rotations=np.zeros((n_joints, 3, 3)),
        positions=np.zeros((n_joints, 3)),
        chosen=np.zeros(n_terms, np.int8),
        rho=np.zeros(3 * n_terms),
        no_axes=np.zeros((0, 3)),
        no_screws=np.zeros((0, 6)),
        no_jacobian=np.zeros((0, n_dofs)),
    )


def _crowd(particles: int, n: int) -> Crowd:
    return Crowd(
        x=np.zeros((particles, n)),
        trial=np.zeros((particles, n)),
        log_weights=np.zeros(particles),
        costs=np.zeros(particles),
        met=np.zeros(particles, np.int8),
        mode=np.zeros(n),
        estimate=np.zeros((1, n)),
        candidate=np.zeros((1, n)),
        best=np.zeros(n),
        goal=np.zeros(n),
        cost=np.zeros(1),
        cost_met=np.zeros(1, np.int8),
    )


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
