"""A problem of one pose at all frames of a motion: residuals and Jacobians, for searches over whole motions."""

from __future__ import annotations

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_into, copy_rows_into
from posewright.kernels.dense.problem import DenseProblem, Point, copy_errors, evaluate
from posewright.kernels.tables import Array


@kernel
def evaluate_frames(
    problem: DenseProblem, targets: Array, q: Array, point: Point, rho: Array, J: Array, errors: Array
) -> None:
    """Write what each term is in each frame.

    Args:
        problem: over all dofs; its points of partners are written anew for every frame.
        targets: (frames, terms, 9); of a term about another site of the figure, that site's point on its joint.
        q: (frames, dofs).
        point: scratch.
        rho: (frames, rows), scaled by the root of the weight.
        J: (frames, rows, dofs).
        errors: (frames, terms), m or rad.
    """
    terms = problem.terms
    for frame in range(q.shape[0]):
        for k in range(terms.shape[0]):
            if terms[k]["partner"] >= 0:
                copy_into(targets[frame, k, :3], terms[k]["partner_point"])
        evaluate(problem, targets[frame], q[frame], point)
        copy_into(point.rho, rho[frame])
        copy_rows_into(point.J, J[frame])
        copy_errors(point.found, errors[frame])
