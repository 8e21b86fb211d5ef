"""Rows of decimal numbers, parsed from text and written as text, in bulk.

Parsing is exact: every value is the double that `float` gives. A number of at most 18 digits is an integer times a
power of ten. Where both are exact doubles, one division or product is correctly rounded (Clinger 1990). Where the
integer is wider than 53 bits, the quotient is taken in two doubles; if that leaves the rounding in doubt, or the number
is longer, its place is listed for the caller.

Numbers are written with up to 15 significant digits, and an exponent only where they are tiny. A number that was read
from at most 15 digits is written with the same digits: times a power of ten it is within a quarter of that integer.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array

GOOD: Final = 0
BAD_TOKEN: Final = 1
"""Something that is not a finite decimal number; `report` holds its line and first byte."""
BAD_WIDTH: Final = 2
"""A row with too few or too many numbers; `report` holds its line, first byte and how many it has."""

WIDTH: Final = 26
"""Bytes that a written number and what parts it from the next need at most."""
LARGEST: Final = 1e15
"""Numbers to write must be below this, and finite."""

_POWERS: Final = np.array([10.0**k for k in range(23)])
_EXACT: Final = 2**53
_DIGITS_READ: Final = 18
_DIGITS_WRITTEN: Final = 15
_SPLITTER: Final = 134217729.0  # 2^27 + 1 cuts a double into two halves of 26 bits (Dekker 1971)
_TINY: Final = 1e-7  # below, more decimals would be needed than there are exact powers of ten
_MOST_DECIMALS: Final = 22
_MINUS, _POINT, _ZERO, _SPACE, _NEWLINE, _E = 45, 46, 48, 32, 10, 101


@kernel
def two_double_quotient(m: np.int64, divisor: float) -> tuple[float, bool]:
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
    wraps: bool,
    out: Array,
    doubtful: npt.NDArray[np.int64],
    report: npt.NDArray[Any],
) -> int:
    """Parse rows of `out.shape[1]` numbers each, a line each, from byte `start` on; blank lines are skipped.

    Args:
        text: the bytes of the whole file; the last one must be a line feed, so that no loop runs over the end.
        start: first byte to look at, at the beginning of a line.
        line: 1-based number of that line.
        wraps: whether a row may go on in the next line; a row always begins with a line.
        out: (rows, columns), large enough for every line that is not blank.
        doubtful: (n, 2) gets first byte and flat index in `out` of numbers to be parsed by other means, as
            many as fit.
        report: (5,) gets the status, then line, first byte and count of what is wrong, then how many are doubtful.

    Returns:
        How many rows were parsed.
    """
    size = np.uint64(text.shape[0])
    one = np.uint64(1)  # an unsigned index spares Numba the question whether it counts from the end
    columns = out.shape[1]
    row = 0
    column = 0
    n_doubtful = 0
    report[0] = GOOD
    i = np.uint64(start)
    row_start = i
    row_line = line
    while i < size:
        c = text[i]
        if c == 32 or c == 9 or c == 11 or c == 12:
            i += one
            continue
        if c == 10 or c == 13:
            if column > 0 and not (wraps and column < columns):
                if column != columns:
                    report[0], report[1], report[2], report[3] = BAD_WIDTH, row_line, row_start, column
                    break
                row += 1
                column = 0
            if c == 10 or text[i + one] != 10:
                line += 1
            i += one
            if column == 0:
                row_start = i
                row_line = line
            continue
        # A token: sign, digits, fraction, exponent.
        first = i
        if c == 45 or c == 43:
            i += one
        m = np.int64(0)  # may overflow, but then there are too many digits for it to be used
        digits_start = i
        while 48 <= text[i] <= 57:
            m = m * 10 + (np.int64(text[i]) - 48)
            i += one
        n_digits = np.int64(i - digits_start)
        exponent = np.int64(0)
        if text[i] == 46:
            i += one
            digits_start = i
            while 48 <= text[i] <= 57:
                m = m * 10 + (np.int64(text[i]) - 48)
                i += one
            exponent = -np.int64(i - digits_start)
            n_digits -= exponent
        good = n_digits > 0
        if good and (text[i] == 101 or text[i] == 69):
            i += one
            minus = text[i] == 45
            if minus or text[i] == 43:
                i += one
            good = 48 <= text[i] <= 57
            e = np.int64(0)
            while 48 <= text[i] <= 57:
                e = min(e * 10 + (np.int64(text[i]) - 48), np.int64(100000))
                i += one
            exponent += -e if minus else e
        if not (good and (text[i] == 32 or 9 <= text[i] <= 13)):
            report[0], report[1], report[2], report[3] = BAD_TOKEN, line, first, column
            break
        if column < columns:
            value = 0.0
            sure = bool(n_digits <= _DIGITS_READ)
            if not sure or m == 0:
                pass
            elif m <= _EXACT and -22 <= exponent <= 22:
                value = m / _POWERS[-exponent] if exponent < 0 else m * _POWERS[exponent]
            elif -22 <= exponent < 0:
                value, sure = two_double_quotient(m, _POWERS[-exponent])
            else:
                sure = False
            out[row, column] = -value if c == 45 else value
            if not sure:
                if n_doubtful < doubtful.shape[0]:
                    doubtful[n_doubtful, 0] = first
                    doubtful[n_doubtful, 1] = row * columns + column
                n_doubtful += 1
        column += 1
    if wraps and report[0] == GOOD and column > 0:
        report[0], report[1], report[2], report[3] = BAD_WIDTH, row_line, row_start, column
    report[4] = n_doubtful
    return row


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
            while before < _DIGITS_WRITTEN and value >= _POWERS[before]:
                before += 1
            decimals = _DIGITS_WRITTEN - before
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
