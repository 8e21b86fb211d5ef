"""Left and right, told from names.

Understood: the words left/right, Left/Right, LEFT/RIGHT anywhere in a name (`left_hip`, `LeftUpLeg`, `hand_right`);
the letters l/r, L/R set off by `_`, `.`, `-`, `:` or a blank (`l_hip`, `hip.L`, `Bip01 R Thigh`); and the glued
letters `LHip`, `lShldr`, `ThumbR`, which count only where the other side exists (there is no LOOT for ROOT).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from posewright.errors import InvalidFigure, suggestion

_SWAP = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}
_SWAP |= {right: left for left, right in _SWAP.items()}

_CERTAIN = (
    re.compile(r"(?<![A-Za-z])(?:left|right)|Left|Right|(?<![A-Za-z])(?:LEFT|RIGHT)"),
    re.compile(r"(?:(?<=^)|(?<=[_.\-: ]))[lLrR](?=$|[_.\-: ])"),
)
_GLUED = (re.compile(r"^[lLrR](?=[A-Z])"), re.compile(r"(?<=[a-z0-9])[LR]$"))


def partner_name(name: str, known: Collection[str]) -> str:
    """The name on the other side; the name itself for what is in the middle.

    Raises:
        InvalidFigure: the name speaks of a side, but the other side is not among `known`.
    """
    for pattern in _CERTAIN:
        found = pattern.search(name)
        if found:
            other = _swapped(name, found)
            if other not in known:
                raise InvalidFigure(f"{name!r} has no partner {other!r} on the other side{suggestion(other, known)}")
            return other
    for pattern in _GLUED:
        found = pattern.search(name)
        if found and _swapped(name, found) in known:
            return _swapped(name, found)
    return name


def side_of(name: str) -> str:
    """Where a name puts its joint: "left", "right", or "" for the middle."""
    for pattern in (*_CERTAIN, *_GLUED):
        found = pattern.search(name)
        if found:
            return "left" if found.group()[0] in "lL" else "right"
    return ""


def partners(names: Iterable[str]) -> tuple[int, ...]:
    """For each name the position of its partner among the names, its own for those in the middle."""
    listed = tuple(names)
    positions = {name: index for index, name in enumerate(listed)}
    return tuple(positions[partner_name(name, positions)] for name in listed)


def _swapped(name: str, found: re.Match[str]) -> str:
    return name[: found.start()] + _SWAP[found.group()] + name[found.end() :]
