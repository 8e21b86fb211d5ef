"""What every prepared problem does: take targets and a start, run, and hand back a result."""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.errors import InvalidSetting, shown
from posewright.figures import Pose
from posewright.kernels.dense import search_control as descent
from posewright.kernels.solves import N_INFO, Solves
from posewright.problem.evaluation import errors_by_goal, goal_errors
from posewright.problem.lowered_problem import LoweredProblem
from posewright.problem.result import ManyResults, PoseResult, Preparer, SearchPath
from posewright.problem.space import Space
from posewright.problem.targets import Targets, Values, stacked_targets, write_target
from posewright.solvers.alternatives import TRIES, came_to_rest, is_nearer, others
from posewright.solvers.interruption import SHORT, Stop, run_side_by_side, run_watched, stopping_at_interrupt

if TYPE_CHECKING:
    from posewright.solvers.following import Follower, Pace

_PORTION = 256  # short solves handed to one kernel call; after Ctrl-C no other begins


class Prepared(ABC):
    """A problem packed for repeated solves. One thread each; `fork` for another."""

    _solver: Any
    """Whose settings these are; results ask it again when they explain a miss."""
    _seconds_at_most: float = math.inf
    """How long one solve can take, roughly and rather too long; above SHORT it is run so that Ctrl-C can end it."""
    _in_python: bool = False
    """Whether the search is driven from Python, step by step, so that Ctrl-C is seen between the steps."""
    keeps_alternatives: bool = False
    """Whether goals keep to their nearest alternatives, met or not: in a motion, another one may be a leap."""

    def __init__(self, solver: Preparer, lowered: LoweredProblem, warnings: Sequence[str] = ()) -> None:
        self._solver = solver
        self.lowered = lowered
        self.warnings = tuple(warnings)
        """What cannot be honoured, whatever the targets."""
        self._targets = lowered.targets[np.newaxis].copy()  # results keep it: replaced by new targets, never changed
        self._start = np.array(lowered.problem.figure.rest)
        self._referred: Array | None = None  # instead of the start
        self._refers = lowered.has_soft_terms  # only then does it matter what a posture goal refers to
        self._stop = np.zeros(1, np.int8)
        self._walk: SearchPath | None = None  # of the last run, where a solver records one
        self._errors = np.empty((1, len(lowered.terms)))  # reused: a drag makes thousands of solves a second
        self._info = np.empty((1, N_INFO))
        self._follower: Follower | None = None  # made when something is followed
        self._settler: Follower | None = None  # made when a search is handed over
        self._last: Array | None = None  # the last answer, (dofs,), and its coordinates where they are known
        self._last_x: Array | None = None
        self._has_alternatives = lowered.has_alternatives
        if self._has_alternatives:
            self._seconds_at_most *= 1 + TRIES

    @cached_property
    def _local_start(self) -> Array:
        """(1, coordinates): where the next solve begins, found when first asked for: workflows bring their own."""
        return self.local(self._start[np.newaxis])

    @cached_property
    def _references(self) -> Array:
        return self._reference(self._start)

    def over(self, lowered: LoweredProblem) -> Prepared:
        """The same solver over another problem of the same kind."""
        kind: Any = type(self)
        found: Prepared = kind(self._solver, lowered)
        return found

    def fork(self) -> Prepared:
        """The same prepared problem for another thread."""
        return self.over(self.lowered)

    def in_chart(self, space: Space) -> Prepared:
        """The same prepared problem with the balls of its space in another chart: far quicker than to prepare it."""
        return self.over(self.lowered.in_chart(space))

    def local(self, q: Array) -> Array:
        """Poses (solves, dofs) of the plain figure in the coordinates that are searched: those of the space, feasible.

        One by one: a product of matrices rounds otherwise than one of a matrix and a vector.
        """
        if len(q) == 1:
            return self.lowered.feasible(q[0])[np.newaxis]
        return np.stack([self.lowered.feasible(row) for row in q])

    def plain(self, x: Array) -> Array:
        """The inverse of `local`."""
        space = self.lowered.problem.space
        return space.decode(x) if space.selects_dofs else np.stack([space.decode(row) for row in x])

    @abstractmethod
    def run(self, solves: Solves) -> None:
        """Solve, and write the answers."""

    def use_stop_flag(self, stop: Stop) -> None:
        """Read this flag from now on."""
        self._stop = stop

    def interrupted(self) -> None:  # noqa: B027 (most have nothing to add)
        """Called at Ctrl-C, between two steps of a search driven from Python; it may raise what `run` expects."""

    def solve(
        self,
        targets: Targets | Array | None = None,
        start: Pose | Array | None = None,
        reference: Pose | Array | None = None,
    ) -> PoseResult:
        """Solve again.

        Args:
            targets: new targets by goal label: a point, a rotation (two directions, a quaternion wxyz or a matrix), or
                both (`problem.targets.write_target` has all forms); or the whole array (terms, TARGET_WIDTH), with
                directions of length 1. What is not given stays as in the call before.
            start: a pose or `q`; by default where the call before began.
            reference: a pose or `q` that a posture goal without a pose of its own refers to; by default the start.
        """
        began = time.perf_counter()
        fresh = self._targets if targets is None else self._fresh(targets)  # nothing is kept of a call that fails
        if reference is not None:
            reference = self._checked_start(reference, "the reference")
        if start is not None:
            start = self._checked_start(start)
            self._local_start, self._start = self.local(start[np.newaxis]), start
            if self._refers:
                self._references, self._referred = self._reference(start), None
        if reference is not None:
            self._references, self._referred = self._reference(reference), reference
        self._targets = fresh
        x = np.empty(self._local_start.shape)
        solves = Solves(self._local_start, self._targets, self._references, x, self._errors, self._info)
        if self._seconds_at_most <= SHORT:
            self._run_choosing(solves)
        else:
            self._run_watched(solves)
        q, info = self.plain(x)[0], self._info[0].tolist()
        self._last, self._last_x = q, None
        seconds = time.perf_counter() - began
        return PoseResult(  # by position: names take longer
            self.lowered, self._targets[0], q, self._start, info, seconds, self._solver, self.warnings, self._walk,
            self._referred,
        )  # fmt: skip

    def _run_watched(self, solves: Solves) -> None:
        """`_run_choosing`, so that Ctrl-C ends it with its best pose so far."""
        self._watch(partial(self._run_choosing, solves))

    def _run_choosing(self, solves: Solves) -> None:
        """`run`; where that comes to rest beside an alternative, also with others than the nearest."""
        self.run(solves)
        if not self._has_alternatives or self.keeps_alternatives:
            return
        for k, info in enumerate(solves.info):
            if came_to_rest(int(info[1]), int(info[0])):
                self._try_others(solves.part(slice(k, k + 1)))

    def _try_others(self, solve: Solves) -> None:
        """Keep the best of what other alternatives lead to, of one solve; each search has `max_iterations`."""
        lowered, targets, x, info = self.lowered, solve.targets, solve.x, solve.info
        at = self.plain(solve.starts)[0]
        if self._reached(self.plain(x), targets, solve.errors)[0]:
            return
        tries = ((other, solve.starts) for other in others(lowered, targets[0], at, self.plain(x)[0]))
        for other, starts in chain(tries, self._from_elsewhere(targets[0], at)):
            search: Prepared = self._solver.prepared(other)
            search.use_stop_flag(self._stop)
            found = Solves.of(starts, targets, solve.references)
            search.run(found)
            info[0, 0] += found.info[0, 0]
            info[0, 3] += 1
            met = bool(self._reached(self.plain(found.x), targets, found.errors)[0])
            if met or is_nearer(lowered, targets[0], at, found.x[0], x[0]):
                x[:], solve.errors[:], info[0, 1:3] = found.x, found.errors, found.info[0, 1:3]
                self._walk = search._walk
            if self._stop[0] != 0:
                info[0, 1] = descent.INTERRUPTED
            if met or self._stop[0] != 0:
                return

    def _from_elsewhere(self, targets: Array, start: Array) -> Iterator[tuple[LoweredProblem, Array]]:
        """For solvers without restarts: the problem, from where `LeastSquares` with its restarts meets everything.

        An alternative that can be met may still be missed from the start, in a corner of limits.
        """
        from posewright.solvers.least_squares import LeastSquares  # which is prepared by this module

        if not hasattr(self._solver, "restarts"):
            search = LeastSquares().prepared(self.lowered)
            search.use_stop_flag(self._stop)
            found = search.solve(targets, start)
            if found.reached:
                yield self.lowered, self.local(found.q[np.newaxis])

    def _watch(self, run: Callable[[], None]) -> None:
        """Run something that looks at the flag, which Ctrl-C sets."""
        self.use_stop_flag(np.zeros(1, np.int8))  # a search that was left behind keeps the flag that ends it
        if self._in_python:
            with stopping_at_interrupt(self._stop, self.interrupted):
                run()
        else:
            run_watched(run, self._stop)

    def follow(
        self,
        targets: Targets | Array | None = None,
        /,
        *,
        start: Pose | Array | None = None,
        pace: Pace | None = None,
        **by_label: Values,
    ) -> PoseResult:
        """Follow targets that move, as in a drag: the best pose near the last answer.

        Small moves of targets give small moves of the pose: in one call no dof and no joint goes further than `pace`
        allows. Where the best pose is further away, the next calls go on to it; limits, constraints and higher
        priorities hold on the way. A ball that has turned by more than three quarters of a turn is written the other
        way round, as the same rotation. `stopped` is "on the way" as long as there is something left to do, and once
        targets rest the answer does so at a pose that `solve` started there keeps. There are no restarts.

        Args:
            targets: new targets, as of `solve`; what is not given stays as in the call before.
            start: a pose or `q` to go on from; by default the last answer of this prepared problem, at first the rest
                pose. What a posture goal refers to stays as it is.
            pace: how far and how long a call may go.
            by_label: new targets, for labels that are names in Python: `follow(right_hand=point)`.
        """
        began = time.perf_counter()
        if by_label:
            if targets is not None and not isinstance(targets, Mapping):
                raise InvalidSetting("targets are given as an array and by label; one of the two is enough")
            named: dict[Any, Values] = {**(targets or {}), **by_label}
            targets = named
        fresh = self._targets if targets is None else self._fresh(targets)
        last = self._checked_start(start) if start is not None else self._last
        if self._follower is None:
            self._follower = self._make_follower()
        if last is None:
            last = self._start
        space, x = self.lowered.problem.space, np.empty(len(self.lowered.scale))
        at = self._last_x if last is self._last and self._last_x is not None else self.lowered.feasible(last)
        iterations, why, cost = self._follower.call(
            self._follower.wrapped(at), fresh[0], self._references[0], self._stop, pace or self._follower.pace, x,
            self._errors[0],
        )  # fmt: skip
        self._targets = fresh
        q = space.decode(x)
        self._last, self._last_x = q, x
        return PoseResult(
            self.lowered, fresh[0], q, last, [iterations, why, cost, 0], time.perf_counter() - began, self._solver,
            self.warnings, None, self._start if self._referred is None else self._referred,
        )  # fmt: skip

    def _settle(self, start: Array, solves: Solves, k: int) -> Array:
        """Follow a point (coordinates,) to where solve k comes to rest, with the iterations that are left."""
        if self._settler is None:
            self._settler = self._make_follower()
        x, info = np.empty(len(start)), solves.info[k]
        left = self._solver.max_iterations - int(info[0])
        used, info[1], info[2] = self._settler.settle(
            start, solves.targets[k], solves.reference(k), self._stop, left, x, solves.errors[k]
        )
        info[0] += used
        return x

    def _followed(self) -> tuple[LoweredProblem, bool] | None:
        """The problem that `follow` solves, and whether its levels are strict; None: this solver does not follow."""
        return None

    def _make_follower(self) -> Follower:
        from posewright.solvers.following import Follower, Pricing, no_follower  # slow to load, and seldom used

        followed = self._followed()
        if followed is None:
            raise InvalidSetting(no_follower(self._solver))
        lowered, strict = followed
        return Follower(lowered, Pricing(strict=strict))

    def solve_many(self, targets: Targets | Array, starts: Pose | Array | None = None) -> ManyResults:
        """Independent solves on all cores.

        Args:
            targets: by goal label, (solves, 3) points or (solves, ...) whatever `solve` takes; goals that are not named
                keep theirs. Or all of them, (solves, terms, TARGET_WIDTH), as of `lowered.targets`.
            starts: a pose for all, or (solves, dofs) or (dofs,) of the plain figure; by default as for
                `solve`.
        """
        if isinstance(targets, Mapping):
            targets = stacked_targets(self.lowered, self.targets, targets)
        else:
            targets = _numbers(targets, "the targets", "are", "they must be an array, or a mapping by goal labels")
        if isinstance(starts, Pose):
            starts = self._checked_start(starts)
        if targets.ndim != 3 or targets.shape[1:] != self.lowered.targets.shape:
            raise InvalidSetting(
                f"targets have shape {targets.shape}; for this problem they must be (solves, "
                f"{len(self.lowered.targets)}, {self.lowered.targets.shape[1]})"
            )
        if not np.isfinite(targets).all():
            raise InvalidSetting(f"the targets of solve {int(np.argwhere(~np.isfinite(targets))[0, 0])} are not finite")
        wanted = "they must be a pose, or an array with the numbers of one or of as many as there are targets"
        given = np.atleast_2d(self._start if starts is None else _numbers(starts, "the starts", "are", wanted))
        n_dofs = self.lowered.problem.figure.n_dofs
        if given.shape not in ((len(targets), n_dofs), (1, n_dofs)) or not np.isfinite(given).all():
            raise InvalidSetting(
                f"starts have shape {given.shape}; for these targets they must be finite and "
                f"({len(targets)}, {n_dofs}) or ({n_dofs},)"
            )
        local = self.local(given)
        n = len(targets)
        x, errors, info = np.empty((n, local.shape[1])), np.empty((n, targets.shape[1])), np.empty((n, N_INFO))
        cores = min(os.cpu_count() or 1, max(n, 1))
        edges = np.linspace(0, n, cores + 1).astype(int).tolist()
        workers = [self, *(self.fork() for _ in range(cores - 1))]
        stop = np.zeros(1, np.int8)
        for worker in workers:
            worker.use_stop_flag(stop)

        portion = _PORTION if self._seconds_at_most <= SHORT else 1

        def work(worker: Prepared, first: int, end: int) -> None:
            for low in range(first, end, portion):
                high = min(low + portion, end)
                part = slice(low, high) if len(given) > 1 else slice(0, 1)
                if stop[0] != 0:  # those that have not begun: their starts, whose errors nobody has looked at
                    x[low:end] = local[low:end] if len(given) > 1 else local
                    errors[low:end], info[low:end] = math.inf, (0, descent.INTERRUPTED, math.inf, 0)
                    return
                references = self._reference(given[part])
                answers = x[low:high], errors[low:high], info[low:high]
                worker._run_choosing(Solves(local[part], targets[low:high], references, *answers))

        try:
            run_side_by_side(work, list(zip(workers, edges[:-1], edges[1:], strict=True)), stop)
        finally:
            self.use_stop_flag(np.zeros(1, np.int8))
        q = self.plain(x)
        reached = self._reached(q, targets, errors)
        counts, codes = info[:, 0].astype(np.int64), info[:, 1].astype(np.int64)
        return ManyResults(q, errors_by_goal(self.lowered, errors), reached, counts, codes)

    def _reached(self, q: Array, targets: Array, errors: Array) -> BoolArray:
        """Whether every goal of each answer is within its tolerance."""
        lowered = self.lowered
        if not lowered.python and (lowered.terms["choice"] < 0).all():
            return np.asarray(np.all(errors <= lowered.terms["tolerance"], axis=1))
        found = np.zeros(len(q), np.bool_)
        for k in np.flatnonzero(np.isfinite(errors).all(axis=1)):  # a solve that was not begun has no errors
            pose = Pose(lowered.problem.figure, q[k])
            found[k] = goal_errors(lowered, targets[k], pose, pose.q).reached
        return found

    def _reference(self, start: Array) -> Array:
        found = self.lowered.problem.space.in_chart(self.lowered.posture_objective.reference(start))
        return np.array(found, order="C", ndmin=2)  # writable, as kernels want it: a view of a motion may be neither

    def _checked_start(self, start: Pose | Array, what: str = "the start") -> Array:
        figure = self.lowered.problem.figure
        if isinstance(start, Pose):
            if start.figure is not figure and start.figure.dof_names != figure.dof_names:
                raise InvalidSetting(
                    f"{what} is a pose of figure {start.figure.name!r}; the problem is about {figure.name!r}"
                )
            return start.q
        # A copy: results and later solves refer to it, and the caller may go on writing into an array.
        q = _numbers(start, what, "is", "it must be a pose or the numbers of one")
        if q.shape != (figure.n_dofs,) or not math.isfinite(q @ q):
            raise InvalidSetting(
                f"{what} has shape {q.shape}; it must be ({figure.n_dofs},) finite numbers, "
                f"one per dof of figure {figure.name!r}"
            )
        return q

    @property
    def targets(self) -> Array:
        """(terms, TARGET_WIDTH): those of the last solve, or of the next once they were taken; not to be changed."""
        targets: Array = self._targets[0]
        return targets

    def take(self, targets: Targets | Array) -> None:
        """Make targets, as of `solve`, those of the next solve."""
        self._targets = self._fresh(targets)

    def _fresh(self, targets: Targets | Array) -> Array:
        """(1, terms, TARGET_WIDTH): those of the last solve, but for what is given."""
        if isinstance(targets, np.ndarray):
            fresh = _numbers(targets, "targets", "are", "they must be an array of numbers")
            if fresh.ndim < 3:
                fresh = fresh[np.newaxis]
            if fresh.shape != self._targets.shape or not math.isfinite(np.vdot(fresh, fresh)):
                raise InvalidSetting(
                    f"targets have shape {targets.shape}; for this problem they must be "
                    f"{self.lowered.targets.shape} finite numbers"
                )
            return fresh
        if not isinstance(targets, dict | Mapping):  # dict first: the other question takes longer
            raise InvalidSetting(f"targets are {targets!r}; they must be a mapping by goal labels, or an array")
        fresh = self._targets.copy()
        for label, values in targets.items():
            write_target(self.lowered, fresh[0], label, values)
        return fresh


def _numbers(given: object, what: str, verb: str, accepted: str) -> Array:
    """What a caller gave, as a C-ordered array of numbers of our own."""
    try:
        return np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidSetting(f"{what} {verb} {shown(given)}; {accepted}") from None
