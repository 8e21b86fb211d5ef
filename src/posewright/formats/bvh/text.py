"""The text of a BVH file as a plain description: joints, channels and numbers, nothing interpreted.

Loops, not recursion, and tokens drawn one by one: whatever the file is, the first thing wrong with it ends the reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, suggestion
from posewright.figures.joint import Vector
from posewright.formats.budget import MOST_JOINTS
from posewright.formats.text import LINE_END, Place, decoded, line_at, number_rows_from, plain_number, quoted

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")

MOST_CHANNELS = 12
"""Of a joint."""
SHORTEST_FRAME = 1e-9
"""s"""

_CHANNEL = {name.casefold(): name for name in CHANNELS}
_FRAMES = re.compile(rb"(?i)\s*Frames[ \t]*:[ \t]*([^\s]*)")
_FRAME_TIME = re.compile(rb"(?i)\s*Frame[ \t]*Time[ \t]*:[ \t]*([^\s]*)")
_TOKEN = re.compile(rb"\s*([{}]|[^\s{}]+)")
# Counted digits: a pattern that may go on for ever would try for ever. None of these numbers overflows.
_THREE_NUMBERS = re.compile(rb"\s+([+-]?\d{1,20}(?:\.\d{0,20})?)" * 3 + rb"(?=\s)")
_PLAIN_CHANNELS = re.compile(rb"[ \t]+(\d)((?:[ \t]+[XYZ](?:position|rotation)){1,6})(?=\s)")
_REST_OF_LINE = re.compile(rb"[^\r\n{}]*")
_WHOLE_LINE = re.compile(rb"[^\r\n]*")
_LONGEST_NAME = 1000


@dataclass
class BvhJoint:
    """A ROOT or JOINT block."""

    name: str
    parent: int
    """Index of the joint around it, -1 for a ROOT."""
    position: int
    """Where the block begins in the file, for messages."""
    offset: Vector | None = None
    """In the file's units."""
    channels: tuple[str, ...] = ()
    """In file order, spelled as in `CHANNELS`."""
    end_sites: list[Vector] = field(default_factory=list)
    """OFFSETs of the End Sites in it."""


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

    @property
    def columns(self) -> int:
        """Numbers of a frame."""
        return sum(len(joint.channels) for joint in self.joints)


class _Tokens:
    """The words and braces of a hierarchy, drawn one by one; lines are counted only when something is wrong."""

    def __init__(self, data: bytearray, path: Path) -> None:
        self.data, self.path = data, path
        self.start = self.end = 0
        """First byte of the last token, and one past its last byte."""
        self.comments = 0

    def take(self) -> str:
        """The next word or brace; empty at the end of the file."""
        while match := _TOKEN.match(self.data, self.end):
            word = match.group(1)
            self.start, self.end = match.span(1)
            if word[:1] != b"#" or not self._begins_its_line():
                return decoded(word)
            self.comments += 1
            self.end = _end(_WHOLE_LINE, self.data, self.end)
        self.start = self.end = len(self.data)
        return ""

    def wanted(self, what: str) -> str:
        """The next word or brace, or an error that says what should have come."""
        word = self.take()
        if not word:
            raise self.problem(f"the file ends where {what} should follow")
        return word

    def offset(self) -> Vector:
        """The next three words as finite numbers."""
        match = _THREE_NUMBERS.match(self.data, self.end)
        if match is None:  # unusual or wrong: word by word
            return self._number(), self._number(), self._number()
        self.start, self.end = match.span(3)
        return float(match.group(1)), float(match.group(2)), float(match.group(3))

    def _number(self) -> float:
        what = "a number of this OFFSET"
        word = self.wanted(what)
        value = plain_number(word)
        if value is None:
            raise Place(self.path, self.line).not_a_number(word, what)
        return value

    def rest_of_line(self) -> str:
        """The words up to the end of the line or a brace: a joint's name, which may contain blanks."""
        end = _end(_REST_OF_LINE, self.data, self.end)
        text = decoded(self.data[self.end : end])
        if end - self.end > 2 * _LONGEST_NAME:
            raise self.problem(f"a joint's name is {quoted(text.strip())}; at most {_LONGEST_NAME} are accepted")
        self.end = end
        return " ".join(text.split())

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


def _end(pattern: re.Pattern[bytes], data: bytearray, start: int) -> int:
    match = pattern.match(data, start)
    return match.end() if match else start


def parse(data: bytearray, path: Path) -> BvhText:
    """Parse the bytes of a whole file, which get a line feed at their end.

    Raises:
        FileProblem: it is no BVH file, or a broken one; with the line.
    """
    data += b"\n"  # so that the last row ends like the others
    head, start, line = parse_head(data, path)
    if head.columns:
        values = number_rows_from(np.frombuffer(data, np.uint8), start, line, head.columns, path, "frame", wraps=True)
        if head.stated_frames > 0 and not len(values):
            stated = f"the header states {head.stated_frames} frames"
            raise FileProblem(path, f"{stated}, but the file ends without any", line=line)
        return replace(head, values=values)
    if data[start:].strip():
        raise FileProblem(path, "there are frames, but no joint has a channel", line=line)
    return head


def parse_head(data: bytearray, path: Path) -> tuple[BvhText, int, int]:
    """Parse what comes before the frames; also the byte and the line where they begin.

    Raises:
        FileProblem: it is no BVH file, or a broken one; with the line.
    """
    tokens = _Tokens(data, path)
    joints = _parse_hierarchy(tokens)
    start, line, frames, frame_time = _parse_motion_header(data, tokens.end, path)
    return BvhText(joints, np.zeros((0, 0)), frame_time, frames, tokens.comments), start, line


def _parse_hierarchy(tokens: _Tokens) -> tuple[BvhJoint, ...]:
    first = tokens.wanted("HIERARCHY")
    if first.casefold() != "hierarchy":
        raise tokens.problem(f"the file begins with {quoted(first)}, not with HIERARCHY")
    joints: list[BvhJoint] = []
    current = -1  # the joint whose block is open
    n_blocks = 0
    while text := tokens.take():
        word = text.casefold()
        joint = joints[current] if current >= 0 else None
        if n_blocks > MOST_JOINTS:
            raise tokens.problem(f"more than {MOST_JOINTS:,} joints; no figure has that many")
        if word == "offset" and joint and joint.offset is None:
            joint.offset = tokens.offset()
        elif word == "channels" and joint and not joint.channels:
            joint.channels = _channels(tokens, joint)
        elif word in ("root", "joint"):
            joints.append(_joint(tokens, word, current))
            current = len(joints) - 1
            n_blocks += 1
        elif word == "}" and joint:
            if joint.offset is None:
                raise tokens.problem(f"joint {quoted(joint.name)} has no OFFSET")
            current = joint.parent
        elif word in ("end", "endsite") and joint:
            joint.end_sites.append(_end_site(tokens))
            n_blocks += 1
        elif word == "motion" and not joint and joints:
            return tuple(joints)
        else:
            raise tokens.problem(_misplaced(tokens, text, joint))
    if current >= 0:
        raise tokens.problem(f"the file ends, but {_unclosed(tokens, joints[current])}")
    raise tokens.problem("the file ends without a MOTION section")


def _misplaced(tokens: _Tokens, text: str, joint: BvhJoint | None) -> str:
    if joint is None:
        return f"{quoted(text)} does not belong in the hierarchy; accepted are ROOT and then MOTION"
    if text.casefold() == "motion":
        return f"MOTION begins, but {_unclosed(tokens, joint)}"
    accepted = "one OFFSET, one CHANNELS, JOINT, End Site and }"
    return f"{quoted(text)} does not belong in joint {quoted(joint.name)}; accepted are {accepted}"


def _unclosed(tokens: _Tokens, joint: BvhJoint) -> str:
    line = line_at(tokens.data, joint.position)
    return f"no }} closes the block of {quoted(joint.name)}, opened in line {line}"


def _joint(tokens: _Tokens, word: str, parent: int) -> BvhJoint:
    """A new joint; its block is open after this."""
    if word == "root" and parent >= 0:
        raise tokens.problem("a ROOT inside another joint; is a } missing before it?")
    if word == "joint" and parent < 0:
        raise tokens.problem("a JOINT outside any ROOT; is there an extra } before it?")
    position = tokens.start
    name = tokens.rest_of_line()
    if not name:
        raise tokens.problem("a joint without a name")
    _open(tokens, f"{word.upper()} {quoted(name)}")
    return BvhJoint(name, parent, position)


def _open(tokens: _Tokens, what: str) -> None:
    text = tokens.wanted("{")
    if text != "{":
        raise tokens.problem(f"{quoted(text)} where {{ should open {what}")


def _end_site(tokens: _Tokens) -> Vector:
    tokens.rest_of_line()  # "Site", or a name that some exporters give
    _open(tokens, "End Site")
    word = tokens.wanted("OFFSET")
    if word.casefold() != "offset":
        raise tokens.problem(f"{quoted(word)} in an End Site, which holds one OFFSET only")
    offset = tokens.offset()
    closing = tokens.wanted("}")
    if closing != "}":
        raise tokens.problem(f"{quoted(closing)} where }} should close the End Site")
    return offset


@cache  # nearly all joints of a file have the same channels
def _plain_channels(count: bytes, names: bytes) -> tuple[str, ...]:
    """Channels as nearly all files spell them; none if something is unusual or wrong."""
    found = tuple(names.decode().split())
    return found if len(found) == int(count) and len(set(found)) == len(found) else ()


def _channels(tokens: _Tokens, joint: BvhJoint) -> tuple[str, ...]:
    match = _PLAIN_CHANNELS.match(tokens.data, tokens.end)
    if match and (channels := _plain_channels(*match.groups())):
        tokens.start, tokens.end = match.span(2)
        return channels
    count = tokens.wanted("the number of channels")
    if not re.fullmatch(r"\d{1,9}", count, re.ASCII):
        raise tokens.problem(f"the number of channels is {quoted(count)}; a whole number is expected")
    n = int(count)
    if n > MOST_CHANNELS:
        raise tokens.problem(f"joint {quoted(joint.name)} declares {n} channels; at most {MOST_CHANNELS} are accepted")
    found: list[str] = []
    for _ in range(n):
        text = tokens.wanted(f"{n} channel names")
        name = _CHANNEL.get(text.casefold())
        if name is None:
            raise tokens.problem(f"{quoted(text)} is not a channel{suggestion(text[:40], CHANNELS)}")
        if name in found and name.endswith("position"):
            raise tokens.problem(f"joint {quoted(joint.name)} has two channels {name}")
        found.append(name)
    return tuple(found)


def _parse_motion_header(data: bytearray, start: int, path: Path) -> tuple[int, int, int, float]:
    """First byte and line of the frames, stated number of frames, frame time in seconds."""
    found = []
    for pattern, what in ((_FRAMES, "Frames:"), (_FRAME_TIME, "Frame Time:")):
        match = pattern.match(data, start)
        if match is None:
            piece = bytes(data[start:]).lstrip()
            line = line_at(data, len(data) - len(piece))
            text = piece[:200].split(b"\n")[0].decode("utf-8", "replace").strip()
            raise FileProblem(path, f"{quoted(text)} where {what!r} and a number are expected", line=line)
        found.append((match.group(1).decode("utf-8", "replace"), Place(path, line_at(data, match.start(1)))))
        start = match.end()
    (frames_token, frames_place), (time_token, place) = found
    frames = frames_place.whole_number(frames_token, "the number of frames")
    frame_time = place.number(time_token, "the frame time")
    if frame_time < SHORTEST_FRAME:
        raise place.problem(f"the frame time is {time_token}; it must be more than 0 seconds")
    end = LINE_END.search(data, start)
    if data[start : end.start() if end else len(data)].strip():
        raise place.problem("there is more on the line after the frame time")
    return (end.end(), place.line + 1, frames, frame_time) if end else (len(data), place.line, frames, frame_time)
