"""Problems prepared for dense steps in the coordinates of their space: what the searches over x share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.tables import Table
from posewright.problem.lowering import LoweredProblem
from posewright.problem.python_rows import PythonRows
from posewright.problem.result import Preparer
from posewright.solvers.interruption import Stop
from posewright.solvers.prepared import Prepared
from posewright.solvers.restart_ranges import coordinate_ranges


class DensePrepared(Prepared):
    """Solved in the coordinates of the space: one kernel call, or step by step where goals are written in Python."""

    def __init__(
        self, solver: Preparer, lowered: LoweredProblem, tables: DenseTables, warnings: Sequence[str] = ()
    ) -> None:
        self._tables = tables
        self._work = dense_work(tables)
        self._python = PythonRows(lowered) if lowered.python else None
        self._in_python = self._python is not None
        super().__init__(solver, lowered, warnings)

    @abstractmethod
    def run_tables(
        self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array
    ) -> None:
        """`run` without goals in Python: one kernel call."""

    @abstractmethod
    def run_with_python(
        self, python: PythonRows, start: Array, targets: Array, reference: Array, x: Array, errors: Array, info: Array
    ) -> None:
        """One solve with goals in Python, whose rows are filled between the steps."""

    def heed(self, stop: Stop) -> None:
        """Look at this flag from now on."""
        super().heed(stop)
        if self._python is not None:
            self._python.stop = stop

    def run(self, starts: Array, targets: Array, references: Array, x: Array, errors: Array, info: Array) -> None:
        """Solve len(targets) problems into the arrays given."""
        if self._python is None:
            self.run_tables(starts, targets, references, x, errors, info)
            return
        for k in range(len(targets)):
            start, reference = starts[k if len(starts) > 1 else 0], references[k if len(references) > 1 else 0]
            self.run_with_python(self._python, start, targets[k], reference, x[k], errors[k], info[k])


def seconds_per_step(tables: DenseTables) -> float:
    """How long a step with a quadratic program over all coordinates takes at most, on a slow machine."""
    n = len(tables.lower)
    return 1e-8 * n * n * (n + len(tables.levels) + len(tables.A)) + 1e-6 * len(tables.joints)


def dense_tables(
    lowered: LoweredProblem,
    *,
    terms: Table | None = None,
    levels: IntArray | None = None,
    linear: Array | None = None,
    floor: float = -1.0,
    restarts: bool = True,
) -> DenseTables:
    """The tables of a problem over x; what is given replaces what the problem says; `restarts`: if there are any."""
    space, region = lowered.problem.space, lowered.region
    columns = space.matrix.argmax(axis=0) if space.selects_dofs else np.zeros(0)
    return DenseTables(
        joints=lowered.joints,
        dofs=_dofs(lowered),
        terms=lowered.terms if terms is None else terms,
        matrix=np.array(space.matrix),
        offset=np.array(space.offset),
        columns=columns.astype(np.int64),
        levels=lowered.levels if levels is None else levels,
        linear=np.ascontiguousarray(lowered.linear if linear is None else linear),
        linear_target=lowered.linear_target,
        posture=lowered.posture,
        A=region.A,
        b=region.b,
        n_equal=region.n_equal,
        lower=region.lower.copy(),
        upper=region.upper.copy(),
        ranges=coordinate_ranges(lowered) if restarts else np.zeros((2, len(region.lower))),
        scale=lowered.scale,
        floor=floor,
    )


def _dofs(lowered: LoweredProblem) -> Table:
    """Those of the problem; no rotation vector that a goal compares with another may be brought back by a full turn.

    Dense steps take limits from the region; in this table they only tell of which balls just the rotation counts.
    """
    compared = lowered.linear.any(axis=0)
    if not compared.any():
        return lowered.dofs
    dofs = lowered.dofs.copy()
    dofs["lower"][compared], dofs["upper"][compared] = np.finfo(np.float64).min, np.finfo(np.float64).max
    return dofs


def dense_work(tables: DenseTables) -> DenseWork:
    """Arrays of the sizes that the tables ask for."""
    n_joints, n_dofs, n = len(tables.joints), len(tables.dofs), tables.matrix.shape[1]
    rows = len(tables.levels)
    return DenseWork(
        q=np.zeros(n_dofs),
        rotations=np.zeros((n_joints, 3, 3)),
        positions=np.zeros((n_joints, 3)),
        axes=np.zeros((n_dofs, 3)),
        screws=np.zeros((n_dofs, 6)),
        chosen=np.zeros(len(tables.terms), np.int8),
        rho=np.zeros(rows),
        J_q=np.zeros((rows, n_dofs)),
        J=np.zeros((rows, n)),
        start=np.zeros(n),
        best=np.zeros(n),
        saved=np.zeros(n),
        d=np.zeros(n),
        D=np.zeros(n),
        held=np.zeros((2, n), np.int8),
    )
