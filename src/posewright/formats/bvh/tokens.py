"""The words and braces of a BVH hierarchy, drawn one by one; lines are counted only when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

from posewright.errors import FileProblem
from posewright.figures.joint import Vector
from posewright.formats.text_file import decoded, line_at
from posewright.formats.text_numbers import number, plain_number, shown

_TOKEN = re.compile(rb"\s*([{}]|[^\s{}]+)")
# Counted digits: a pattern that may go on for ever would try for ever. None of these numbers overflows.
_THREE_NUMBERS = re.compile(rb"\s+([+-]?\d{1,20}(?:\.\d{0,20})?)" * 3 + rb"(?=\s)")
_REST_OF_LINE = re.compile(rb"[^\r\n{}]*")
_WHOLE_LINE = re.compile(rb"[^\r\n]*")
_LONGEST_NAME = 1000


class Tokens:
    """A place in the file that moves on with every word taken."""

    def __init__(self, data: bytearray, path: Path) -> None:
        self.data, self.path = data, path
        self.start = 0
        """First byte of the last token."""
        self.end = 0
        """One past its last byte."""
        self.comments = 0
        """How many lines starting with # were skipped."""

    def take(self) -> str:
        """The next word or brace; empty at the end of the file."""
        while True:
            match = _TOKEN.match(self.data, self.end)
            if match is None:
                self.start = self.end = len(self.data)
                return ""
            word = match.group(1)
            self.start, self.end = match.span(1)
            if word[0] != 35 or not self._begins_its_line():  # 35 is #
                return decoded(word)
            self.comments += 1
            whole = _WHOLE_LINE.match(self.data, self.end)
            self.end = whole.end() if whole else self.end

    def wanted(self, what: str) -> str:
        """The next word or brace, or an error that says what should have come."""
        word = self.take()
        if not word:
            raise self.problem(f"the file ends where {what} should follow")
        return word

    def number(self, what: str) -> float:
        """The next word as a finite number."""
        word = self.wanted(what)
        value = plain_number(word)
        return number(word, self.path, self.line, what) if value is None else value

    def vector(self, what: str) -> Vector:
        """The next three words as finite numbers."""
        match = _THREE_NUMBERS.match(self.data, self.end)
        if match is None:  # unusual or wrong: word by word
            return self.number(what), self.number(what), self.number(what)
        self.start, self.end = match.span(3)
        return float(match.group(1)), float(match.group(2)), float(match.group(3))

    def rest_of_line(self) -> str:
        """The words up to the end of the line or a brace: a joint's name, which may contain blanks."""
        match = _REST_OF_LINE.match(self.data, self.end)
        if match is None:
            return ""
        if match.end() - match.start() > 2 * _LONGEST_NAME:
            name = decoded(match.group()).strip()
            raise self.problem(f"a joint's name is {shown(name)}; at most {_LONGEST_NAME} are accepted")
        self.end = match.end()
        return " ".join(decoded(match.group()).split())

    @property
    def line(self) -> int:
        """1-based line of the last token."""
        return line_at(self.data, self.start)

    def problem(self, message: str) -> FileProblem:
        """An error at the last token."""
        return FileProblem(self.path, message, line=self.line)

    def _begins_its_line(self) -> bool:
        before = self.start - 1
        while before >= 0 and self.data[before] in b" \t":
            before -= 1
        return before < 0 or self.data[before] in b"\r\n"
