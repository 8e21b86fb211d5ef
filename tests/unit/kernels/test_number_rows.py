"""Numbers in bulk: the very double that `float` gives, or a refusal."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import FileProblem
from posewright.formats.text import number_rows_from
from posewright.kernels.text.numbers import BAD_TOKEN, parse_rows


def parse(text: str, columns: int = 1, *, wraps: bool = False) -> np.ndarray:
    data = np.frombuffer(bytearray(text.encode() + b"\n"), np.uint8)
    return number_rows_from(data, 0, 1, columns, Path("some.bvh"), "frame", wraps=wraps)


FORMATS = ["{!r}", "{:.6f}", "{:.15g}", "{:.17g}", "{:e}", "{:+.12E}", "{:.25f}", "{:.3g}"]


@settings(max_examples=60)
@given(
    values=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30),
    form=st.sampled_from(FORMATS),
)
def test_every_way_to_print_a_double_parses_as_float_does(values: list[float], form: str) -> None:
    tokens = [form.format(value) for value in values]
    short = [token for token in tokens if len(token) < 400]
    expected = np.array([float(token) for token in short])
    parsed = parse("\n".join(short)).ravel()
    assert np.array_equal(parsed.view(np.int64), expected.view(np.int64))  # the same bits, also of -0


@settings(max_examples=100)
@given(st.integers(0, 10**18 - 1), st.integers(-30, 30), st.sampled_from(["", "-", "+"]))
def test_integers_times_powers_of_ten_parse_exactly(m: int, exponent: int, sign: str) -> None:
    token = f"{sign}{m}e{exponent}"
    assert parse(token)[0, 0] == float(token)


def test_many_long_numbers_outgrow_the_first_table_of_doubtful_ones() -> None:
    tokens = [f"{k}.{'123456789' * 3}" for k in range(3000)]
    assert np.array_equal(parse("\n".join(tokens)).ravel(), np.array([float(t) for t in tokens]))


@pytest.mark.parametrize("token", ["1", ".5", "5.", "-.5e3", "+1E-2", "00012", "-0", "0.1e+05"])
def test_accepted_spellings(token: str) -> None:
    assert parse(token)[0, 0] == float(token)


@pytest.mark.parametrize(
    "token",
    [
        "nan",
        "inf",
        "-inf",
        "1,5",
        "1e",
        "1e+",
        ".",
        "-",
        "+-1",
        "1.2.3",
        "0x10",
        "1_000",
        "1d5",
        "-1.#IND00",
        "٣",
        "1e999",
    ],
)
def test_refused_spellings_name_their_line(token: str) -> None:
    with pytest.raises(FileProblem, match=r"line 3: ") as caught:
        parse(f"1\n\n{token}\n2")
    assert token in str(caught.value)


def test_a_decimal_comma_is_called_one() -> None:
    with pytest.raises(FileProblem, match="decimal comma"):
        parse("-12,5")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines(end: str) -> None:
    rows = parse(end.join(["1 2", "", "  3\t4  ", " ", "5 6"]), columns=2)
    assert rows.tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(FileProblem, match=r"line 4: this frame has 1 numbers; .* 2"):
        parse(end.join(["1 2", "", "3 4", "5", "6 7"]), columns=2)
    with pytest.raises(FileProblem, match=r"line 2: this frame has 3 numbers"):
        parse(end.join(["1 2", "3 4 5"]), columns=2)


@settings(max_examples=60)
@given(st.data())
def test_rows_may_be_wrapped_anywhere(data: st.DataObject) -> None:
    columns = data.draw(st.integers(1, 9), "columns")
    rows = np.arange(columns * data.draw(st.integers(1, 5), "rows")).reshape(-1, columns)
    breaks = st.lists(st.sampled_from([" ", "\n", "\r\n", "\n\n "]), min_size=rows.size, max_size=rows.size)
    text = ""
    for k, gap in enumerate(data.draw(breaks, "breaks")):
        text += f"{k}" + ("\n" if k % columns == columns - 1 else gap)
    assert np.array_equal(parse(text, columns, wraps=True), rows)


def test_long_files_of_wrapped_rows_are_not_taken_apart_in_the_middle_of_one() -> None:
    rows = np.arange(400_000.0).reshape(-1, 100)
    text = "\n".join(" ".join(f"{value:.1f}" for value in half) for half in rows.reshape(-1, 50))
    assert len(text) > 2**21
    assert np.array_equal(parse(text, 100, wraps=True), rows)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["1 2 3", "4 5", "6 7 8"], "line 2: this frame has 2 numbers"),
        (["1 2 3", "4 5"], "line 2: this frame has 2 numbers"),
        (["1 2", "3", "4 5"], "line 3: this frame has 2 numbers"),
        (["1 2", "3", "4 5", "6 7"], "line 3: this frame has 4 numbers"),
        (["1 2", "3", "4 5 6", "7 x 9"], "line 4: number 2 of this frame is 'x'"),
        (["1 2 3 4"], "line 1: this frame has 4 numbers"),
    ],
)
def test_rows_that_cannot_be_wrapped_ones_are_refused(lines: list[str], problem: str) -> None:
    with pytest.raises(FileProblem, match=problem):
        parse("\n".join(lines), 3, wraps=True)


def test_the_kernel_reports_place_and_count() -> None:
    text = np.frombuffer(bytearray(b"skip\n1 2\n3 x\n"), np.uint8)
    out, report = np.zeros((3, 2)), np.zeros(5, np.int64)
    assert parse_rows(text, 5, 2, False, out, np.zeros((1, 2), np.int64), report) == 1
    assert report[:4].tolist() == [BAD_TOKEN, 3, 11, 1]
