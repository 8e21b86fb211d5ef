"""Rows of decimal numbers as text, in bulk: up to 15 significant digits, an exponent only where they are tiny.

A number that was read from at most 15 digits is written with the same digits: times a power of ten it is within a
quarter of that integer.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

WIDTH: Final = 26
"""Bytes that a number and what parts it from the next need at most."""
LARGEST: Final = 1e15
"""Numbers must be below this, and finite."""

_TINY: Final = 1e-7  # below, more decimals would be needed than there are exact powers of ten
_POWERS: Final = np.array([10.0**k for k in range(23)])
_DIGITS: Final = 15
_MOST_DECIMALS: Final = 22
_MINUS, _POINT, _ZERO, _SPACE, _NEWLINE, _E = 45, 46, 48, 32, 10, 101


@kernel
def write_rows(values: Array, out: npt.NDArray[np.uint8]) -> int:
    """Write numbers (rows, columns) with blanks between and a newline after each row; return how many bytes."""
    at = 0
    digits = np.empty(24, np.uint8)
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            value = values[row, column]
            if value < 0.0:
                out[at] = _MINUS
                at += 1
                value = -value
            exponent = 0
            if 0.0 < value < _TINY:
                while value < 1.0:
                    value *= _POWERS[_MOST_DECIMALS]
                    exponent += _MOST_DECIMALS
                k = 0
                while k < _MOST_DECIMALS and value >= _POWERS[k + 1]:
                    k += 1
                value /= _POWERS[k]  # one more rounding, and not one per digit
                exponent -= k
            before = 0
            while before < _DIGITS and value >= _POWERS[before]:
                before += 1
            decimals = _DIGITS - before
            if before == 0:  # zeros behind the point are no digits
                while decimals < _MOST_DECIMALS and value * _POWERS[decimals] < 0.1 * LARGEST:
                    decimals += 1
            whole = np.int64(value * _POWERS[decimals] + 0.5)
            while decimals > 0 and whole % 10 == 0:
                whole //= 10
                decimals -= 1
            n = 0
            while whole > 0 or n <= decimals:
                digits[n] = _ZERO + whole % 10
                whole //= 10
                n += 1
            while n > 0:
                if n == decimals:
                    out[at] = _POINT
                    at += 1
                n -= 1
                out[at] = digits[n]
                at += 1
            if exponent > 0:
                out[at], out[at + 1] = _E, _MINUS
                at += 2
                if exponent >= 100:
                    out[at] = _ZERO + exponent // 100
                    at += 1
                out[at], out[at + 1] = _ZERO + exponent // 10 % 10, _ZERO + exponent % 10
                at += 2
            out[at] = _SPACE if column + 1 < values.shape[1] else _NEWLINE
            at += 1
    return at
