"""Text files as bytes: read whole, and refused when they are empty or no text at all."""

from __future__ import annotations

import re
from pathlib import Path

from posewright.errors import FileProblem

LINE_END = re.compile(rb"\r\n|\n|\r")


def read_bytes(path: Path, begins_with: str) -> bytearray:
    """The bytes of a text file, a byte order mark blanked out.

    Args:
        path: the file.
        begins_with: what a file of this kind begins with, for the message about an empty one.

    Raises:
        FileProblem: the file is empty, binary or encoded as UTF-16.
    """
    with path.open("rb") as file:
        data = bytearray(path.stat().st_size)
        del data[file.readinto(data) :]
    if data.startswith(b"\xef\xbb\xbf"):
        data[:3] = b"   "
    if not data or data.isspace():
        raise FileProblem(path, f"the file is empty; it should begin with {begins_with}", line=1)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "the text is encoded as UTF-16; save it as plain ASCII or UTF-8", line=1)
    zero = data.find(b"\0")
    if zero >= 0:
        raise FileProblem(
            path, f"binary data (a zero byte at byte {zero}) where text is wanted", line=line_at(data, zero)
        )
    return data


def decoded(data: bytes | bytearray) -> str:
    """The text as UTF-8 or, where it is none, as Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def line_at(data: bytes | bytearray, position: int) -> int:
    """The 1-based line of a byte; lines end with LF, CRLF or CR."""
    feeds, returns, both = (data.count(end, 0, position) for end in (b"\n", b"\r", b"\r\n"))
    return feeds + returns - both + 1
