"""Make any segment the root of a figure's tree.

Between the new root and the old one, every joint is traversed in the opposite direction. The rotation of joint `knee`
between thigh and shank then belongs to a joint `knee_reversed` at the knee. Its hinges are in reverse order about
opposite axes, so their values and limits do not change; the values of a ball change sign. The thigh's frame is attached
rigidly to it, or to its slides. All segments keep their names and their frames in the world.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.joint import NO_TURN, ORIGIN, Ball, Hinge, Joint, Quaternion, Vector, free_slides
from posewright.figures.kinematics import joint_frames
from posewright.figures.tables import effective_offset
from posewright.figures.transforms.coordinates import REVERSED
from posewright.figures.transforms.relations import changed_constraint, changed_group, noted, related_dofs
from posewright.figures.vectors import vector
from posewright.rotations import matrix_from_quaternion, vector_from_matrix


def rerooted(figure: Figure, root: str) -> Figure:
    """A copy of the figure with the segment of joint `root` as its free root.

    `coordinates.converted_q` converts poses in both directions. The new root's dofs replace those of the old root, so a
    figure that was fixed in the world becomes free. A skin is dropped, with a note.

    Raises:
        UnknownName: there is no such joint.
        InvalidFigure: a group or constraint names a dof of the old root.
    """
    path = figure.ancestors(root)
    if len(path) == 1:
        return figure
    old_root = figure.joints[path[-1]]
    for dof, speaker in related_dofs(figure).items():
        if dof.rpartition(".")[0] == old_root.name:
            raise InvalidFigure(f"{speaker} names {dof!r}, which is lost when {root!r} becomes the root")
    joints = [_free_root(figure, root)]
    renamed: dict[str, tuple[str, float]] = {}
    for child, parent in pairwise(path):
        if _undoes(figure, child, parent, root):
            joints.append(_joint_again(joints.pop(), figure.joints[child], figure.joints[parent], renamed))
        else:
            joints += _reversed_link(figure, figure.joints[child], figure.joints[parent], renamed)
    joints += [joint for index, joint in enumerate(figure.joints) if index not in path]
    notes = [f"the skin was dropped when {root!r} became the root"] if figure.skin else []
    source = noted(figure.source, *notes)
    return replace(
        figure,
        joints=tuple(joints),
        groups=tuple(changed_group(group, renamed) for group in figure.groups),
        constraints=tuple(changed_constraint(constraint, renamed) for constraint in figure.constraints),
        source=source and replace(source, channels=()),  # they were listed by the old order of joints
        skin=None,
    )


def _free_root(figure: Figure, root: str) -> Joint:
    frames = joint_frames(figure, figure.rest)
    index = figure.joint_index(root)
    x, y, z = vector_from_matrix(frames.rotations[index]).tolist()
    return replace(
        figure.joints[index],
        parent=None,
        offset=ORIGIN,
        rest=NO_TURN,
        slides=free_slides(frames.positions[index].tolist()),
        slides_replace_offset=False,
        rotation=Ball(rest=(x, y, z)),
    )


def _reversed_link(figure: Figure, child: Joint, parent: Joint, renamed: dict[str, tuple[str, float]]) -> list[Joint]:
    """The joints that lead from `child` back to `parent`; adds the new names of the child's dofs to `renamed`."""
    labels = child.labels
    rest = matrix_from_quaternion(np.array(child.rest))
    slides = tuple(
        replace(slide, axis=_vector(-(rest.T @ np.array(slide.axis))), label=label)
        for slide, label in zip(child.slides, labels, strict=False)
    )
    renamed |= {f"{child.name}.{slide.label}": (f"{parent.name}.{slide.label}", 1.0) for slide in slides}
    link = replace(
        parent,
        parent=child.name,
        offset=_vector(-(rest.T @ np.array(effective_offset(child)))),
        rest=_inverse(child.rest),
        slides=slides,
        slides_replace_offset=False,
        rotation=(),
    )
    if not (child.ball or child.hinges):
        return [link]
    pivot = child.name + REVERSED
    if pivot in figure.joint_names:
        raise InvalidFigure(f"figure {figure.name!r} already has a joint {pivot!r}; rename it before rerooting")
    sign = -1.0 if child.ball else 1.0
    renamed |= {f"{child.name}.{label}": (f"{pivot}.{label}", sign) for label in labels[len(slides) :]}
    return [Joint(name=pivot, parent=child.name, rotation=_reversed_rotation(child)), replace(link, parent=pivot)]


def _undoes(figure: Figure, child: int, parent: int, root: str) -> bool:
    """Whether traversing from `child` to `parent` undoes an earlier reversal, so that the pivot can be removed."""
    pivot = figure.joints[child]
    bare = pivot.rest == NO_TURN and pivot.offset == ORIGIN and not (pivot.slides or pivot.mass or pivot.shape)
    needed = len(figure.children[child]) > 1 or any(site.joint == pivot.name for site in figure.sites)
    return bare and not needed and pivot.name != root and pivot.name == figure.joints[parent].name + REVERSED


def _joint_again(above: Joint, pivot: Joint, joint: Joint, renamed: dict[str, tuple[str, float]]) -> Joint:
    """The joint with its own rotation again, in the place of the pivot (already traversed, as `above`)."""
    for old, (new, factor) in renamed.items():
        name, _, label = new.rpartition(".")
        if name == pivot.name:
            renamed[old] = f"{joint.name}.{label}", factor
    sign = -1.0 if pivot.ball else 1.0
    renamed |= {f"{pivot.name}.{label}": (f"{joint.name}.{label}", sign) for label in pivot.labels}
    return replace(
        joint,
        parent=above.parent,
        offset=above.offset,
        rest=above.rest,
        slides=above.slides,
        slides_replace_offset=False,
        rotation=_reversed_rotation(pivot),
    )


def _reversed_rotation(joint: Joint) -> tuple[Hinge, ...] | Ball:
    if joint.ball:
        ball = joint.ball
        return replace(
            ball,
            lower=_vector(-np.array(ball.upper)),
            upper=_vector(-np.array(ball.lower)),
            rest=_vector(-np.array(ball.rest)),
            hinges=_reversed_hinges(ball.hinges, Joint(name=joint.name, rotation=ball.hinges).labels),
        )
    return _reversed_hinges(joint.hinges, joint.labels[len(joint.slides) :])


def _reversed_hinges(hinges: tuple[Hinge, ...], labels: tuple[str, ...]) -> tuple[Hinge, ...]:
    pairs = tuple(zip(hinges, labels, strict=True))[::-1]
    return tuple(replace(hinge, axis=_vector(-np.array(hinge.axis)), label=label) for hinge, label in pairs)


def _inverse(wxyz: Quaternion) -> Quaternion:
    w, x, y, z = wxyz
    return w, -x, -y, -z


def _vector(values: Array) -> Vector:
    return vector(values + 0.0)  # + 0.0 turns -0.0 into 0.0
