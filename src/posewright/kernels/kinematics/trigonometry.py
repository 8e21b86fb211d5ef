"""Sines and cosines of many angles at once, by polynomials that the compiler turns into vector instructions.

Minimax coefficients and the two-part pi/2 are those of fdlibm (Sun Microsystems 1993). The quarter turns k are
exact up to `LARGEST`, so that results keep within 2e-16 of the true value; larger angles take the library's way.
"""

from __future__ import annotations

import math

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

LARGEST = 1e5  # rad
_TO_INTEGER = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to the nearest integer
_QUARTER_HIGH = 1.57079632673412561417  # pi/2, its first 33 bits
_QUARTER_LOW = 6.07710050650619224932e-11  # and the rest


@kernel
def sines_and_cosines(angles: Array, sines: Array, cosines: Array) -> None:
    """Write sin and cos of `angles` (n,) into `sines` and `cosines`."""
    n = angles.shape[0]
    beyond = 0
    for i in range(n):
        beyond += 0 if abs(angles[i]) <= LARGEST else 1
    if beyond > 0:
        for i in range(n):
            sines[i], cosines[i] = math.sin(angles[i]), math.cos(angles[i])
        return
    for i in range(n):
        x = angles[i]
        k = (x * 0.63661977236758134308 + _TO_INTEGER) - _TO_INTEGER
        r = (x - k * _QUARTER_HIGH) - k * _QUARTER_LOW
        z = r * r
        s = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
        s = r + r * z * (
            -1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s))
        )
        c = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
        c = (
            z
            * z
            * (
                4.16666666666666019037e-02
                + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c))
            )
        )
        c = 1.0 - (0.5 * z - c)
        quadrant = k - 4.0 * ((k * 0.25 - 0.375 + _TO_INTEGER) - _TO_INTEGER)
        odd = (quadrant == 1.0) | (quadrant == 3.0)
        sine = c if odd else s
        cosine = s if odd else c
        sines[i] = -sine if quadrant >= 2.0 else sine
        cosines[i] = -cosine if (quadrant == 1.0) | (quadrant == 2.0) else cosine
