"""Text files: bytes, single numbers and tables of numbers, and the line of any error."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.kernels.text import numbers

Bytes = npt.NDArray[np.uint8]

LINE_END = re.compile(rb"\r\n|\n|\r")
_WORD = re.compile(r"[^\s(),]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_CORES = os.cpu_count() or 1
_WORTH_A_THREAD = 1 << 18  # bytes; less is read before another thread has begun
_LONGEST_LINE = 1 << 16  # bytes to look ahead for the end of a line
_LONGEST = 400  # no exporter writes longer numbers; a longer token is junk


@dataclass(eq=False)
class Place:
    """A line of a file, for errors."""

    path: Path
    line: int

    def problem(self, message: str) -> FileProblem:
        """An error in this line."""
        return FileProblem(self.path, message, line=self.line)

    def not_a_number(self, token: str, what: str) -> FileProblem:
        """An error about a token that should be a number; `what` says what the number is for."""
        hint = "; a finite decimal number is expected"
        if _DECIMAL_COMMA.match(token):
            hint = ", written with a decimal comma; numbers need a decimal point (1.5, not 1,5)"
        return self.problem(f"{what} is {quoted(token)}{hint}")

    def number(self, token: str, what: str) -> float:
        """The finite number in a token.

        Raises:
            FileProblem: the token is not a number.
        """
        value = plain_number(token)
        if value is None:
            raise self.not_a_number(token, what)
        return value

    def whole_number(self, token: str, what: str) -> int:
        """The non-negative whole number in a token.

        Raises:
            FileProblem: the token is not such a number.
        """
        if not re.fullmatch(r"\+?\d{1,15}", token, re.ASCII):
            raise self.problem(f"{what} is {quoted(token)}; a whole number is expected")
        return int(token)


@dataclass(eq=False)
class TextLine(Place):
    """A line with words; brackets and commas count as blanks."""

    words: list[str]


def lines_of(path: Path, begins_with: str) -> Iterator[TextLine]:
    """The lines of a file that contain words, without comments (#)."""
    for index, text in enumerate(re.split(r"\r\n|\n|\r", decoded(read_bytes(path, begins_with)))):
        if (words := _WORD.findall(text)) and not words[0].startswith("#"):
            yield TextLine(path, index + 1, words)


def read_bytes(path: Path, begins_with: str) -> bytearray:
    """The bytes of a text file, with a byte order mark replaced by blanks.

    Args:
        path: the file.
        begins_with: the usual beginning of such a file, for the message about an empty one.

    Raises:
        FileProblem: the file is empty, binary or encoded as UTF-16.
    """
    with path.open("rb") as file:
        data = bytearray(path.stat().st_size)
        del data[file.readinto(data) :]
    return plain_text(data, path, begins_with)


def plain_text(data: bytearray, path: Path, begins_with: str) -> bytearray:
    """The given bytes of a text file, with a byte order mark replaced by blanks; arguments as in `read_bytes`.

    Raises:
        FileProblem: the bytes are empty, binary or encoded as UTF-16.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        data[:3] = b"   "
    if not data or data.isspace():
        raise FileProblem(path, f"the file is empty; it should begin with {begins_with}", line=1)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "the text is encoded as UTF-16; save it as plain ASCII or UTF-8", line=1)
    zero = data.find(b"\0")
    if zero >= 0:
        problem = f"binary data (a zero byte at byte {zero}) where text is expected"
        raise FileProblem(path, problem, line=line_at(data, zero))
    return data


def decoded(data: bytes | bytearray) -> str:
    """The text decoded as UTF-8, or as Latin-1 if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def line_at(data: bytes | bytearray, position: int) -> int:
    """The line of a byte, counted from 1; lines end with LF, CRLF or CR."""
    feeds, returns, both = (data.count(end, 0, position) for end in (b"\n", b"\r", b"\r\n"))
    return feeds + returns - both + 1


def plain_number(token: str) -> float | None:
    """The finite number in a token; None if there is none."""
    if len(token) > _LONGEST or not _NUMBER.fullmatch(token):
        return None
    value = float(token)
    return value if math.isfinite(value) else None


def quoted(text: str) -> str:
    """Part of a file as shown in an error: quoted, and cut if it is long."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}... ({len(text)} characters)"


def number_rows_from(
    text: Bytes, start: int, line: int, columns: int, path: Path, row: str, *, wraps: bool = False
) -> Array:
    """All rows (rows, columns) of numbers from byte `start`, which begins line `line`, to the end of the file.

    Args:
        text: the bytes of the whole file, writable, with a line feed at the end.
        start: the byte at which the rows begin.
        line: number of the line that begins there, counted from 1.
        columns: number of columns.
        path: path of the file, for messages.
        row: name of a row in messages, such as "frame".
        wraps: whether a row may continue in the next line.

    Raises:
        FileProblem: a token is not a number, or a row is too short or too long; the message has the line.
    """
    n_parts = min(4 * _CORES, (len(text) - start) // _WORTH_A_THREAD) if _CORES > 1 else 1
    edges = [start, *_line_starts(text, start, n_parts), len(text)]
    # Room for every row that there can be: a number takes two bytes at least. Memory never touched costs nothing.
    out = np.empty(((len(text) - start) // (2 * columns) + 1, columns))
    if len(edges) > 2:
        try:
            return _shared_out([text[low:high] for low, high in pairwise(edges)], out, path, row)
        except FileProblem:
            pass  # the whole text in one go knows the line of its first mistake
    try:
        return out[: _rows(text[start:], line, out, path, row)]
    except FileProblem as problem:
        if not wraps:
            raise
        return out[: _wrapped_rows(text[start:], line, out, path, row, problem)]


def _wrapped_rows(text: Bytes, line: int, out: Array, path: Path, row: str, unwrapped: FileProblem) -> int:
    """Like `_rows`, for rows of several lines each; `unwrapped` is the error that one line per row would give."""
    try:
        return _rows(text, line, out, path, row, wraps=True)
    except FileProblem as problem:
        if problem.line == unwrapped.line:  # the first line that is too short belongs to no row of several lines
            raise unwrapped from None
        raise problem from None


def _shared_out(parts: list[Bytes], out: Array, path: Path, row: str) -> Array:
    """Parse the rows of all parts into `out`.

    Helpers begin at the end and this thread at the beginning until no part is left, so that nobody waits for a helper
    that is held up on a busy machine.
    """

    def apart(part: Bytes) -> Array:
        rows = np.empty((len(part) // (2 * out.shape[1]) + 1, out.shape[1]))
        return rows[: _rows(part, 1, rows, path, row)]

    waiting = [_helpers().submit(apart, part) for part in parts[:0:-1]]
    found = _rows(parts[0], 1, out, path, row)
    while waiting and waiting[-1].cancel():
        part = parts[len(parts) - len(waiting)]
        waiting.pop()
        found += _rows(part, 1, out[found:], path, row)
    for future in reversed(waiting):
        rows = future.result()
        out[found : found + len(rows)] = rows
        found += len(rows)
    return out[:found]


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that are kept for the next file; starting one takes as long as reading a small file."""
    return ThreadPoolExecutor(_CORES - 1, thread_name_prefix="posewright-numbers")


def _line_starts(text: Bytes, start: int, parts: int) -> list[int]:
    """Positions that divide the text from `start` into about equal parts, each at the beginning of a line."""
    found: list[int] = []
    for k in range(1, parts):
        place = start + (len(text) - start) * k // parts
        ahead = text[place : place + _LONGEST_LINE]
        feed = int(np.argmax(ahead == ord("\n")))
        if ahead[feed] == ord("\n") and place + feed + 1 < len(text):
            found.append(place + feed + 1)
    return sorted(set(found))


def _rows(text: Bytes, line: int, out: Array, path: Path, row: str, *, wraps: bool = False) -> int:
    """Write the rows of a text that begins with line `line` of its file into `out`; returns their number."""
    columns = out.shape[1]
    doubtful = np.empty((1024, 2), np.int64)
    report = np.zeros(5, np.int64)
    found = int(numbers.parse_rows(text, 0, line, wraps, out, doubtful, report))
    if report[4] > len(doubtful):
        doubtful = np.empty((report[4], 2), np.int64)
        found = int(numbers.parse_rows(text, 0, line, wraps, out, doubtful, report))
    status, bad_line, first, count, n_doubtful = report.tolist()
    if status == numbers.BAD_TOKEN:
        raise Place(path, bad_line).not_a_number(_token_at(text, first), f"number {count + 1} of this {row}")
    if status == numbers.BAD_WIDTH:
        problem = f"this {row} has {count} numbers; the channels of the file need {columns}"
        raise FileProblem(path, problem, line=bad_line)
    flat = out.reshape(-1)
    for first, index in doubtful[:n_doubtful].tolist():
        flat[index] = _exactly(text, first, line, path, row)
    return found


def _exactly(text: Bytes, first: int, line: int, path: Path, row: str) -> float:
    token = _token_at(text, first)
    value = float(token) if len(token) <= _LONGEST else math.inf
    if math.isfinite(value):
        return value
    line += line_at(text[:first].tobytes(), first) - 1
    raise Place(path, line).not_a_number(token, f"a number of this {row}")


def _token_at(text: Bytes, first: int) -> str:
    piece = text[first : first + 10 * _LONGEST].tobytes().split(None, 1)
    return piece[0].decode("utf-8", "replace") if piece else ""
