"""The right side of a body from its left: symmetric by construction.

A mirrored hinge turns about the mirrored axis the other way round, so that the same angle on both sides is a
symmetric pose, and left and right limits are the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from posewright.constraints import LinearConstraint
from posewright.figures.group import JointGroup
from posewright.figures.joint import Ball, Capsule, Joint, Vector
from posewright.figures.site import Site


def right_joint(joint: Joint) -> Joint:
    """The joint of the right side; the catalogue's limbs turn by hinges alone."""
    if isinstance(joint.rotation, Ball) or joint.slides:
        raise AssertionError("limbs of the catalogue are made of hinges")
    return replace(
        joint,
        name=right_name(joint.name),
        parent=None if joint.parent is None else right_name(joint.parent),
        offset=across(joint.offset),
        rotation=tuple(replace(hinge, axis=_axial(hinge.axis)) for hinge in joint.rotation),
        centre=across(joint.centre),
        shape=tuple(right_capsule(capsule) for capsule in joint.shape),
    )


def right_site(site: Site) -> Site:
    """The site of the right side: point and directions mirrored."""
    return replace(
        site,
        name=right_name(site.name),
        joint=right_name(site.joint),
        point=across(site.point),
        x_axis=across(site.x_axis),
        y_axis=across(site.y_axis),
    )


def right_group(group: JointGroup) -> JointGroup:
    """The same group over the dofs of the right side."""
    return replace(group, name=right_name(group.name), members=tuple(right_name(name) for name in group.members))


def right_constraints(constraints: Iterable[LinearConstraint]) -> tuple[LinearConstraint, ...]:
    """The same relations over the dofs of the right side."""
    return tuple(
        replace(
            row,
            name=right_name(row.name),
            coefficients=tuple((right_name(dof), factor) for dof, factor in row.coefficients),
        )
        for row in constraints
    )


def right_capsule(capsule: Capsule) -> Capsule:
    """The capsule seen in the mirror."""
    return replace(capsule, start=across(capsule.start), end=across(capsule.end))


def right_name(name: str) -> str:
    """`right_knee` for `left_knee`; other names stay."""
    return "right_" + name.removeprefix("left_") if name.startswith("left_") else name


def across(point: Vector) -> Vector:
    """A point or direction mirrored at the plane of symmetry."""
    return 0.0 - point[0], point[1], point[2]


def _axial(axis: Vector) -> Vector:
    return axis[0], 0.0 - axis[1], 0.0 - axis[2]
