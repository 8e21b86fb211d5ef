"""Numbers as text: what was read from up to 15 digits is written with the same digits."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from posewright.kernels.text.numbers import WIDTH, write_rows


def written(values) -> str:
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    text = np.empty(rows.size * WIDTH, np.uint8)
    return text[: write_rows(rows, text)].tobytes().decode("ascii")


def test_rows_and_columns():
    assert written([[1.0, -2.5, 0.0], [100.0, 0.001, 123456.789]]) == "1 -2.5 0\n100 0.001 123456.789\n"


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 15))
def test_decimals_of_up_to_15_digits_come_back_exactly(digits, decimals):
    value = float(f"{digits}e-{decimals}")
    assert float(written([value])) == value


@given(st.floats(-1e14, 1e14, allow_subnormal=False))
def test_any_number_is_written_to_15_digits(value):
    assert abs(float(written([value])) - value) <= 6e-15 * abs(value) + 1e-22  # half a unit of the 15th digit


def test_tiny_numbers_keep_all_their_digits():
    rng = np.random.default_rng(4)
    sizes = 10.0 ** np.arange(-30, -5)
    values = [float(f"{m * size:.{n}g}") for n in (6, 15) for size in sizes for m in rng.uniform(-10.0, 10.0, 4)]
    assert [float(word) for word in written(values).split()] == values
