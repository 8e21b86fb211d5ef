"""Names that a user reads: of the body's segments, and of sites and goals made by clicking."""

from __future__ import annotations

from collections.abc import Collection

from posewright.figures import Figure

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


def numbered(base: str, taken: Collection[str]) -> str:
    """`base.1`, or the first of `base.2`, `base.3`, ... that is free."""
    number = 1
    while f"{base}.{number}" in taken:
        number += 1
    return f"{base}.{number}"


def free_name(base: str, taken: Collection[str]) -> str:
    """`base` itself, or numbered from 2 where it is taken."""
    return base if base not in taken else numbered(base, {*taken, f"{base}.1"})
