"""Groups and constraints of a changed figure, whose dofs have other names, signs or units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.group import JointGroup
from posewright.figures.source import Source

Renamed = Mapping[str, tuple[str, float]]
"""For an old dof name the new name and the factor in `new = factor · old`; dofs not named stay as they are."""

TOLERANCE = 1e-9
"""How far beyond its bounds the sum of a constraint may be and still count as kept (rad or m)."""


def related_dofs(figure: Figure) -> dict[str, str]:
    """Dofs that a group or constraint speaks of, each with what speaks of it."""
    found = {dof: f"constraint {c.name!r}" for c in figure.constraints for dof, _ in c.coefficients}
    return found | {dof: f"group {group.name!r}" for group in figure.groups for dof in group.members}


def changed_constraint(constraint: LinearConstraint, renamed: Renamed) -> LinearConstraint:
    """The same relation between renamed and rescaled dofs."""
    rows = [(*renamed.get(dof, (dof, 1.0)), value) for dof, value in constraint.coefficients]
    return replace(constraint, coefficients=tuple((dof, value / factor) for dof, factor, value in rows))


def changed_group(group: JointGroup, renamed: Renamed) -> JointGroup:
    """The same group over renamed and rescaled dofs."""
    new = [renamed.get(dof, (dof, 1.0)) for dof in group.members]
    return replace(
        group,
        members=tuple(dof for dof, _ in new),
        matrix=tuple(tuple(factor * v for v in row) for (_, factor), row in zip(new, group.matrix, strict=True)),
        offset=tuple(factor * v for (_, factor), v in zip(new, group.offset, strict=True)),
    )


def fixed_in_constraints(
    constraints: Iterable[LinearConstraint], values: Mapping[str, float]
) -> tuple[LinearConstraint, ...]:
    """The constraints on the dofs that remain when some are held at `values`: constants move into the bounds.

    Raises:
        InvalidFigure: a constraint all of whose dofs are held is broken by their values.
    """
    kept = []
    for constraint in constraints:
        held = sum(factor * values[dof] for dof, factor in constraint.coefficients if dof in values)
        left = tuple((dof, factor) for dof, factor in constraint.coefficients if dof not in values)
        if left:
            lower, upper = constraint.lower - held, constraint.upper - held
            kept.append(replace(constraint, coefficients=left, lower=lower, upper=upper))
        elif not constraint.lower - TOLERANCE <= held <= constraint.upper + TOLERANCE:
            raise InvalidFigure(
                f"constraint {constraint.name!r} is broken by the pose to lock: its sum is {held:g}, "
                f"the bounds are {constraint.lower:g} to {constraint.upper:g}"
            )
    return tuple(kept)


def fixed_in_groups(groups: Iterable[JointGroup], held: Iterable[str]) -> tuple[JointGroup, ...]:
    """The groups without the held members, and without the coordinates and groups that then move nothing."""
    gone = set(held)
    kept = []
    for group in groups:
        rows = [k for k, member in enumerate(group.members) if member not in gone]
        columns = [c for c in range(len(group.coordinates)) if any(group.matrix[k][c] != 0.0 for k in rows)]
        if len(rows) == len(group.members):
            kept.append(group)
        elif rows and columns:
            kept.append(
                replace(
                    group,
                    coordinates=tuple(group.coordinates[c] for c in columns),
                    members=tuple(group.members[k] for k in rows),
                    matrix=tuple(tuple(group.matrix[k][c] for c in columns) for k in rows),
                    offset=tuple(group.offset[k] for k in rows),
                )
            )
    return tuple(kept)


def noted(source: Source | None, *notes: str) -> Source | None:
    """The source with more notes, so that what a change lost is never silent."""
    if not notes:
        return source
    source = source or Source(format="")
    return replace(source, notes=(*source.notes, *notes))
