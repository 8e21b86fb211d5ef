"""The text of a BVH file as a plain description: joints, channels and numbers, nothing interpreted.

Loops, not recursion, and tokens drawn one by one: whatever the file is, the first thing wrong with it ends the reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import FileProblem, suggestion
from posewright.figures.joint import Vector
from posewright.formats.bvh.channels import CHANNELS
from posewright.formats.bvh.tokens import Tokens
from posewright.formats.text_file import LINE_END, line_at
from posewright.formats.text_numbers import number, number_rows_from, shown, whole_number

MOST_JOINTS = 20_000
"""More than any figure has; a file that goes on is refused instead of filling the memory."""

_CHANNEL = {name.casefold(): name for name in CHANNELS}
_FRAMES = re.compile(rb"(?i)\s*Frames[ \t]*:[ \t]*([^\s]*)")
_FRAME_TIME = re.compile(rb"(?i)\s*Frame[ \t]*Time[ \t]*:[ \t]*([^\s]*)")


@dataclass
class BvhJoint:
    """A ROOT or JOINT block."""

    name: str
    parent: int
    """Index of the joint it stands in, -1 for a ROOT."""
    position: int
    """Where the block begins in the file, for messages."""
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


def parse(data: bytearray, path: Path) -> BvhText:
    """Parse the bytes of a whole file, which get a line feed at their end.

    Raises:
        FileProblem: it is no BVH file, or a broken one; with the line.
    """
    data += b"\n"  # so that the last row ends like the others
    tokens = Tokens(data, path)
    joints = _parse_hierarchy(tokens)
    columns = sum(len(joint.channels) for joint in joints)
    start, line, frames, frame_time = _parse_motion_header(data, tokens.end, path)
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


def _parse_hierarchy(tokens: Tokens) -> tuple[BvhJoint, ...]:
    first = tokens.wanted("HIERARCHY")
    if first.casefold() != "hierarchy":
        raise tokens.problem(f"the file begins with {shown(first)}, not with HIERARCHY")
    joints: list[BvhJoint] = []
    current = -1  # the joint whose block is open
    placed: set[int] = set()  # joints whose OFFSET was read
    n_blocks = 0
    while text := tokens.take():
        word = text.casefold()
        if n_blocks > MOST_JOINTS:
            raise tokens.problem(f"more than {MOST_JOINTS} joints; this is no figure's hierarchy")
        if word == "offset" and current >= 0 and current not in placed:
            joints[current].offset = _vector(tokens)
            placed.add(current)
        elif word == "channels" and current >= 0 and not joints[current].channels:
            joints[current].channels = _channels(tokens, joints[current])
        elif word in ("root", "joint"):
            joints.append(_joint(tokens, word, current))
            current = len(joints) - 1
            n_blocks += 1
        elif word == "}" and current >= 0:
            if current not in placed:
                raise tokens.problem(f"joint {shown(joints[current].name)} has no OFFSET")
            current = joints[current].parent
        elif word in ("end", "endsite") and current >= 0:
            joints[current].end_sites.append(_end_site(tokens))
            n_blocks += 1
        elif word == "motion" and current < 0 and joints:
            return tuple(joints)
        else:
            raise tokens.problem(_misplaced(tokens, text, joints, current))
    if current >= 0:
        raise tokens.problem(f"the file ends, but {_unclosed(tokens, joints[current])}")
    raise tokens.problem("the file ends without a MOTION section")


def _misplaced(tokens: Tokens, text: str, joints: list[BvhJoint], current: int) -> str:
    if current >= 0 and text.casefold() == "motion":
        return f"MOTION begins, but {_unclosed(tokens, joints[current])}"
    inside = f"joint {shown(joints[current].name)}" if current >= 0 else "the hierarchy"
    accepted = "one OFFSET, one CHANNELS, JOINT, End Site and }" if current >= 0 else "ROOT and then MOTION"
    return f"{shown(text)} does not belong into {inside}; accepted are {accepted}"


def _unclosed(tokens: Tokens, joint: BvhJoint) -> str:
    line = line_at(tokens.data, joint.position)
    return f"no }} closes the block of {shown(joint.name)}, opened in line {line}"


def _joint(tokens: Tokens, word: str, parent: int) -> BvhJoint:
    """A new joint; its block is open after this."""
    if word == "root" and parent >= 0:
        raise tokens.problem("a ROOT inside another joint; is a } missing before it?")
    if word == "joint" and parent < 0:
        raise tokens.problem("a JOINT outside any ROOT; is there a } too many before it?")
    position = tokens.start
    name = tokens.rest_of_line()
    if not name:
        raise tokens.problem("a joint without a name")
    _open(tokens, f"{word.upper()} {shown(name)}")
    return BvhJoint(name, parent, position)


def _open(tokens: Tokens, what: str) -> None:
    text = tokens.wanted("{")
    if text != "{":
        raise tokens.problem(f"{shown(text)} where {{ should open {what}")


def _vector(tokens: Tokens) -> Vector:
    return tokens.vector("a number of this OFFSET")


def _end_site(tokens: Tokens) -> Vector:
    tokens.rest_of_line()  # "Site", or a name that some exporters give
    _open(tokens, "End Site")
    word = tokens.wanted("OFFSET")
    if word.casefold() != "offset":
        raise tokens.problem(f"{shown(word)} in an End Site, which holds one OFFSET only")
    offset = _vector(tokens)
    closing = tokens.wanted("}")
    if closing != "}":
        raise tokens.problem(f"{shown(closing)} where }} should close the End Site")
    return offset


def _channels(tokens: Tokens, joint: BvhJoint) -> tuple[str, ...]:
    count = tokens.wanted("the number of channels")
    if not (count.isascii() and count.isdecimal() and len(count) < 10):
        raise tokens.problem(f"the number of channels is {shown(count)}; a whole number is wanted")
    n = int(count)
    if n > 12:
        raise tokens.problem(f"joint {shown(joint.name)} announces {n} channels; six are usual")
    found: list[str] = []
    for _ in range(n):
        text = tokens.wanted(f"{n} channel names")
        name = _CHANNEL.get(text.casefold())
        if name is None:
            raise tokens.problem(f"{shown(text)} is no channel{suggestion(text[:40], CHANNELS)}")
        if name in found and name.endswith("position"):
            raise tokens.problem(f"joint {shown(joint.name)} has two channels {name}")
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
