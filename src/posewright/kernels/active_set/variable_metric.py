"""What a step teaches the metric: the updates of Broyden, Fletcher, Goldfarb, Shanno and Davidon, Fletcher, Powell."""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array


@kernel
def update_metric(H: Array, gamma: float, s: Array, y: Array, Hy: Array) -> bool:
    """Update H after the step σ = γs that changed the gradient by y; return False if there is nothing to learn.

    BFGS where σᵀy >= yᵀHy, else DFP (Fletcher 1970): of the two, the one that keeps H away from singular. Both map y to
    σ and what no step has tried to itself. `Hy` is scratch.
    """
    n = s.shape[0]
    sy, ss, yy = 0.0, 0.0, 0.0
    for c in range(n):
        sy += gamma * s[c] * y[c]
        ss += (gamma * s[c]) ** 2
        yy += y[c] * y[c]
        Hy[c] = 0.0
    if not sy > 1e-12 * math.sqrt(ss * yy):  # keep H positive definite
        return False
    for i in range(n):
        for c in range(n):
            Hy[c] += H[i, c] * y[i]
    yHy = 0.0
    for c in range(n):
        yHy += y[c] * Hy[c]
    if sy >= yHy:
        grown = (1.0 + yHy / sy) / sy
        for i in range(n):
            a, b = gamma * s[i], Hy[i]
            for c in range(n):
                H[i, c] += grown * a * gamma * s[c] - (a * Hy[c] + b * gamma * s[c]) / sy
    else:
        for i in range(n):
            a, b = gamma * s[i] / sy, Hy[i] / yHy
            for c in range(n):
                H[i, c] += a * gamma * s[c] - b * Hy[c]
    return True
