"""A figure split in two: joints that goals depend on, and the others, which have no part in the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.conventions import BoolArray, IntArray
from posewright.kernels.tables import POSITION, Table


@dataclass(frozen=True, eq=False)
class Branches:
    """Some joints of a figure, as tables of their own."""

    joints: Table
    dofs: Table
    terms: Table
    balls: IntArray
    columns: IntArray
    """(dofs,): where these dofs are in the figure's"""


def split(joints: Table, dofs: Table, terms: Table, balls: IntArray) -> tuple[Branches, Branches]:
    """The joints with goals at or below them, with all terms; and those without."""
    terms = terms.copy()
    for term in terms:
        _raise(joints, term)
    depended_on = np.zeros(len(joints), np.bool_)
    for joint in terms["joint"]:
        while joint >= 0:
            depended_on[joint] = True
            joint = joints["parent"][joint]
    return _taken(joints, dofs, terms, balls, depended_on), _taken(joints, dofs, terms[:0], balls, ~depended_on)


def _raise(joints: Table, term: Table) -> None:
    """Let a joint's own place ride on its parent: the joint does not move it."""
    joint = joints[term["joint"]]
    if term["kind"] == POSITION and not term["point"].any() and joint["slides"] == 0 and joint["parent"] >= 0:
        term["joint"], term["point"] = joint["parent"], joint["offset"]


def _taken(joints: Table, dofs: Table, terms: Table, balls: IntArray, chosen: BoolArray) -> Branches:
    """The tables of some joints; those whose parent is not among them become roots."""
    columns = np.flatnonzero(chosen[dofs["joint"]])
    new_joint = np.where(chosen, np.cumsum(chosen) - 1, -1)
    new_dof = np.searchsorted(columns, np.arange(len(dofs) + 1))
    joints, dofs, terms = joints[chosen], dofs[columns], terms.copy()
    joints["parent"] = np.where(joints["parent"] >= 0, new_joint[joints["parent"]], -1)
    joints["first"] = new_dof[joints["first"]]
    dofs["joint"], terms["joint"] = new_joint[dofs["joint"]], new_joint[terms["joint"]]
    return Branches(joints, dofs, terms, new_joint[balls[chosen[balls]]], columns)
