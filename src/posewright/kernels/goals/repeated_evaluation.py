"""Evaluations in a loop: what one costs, without the call from Python around it."""

from __future__ import annotations

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.dense.problem import DenseTables, DenseWork
from posewright.kernels.goals.gradient import WrenchWork, cost_and_gradient
from posewright.kernels.tables import Array, Table


@kernel
def repeat_evaluation(
    times: int,
    tables: DenseTables,
    entries: Table,
    targets: Array,
    reference: Array,
    x: Array,
    point: DenseWork,
    work: WrenchWork,
    errors: Array,
) -> float:
    """Evaluate cost and gradient at x so many times; return the sum of the costs."""
    total = 0.0
    for _ in range(times):
        total += cost_and_gradient(tables, entries, targets, reference, 0, x, point, work, errors)
    return total
