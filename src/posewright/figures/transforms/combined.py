"""Combine two figures into one, such as a dancer and a partner, or a person and a chair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.checks import require
from posewright.conventions import Array
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.transforms.relations import noted


def beside(figure: Figure, other: Figure, *, prefix: str) -> Figure:
    """Combine two figures; all names of the second (joints, sites, groups, constraints) get the prefix.

    The dofs of the first figure come first, so dof values are concatenated; `split_q` splits them again. Skins are
    dropped, with a note.

    Raises:
        InvalidFigure: the prefix is empty, or a prefixed name exists in the first figure.
    """
    require(other, Figure, f"the figure beside {figure.name!r}", "a Figure, such as pw.figure('human40')")
    if not prefix:
        raise InvalidFigure(f"figure {other.name!r} needs a prefix beside figure {figure.name!r}")
    joints = tuple(
        replace(joint, name=prefix + joint.name, parent=None if joint.parent is None else prefix + joint.parent)
        for joint in other.joints
    )
    notes = [f"the skin of {f.name!r} was dropped when it was put beside another" for f in (figure, other) if f.skin]
    source = noted(figure.source, *(other.source.notes if other.source else ()), *notes)
    if source and source.channels:
        source = replace(source, channels=())  # they are those of one file, and this is no longer one
    return Figure(
        name=f"{figure.name} and {other.name}",
        joints=(*figure.joints, *joints),
        sites=(*figure.sites, *(replace(s, name=prefix + s.name, joint=prefix + s.joint) for s in other.sites)),
        groups=(*figure.groups, *(group.renamed(prefix) for group in other.groups)),
        constraints=(*figure.constraints, *(constraint.renamed(prefix) for constraint in other.constraints)),
        source=source,
    )


def split_q(figure: Figure, other: Figure, q: Array) -> tuple[Array, Array]:
    """Split dof values of two combined figures into those of each."""
    if np.shape(q)[-1] != figure.n_dofs + other.n_dofs:
        raise InvalidMotion(
            f"q has {np.shape(q)[-1]} numbers; figures {figure.name!r} and {other.name!r} have "
            f"{figure.n_dofs} and {other.n_dofs} dofs"
        )
    return q[..., : figure.n_dofs], q[..., figure.n_dofs :]
