"""Names that a user reads: of the body's segments, and of sites and goals made by clicking."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from posewright.figures import Figure

T = TypeVar("T")
_NOT_SITES = ("name", "chain")
"""Fields of goals whose words are not about sites."""

_SEGMENTS = {
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
}
"""What a joint of a recognised body moves, where that has a word of its own."""


def segment_names(figure: Figure) -> tuple[str, ...]:
    """By joint: `left_forearm` for whatever the elbow of a recognised body is called; else the joint's own name."""
    names = list(figure.joint_names)
    for part, joints in figure.anatomy.parts.items():
        side, _, word = part.partition("_")
        if word in _SEGMENTS and len(joints) == 1:
            names[figure.joint_index(joints[0])] = f"{side}_{_SEGMENTS[word]}"
    return tuple(names)


def renamed(value: T, old: str, new: str) -> T:
    """Goals and keys, in tuples or alone, about a site by another name; their own names stay."""
    if isinstance(value, tuple):
        return cast(T, tuple(renamed(one, old, new) for one in value))
    if isinstance(value, str):
        return cast(T, new) if value == old else value
    if not is_dataclass(value):
        return value
    found = {one.name: getattr(value, one.name) for one in fields(value) if one.init and one.name not in _NOT_SITES}
    changes = {name: renamed(one, old, new) for name, one in found.items()}
    changed = {name: one for name, one in changes.items() if one != found[name]}
    return cast(T, replace(cast(Any, value), **changed)) if changed else value


def numbered(base: str, taken: Collection[str]) -> str:
    """`base.1`, or the first of `base.2`, `base.3`, ... that is free."""
    number = 1
    while f"{base}.{number}" in taken:
        number += 1
    return f"{base}.{number}"


def free_name(base: str, taken: Collection[str]) -> str:
    """`base` itself, or numbered from 2 where it is taken."""
    return base if base not in taken else numbered(base, {*taken, f"{base}.1"})
