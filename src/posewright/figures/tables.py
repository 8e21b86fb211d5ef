"""Joints lowered to the structured arrays that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from posewright.figures.joint import NO_TURN, Joint, Vector, X, Y, Z
from posewright.figures.site import Site
from posewright.figures.vectors import vector
from posewright.kernels import tables
from posewright.kernels.tables import Table
from posewright.rotations import matrix_from_quaternion

_COORDINATE_HINGES = (tables.HINGE_X, tables.HINGE_Y, tables.HINGE_Z)


class FigureTables(NamedTuple):
    """What a kernel needs of a figure."""

    joints: Table
    dofs: Table


def lower_figure(joints: Sequence[Joint], parents: Sequence[int]) -> FigureTables:
    """The tables of a tree of joints, row by row in the order of the fields of `kernels.tables`."""
    joint_rows: list[tuple[object, ...]] = []
    dof_rows: list[tuple[object, ...]] = []
    rests = matrix_from_quaternion(np.array([joint.rest for joint in joints])).reshape(-1, 9).tolist()
    for index, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
        counts = (len(joint.slides), len(joint.hinges), int(joint.ball is not None))
        turned = int(joint.rest != NO_TURN)
        place = (effective_offset(joint), rests[index])
        joint_rows.append((parent, len(dof_rows), *counts, turned, *place, joint.mass, joint.centre))
        dof_rows += [(tables.SLIDE, index, s.axis, s.lower, s.upper, 1.0 - s.rigidity) for s in joint.slides]
        dof_rows += [(_hinge_kind(h.axis), index, h.axis, h.lower, h.upper, 1.0 - h.rigidity) for h in joint.hinges]
        if (ball := joint.ball) is not None:
            for axis, lower, upper, rigidity in zip((X, Y, Z), ball.lower, ball.upper, ball.rigidity, strict=True):
                dof_rows.append((tables.BALL, index, axis, lower, upper, 1.0 - rigidity))
    return FigureTables(np.array(joint_rows, tables.JOINT), np.array(dof_rows, tables.DOF))


@cache
def _hinge_kind(axis: Vector) -> int:
    """Kernels turn about coordinate axes, in either sense, with fewer operations."""
    along = [abs(component) for component in axis]
    return _COORDINATE_HINGES[along.index(1.0)] if sorted(along) == [0.0, 0.0, 1.0] else tables.HINGE


def effective_offset(joint: Joint) -> tuple[float, float, float]:
    """The constant part of a joint's place in its parent's frame (m)."""
    if not (joint.slides_replace_offset and joint.slides):
        return joint.offset
    axes = np.array([slide.axis for slide in joint.slides])
    offset = np.array(joint.offset)
    return vector(offset - axes.T @ (axes @ offset))


def lower_sites(sites: Sequence[Site], joint_indices: Sequence[int]) -> Table:
    """The table of some sites."""
    table = np.zeros(len(sites), tables.SITE)
    for row, site, joint in zip(table, sites, joint_indices, strict=True):
        row["joint"], row["point"], row["x_axis"], row["y_axis"] = joint, site.point, site.x_axis, site.y_axis
    return table
