"""What the sweeps of the tree elimination work in: numbers per joint and per dof, allocated once per kernel call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.copying import copy_rows_into
from posewright.kernels.tables import Array


class Sweep(NamedTuple):
    """A step in the making; symbols as in `elimination`."""

    q: Array
    """(dofs,): the pose that the step starts from"""
    d: Array
    """(dofs,): the step"""
    locks: npt.NDArray[np.int8]
    """(dofs,): FREE, or at which limit"""
    S: Array
    """(dofs, 6): screws"""
    D: Array
    """(dofs,): damping and posture"""
    t: Array
    """(dofs,): posture's pull"""
    K: Array
    """(dofs, 3): `curvature`"""
    H: Array
    """(dofs, 6): h; of a joint with a single point also u"""
    g: Array
    inverse: Array
    """(dofs,): 1 / den"""
    P: Array
    """(joints, 21)"""
    b: Array
    """(joints, 6)"""
    X: Array
    """(joints, 6): the point of a joint with a single one, in the first three"""
    V: Array
    """(joints, 6): twists"""
    P_kept: Array
    b_kept: Array
    scratch: Array
    """(10, 6)"""


@kernel
def new_sweep(n_joints: int, n_dofs: int) -> Sweep:
    """Room for a figure of so many joints and dofs; for kernels (from Python: `new_sweep.__wrapped__`)."""
    # One allocation per shape: each costs as much as a joint of a sweep.
    screws, forms, vectors = np.empty((2, n_dofs, 6)), np.empty((2, n_joints, 21)), np.empty((4, n_joints, 6))
    numbers = np.zeros((6, n_dofs))
    return Sweep(
        q=numbers[0],
        d=numbers[1],
        locks=np.zeros(n_dofs, np.int8),
        S=screws[0],
        D=numbers[2],
        t=numbers[3],
        K=np.empty((n_dofs, 3)),
        H=screws[1],
        g=numbers[4],
        inverse=numbers[5],
        P=forms[0],
        b=vectors[0],
        X=vectors[1],
        V=vectors[2],
        P_kept=forms[1],
        b_kept=vectors[3],
        scratch=np.empty((10, 6)),
    )


@kernel
def keep_forms(sweep: Sweep) -> None:
    """Keep P and b, which a sweep uses up."""
    copy_rows_into(sweep.P, sweep.P_kept)
    copy_rows_into(sweep.b, sweep.b_kept)


@kernel
def restore_forms(sweep: Sweep) -> None:
    """Bring P and b back."""
    copy_rows_into(sweep.P_kept, sweep.P)
    copy_rows_into(sweep.b_kept, sweep.b)
