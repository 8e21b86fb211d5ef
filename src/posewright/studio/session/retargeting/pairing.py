"""Two clicks that correct a match: a joint of the source and a joint of the target are the same part of the body."""

from __future__ import annotations

from posewright.anatomy.anatomy import Anatomy
from posewright.errors import InvalidSetting
from posewright.matching import JointMatch


def paired(match: JointMatch, source: str, target: str) -> JointMatch:
    """The match in which two joints are the same part.

    The part is that of the joint which is surer of its own; the other joint joins it, and what it takes the place of
    goes to the part that it leaves.

    Raises:
        InvalidSetting: neither of them is a part of the body.
    """
    mine, theirs = part_of(match.source, source), part_of(match.target, target)
    if mine is None and theirs is None:
        raise InvalidSetting(
            f"neither {source!r} nor {target!r} is a part of the body yet; choose a part in the list, then its joint"
        )
    if mine is not None and mine == theirs:
        return match
    source_is_right = theirs is None or (
        mine is not None and match.source.confidence[mine] >= match.target.confidence[theirs]
    )
    if source_is_right:
        assert mine is not None
        return JointMatch(match.source, placed(match.target, mine, target))
    assert theirs is not None
    return JointMatch(placed(match.source, theirs, source), match.target)


def placed(anatomy: Anatomy, part: str, joint: str) -> Anatomy:
    """The anatomy in which a joint is a part.

    Where the part is a chain that the joint lies in line with, it is one joint more; else the joint takes the place of
    what was there, which goes to the part that it leaves if nothing is left of that.
    """
    figure = anatomy.figure
    old, left = anatomy.parts.get(part, ()), part_of(anatomy, joint)
    if joint in old:
        return anatomy
    above = figure.ancestors(joint)
    before = [name for name in old if figure.joint_index(name) in above]
    after = [name for name in old if figure.joint_index(joint) in figure.ancestors(name)]
    if len(old) > 1 and len(before) + len(after) == len(old):
        return anatomy.with_parts({part: (*before, joint, *after)})
    changes: dict[str, tuple[str, ...]] = {part: (joint,)}
    if left is not None and anatomy.parts[left] == (joint,):
        changes[left] = old
    return anatomy.with_parts(changes)


def cleared(match: JointMatch, part: str) -> JointMatch:
    """The match without a part: its joints stay at rest.

    Raises:
        UnknownName: there is no such part.
    """
    return match.with_parts(source={part: ()}, target={part: ()})


def part_of(anatomy: Anatomy, joint: str) -> str | None:
    """The part that a joint belongs to; None: none.

    Raises:
        UnknownName: there is no such joint.
    """
    anatomy.figure.joint_index(joint)
    return next((part for part, names in anatomy.parts.items() if joint in names), None)
