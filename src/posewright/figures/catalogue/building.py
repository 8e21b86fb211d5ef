"""Short forms for the joints of built-in bodies, and the right side of a body from its left.

Hinge axes are named by what they do to a limb that hangs down on the left side. A mirrored hinge turns about the
mirrored axis the other way round, so that the same angle on both sides is a symmetric pose, and left and right limits
are the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from posewright.constraints import LinearConstraint
from posewright.figures.group import JointGroup
from posewright.figures.joint import Capsule, Hinge, Joint, Vector, X, Y, Z
from posewright.figures.site import Site

FORWARD: Vector = (-1.0, 0.0, 0.0)
"""Swings a hanging limb forward, lifts the toes."""
BACK: Vector = X
"""Swings a hanging limb back; bends an upright trunk forward."""
OUT: Vector = Z
"""Swings a hanging limb of the left side outward."""
IN: Vector = (0.0, 0.0, -1.0)
"""Swings a hanging limb of the left side inward, towards the other."""
TURN_IN: Vector = (0.0, -1.0, 0.0)
"""Turns the front of a limb of the left side inward."""


def hinge(label: str, axis: Vector, lower: float, upper: float, rest: float = 0.0) -> Hinge:
    """A hinge with limits and rest in degrees, as books give them."""
    return Hinge(axis=axis, label=label, lower=math.radians(lower), upper=math.radians(upper), rest=math.radians(rest))


def trunk_hinges(flexion: tuple[float, float], lateral: float, axial: float) -> tuple[Hinge, Hinge, Hinge]:
    """The three hinges of a joint of the trunk (limits in degrees).

    Flexion bends forward, lateral to the right, axial turns to the left: all right-handed about x, z and y.
    """
    return (
        hinge("flexion", X, *flexion),
        hinge("lateral", Z, -lateral, lateral),
        hinge("axial", Y, -axial, axial),
    )


def capsule(start: Vector, end: Vector, start_radius: float, end_radius: float) -> Capsule:
    """A rounded cone (m)."""
    return Capsule(start=start, end=end, start_radius=start_radius, end_radius=end_radius)


def segment(
    name: str, parent: str, offset: Vector, hinges: Iterable[Hinge], mass: float, centre: Vector, *shape: Capsule
) -> Joint:
    """A joint of hinges, none for a rigid one (kg, m)."""
    return Joint(name=name, parent=parent, offset=offset, rotation=tuple(hinges), mass=mass, centre=centre, shape=shape)


def site(name: str, joint: str, point: Vector, x_axis: Vector, y_axis: Vector = Y, *, tip: bool = False) -> Site:
    """A site (m)."""
    return Site(name=name, joint=joint, point=point, x_axis=x_axis, y_axis=y_axis, tip=tip)


def both_sides(joints: Iterable[Joint]) -> tuple[Joint, ...]:
    """The joints of a limb of the left side, which turns by hinges alone, and then those of the right side."""
    left = tuple(joints)
    right = (
        replace(
            joint,
            name=_right(joint.name),
            parent=None if joint.parent is None else _right(joint.parent),
            offset=across(joint.offset),
            rotation=tuple(
                replace(one, axis=(one.axis[0], 0.0 - one.axis[1], 0.0 - one.axis[2])) for one in joint.hinges
            ),
            centre=across(joint.centre),
            shape=tuple(map(right_capsule, joint.shape)),
        )
        for joint in left
    )
    return (*left, *right)


def sites_of_both_sides(sites: Iterable[Site]) -> tuple[Site, ...]:
    """The sites of the left side and then those of the right side, points and directions mirrored."""
    left = tuple(sites)
    right = (
        site(_right(s.name), _right(s.joint), across(s.point), across(s.x_axis), across(s.y_axis), tip=s.tip)
        for s in left
    )
    return (*left, *right)


def right_group(group: JointGroup) -> JointGroup:
    """The same group over the dofs of the right side."""
    return replace(group, name=_right(group.name), members=tuple(map(_right, group.members)))


def right_constraint(row: LinearConstraint) -> LinearConstraint:
    """The same relation over the dofs of the right side."""
    return replace(row, name=_right(row.name), coefficients=tuple((_right(dof), f) for dof, f in row.coefficients))


def right_capsule(part: Capsule) -> Capsule:
    """The capsule seen in the mirror."""
    return replace(part, start=across(part.start), end=across(part.end))


def across(point: Vector) -> Vector:
    """A point or direction mirrored at the plane of symmetry."""
    return 0.0 - point[0], point[1], point[2]


def _right(name: str) -> str:
    """`right_knee` for `left_knee`; other names stay."""
    return "right_" + name.removeprefix("left_") if name.startswith("left_") else name
