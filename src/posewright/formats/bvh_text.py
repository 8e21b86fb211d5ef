"""The text of a BVH file as a plain description: joints, channels and numbers, nothing interpreted.

Loops, not recursion, and tokens drawn one by one: whatever the file is, the first thing wrong with it ends the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, suggestion
from posewright.figure.joint import Vector
from posewright.formats.text_file import LINE_END, decoded, line_at
from posewright.formats.text_numbers import number, number_rows_from, shown, whole_number

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
MOST_JOINTS = 20_000
"""More than any figure has; a file that goes on is refused instead of filling the memory."""

_CHANNEL = {name.casefold(): name for name in CHANNELS}
_TOKEN = re.compile(rb"\r\n|[\n\r]|[{}]|[^\s{}]+")
_LONGEST_NAME = 1000
_FRAMES = re.compile(rb"(?i)\s*Frames[ \t]*:[ \t]*([^\s]*)")
_FRAME_TIME = re.compile(rb"(?i)\s*Frame[ \t]*Time[ \t]*:[ \t]*([^\s]*)")


@dataclass
class BvhJoint:
    """A ROOT or JOINT block."""

    name: str
    parent: int
    """Index of the joint it stands in, -1 for a ROOT."""
    line: int
    offset: Vector = (0.0, 0.0, 0.0)
    """In the file's units."""
    channels: tuple[str, ...] = ()
    """In file order, spelled as in `CHANNELS`."""
    end_sites: list[Vector] = field(default_factory=list)
    """OFFSETs of the End Sites that stand in it."""


@dataclass(frozen=True)
class BvhText:
    """What the file says."""

    joints: tuple[BvhJoint, ...]
    values: Array
    """(frames, channels): degrees and file units."""
    frame_time: float
    """s"""
    stated_frames: int
    comments: int
    """How many lines starting with # were skipped."""


class _Token(NamedTuple):
    text: str
    line: int


def parse(data: bytearray, path: Path) -> BvhText:
    """Parse the bytes of a whole file, which get a line feed at their end.

    Raises:
        FileProblem: it is no BVH file, or a broken one; with the line.
    """
    data += b"\n"  # so that the last row ends like the others
    tokens = _Tokens(data, path)
    joints = _parse_hierarchy(tokens, path)
    columns = sum(len(joint.channels) for joint in joints)
    start, line, frames, frame_time = _parse_motion_header(data, tokens.position, path)
    text = np.frombuffer(data, np.uint8)
    if columns:
        values = number_rows_from(text, start, line, columns, path, "frame")
    elif data[start:].strip():
        raise FileProblem(path, "there are frames, but no joint has a channel", line=line)
    else:
        values = np.zeros((0, 0))
    if frames > 0 and columns > 0 and not len(values):
        raise FileProblem(path, f"the header states {frames} frames, but the file ends without any", line=line)
    return BvhText(joints, values, frame_time, frames, tokens.comments)


class _Tokens(Iterator[_Token]):
    """Words and braces of the hierarchy with their lines; comment lines are skipped and counted."""

    def __init__(self, data: bytearray, path: Path) -> None:
        self._matches = _TOKEN.finditer(data)
        self._path = path
        self._line_begins = True
        self._pushed: list[_Token] = []
        self.position = 0
        """Where the last token ends."""
        self.line = 1
        self.comments = 0

    def __next__(self) -> _Token:
        if self._pushed:
            return self._pushed.pop()
        for match in self._matches:
            word = match.group()
            if word[0] in b"\r\n":
                self.line += 1
                self._line_begins = True
            elif word[0] == b"#"[0] and self._line_begins:
                self.comments += 1
                self._skip_line()
            else:
                self._line_begins = False
                self.position = match.end()
                return _Token(decoded(word), self.line)
        raise StopIteration

    def _skip_line(self) -> None:
        for match in self._matches:
            if match.group()[0] in b"\r\n":
                self.line += 1
                return

    def wanted(self, what: str) -> _Token:
        """The next token, or an error that says what should have come."""
        for token in self:
            return token
        raise FileProblem(self._path, f"the file ends where {what} should follow", line=self.line)

    def push_back(self, token: _Token) -> None:
        self._pushed.append(token)

    def rest_of_line(self, line: int) -> str:
        """The words up to the end of a line or a brace: a joint's name, which may contain blanks."""
        words = []
        for token in self:
            if token.line != line or token.text in "{}":
                self.push_back(token)
                break
            words.append(token.text)
            if len(words) > _LONGEST_NAME:
                break
        return " ".join(words)


def _parse_hierarchy(tokens: _Tokens, path: Path) -> tuple[BvhJoint, ...]:
    first = tokens.wanted("HIERARCHY")
    if first.text.casefold() != "hierarchy":
        raise FileProblem(path, f"the file begins with {shown(first.text)}, not with HIERARCHY", line=first.line)
    joints: list[BvhJoint] = []
    current = -1  # the joint whose block is open
    placed: set[int] = set()  # joints whose OFFSET was read
    n_blocks = 0
    for text, line in tokens:
        word = text.casefold()
        if n_blocks > MOST_JOINTS:
            raise FileProblem(path, f"more than {MOST_JOINTS} joints; this is no figure's hierarchy", line=line)
        if word in ("root", "joint"):
            _check_place(word, current, path, line)
            joints.append(BvhJoint(_name(tokens, line, path), current, line))
            n_blocks += 1
            _open(tokens, path, f"{text} {shown(joints[-1].name)}")
            current = len(joints) - 1
        elif word in ("end", "endsite") and current >= 0:
            tokens.rest_of_line(line)  # "Site", or a name that some exporters give
            joints[current].end_sites.append(_end_site(tokens, path))
            n_blocks += 1
        elif word == "offset" and current >= 0 and current not in placed:
            joints[current].offset = _vector(tokens, path)
            placed.add(current)
        elif word == "channels" and current >= 0 and not joints[current].channels:
            joints[current].channels = _channels(tokens, joints[current], path)
        elif word == "}" and current >= 0:
            if current not in placed:
                raise FileProblem(path, f"joint {shown(joints[current].name)} has no OFFSET", line=line)
            current = joints[current].parent
        elif word == "motion" and current < 0 and joints:
            return tuple(joints)
        else:
            raise FileProblem(path, _misplaced(text, joints, current), line=line)
    if current >= 0:
        raise FileProblem(path, f"the file ends, but {_unclosed(joints[current])}", line=tokens.line)
    raise FileProblem(path, "the file ends without a MOTION section", line=tokens.line)


def _misplaced(text: str, joints: list[BvhJoint], current: int) -> str:
    if current >= 0 and text.casefold() == "motion":
        return f"MOTION begins, but {_unclosed(joints[current])}"
    inside = f"joint {shown(joints[current].name)}" if current >= 0 else "the hierarchy"
    accepted = "one OFFSET, one CHANNELS, JOINT, End Site and }" if current >= 0 else "ROOT and then MOTION"
    return f"{shown(text)} does not belong into {inside}; accepted are {accepted}"


def _unclosed(joint: BvhJoint) -> str:
    return f"no }} closes the block of {shown(joint.name)}, opened in line {joint.line}"


def _check_place(word: str, current: int, path: Path, line: int) -> None:
    if word == "root" and current >= 0:
        raise FileProblem(path, "a ROOT inside another joint; is a } missing before it?", line=line)
    if word == "joint" and current < 0:
        raise FileProblem(path, "a JOINT outside any ROOT; is there a } too many before it?", line=line)


def _name(tokens: _Tokens, line: int, path: Path) -> str:
    name = tokens.rest_of_line(line)
    if not name:
        raise FileProblem(path, "a joint without a name", line=line)
    if len(name) > _LONGEST_NAME:
        raise FileProblem(path, f"a joint's name is {shown(name)}; at most {_LONGEST_NAME} are accepted", line=line)
    return name


def _open(tokens: _Tokens, path: Path, what: str) -> None:
    token = tokens.wanted("{")
    if token.text != "{":
        raise FileProblem(path, f"{shown(token.text)} where {{ should open {what}", line=token.line)


def _vector(tokens: _Tokens, path: Path) -> Vector:
    found = [tokens.wanted("three numbers of an OFFSET") for _ in range(3)]
    x, y, z = (number(token.text, path, token.line, "a number of this OFFSET") for token in found)
    return x, y, z


def _end_site(tokens: _Tokens, path: Path) -> Vector:
    _open(tokens, path, "End Site")
    word = tokens.wanted("OFFSET")
    if word.text.casefold() != "offset":
        raise FileProblem(path, f"{shown(word.text)} in an End Site, which holds one OFFSET only", line=word.line)
    offset = _vector(tokens, path)
    closing = tokens.wanted("}")
    if closing.text != "}":
        raise FileProblem(path, f"{shown(closing.text)} where }} should close the End Site", line=closing.line)
    return offset


def _channels(tokens: _Tokens, joint: BvhJoint, path: Path) -> tuple[str, ...]:
    count = tokens.wanted("the number of channels")
    n = whole_number(count.text, path, count.line, "the number of channels")
    if n > 12:
        raise FileProblem(path, f"joint {shown(joint.name)} announces {n} channels; six are usual", line=count.line)
    found: list[str] = []
    for _ in range(n):
        token = tokens.wanted(f"{n} channel names")
        name = _CHANNEL.get(token.text.casefold())
        if name is None:
            hint = suggestion(token.text[:40], CHANNELS)
            raise FileProblem(path, f"{shown(token.text)} is no channel{hint}", line=token.line)
        if name in found and name.endswith("position"):
            raise FileProblem(path, f"joint {shown(joint.name)} has two channels {name}", line=token.line)
        found.append(name)
    return tuple(found)


def _parse_motion_header(data: bytearray, start: int, path: Path) -> tuple[int, int, int, float]:
    """First byte and line of the frames, stated number of frames, frame time in seconds."""
    found = []
    for pattern, what in ((_FRAMES, "Frames:"), (_FRAME_TIME, "Frame Time:")):
        match = pattern.match(data, start)
        if match is None:
            begins = re.compile(rb"\s*").match(data, start)
            at = begins.end() if begins else start
            piece = bytes(data[at : at + 200]).split(b"\n")[0].decode("utf-8", "replace").strip()
            raise FileProblem(path, f"{shown(piece)} where {what!r} and a number should stand", line=line_at(data, at))
        found.append((match.group(1).decode("utf-8", "replace"), line_at(data, match.start(1))))
        start = match.end()
    (frames_token, frames_line), (time_token, time_line) = found
    frames = whole_number(frames_token, path, frames_line, "the number of frames")
    frame_time = number(time_token, path, time_line, "the frame time")
    if frame_time < 1e-9:
        raise FileProblem(path, f"the frame time is {time_token}; it must be more than 0 seconds", line=time_line)
    end = LINE_END.search(data, start)
    if data[start : end.start() if end else len(data)].strip():
        raise FileProblem(path, "the line goes on after the frame time", line=time_line)
    return (end.end(), time_line + 1, frames, frame_time) if end else (len(data), time_line, frames, frame_time)
