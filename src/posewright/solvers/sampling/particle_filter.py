"""The particle filter of one problem: its tables and crowd, and the search by one kernel call or driven from Python."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Pose
from posewright.figures.reach import reach
from posewright.kernels.dense import search_control as descent
from posewright.kernels.sampling import sequential_monte_carlo as kernels
from posewright.kernels.sampling.particles import BALL, NUMBER, inside
from posewright.kernels.sampling.sequential_monte_carlo import COST, ENDS, HOLDS, LEANS, MET
from posewright.kernels.tables import ROWS_PER_TERM
from posewright.problem.dense_problem import dense_problem, point_of
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.predicates import Verdicts
from posewright.problem.result import INFEASIBLE
from posewright.solvers.sampling.blocks import freedom_of
from posewright.solvers.sampling.python_goals import PredicateProjection, PythonCrowd

if TYPE_CHECKING:
    from posewright.solvers.sampling.sequential_monte_carlo import SequentialMonteCarlo

SPREAD = 1.5
"""rad: how far a figure of one joint is drawn apart, before annealing."""
FEWEST, PER_COORDINATE = 50, 1.5
"""Particles that nobody asked for: chains of 90 dofs that have to be stretched need more than one per dof."""
Flag = npt.NDArray[np.int8]
_NO_ROWS: Array = np.empty((0, 0))


class Found(NamedTuple):
    """What came of a search."""

    x: Array
    """(coordinates,)"""
    errors: Array
    """(terms,), m or rad"""
    info: tuple[float, float, float, float]
    """Iterations, why it stopped, cost, kicks."""


class ParticleFilter:
    """Searches for poses of one problem without priorities. One thread each."""

    def __init__(self, solver: SequentialMonteCarlo, lowered: LoweredProblem) -> None:
        self._lowered, self._space = lowered, lowered.problem.space
        self._problem = dense_problem(lowered)
        self._point = point_of(self._problem, jacobian=False)
        examples = _examples(solver, lowered)
        judged_whole = bool(len(examples) or lowered.problem.predicates)  # nobody knows what predicates look at
        self._freedom = freedom_of(lowered, SPREAD * solver.spread, all_that_moves=judged_whole)
        self.particles = solver.particles or max(FEWEST, math.ceil(PER_COORDINATE * self._n_drawn))
        rows = ROWS_PER_TERM * len(lowered.terms) + sum(term.rows for _, term, _, _ in lowered.python)
        _require_room(solver, self.particles, len(self._space.names), rows)
        self._crowd = kernels.new_crowd(self.particles, examples, rows)
        state = self._crowd.state
        state["max_iterations"], state["seed"], state["max_tries"] = (
            solver.max_iterations,
            solver.seed,
            solver.max_tries,
        )
        state["gain"], state["ess"], state["c_z"] = solver.gain, solver.resample_below, solver.noise
        state["decay"], state["drift"], state["least_unit"] = solver.decay, solver.drift_share, _unit(lowered)
        state["lean"] = solver.lean
        self._python = PythonCrowd(lowered)
        self.asks_python = bool(lowered.python or lowered.problem.predicates)
        """Whether the search has to be driven from Python."""
        self._back = PredicateProjection(lowered) if solver.project else None

    @property
    def _n_drawn(self) -> int:
        """How many numbers a particle is drawn by."""
        kinds = self._freedom.atoms["kind"]
        return int((kinds == NUMBER).sum() + 3 * (kinds == BALL).sum())

    @property
    def n_blocks(self) -> int:
        """How many draws a particle takes when none is refused."""
        return len(np.unique(self._freedom.atoms["end"]))

    @property
    def cloud(self) -> tuple[Array, Array]:
        """The particles (particles, coordinates) that were drawn last, and their costs (particles,)."""
        return self._crowd.trial.copy(), self._crowd.judged[COST].copy()

    def reseed(self, seed: int) -> None:
        """Draw other numbers from now on."""
        self._crowd.state["seed"] = seed

    def passes(self, x: Array) -> Verdicts:
        """Which points (points, coordinates) keep all predicates."""
        return self._python.passes(self._space.decode(x))

    def judge(self, x: Array, targets: Array, reference: Array, rho: Array = _NO_ROWS) -> Array:
        """Cost of points (points, coordinates), and 1 for each that meets all goals (2, points).

        Their residuals go into rho (points, rows), unless that is empty.
        """
        judged = np.empty((2, len(x)))
        kernels.judge(self._problem, targets, reference, x, self._point, judged, rho)
        self._python.add(self._space.decode(x), judged, rho[:, ROWS_PER_TERM * len(self._lowered.terms) :])
        return judged

    @property
    def errors(self) -> Array:
        """Of the terms (terms,), m or rad, at the last point that was judged."""
        return self._point.errors

    def search(self, start: Array, targets: Array, reference: Array, stop: Flag, path: Array) -> Found:
        """One search; `path` (frames, coordinates + 3 or more) gets its course, see `kernels.record`, or is empty.

        In iteration k the goals are targets[k] (frames, terms, TARGET_WIDTH), the last stay. Where they move, the
        search does not end when they are met, and its answer is the last estimate.
        """
        crowd, state = self._crowd, self._crowd.state[0]
        moving = len(targets) > 1
        state["ends"] = HOLDS if moving else LEANS if self._lowered.has_soft_terms else ENDS
        if moving or self.asks_python:
            x = self._driven(start, targets, reference, stop, path)
            cost = self.judge(x[np.newaxis], targets[-1], reference)[0, 0]
        else:
            crowd.base[:] = start
            kernels.solve_sampling(
                self._problem, self._freedom, targets[0], reference, stop, self._point, crowd, path
            )  # fmt: skip
            x, cost = crowd.best, state["cost"]
        return Found(x, self.errors, (state["iterations"], state["why"], cost, state["kicks"]))

    def _driven(self, start: Array, targets: Array, reference: Array, stop: Flag, path: Array) -> Array:
        """The same search as of the kernel, iteration by iteration, with what has to be asked in Python."""
        state, crowd, moving = self._crowd.state[0], self._crowd, len(targets) > 1
        crowd.base[:] = start if self._back is None else self._back(start[np.newaxis])[0]
        crowd.candidate[:] = crowd.base
        self._judge_candidate(targets[0], reference)
        kernels.begin(crowd)
        kernels.record(crowd, path)
        action = descent.AGAIN
        if not self.passes(crowd.base[np.newaxis])[0]:
            state["why"], action = INFEASIBLE, descent.DONE
        elif state["met"] and state["ends"] == ENDS:
            state["why"], action = descent.REACHED, descent.DONE
        elif state["max_iterations"] == 0:
            state["why"], action = descent.OUT_OF_ITERATIONS, descent.DONE
        while action != descent.DONE:
            k = min(int(state["iterations"]), len(targets) - 1)
            if k > 0 and not np.array_equal(targets[k], targets[k - 1]):
                crowd.candidate[:] = crowd.estimate
                self._judge_candidate(targets[k], reference)
                kernels.retarget(crowd)
            if moving and state["met"]:
                action = kernels.hold(stop, crowd)
            else:
                if not state["arrived"]:
                    self._propose(stop)
                    crowd.judged[: MET + 1] = self.judge(crowd.trial, targets[k], reference, crowd.trial_rho)
                    kernels.weigh(crowd)
                    kernels.look_around(self._freedom, crowd)
                self._estimate()
                self._judge_candidate(targets[k], reference)
                action = kernels.conclude(stop, crowd)
            kernels.record(crowd, path)
        return crowd.estimate if moving else crowd.best

    def _judge_candidate(self, targets: Array, reference: Array) -> None:
        state, judged = self._crowd.state[0], self.judge(self._crowd.candidate[np.newaxis], targets, reference)
        state["cost"], state["met"] = judged[:, 0]

    def _propose(self, stop: Flag) -> None:
        """Draw again what predicates refuse; who is refused too often stays where it was."""
        crowd = self._crowd
        waiting: IntArray = np.arange(len(crowd.x))
        pending = np.ones(len(crowd.x), np.int8)
        for rounds in range(int(crowd.state[0]["max_tries"])):
            kernels.propose(self._freedom, pending, rounds, crowd)
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

    def _estimate(self) -> None:
        """The smoothed estimate, put back as particles are; what still breaks something is nearer to the last one."""
        crowd, halvings = self._crowd, 0
        while True:
            kept = kernels.estimate(self._freedom, halvings, crowd)
            if self._back is not None and halvings <= kernels.HALVINGS:
                crowd.candidate[:] = self._back(crowd.candidate[np.newaxis])[0]
                kept = inside(self._freedom, crowd.candidate)
            if kept and self.passes(crowd.candidate[np.newaxis])[0]:
                return
            halvings += 1


def _require_room(solver: SequentialMonteCarlo, particles: int, coordinates: int, rows: int) -> None:
    """Refuse more iterations or particles than half of the memory holds, before room is made for them."""
    frames = solver.max_iterations + 1
    frame, each = 8 * (coordinates + 3), 8 * (2 * coordinates + 2 * rows + 3)
    each += 16 * frames * coordinates if solver.keep_particles else 0
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not every system says how much it has
        memory = 2**40
    room, machine = memory // 2, f"over {coordinates} coordinates this machine has room for"
    if frames * frame > room:
        raise InvalidSetting(
            f"max_iterations of SequentialMonteCarlo is {solver.max_iterations}; {machine} {room // frame}"
        )
    if particles * each > room:
        kept = f" kept for {solver.max_iterations} iterations" if solver.keep_particles else ""
        raise InvalidSetting(f"particles of SequentialMonteCarlo is {particles}; {machine} {room // each}{kept}")


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
