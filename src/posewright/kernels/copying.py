"""Copies between arrays of the same shape, written out.

`target[...] = source` makes Numba compile the text of its error message, which takes seconds per process, and check for
overlap, which takes longer than a short copy.
"""

from __future__ import annotations

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array


@kernel
def copy_into(source: Array, target: Array) -> None:
    """One axis."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def copy_rows_into(source: Array, target: Array) -> None:
    """Two axes."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]
