"""Which joints below a wrist are which finger, by their names; fingers without names are left alone."""

from __future__ import annotations

from collections.abc import Sequence

from posewright.anatomy.lexicon import finger_number, finger_of
from posewright.anatomy.names import base_name
from posewright.anatomy.skeleton import Skeleton

_PALM = ("metacarpal", "carpal", "base")
"""Words of joints inside the palm, above the first knuckle."""


def fingers(skeleton: Skeleton, hand: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Joints by finger, for the joints of a hand."""
    tops = [top for joint in hand for top in skeleton.figure.children[joint] if top not in hand]
    branches = [skeleton.main_path(top) for top in tops]
    numbers = [n for branch in branches for k in branch if (n := finger_number(_base(skeleton, k))) is not None]
    first = 0 if 0 in numbers else 1
    found: dict[str, tuple[int, ...]] = {}
    for branch in branches:
        told = next((name for k in branch if (name := finger_of(_base(skeleton, k), first=first))), "")
        joints = tuple(k for k in branch if not skeleton.helper[k] and not _in_palm(skeleton, k, branch))
        if told and joints and told not in found:
            found[told] = joints
    return found


def _base(skeleton: Skeleton, joint: int) -> str:
    return base_name(skeleton.names[joint])


def _in_palm(skeleton: Skeleton, joint: int, branch: Sequence[int]) -> bool:
    return joint != branch[-1] and any(word in _base(skeleton, joint) for word in _PALM)
