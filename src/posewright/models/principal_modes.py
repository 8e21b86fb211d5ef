"""Principal component analysis of few long rows: the ways in which whole motions vary, and how much each explains."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array

_NEGLIGIBLE = 1e-9
"""Of the largest deviation: modes below are rounding, or copies of one clip."""
_ROUNDING = 1e-10
"""rad, over a whole motion: clips that differ by less are copies of one."""
_WORTH_THREADS = 50_000_000
"""Products of numbers: smaller sums of them are done before the threads of a library have found each other, and on a
busy machine long before."""


def principal_modes(deviations: Array, share: float) -> tuple[Array, Array]:
    """The modes that explain a share of the variance, and the share of each (clips - 1,), kept or not.

    Args:
        deviations: (clips, frames, dofs) from the mean, weighted.
        share: above 0, at most 1.

    Returns:
        Modes (modes, frames, dofs) of one standard deviation each, and the shares.
    """
    from scipy.linalg import eigh  # slow to import, needed here only

    n = len(deviations)
    rows = deviations.reshape(n, -1)
    large = n * rows.size > _WORTH_THREADS
    # Few rows, long ones: their products are far quicker to decompose. Measuring the rotated rows themselves, and not
    # by the root of an eigenvalue, keeps small modes exact.
    products = rows @ rows.T if large else np.einsum("id,jd->ij", rows, rows)
    turn = eigh(products, driver="evr")[1][:, ::-1]  # threads wait for each other the least in this driver
    along = turn.T @ rows if large else np.einsum("ki,kd->id", turn, rows)
    stdev = (np.linalg.norm(along, axis=1) / np.sqrt(max(1, n - 1)))[: n - 1]
    total = float((stdev**2).sum())
    if total <= _ROUNDING**2:
        return np.zeros((0, *deviations.shape[1:])), np.zeros(len(stdev))
    shares: Array = stdev**2 / total
    real = int((stdev > _NEGLIGIBLE * stdev[0]).sum())
    enough = int(np.searchsorted(np.cumsum(shares), share * (1.0 - 1e-12))) + 1
    kept = min(enough, real)
    modes: Array = (along[:kept] / np.sqrt(max(1, n - 1))).reshape(kept, *deviations.shape[1:])
    return modes, shares
