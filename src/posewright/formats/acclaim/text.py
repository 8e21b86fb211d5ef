"""The text of an Acclaim skeleton file (ASF) as a plain description, nothing interpreted."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from posewright.errors import suggestion
from posewright.figures.joint import ORIGIN, Vector
from posewright.formats.budget import MOST_JOINTS
from posewright.formats.text import Place, TextLine, lines_of, quoted

DOFS = ("rx", "ry", "rz", "tx", "ty", "tz")


@dataclass
class AsfBone:
    """A bone; the root is one of length zero."""

    name: str
    direction: Vector = ORIGIN
    """In the world's axes."""
    length: float = 0.0
    axis: Vector = ORIGIN
    """Angles of the bone's own axes against the world's, in the file's angle unit."""
    axis_order: str = "XYZ"
    """The order of those rotations, each about a fixed axis."""
    dofs: tuple[str, ...] = ()
    """In file order, of `DOFS`."""
    limits: list[float] = field(default_factory=list)
    """Lower, upper of each dof, in the file's units."""


@dataclass
class AsfText:
    """What the file says."""

    root: AsfBone
    root_position: Vector = ORIGIN
    bones: dict[str, AsfBone] = field(default_factory=dict)
    """By name, without the root."""
    children: dict[str, list[str]] = field(default_factory=dict)
    unit_length: float = 1.0
    degrees: bool = True


def parse_asf(path: Path) -> AsfText:
    """Parse a skeleton file.

    Raises:
        FileProblem: it is no ASF file, or a broken one; with the line.
    """
    text = AsfText(AsfBone("root"))
    section, bone, seen, last = "", None, set(), Place(path, 1)
    for line in lines_of(path, ":version"):
        word, key, last = line.words[0], line.words[0].casefold(), line
        if key.startswith(":"):
            if bone is not None:
                raise line.problem(f"bone {quoted(bone.name)} is not closed before {quoted(word)}")
            section = key
            seen.add(section)
        elif not section:
            raise line.problem(f"{quoted(word)} before any section; ASF begins with :version")
        elif section == ":units":
            _read_unit(text, key, line)
        elif section == ":root":
            _read_root(text, key, line)
        elif section == ":bonedata":
            bone = _read_bone(text, bone, key, line)
        elif section == ":hierarchy" and key not in ("begin", "end"):
            _read_children(text, line)
    for wanted in (":root", ":bonedata", ":hierarchy"):
        if wanted not in seen:
            raise last.problem(f"the file ends without a section {wanted}")
    if bone is not None:
        raise last.problem(f"the file ends inside bone {quoted(bone.name)}")
    _check_hierarchy(text, last)
    return text


def _read_unit(text: AsfText, key: str, line: TextLine) -> None:
    if key == "length":
        text.unit_length = line.number(_second(line), "the unit of length")
        if text.unit_length <= 0.0:
            raise line.problem(f"the unit of length is {line.words[1]}; it must be more than 0")
    elif key == "angle":
        word = _second(line)
        if word[:3].casefold() not in ("deg", "rad"):
            raise line.problem(f"the unit of angles is {quoted(word)}; accepted are deg and rad")
        text.degrees = word[:3].casefold() == "deg"


def _read_root(text: AsfText, key: str, line: TextLine) -> None:
    if key == "order":
        text.root.dofs = _dofs(line, "the root")
    elif key == "axis":
        text.root.axis_order = _axis_order(_second(line), line)
    elif key == "position":
        text.root_position = _three(line, line.words[1:], "the root's position")
    elif key == "orientation":
        text.root.axis = _three(line, line.words[1:], "the root's orientation")


def _read_bone(text: AsfText, bone: AsfBone | None, key: str, line: TextLine) -> AsfBone | None:
    """Take in one line of :bonedata; returns the bone that is open after it."""
    words = line.words
    if bone is None:
        if key != "begin":
            raise line.problem(f"{quoted(words[0])} outside a bone; begin opens one")
        return AsfBone("")
    if key == "begin":
        raise line.problem(f"begin inside bone {quoted(bone.name)}; is an end missing?")
    if key == "end":
        _check_bone(text, bone, line)
        text.bones[bone.name] = bone
        return None
    if key == "name":
        bone.name = _second(line)
    elif key == "direction":
        bone.direction = _three(line, words[1:], "the direction")
    elif key == "length":
        bone.length = line.number(_second(line), "the length")
    elif key == "axis":
        bone.axis = _three(line, words[1:4], "the axis")
        bone.axis_order = _axis_order(words[4] if len(words) > 4 else "XYZ", line)
    elif key == "dof":
        bone.dofs = _dofs(line, f"bone {quoted(bone.name)}")
    elif key == "limits" or key[0] in "+-.0123456789":  # further pairs have lines of their own
        bone.limits += [_limit(word, line) for word in words[key == "limits" :]]
    elif key not in ("id", "bodymass", "cofmass"):
        accepted = "id, name, direction, length, axis, dof, limits, bodymass, cofmass and end"
        raise line.problem(f"{quoted(words[0])} in bone {quoted(bone.name)}; accepted are {accepted}")
    return bone


def _check_bone(text: AsfText, bone: AsfBone, line: TextLine) -> None:
    called = f"bone {quoted(bone.name)}"
    if not bone.name:
        raise line.problem("a bone without a name")
    if bone.name in text.bones or bone.name == "root":
        raise line.problem(f"there are two bones called {quoted(bone.name)}")
    if len(text.bones) >= MOST_JOINTS:
        raise line.problem(f"more than {MOST_JOINTS:,} bones; no figure has that many")
    if bone.limits and len(bone.limits) != 2 * len(bone.dofs):
        found = f"{len(bone.dofs)} dofs but {len(bone.limits)} limits"
        raise line.problem(f"{called} has {found}; each dof needs a pair (lower upper)")
    for dof, lower, upper in zip(bone.dofs, bone.limits[::2], bone.limits[1::2], strict=False):
        if lower > upper:
            raise line.problem(f"{called}: the limits of {dof} run from {lower:g} to {upper:g}")


def _read_children(text: AsfText, line: TextLine) -> None:
    for word in line.words:
        if word not in text.bones and word != "root":
            raise line.problem(f"the hierarchy names a bone {quoted(word)}{suggestion(word[:40], text.bones)}")
    text.children.setdefault(line.words[0], []).extend(line.words[1:])


def _check_hierarchy(text: AsfText, place: Place) -> None:
    """Every bone hangs once below the root; what hangs below itself is never reached from there."""
    for name, times in Counter(child for children in text.children.values() for child in children).items():
        if name == "root" or times > 1:
            raise place.problem(f"the hierarchy attaches {quoted(name)} in two places")
    reached, stack = set(), ["root"]
    while stack:
        name = stack.pop()
        reached.add(name)
        stack.extend(text.children.get(name, ()))
    for name in text.bones:
        if name not in reached:
            raise place.problem(f"the hierarchy does not connect bone {quoted(name)} to the root")


def _second(line: TextLine) -> str:
    if len(line.words) < 2:
        raise line.problem(f"nothing follows {quoted(line.words[0])}")
    return line.words[1]


def _three(line: TextLine, words: list[str], what: str) -> Vector:
    if len(words) != 3:
        raise line.problem(f"{what} has {len(words)} numbers; three are expected")
    x, y, z = (line.number(word, f"a number of {what}") for word in words)
    return x, y, z


def _axis_order(word: str, line: TextLine) -> str:
    if sorted(word.upper()) != ["X", "Y", "Z"]:
        raise line.problem(f"the order of axes is {quoted(word)}; accepted are XYZ, ZYX and the like")
    return word.upper()


def _dofs(line: TextLine, whose: str) -> tuple[str, ...]:
    found = tuple(word.casefold() for word in line.words[1:])
    for word in found:
        if word not in DOFS:
            raise line.problem(f"{whose} has the dof {quoted(word)}, accepted are {', '.join(DOFS)}")
        if found.count(word) > 1:
            raise line.problem(f"{whose} has the dof {quoted(word)} twice")
    return found


def _limit(word: str, line: TextLine) -> float:
    if word.casefold().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if word.startswith("-") else math.inf
    return line.number(word, "a limit")
