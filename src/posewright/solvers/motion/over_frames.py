"""One problem at every frame of a motion: the same goals, other targets, weights and maps; one kernel call."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array, IntArray
from posewright.kernels.dense.prioritized_frames import solve_frames
from posewright.problem.lowering import LoweredProblem
from posewright.problem.stopping import N_INFO
from posewright.solvers.interruption import plain_interrupts, run_watched, stopping_at_interrupt
from posewright.solvers.prioritized import Prioritized, PrioritizedPrepared

_CLOSER = 0.01
"""Of the tolerance: neighbouring frames are all solved as closely as this, or the one that just misses the tolerance
would jump away from the one that just meets it."""
_WORTH_A_THREAD = 16
"""Frames: fewer are solved before a thread has begun."""


@dataclass(frozen=True, eq=False)
class FrameProblems:
    """What differs from frame to frame."""

    targets: Array
    """(frames, terms, 9), as of `LoweredProblem.targets`; of a term about another site, that site's point (m)"""
    weights: Array
    """(frames, terms); 0: the goal does not count in this frame"""
    starts: Array
    """(frames, coordinates), feasible"""
    references: Array
    """(frames, dofs): what a posture goal pulls to"""
    follows: IntArray
    """(frames,): 1 if a frame begins as far from its start as the frame before ended from its own"""
    matrices: Array | None = None
    """(frames, dofs, coordinates); None: the problem's"""
    offsets: Array | None = None
    """(frames, dofs)"""
    home: Array | None = None
    """(coordinates,): what coordinates are pulled to below all goals; None: they are not"""


@dataclass(frozen=True, eq=False)
class FrameAnswers:
    """Arrays of answers."""

    x: Array
    """(frames, coordinates)"""
    errors: Array
    """(frames, terms), m or rad"""
    iterations: IntArray
    """(frames,)"""


def solve_over_frames(solver: Prioritized, lowered: LoweredProblem, frames: FrameProblems) -> FrameAnswers:
    """All frames; those that do not follow one another on all cores. Ctrl-C raises KeyboardInterrupt."""
    n, n_terms = len(frames.starts), len(lowered.terms)
    x, errors, info = np.empty(frames.starts.shape), np.empty((n, n_terms)), np.empty((n, N_INFO))
    starts = np.array(frames.starts)
    tolerances = np.where(frames.weights > 0.0, _CLOSER * lowered.terms["tolerance"], np.inf)
    follows = np.asarray(frames.follows, dtype=np.int8)

    stop = np.zeros(1, np.int8)

    def part(low: int, high: int) -> None:
        prepared = FramesPrepared(solver, lowered, home=frames.home)
        prepared.heed(stop)
        prepared.run_frames(frames, starts, tolerances, follows, x, errors, info, slice(low, high))

    cores = 1 if follows.any() else max(1, min(os.cpu_count() or 1, n // _WORTH_A_THREAD))
    edges = np.linspace(0, n, cores + 1).astype(int).tolist()
    with plain_interrupts():
        if cores == 1:
            run_watched(lambda: part(0, n), stop)
        else:
            with stopping_at_interrupt(stop), ThreadPoolExecutor(cores) as pool:
                list(pool.map(part, edges[:-1], edges[1:]))
    return FrameAnswers(x, errors, info[:, 0].astype(np.int64))


class FramesPrepared(PrioritizedPrepared):
    """A problem packed for other maps and weights in every frame; its tables are its own, for they are written."""

    def __init__(self, solver: Prioritized, lowered: LoweredProblem, *, home: Array | None = None) -> None:
        super().__init__(solver, lowered, home=home)
        self._tables = self._tables._replace(terms=lowered.terms.copy())

    def run_frames(
        self,
        frames: FrameProblems,
        starts: Array,
        tolerances: Array,
        follows: npt.NDArray[np.int8],
        x: Array,
        errors: Array,
        info: Array,
        where: slice,
    ) -> None:
        """Solve the frames of a slice into the arrays given."""
        n_dofs, n = self._tables.matrix.shape
        matrices = np.zeros((0, n_dofs, n)) if frames.matrices is None else frames.matrices[where]
        offsets = np.zeros((0, n_dofs)) if frames.offsets is None else frames.offsets[where]
        solve_frames(
            self._tables, self._levels, np.ascontiguousarray(matrices), np.ascontiguousarray(offsets),
            np.ascontiguousarray(frames.weights[where]), np.ascontiguousarray(tolerances[where]), starts[where],
            follows[where], np.ascontiguousarray(frames.targets[where]), np.ascontiguousarray(frames.references[where]),
            self._stop, self._work, self._search, self._taken, x[where], errors[where], info[where],
        )  # fmt: skip
