"""Which joints below a wrist are which finger, by their names; fingers without names are left alone."""

from __future__ import annotations

from collections.abc import Sequence

from posewright.anatomy.bone_tree import BoneTree
from posewright.anatomy.lexicon import finger_number, finger_of
from posewright.anatomy.names import base_name

_PALM = ("metacarpal", "carpal", "base")
"""Words of joints inside the palm, above the first knuckle."""


def fingers(tree: BoneTree, hand: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Joints by finger, for the joints of a hand."""
    tops = [top for joint in hand for top in tree.figure.children[joint] if top not in hand]
    branches = [tree.main_path(top) for top in tops]
    numbers = [n for branch in branches for k in branch if (n := finger_number(_base(tree, k))) is not None]
    first = 0 if 0 in numbers else 1
    found: dict[str, tuple[int, ...]] = {}
    for branch in branches:
        finger = next((name for k in branch if (name := finger_of(_base(tree, k), first=first))), "")
        joints = tuple(k for k in branch if not tree.helper[k] and not _in_palm(tree, k, branch))
        if finger and joints and finger not in found:
            found[finger] = joints
    return found


def _base(tree: BoneTree, joint: int) -> str:
    return base_name(tree.names[joint])


def _in_palm(tree: BoneTree, joint: int, branch: Sequence[int]) -> bool:
    return joint != branch[-1] and any(word in _base(tree, joint) for word in _PALM)
