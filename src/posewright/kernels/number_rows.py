"""Rows of decimal numbers in a text, parsed in bulk and exactly: every value is the double that `float` gives.

A number of at most 18 digits is an integer times a power of ten. Where both are exact doubles, one division or
product is correctly rounded (Clinger 1990). Where the integer is wider than 53 bits, the quotient is taken in two
doubles; if that leaves the rounding in doubt, or the number is longer, its place is listed for the caller.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.jit import kernel
from posewright.kernels.tables import Array

GOOD: Final = 0
BAD_TOKEN: Final = 1
"""Something that is not a finite decimal number; `report` holds its line and first byte."""
BAD_WIDTH: Final = 2
"""A row with too few or too many numbers; `report` holds its line, first byte and how many it has."""

_POWERS: Final = np.array([10.0**k for k in range(23)])
_EXACT: Final = 2**53
_DIGITS: Final = 18
_SPLITTER: Final = 134217729.0  # 2^27 + 1 cuts a double into two halves of 26 bits (Dekker 1971)


@kernel
def two_double_quotient(m: int, divisor: float) -> tuple[float, bool]:
    """m/divisor for an integer m < 2^62 and an exact divisor, and whether the rounding is beyond doubt."""
    high = float(m)
    low = float(m - np.int64(high))
    quotient = high / divisor
    product = quotient * divisor
    t = _SPLITTER * quotient
    q1 = t - (t - quotient)
    q2 = quotient - q1
    t = _SPLITTER * divisor
    d1 = t - (t - divisor)
    d2 = divisor - d1
    product_error = ((q1 * d1 - product) + q1 * d2 + q2 * d1) + q2 * d2
    correction = (((high - product) - product_error) + low) / divisor
    value = quotient + correction
    # The correction is good to 1e-15 of itself; try values far outside that.
    sure = quotient + correction * (1.0 + 1e-10) == value and quotient + correction * (1.0 - 1e-10) == value
    return value, sure


@kernel
def parse_rows(
    text: npt.NDArray[np.uint8],
    start: int,
    line: int,
    out: Array,
    doubtful: npt.NDArray[np.int64],
    report: npt.NDArray[Any],
) -> int:
    """Parse lines of `out.shape[1]` numbers each from byte `start` on; blank lines are skipped.

    Args:
        text: the bytes of the whole file.
        start: first byte to look at, at the beginning of a line.
        line: 1-based number of that line.
        out: (rows, columns), large enough for every line that is not blank.
        doubtful: (n, 2) gets first byte and flat index in `out` of numbers to be parsed by other means.
        report: (5,) gets the status, then line, first byte and count of what is wrong, then how many are doubtful.

    Returns:
        How many rows were parsed.
    """
    size = text.shape[0]
    columns = out.shape[1]
    row = 0
    column = 0
    n_doubtful = 0
    report[0] = GOOD
    i = start
    row_start = start
    while True:
        c = np.int64(text[i]) if i < size else np.int64(10)
        if c == 32 or c == 9 or c == 11 or c == 12:
            i += 1
            continue
        if c == 10 or c == 13:
            if column > 0:
                if column != columns:
                    report[0], report[1], report[2], report[3] = BAD_WIDTH, line, row_start, column
                    break
                row += 1
                column = 0
            if i >= size:
                break
            if not (c == 13 and i + 1 < size and text[i + 1] == 10):
                line += 1
            i += 1
            row_start = i
            continue
        # A token: sign, digits, fraction, exponent.
        first = i
        negative = c == 45
        if c == 45 or c == 43:
            i += 1
        m = np.int64(0)
        digits = 0
        seen = 0
        exponent = np.int64(0)
        point = False
        while i < size:
            c = np.int64(text[i])
            if 48 <= c <= 57:
                seen += 1
                if digits > 0 or c > 48:
                    digits += 1
                if digits <= _DIGITS:
                    m = m * 10 + (c - 48)
                    if point:
                        exponent -= 1
                i += 1
            elif c == 46 and not point:
                point = True
                i += 1
            else:
                break
        good = seen > 0
        if good and i < size and (text[i] == 101 or text[i] == 69):
            i += 1
            minus = False
            if i < size and (text[i] == 45 or text[i] == 43):
                minus = text[i] == 45
                i += 1
            e = np.int64(0)
            good = i < size and 48 <= text[i] <= 57
            while i < size and 48 <= text[i] <= 57:
                if e < 100000:
                    e = e * 10 + (np.int64(text[i]) - 48)
                i += 1
            exponent += -e if minus else e
        if i < size:
            c = np.int64(text[i])
            good = good and (c == 32 or (9 <= c <= 13))
        if not good:
            report[0], report[1], report[2], report[3] = BAD_TOKEN, line, first, column
            break
        if column < columns:
            value = 0.0
            sure = digits <= _DIGITS
            if m == 0:
                pass
            elif m <= _EXACT and -22 <= exponent <= 22:
                value = m / _POWERS[-exponent] if exponent < 0 else m * _POWERS[exponent]
            elif -22 <= exponent <= 0:
                value, known = two_double_quotient(m, _POWERS[-exponent])
                sure = sure and known
            else:
                sure = False
            out[row, column] = -value if negative else value
            if not sure:
                doubtful[n_doubtful, 0] = first
                doubtful[n_doubtful, 1] = row * columns + column
                n_doubtful += 1
        column += 1
    report[4] = n_doubtful
    return row
