"""Reads joint names: the base name and the side.

Namespaces and shared prefixes are ignored. If two names differ only by a word for a side (`LeftUpLeg` and `RightUpLeg`,
`thigh_l` and `thigh_r`, `lfemur` and `rfemur`), one is left and the other right, wherever the word is and however it
is spelled. A single name states its side if the word is set off (`left_hip`, `hip.L`, `Bip01 R Thigh`, `LHip`,
`ThumbR`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from posewright.anatomy.lexicon import HELPERS, SIDE_WORDS
from posewright.errors import InvalidFigure, suggestion

_OTHER: Final = {"left": "right", "right": "left"}
_WORDS: Final = tuple(
    (word, side, tuple(pair[_OTHER[side]] for pair in SIDE_WORDS if pair[side] == word))
    for side, word in dict.fromkeys(item for pair in SIDE_WORDS for item in pair.items())
)
"""Each word with its side and the matching words for the other side."""
_CERTAIN = (
    re.compile(r"(?<![A-Za-z])(?:left|right)|Left|Right|(?<![A-Za-z])(?:LEFT|RIGHT)"),
    re.compile(r"(?:(?<=^)|(?<=[_.\-: ]))[lLrR](?=$|[_.\-: ])"),
)
_GLUED = (re.compile(r"^[lLrR](?=[A-Z])"), re.compile(r"(?<=[a-z0-9])[LR]$"))
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_SEPARATORS = ":|_.- "


def plain_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without their namespace (`mixamorig:Hips`) and without a prefix that nearly all share (`Bip01 Spine`)."""
    bare = [re.split(r"[:|]", name)[-1] or name for name in names]
    while True:
        heads = Counter(head for name in bare if (head := _head(name)))
        if not heads:
            return tuple(bare)
        prefix, count = heads.most_common(1)[0]
        if count < max(3, 0.8 * len(bare)):
            return tuple(bare)
        bare = [name[len(prefix) :] if name.startswith(prefix) and len(name) > len(prefix) else name for name in bare]


def base_name(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(c for c in name.casefold() if c.isalnum())


def tokens_of(name: str) -> tuple[str, ...]:
    """The words and numbers in a name, in lower case."""
    return tuple(token.casefold() for token in _TOKEN.findall(name))


def is_helper(name: str) -> bool:
    """Whether a name belongs to an end, a control or another helper that is not a body part."""
    return name.startswith("__") or any(token in HELPERS for token in tokens_of(name))


def _head(name: str) -> str:
    """The beginning of a name up to and including its first separator, if more follows."""
    at = next((k for k, c in enumerate(name) if c in _SEPARATORS), -1)
    return name[: at + 1] if 0 < at < len(name) - 1 else ""


def side_of(name: str) -> str:
    """The side stated by a single name: "left", "right", or "" (middle)."""
    for pattern in (*_CERTAIN, *_GLUED):
        found = pattern.search(name)
        if found:
            return "left" if found.group()[0] in "lL" else "right"
    return ""


def pair_sides(one: str, other: str) -> tuple[str, str]:
    """The side of the first name and its base name without the side; "" if the two names differ by more than a side."""
    for side, rest, partners in _readings(one):
        if other in partners:
            return side, rest
    return "", base_name(one)


def sides_and_partners(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """For each name its side and the position of its partner on the other side.

    A name in the middle is its own partner. The partner is None if a name states its side but there is no counterpart.
    """
    listed = tuple(names)
    positions = {name: index for index, name in enumerate(listed)}
    found = [_partner(name, positions) for name in listed]
    return tuple(side for side, _ in found), tuple(None if name is None else positions[name] for _, name in found)


def partners(names: Iterable[str]) -> tuple[int, ...]:
    """For each name the position of its partner; a name in the middle is its own partner.

    Raises:
        InvalidFigure: a name states its side, but there is no counterpart on the other side.
    """
    listed = tuple(names)
    found = []
    for name, partner in zip(listed, sides_and_partners(listed)[1], strict=True):
        if partner is None:
            other = next(iter(_swaps(name)))
            raise InvalidFigure(f"{name!r} has no partner {other!r} on the other side{suggestion(other, listed)}")
        found.append(partner)
    return tuple(found)


def _partner(name: str, known: Collection[str]) -> tuple[str, str | None]:
    """The side of a name, and its partner among the known names."""
    for side, _, others in _readings(name):
        for other in others:
            if other in known:
                return side, other
    side = side_of(name)
    certain = any(pattern.search(name) for pattern in _CERTAIN)
    return side, None if certain else name


def _swaps(name: str) -> Iterator[str]:
    """The possible counterparts of a name that states its side."""
    for pattern in _CERTAIN:
        for found in pattern.finditer(name):
            for word, _, others in _WORDS:
                if word == found.group().casefold():
                    yield from (name[: found.start()] + _cased(o, found.group()) + name[found.end() :] for o in others)


@lru_cache(maxsize=4096)
def _readings(name: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Every way to find a side in a name: the side, the base name without it, and possible names of the partner."""
    lower, found = name.lower(), []
    folded = lower if len(lower) == len(name) else name
    for word, side, others in _WORDS:
        at = folded.find(word)
        while at >= 0:
            before, spelled, after = name[:at], name[at : at + len(word)], name[at + len(word) :]
            partners = tuple(before + _cased(other, spelled) + after for other in others)
            found.append((side, base_name(before + " " + after), partners))
            at = folded.find(word, at + 1)
    return tuple(found)


def _cased(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.capitalize() if like[0].isupper() else word
