"""cos h and sin h / h of half the angle of a turn, from h²: power series, without a root or a library call.

Up to a quarter turn twelve terms are enough for rounding to be the only error: the next is below 2e-17.
"""

from __future__ import annotations

import math
from typing import Final

from posewright.kernels.compiling.jit import fused_kernel

_LARGEST: Final = 2.4675  # (pi/2)², a little more
# 1/0!, 1/2!, ..., 1/22! and 1/1!, 1/3!, ..., 1/23!
_C: Final = tuple(1.0 / math.factorial(2 * k) for k in range(12))
_S: Final = tuple(1.0 / math.factorial(2 * k + 1) for k in range(12))


@fused_kernel
def cosine_and_sinc(hh: float) -> tuple[float, float]:
    """Return cos h and sin h / h, of h² = hh."""
    if hh > _LARGEST:
        h = math.sqrt(hh)
        return math.cos(h), math.sin(h) / h
    u = hh * hh  # terms with a plus and those with a minus, each a series of its own: half as long to wait for
    c_plus = _C[0] + u * (_C[2] + u * (_C[4] + u * (_C[6] + u * (_C[8] + u * _C[10]))))
    c_minus = _C[1] + u * (_C[3] + u * (_C[5] + u * (_C[7] + u * (_C[9] + u * _C[11]))))
    s_plus = _S[0] + u * (_S[2] + u * (_S[4] + u * (_S[6] + u * (_S[8] + u * _S[10]))))
    s_minus = _S[1] + u * (_S[3] + u * (_S[5] + u * (_S[7] + u * (_S[9] + u * _S[11]))))
    return c_plus - hh * c_minus, s_plus - hh * s_minus
