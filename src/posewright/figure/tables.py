"""Joints lowered to the structured arrays that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from posewright.figure.joint import NO_TURN, Hinge, Joint, Slide, X, Y, Z
from posewright.figure.site import Site
from posewright.kernels import tables
from posewright.kernels.tables import Table

_HINGE_KINDS = {X: tables.HINGE_X, Y: tables.HINGE_Y, Z: tables.HINGE_Z}


class FigureTables(NamedTuple):
    """What a kernel needs of a figure."""

    joints: Table
    dofs: Table


def lower_figure(joints: Sequence[Joint], parents: Sequence[int]) -> FigureTables:
    """The tables of a tree of joints."""
    joint_table = np.zeros(len(joints), tables.JOINT)
    dof_table = np.zeros(sum(joint.n_dofs for joint in joints), tables.DOF)
    first = 0
    for index, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
        row = joint_table[index]
        row["parent"], row["first"] = parent, first
        row["slides"], row["hinges"], row["ball"] = (
            len(joint.slides),
            len(joint.hinges),
            int(joint.ball is not None),
        )
        row["offset"] = effective_offset(joint)
        row["turned"] = int(joint.rest != NO_TURN)
        row["rest"] = _matrix(joint.rest)
        row["mass"], row["centre"] = joint.mass, joint.centre
        single: tuple[Slide | Hinge, ...] = (*joint.slides, *joint.hinges)
        for k, (lower, upper, _, rigidity) in enumerate(joint.bounds):
            dof = dof_table[first + k]
            dof["joint"], dof["lower"], dof["upper"], dof["scale"] = index, lower, upper, 1.0 - rigidity
            if k >= len(single):
                dof["kind"], dof["axis"] = tables.BALL, np.eye(3)[k - len(joint.slides)]
            else:
                dof["kind"] = (
                    tables.SLIDE if isinstance(single[k], Slide) else _HINGE_KINDS.get(single[k].axis, tables.HINGE)
                )
                dof["axis"] = single[k].axis
        first += joint.n_dofs
    return FigureTables(joint_table, dof_table)


def effective_offset(joint: Joint) -> tuple[float, float, float]:
    """The constant part of a joint's place in its parent's frame (m)."""
    if not (joint.slides_replace_offset and joint.slides):
        return joint.offset
    axes = np.array([slide.axis for slide in joint.slides])
    offset = np.array(joint.offset)
    x, y, z = (offset - axes.T @ (axes @ offset)).tolist()
    return x, y, z


def lower_sites(sites: Sequence[Site], joint_indices: Sequence[int]) -> Table:
    """The table of some sites."""
    table = np.zeros(len(sites), tables.SITE)
    for row, site, joint in zip(table, sites, joint_indices, strict=True):
        row["joint"], row["point"], row["x_axis"], row["y_axis"] = joint, site.point, site.x_axis, site.y_axis
    return table


def _matrix(wxyz: tuple[float, float, float, float]) -> list[float]:
    w, x, y, z = wxyz
    return [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
