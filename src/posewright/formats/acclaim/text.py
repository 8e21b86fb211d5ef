"""The text of an Acclaim skeleton file (ASF) as a plain description, nothing interpreted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from posewright.errors import FileProblem, suggestion
from posewright.figures.joint import Vector
from posewright.formats.text_file import decoded, read_bytes
from posewright.formats.text_numbers import number, shown

DOFS = ("rx", "ry", "rz", "tx", "ty", "tz")
MOST_BONES = 20_000

_WORD = re.compile(r"[^\s(),]+")


class TextLine(NamedTuple):
    """The words of a line; brackets and commas count as blanks."""

    words: list[str]
    number: int


@dataclass
class AsfBone:
    """A bone; the root is one of length zero."""

    name: str
    line: int
    direction: Vector = (0.0, 0.0, 0.0)
    """In the world's axes."""
    length: float = 0.0
    axis: Vector = (0.0, 0.0, 0.0)
    """Angles of the bone's own axes against the world's, in the file's angle unit."""
    axis_order: str = "XYZ"
    """In which those turns are made, each about a fixed axis."""
    dofs: tuple[str, ...] = ()
    """In file order, of `DOFS`."""
    limits: list[float] = field(default_factory=list)
    """Lower, upper of each dof, in the file's units."""


@dataclass
class AsfText:
    """What the file says."""

    root: AsfBone
    root_position: Vector = (0.0, 0.0, 0.0)
    bones: dict[str, AsfBone] = field(default_factory=dict)
    """By name, without the root."""
    children: dict[str, list[str]] = field(default_factory=dict)
    unit_length: float = 1.0
    degrees: bool = True


def lines_of(path: Path, begins_with: str) -> Iterator[TextLine]:
    """The lines of a file that hold words, without comments."""
    for index, line in enumerate(re.split(r"\r\n|\n|\r", decoded(read_bytes(path, begins_with)))):
        if (words := _WORD.findall(line)) and not words[0].startswith("#"):
            yield TextLine(words, index + 1)


def parse_asf(path: Path) -> AsfText:
    """Parse a skeleton file.

    Raises:
        FileProblem: it is no ASF file, or a broken one; with the line.
    """
    text = AsfText(AsfBone("root", 1))
    section, bone, seen = "", None, set()
    last = 1
    for words, line in lines_of(path, ":version"):
        key, last = words[0].casefold(), line
        if key.startswith(":"):
            if bone is not None:
                raise FileProblem(path, f"bone {shown(bone.name)} is not ended before {shown(words[0])}", line=line)
            section = key
            seen.add(section)
        elif not section:
            raise FileProblem(path, f"{shown(words[0])} before any section; ASF begins with :version", line=line)
        elif section == ":units":
            _read_unit(text, words, path, line)
        elif section == ":root":
            _read_root(text, words, path, line)
        elif section == ":bonedata":
            bone = _read_bone(text, bone, words, path, line)
        elif section == ":hierarchy" and key not in ("begin", "end"):
            _read_children(text, words, path, line)
    for wanted in (":root", ":bonedata", ":hierarchy"):
        if wanted not in seen:
            raise FileProblem(path, f"the file ends without a section {wanted}", line=last)
    if bone is not None:
        raise FileProblem(path, f"the file ends inside bone {shown(bone.name)}", line=last)
    _check_hierarchy(text, path, last)
    return text


def _read_unit(text: AsfText, words: list[str], path: Path, line: int) -> None:
    key = words[0].casefold()
    if key == "length":
        text.unit_length = number(_second(words, path, line), path, line, "the unit of length")
        if text.unit_length <= 0.0:
            raise FileProblem(path, f"the unit of length is {words[1]}; it must be more than 0", line=line)
    elif key == "angle":
        text.degrees = _is_degrees(_second(words, path, line), path, line)


def _is_degrees(word: str, path: Path, line: int) -> bool:
    if word.casefold().startswith("deg"):
        return True
    if word.casefold().startswith("rad"):
        return False
    raise FileProblem(path, f"the unit of angles is {shown(word)}; accepted are deg and rad", line=line)


def _read_root(text: AsfText, words: list[str], path: Path, line: int) -> None:
    key = words[0].casefold()
    if key == "order":
        text.root.dofs = _dofs(words[1:], "the root", path, line)
    elif key == "axis":
        text.root.axis_order = _axis_order(_second(words, path, line), path, line)
    elif key == "position":
        text.root_position = _three(words[1:], path, line, "the root's position")
    elif key == "orientation":
        text.root.axis = _three(words[1:], path, line, "the root's orientation")


def _read_bone(text: AsfText, bone: AsfBone | None, words: list[str], path: Path, line: int) -> AsfBone | None:
    """Take in one line of :bonedata; returns the bone that is open after it."""
    key = words[0].casefold()
    if key == "begin" and bone is None:
        return AsfBone("", line)
    if bone is None:
        raise FileProblem(path, f"{shown(words[0])} outside a bone; begin opens one", line=line)
    if key == "end":
        _check_bone(text, bone, path, line)
        text.bones[bone.name] = bone
        return None
    if key == "begin":
        raise FileProblem(path, f"begin inside bone {shown(bone.name)}; is an end missing?", line=line)
    if key == "name":
        bone.name = _second(words, path, line)
    elif key == "direction":
        bone.direction = _three(words[1:], path, line, "the direction")
    elif key == "length":
        bone.length = number(_second(words, path, line), path, line, "the length")
    elif key == "axis":
        bone.axis = _three(words[1:4], path, line, "the axis")
        bone.axis_order = _axis_order(words[4] if len(words) > 4 else "XYZ", path, line)
    elif key == "dof":
        bone.dofs = _dofs(words[1:], f"bone {shown(bone.name)}", path, line)
    elif key == "limits" or _is_number(words[0]):  # further pairs stand on lines of their own
        bone.limits += [_limit(word, path, line) for word in words[key == "limits" :]]
    elif key not in ("id", "bodymass", "cofmass"):
        raise FileProblem(
            path,
            f"{shown(words[0])} in bone {shown(bone.name)}; "
            "accepted are id, name, direction, length, axis, dof, limits, bodymass, cofmass and end",
            line=line,
        )
    return bone


def _check_bone(text: AsfText, bone: AsfBone, path: Path, line: int) -> None:
    if not bone.name:
        raise FileProblem(path, "a bone without a name", line=line)
    if bone.name in text.bones or bone.name == "root":
        raise FileProblem(path, f"a second bone called {shown(bone.name)}", line=line)
    if len(text.bones) >= MOST_BONES:
        raise FileProblem(path, f"more than {MOST_BONES} bones; this is no figure's skeleton", line=line)
    if bone.limits and len(bone.limits) != 2 * len(bone.dofs):
        raise FileProblem(
            path,
            f"bone {shown(bone.name)} has {len(bone.dofs)} dofs but {len(bone.limits)} limits; "
            "each dof needs a pair (lower upper)",
            line=line,
        )
    for k, dof in enumerate(bone.dofs):
        if bone.limits and bone.limits[2 * k] > bone.limits[2 * k + 1]:
            lower, upper = bone.limits[2 * k : 2 * k + 2]
            raise FileProblem(
                path, f"bone {shown(bone.name)}: the limits of {dof} run from {lower:g} to {upper:g}", line=line
            )


def _read_children(text: AsfText, words: list[str], path: Path, line: int) -> None:
    for word in words:
        if word not in text.bones and word != "root":
            raise FileProblem(
                path, f"the hierarchy names a bone {shown(word)}{suggestion(word[:40], text.bones)}", line=line
            )
    text.children.setdefault(words[0], []).extend(words[1:])


def _check_hierarchy(text: AsfText, path: Path, line: int) -> None:
    """Every bone hangs once below the root; what hangs below itself is never reached from there."""
    hung = Counter(child for children in text.children.values() for child in children)
    for name, times in hung.items():
        if name == "root" or times > 1:
            raise FileProblem(path, f"the hierarchy hangs {shown(name)} in two places", line=line)
    reached, stack = set(), ["root"]
    while stack:
        name = stack.pop()
        reached.add(name)
        stack.extend(text.children.get(name, ()))
    for name in text.bones:
        if name not in reached:
            raise FileProblem(path, f"the hierarchy does not connect bone {shown(name)} to the root", line=line)


def _second(words: list[str], path: Path, line: int) -> str:
    if len(words) < 2:
        raise FileProblem(path, f"nothing follows {shown(words[0])}", line=line)
    return words[1]


def _three(words: list[str], path: Path, line: int, what: str) -> Vector:
    if len(words) != 3:
        raise FileProblem(path, f"{what} has {len(words)} numbers; three are wanted", line=line)
    x, y, z = (number(word, path, line, f"a number of {what}") for word in words)
    return x, y, z


def _axis_order(word: str, path: Path, line: int) -> str:
    if sorted(word.upper()) != ["X", "Y", "Z"]:
        raise FileProblem(path, f"the order of axes is {shown(word)}; accepted are XYZ, ZYX and the like", line=line)
    return word.upper()


def _dofs(words: list[str], whose: str, path: Path, line: int) -> tuple[str, ...]:
    found = tuple(word.casefold() for word in words)
    for word in found:
        if word not in DOFS or found.count(word) > 1:
            twice = "twice" if word in DOFS else f", accepted are {', '.join(DOFS)}"
            raise FileProblem(path, f"{whose} has the dof {shown(word)}{' ' * (word in DOFS)}{twice}", line=line)
    return found


def _limit(word: str, path: Path, line: int) -> float:
    if word.casefold().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if word.startswith("-") else math.inf
    return number(word, path, line, "a limit")


def _is_number(word: str) -> bool:
    return word[0] in "+-.0123456789"
